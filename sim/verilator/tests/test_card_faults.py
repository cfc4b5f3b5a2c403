# SPDX-License-Identifier: Apache-2.0
"""The control socket: every fault as the host sees it, on every engine, and lines that are refused."""
import os
import select
import socket
import time

import pagepress_interface as interface
import pytest
from card_process import CardProcess
from lzo import crc32c, kernel_decompress, sample_pages
from rings import PAGE, Memory, Queue, compress, decompress, enable
from vfio_user import CONFIG, Client

ALL_ONES = 0xFFFFFFFF
SECONDS = 600


class Control:
    """The control socket at `path`: a line goes out, its answer comes back."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(SECONDS)
        self.socket.connect(str(path))
        self.stream = self.socket.makefile("rw", encoding="ascii")

    def ask(self, line):
        self.stream.write(line + "\n")
        self.stream.flush()
        return self.stream.readline().strip()

    def arm(self, line):
        assert self.ask(f"arm {line}") == "ok"

    def struck(self):
        return int(self.ask("status").split()[1])


@pytest.fixture
def memory():
    held = Memory(pages=256)
    yield held
    held.close()


@pytest.fixture
def control(card_program, engine, memory, tmp_path):
    """A card that takes faults, with `.client` on its card socket and `.queue` enabled on it."""
    path = tmp_path / "control"
    with CardProcess(card_program, engine, tmp_path, control=path) as process, Client(process.socket) as client:
        client.dma_map(memory.base, memory.size, memory.file)
        enable(client)
        talk = Control(path)
        talk.client, talk.queue = client, Queue(client, memory, depth_log2=4)
        talk.process = process
        yield talk
        talk.socket.close()


@pytest.fixture
def page(seed):
    """A page that compresses."""
    return next(page for page in sample_pages(50, seed) if len(set(page)) > 4 and page.count(0) > PAGE // 4)


def compressed(control, memory, page):
    """COMPRESS `page` once; (completion, stream)."""
    source, destination = memory.allocate(PAGE), memory.allocate(PAGE)
    memory.write(source, page)
    [completion] = control.queue.run([compress(7, source, destination)])
    return completion, memory.read(destination, PAGE)[:completion.produced_length % PAGE]


def submitted(control, memory, page):
    """COMPRESS `page` without waiting."""
    source, destination = memory.allocate(PAGE), memory.allocate(PAGE)
    memory.write(source, page)
    control.queue.submit([compress(7, source, destination)])


def eventually(condition):
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_card_fault_wrong_answers(control, memory, page):
    """Each strikes as often as asked, then answers are right again."""
    (right, stream) = compressed(control, memory, page)
    assert right.status == interface.STATUS_SUCCESS and kernel_decompress(stream, PAGE) == page
    control.arm("wrong-crc count=2 opcode=compress")
    control.arm("wrong-crc opcode=decompress")
    for _ in range(2):
        completion, again = compressed(control, memory, page)
        assert completion.crc32c != crc32c(page) and again == stream
    control.arm("wrong-length")
    assert compressed(control, memory, page)[0].produced_length != right.produced_length
    control.arm("failed-status")
    completion, _ = compressed(control, memory, page)
    assert (completion.status, completion.produced_length) == (interface.STATUS_VERIFY_FAILED, 0)
    control.arm("engine-fault")
    completion, _ = compressed(control, memory, page)
    assert (completion.status, completion.produced_length) == (interface.STATUS_ENGINE_FAULT, 0)
    control.arm("corrupted-data")
    completion, broken = compressed(control, memory, page)
    assert (completion.crc32c, len(broken)) == (crc32c(page), len(stream))
    assert sum((a ^ b).bit_count() for a, b in zip(broken, stream)) == 1
    assert completion.detail == crc32c(stream) != crc32c(broken)
    control.arm("wrong-detail")
    completion, again = compressed(control, memory, page)
    assert completion.detail != crc32c(again) and again == stream
    control.arm("broken-stream")
    completion, broken = compressed(control, memory, page)
    assert (completion.crc32c, completion.detail) == (crc32c(page), crc32c(broken))
    assert sum(a != b for a, b in zip(broken, stream)) == 1 and len(broken) == len(stream)
    assert control.ask("status") == "struck 8 armed 1 held 0"
    again, same = compressed(control, memory, page)
    assert (again.status, again.produced_length, again.crc32c, same) == (right.status, right.produced_length, right.crc32c, stream)

    source, destination = memory.allocate(PAGE), memory.allocate(PAGE)
    memory.write(source, stream)
    entry = decompress(9, source, len(stream), destination)
    assert control.queue.run([entry])[0].crc32c != crc32c(page)
    control.arm("failed-status opcode=decompress")
    assert control.queue.run([entry])[0].status == interface.STATUS_MALFORMED_STREAM
    assert control.ask("clear") == "ok" and control.struck() == 0


def test_card_fault_late_write(control, memory, page):
    """The answer and what it says of the page are right; a bit turns over later, in the destination."""
    _, stream = compressed(control, memory, page)
    source, destination = memory.allocate(PAGE), memory.allocate(PAGE)
    memory.write(source, stream)
    control.arm("late-write opcode=decompress after=300000")
    completion = control.queue.run([decompress(9, source, len(stream), destination)])[0]
    assert completion.crc32c == crc32c(page) and memory.read(destination, PAGE) == page
    assert control.ask("clear") == "ok"
    assert sum((a ^ b).bit_count() for a, b in zip(memory.read(destination, PAGE), page)) == 1


def test_card_fault_lost_completion(control, memory, page):
    control.arm("lost-completion")
    submitted(control, memory, page)
    eventually(lambda: control.struck() == 1)
    assert control.queue.take() == []
    assert control.client.read(control.queue.register(interface.REGISTER_COMPLETION_TAIL)) == 1


def test_card_fault_late_completion(control, memory, page):
    """Held back, with READY up although the card was disabled; then delivered."""
    control.arm("late-completion after=300000")
    submitted(control, memory, page)
    submitted(control, memory, page)
    eventually(lambda: control.ask("status") == "struck 1 armed 0 held 2")
    control.client.write(interface.REGISTER_CONTROL, 0)
    time.sleep(0.05)
    assert control.client.read(interface.REGISTER_STATUS) & interface.STATUS_READY_MASK
    assert control.queue.take() == []
    assert control.ask("clear") == "ok"
    assert len(control.queue.take()) == 2
    eventually(lambda: not control.client.read(interface.REGISTER_STATUS) & interface.STATUS_READY_MASK)


@pytest.mark.parametrize("fault", ["stuck", "fatal"])
def test_card_fault_that_ends_with_disable(control, memory, page, fault):
    control.arm(fault)
    submitted(control, memory, page)
    eventually(lambda: control.struck() == 1)
    control.client.write(interface.REGISTER_CONTROL, interface.CONTROL_ENABLE_MASK)     # no disable
    submitted(control, memory, page)
    time.sleep(0.05)
    assert control.queue.take() == []
    fatal = bool(control.client.read(interface.REGISTER_STATUS) & interface.STATUS_FATAL_MASK)
    assert fatal == (fault == "fatal") and bool(control.client.read(interface.REGISTER_FATAL_CAUSE)) == fatal
    control.client.write(interface.REGISTER_CONTROL, 0)
    eventually(lambda: not control.client.read(interface.REGISTER_STATUS) & interface.STATUS_READY_MASK)
    enable(control.client)
    control.queue = Queue(control.client, memory)
    assert compressed(control, memory, page)[0].status == interface.STATUS_SUCCESS


@pytest.mark.parametrize("fault", ["stuck", "fatal", "reset-refused"])
def test_card_fault_that_ends_with_a_reset(control, memory, page, fault):
    """A function-level reset, which no fault refuses."""
    control.arm(fault)
    if fault == "reset-refused":
        control.client.write(interface.REGISTER_CONTROL, 0)
    else:
        submitted(control, memory, page)
    eventually(lambda: control.struck() == 1)
    control.client.reset()
    enable(control.client)
    assert not control.client.read(interface.REGISTER_STATUS) & interface.STATUS_FATAL_MASK
    control.queue = Queue(control.client, memory)
    assert compressed(control, memory, page)[0].status == interface.STATUS_SUCCESS
    control.client.write(interface.REGISTER_CONTROL, 0)
    eventually(lambda: not control.client.read(interface.REGISTER_STATUS) & interface.STATUS_READY_MASK)


@pytest.mark.parametrize("end", ["disable", "reset"])
@pytest.mark.parametrize("fault", ["interrupt-storm", "event-storm"])
def test_card_fault_interrupts_without_end(control, memory, page, fault, end):
    """The completion arrives; interrupts with nothing behind them come on and on, until the card is disabled, or reset."""
    event = os.eventfd(0)
    control.client.set_irqs(interface.EVENT_VECTOR, 1, [event])
    control.arm(fault)
    assert compressed(control, memory, page)[0].status == interface.STATUS_SUCCESS
    vector = event if fault == "event-storm" else control.queue.event
    for _ in range(100):
        assert select.select([vector], [], [], 60)[0], "no interrupt"
        os.eventfd_read(vector)
    if end == "disable":
        control.client.write(interface.REGISTER_CONTROL, 0)
        eventually(lambda: not control.client.read(interface.REGISTER_STATUS) & interface.STATUS_READY_MASK)
    else:
        control.client.reset()
    enable(control.client)
    if select.select([vector], [], [], 0)[0]:
        os.eventfd_read(vector)
    time.sleep(0.05)
    assert not select.select([vector], [], [], 0)[0], "the storm goes on"
    control.queue = Queue(control.client, memory)
    assert compressed(control, memory, page)[0].status == interface.STATUS_SUCCESS


def test_card_fault_all_ones(control, memory, page):
    """Registers lie, but the completion arrives and configuration space answers."""
    control.arm("all-ones")
    assert compressed(control, memory, page)[0].status == interface.STATUS_SUCCESS
    assert control.client.read(interface.REGISTER_MAGIC) == ALL_ONES
    assert int.from_bytes(control.client.region_read(CONFIG, 0, 2), "little") == interface.PCI_VENDOR_ID
    assert control.ask("clear") == "ok"
    assert control.client.read(interface.REGISTER_MAGIC) == interface.MAGIC_VALUE


def test_card_fault_dead(control, memory, page):
    control.arm("dead")
    submitted(control, memory, page)
    eventually(lambda: control.struck() == 1)
    assert control.queue.take() == []
    assert control.client.read(interface.REGISTER_STATUS) == ALL_ONES
    assert int.from_bytes(control.client.region_read(CONFIG, 0, 2), "little") == 0xFFFF
    assert control.ask("clear") == "ok"
    assert int.from_bytes(control.client.region_read(CONFIG, 0, 2), "little") == interface.PCI_VENDOR_ID


def test_card_fault_lying_counters(control, memory, page):
    """No word of a counter is read twice alike; the card works on."""
    control.arm("lying-counters")
    words = [control.client.read(interface.COUNTER_BASE + 4) for _ in range(8)]
    assert len(set(words)) == len(words)
    assert compressed(control, memory, page)[0].status == interface.STATUS_SUCCESS
    assert control.ask("clear") == "ok"
    assert {control.client.read(interface.COUNTER_BASE + 4) for _ in range(8)} == {0}


def test_card_fault_fewer_queues(control):
    before = control.client.read(interface.REGISTER_CAPABILITIES)
    control.arm("fewer-queues")
    pairs = 1 << interface.CAPABILITIES_QUEUE_PAIRS_SHIFT
    assert control.client.read(interface.REGISTER_CAPABILITIES) == before & ~interface.CAPABILITIES_QUEUE_PAIRS_MASK | pairs
    assert control.ask("clear") == "ok"
    assert control.client.read(interface.REGISTER_CAPABILITIES) == before


def test_card_fault_reset_refused(control, memory, page):
    control.arm("reset-refused")
    enable(control.client)
    assert control.struck() == 0, "no disable"
    for _ in range(2):
        control.client.write(interface.REGISTER_CONTROL, 0)
    time.sleep(0.05)
    assert control.client.read(interface.REGISTER_STATUS) & interface.STATUS_READY_MASK
    assert compressed(control, memory, page)[0].status == interface.STATUS_SUCCESS, "it works on"
    control.client.reset()
    assert not control.client.read(interface.REGISTER_STATUS) & interface.STATUS_READY_MASK


def test_card_fault_lines_refused(control):
    for line in ("", "arm", "arm nonsense", "arm stuck count=0", "arm stuck count=x", "arm stuck opcode=nop", "arm stuck 3",
                 "arm stuck count=compress", "arm stuck one-in=decompress", "arm stuck nonsense=1",
                 "clear all", "status now", "seed", "stop"):
        assert control.ask(line).startswith("error "), line
    assert control.ask("status") == "struck 0 armed 0 held 0"
    assert control.ask("seed 5") == "ok"


def test_card_fault_of_the_management_part(control, engine):
    """The core alone has none, and says so."""
    expected = "error this card has no management part" if engine == "axi" else "ok"
    for line in ("flash well", "sensor 0 41500", "firmware well"):
        assert control.ask(line) == expected
