# SPDX-License-Identifier: Apache-2.0
"""Hostile and clumsy clients: each gets an error answer or is dropped; the card neither crashes nor leaks.

Runs on the build with sanitizers, so that a wild access inside the server fails the test.
"""

import errno
import fcntl
import os
import random
import signal
import socket
import struct
import subprocess
import termios
import time
from pathlib import Path

import pagepress_interface as interface
import pytest
from card_process import CardProcess
from rings import PAGE, Memory, Queue, enable
from vfio_user import BAR0, CONFIG, DATA_BOOL, DATA_EVENTFD, DATA_NONE, DMA_MAP, DMA_UNMAP, ERROR, GET_INFO, GET_IRQ_INFO, \
    GET_REGION_INFO, GET_REGION_IO_FDS, HEADER, MSIX, NO_REPLY, REGION_READ, REGION_WRITE, REPLY, RESET, SET_IRQS, TRIGGER, \
    VERSION, Client, Gone, Refused, memory_file


@pytest.fixture
def client(checked_card):
    with Client(checked_card.socket) as connected:
        yield connected


def alive(client):
    assert client.read(interface.REGISTER_MAGIC) == interface.MAGIC_VALUE


def refused(client, expected, command, payload=b"", fds=()):
    """The command is answered with errno `expected`, and the next one works."""
    with pytest.raises(Refused) as caught:
        client.call(command, payload, fds)
    assert caught.value.errno == expected
    alive(client)


# Framing.

@pytest.mark.parametrize("size", [0, 1, 15, 2**20 + 4096, 2**32 - 1])
def test_impossible_size_ends_the_connection(checked_card, client, size):
    client.send(GET_INFO, bytes(16), size=size)
    with pytest.raises(Gone):
        client.receive()
    assert checked_card.wait() == 0 and "size out of range" in checked_card.log()


@pytest.mark.parametrize("kept", [1, 15, 16, 17, 31])
def test_disconnect_in_the_middle_of_a_message(checked_card, client, kept):
    client.send_raw((HEADER.pack(9, GET_INFO, 32, 0, 0) + bytes(16))[:kept])
    client.close()
    assert checked_card.wait() == 0


def test_message_in_pieces(client):
    message = HEADER.pack(77, REGION_READ, 32, 0, 0) + struct.pack("<QII", 0, BAR0, 4)
    for byte in message:
        client.send_raw(bytes([byte]))
        eventually(lambda: fcntl.ioctl(client.socket, termios.TIOCOUTQ, bytes(4)) == bytes(4))     # taken, before the next one comes
    assert client.answer(77, REGION_READ)[16:] == struct.pack("<I", interface.MAGIC_VALUE)


def test_many_messages_at_once(client):
    one = struct.pack("<QII", 0, BAR0, 4)
    client.send_raw(b"".join(HEADER.pack(number, REGION_READ, 32, 0, 0) + one for number in range(500)))
    for number in range(500):
        client.answer(number, REGION_READ)


def test_half_a_message_does_not_stop_the_card(checked_card, client):
    client.send_raw(b"\1\2\3")
    assert checked_card.stop() == 0


def test_client_that_takes_no_answers(checked_card, client):
    """Signals still end a card whose answers pile up."""
    client.socket.settimeout(1)
    one = HEADER.pack(1, REGION_READ, 32, 0, 0) + struct.pack("<QII", 0, CONFIG, 4096)
    with pytest.raises(TimeoutError):
        for _ in range(10000):
            client.send_raw(one)
    assert checked_card.stop() == 0


def test_client_that_leaves_its_answers(checked_card, client):
    """More than a socket holds: the card is still sending when nobody is there any more."""
    one = HEADER.pack(1, REGION_READ, 32, 0, 0) + struct.pack("<QII", 0, CONFIG, 4096)
    client.send_raw(500 * one)
    client.close()
    assert checked_card.wait() == 0 and "client dropped" in checked_card.log()


# Order and flags.

def test_nothing_before_the_version(checked_card):
    with Client(checked_card.socket, handshake=False) as client:
        for command in (DMA_MAP, GET_INFO, REGION_READ, REGION_WRITE, SET_IRQS, RESET):
            with pytest.raises(Refused):
                client.call(command, bytes(64))
        client.version()
        alive(client)
        with pytest.raises(Refused):
            client.version()
        alive(client)


def test_wrong_version(checked_card):
    with Client(checked_card.socket, handshake=False) as client:
        with pytest.raises(Refused):
            client.version(major=1)
        with pytest.raises(Refused):
            client.call(VERSION, b"\0\0")
        with pytest.raises(Refused):
            client.call(VERSION, struct.pack("<HH", 0, 1) + b"{} without its end")
        assert client.version(minor=0)["max_msg_fds"] == 8
        alive(client)


def test_client_that_only_looked_leaves_the_card(checked_card):
    for _ in range(3):
        Client(checked_card.socket, handshake=False).close()
    with Client(checked_card.socket) as client:
        alive(client)


def test_second_client_waits(checked_card, client):
    other = socket.socket(socket.AF_UNIX)
    other.connect(checked_card.socket)
    alive(client)
    other.close()


def test_replies_and_unknown_types_are_not_commands(client):
    client.send(REGION_READ, struct.pack("<QII", 0, BAR0, 4), flags=REPLY)      # dropped
    client.send(0, flags=REPLY | ERROR)
    alive(client)
    with pytest.raises(Refused):
        client.call(REGION_READ, struct.pack("<QII", 0, BAR0, 4), flags=2)
    alive(client)


def test_no_reply_means_none(client):
    enable(client)
    client.write(interface.REGISTER_CONTROL, 0, posted=True)
    client.send(REGION_WRITE, b"too short", flags=NO_REPLY)     # even an error is not answered
    client.send(99, flags=NO_REPLY)
    assert client.read(interface.REGISTER_CONTROL) == 0


@pytest.mark.parametrize("command", [0, 11, 12, 14, 15, 16, 17, 18, 99, 65535])
def test_unknown_commands(client, command):
    refused(client, errno.ENOSYS, command, bytes(32))


def test_region_descriptors_are_not_offered(client):
    refused(client, errno.ENOSYS, GET_REGION_IO_FDS, struct.pack("<IIII", 16, 0, 0, 0))


@pytest.mark.parametrize("command, size", [
    (VERSION, 3), (DMA_MAP, 31), (DMA_UNMAP, 23), (GET_INFO, 15), (GET_REGION_INFO, 31), (GET_IRQ_INFO, 15), (SET_IRQS, 19),
    (REGION_READ, 15), (REGION_WRITE, 15)])
def test_short_payloads(client, command, size):
    for length in (0, 1, size):
        refused(client, errno.EINVAL, command, b"\x20" * length)


# Regions.

@pytest.mark.parametrize("region, offset, count", [
    (BAR0, interface.BAR0_BYTES, 1), (BAR0, interface.BAR0_BYTES - 4, 8), (BAR0, 2**64 - 4, 4), (BAR0, 2**64 - 4, 8),
    (BAR0, 0, 2**32 - 1), (CONFIG, 4096, 4), (CONFIG, 4093, 4), (CONFIG, 2**63, 4), (1, 0, 4), (8, 0, 4), (2**32 - 1, 0, 4)])
def test_region_bounds(client, region, offset, count):
    refused(client, errno.EINVAL, REGION_READ, struct.pack("<QII", offset, region, count))
    refused(client, errno.EINVAL, REGION_WRITE, struct.pack("<QII", offset, region, count) + bytes(min(count, 64)))


def test_write_that_claims_other_bytes_than_it_has(client):
    for count, there in ((4, 0), (4, 3), (4, 5), (0, 4), (65536, 4)):
        refused(client, errno.EINVAL, REGION_WRITE, struct.pack("<QII", 0, BAR0, count) + bytes(there))


def test_whole_regions(client):
    assert len(client.region_read(BAR0, 0, interface.BAR0_BYTES)) == interface.BAR0_BYTES
    assert len(client.region_read(CONFIG, 0, 4096)) == 4096
    client.region_write(BAR0, 0, bytes(interface.BAR0_BYTES))
    client.region_write(CONFIG, 0, b"\xff" * 4096)
    alive(client)


# Memory.

def map_request(address, size, offset=0, flags=3):
    return struct.pack("<IIQQQ", 32, flags, offset, address, size)


def test_map_refuses(client):
    file = memory_file(16 * PAGE)
    client.dma_map(0x10000, 4 * PAGE, file)
    for address, size in ((0x10000, 4 * PAGE), (0x10000, PAGE), (0x10000 + 3 * PAGE, 2 * PAGE), (0xF000, 2 * PAGE),
                          (0, 17 * PAGE), (0x10000 + 4 * PAGE - 1, 1)):
        refused(client, errno.EEXIST, DMA_MAP, map_request(address, size), [file])
    for neighbour in (0x10000 - PAGE, 0x10000 + 4 * PAGE):
        client.dma_map(neighbour, PAGE, file)
    for request in (map_request(0x100000, 0), map_request(2**64 - PAGE, 2 * PAGE), map_request(0x100000, 17 * PAGE),
                    map_request(0x100000, PAGE, offset=16 * PAGE), map_request(0x100000, PAGE, offset=2**64 - PAGE),
                    map_request(0x100000, PAGE, offset=1), map_request(0x100000, PAGE, flags=0x80)):
        refused(client, errno.EINVAL, DMA_MAP, request, [file])
    refused(client, errno.EINVAL, DMA_MAP, map_request(0x100000, PAGE), [file, file])
    readable = os.open("/etc/hostname", os.O_RDONLY)
    refused(client, errno.EINVAL, DMA_MAP, map_request(0x100000, 1), [readable])    # not to be written
    ends = os.pipe()
    refused(client, errno.EINVAL, DMA_MAP, map_request(0x100000, PAGE), [ends[0]])
    client.dma_map(2**64 - PAGE, PAGE, file)        # the very last page is fine
    for number in (file, readable, *ends):
        os.close(number)


def test_unmap(client):
    file = memory_file(8 * PAGE)
    client.dma_map(0x10000, 4 * PAGE, file)
    client.dma_map(0x20000, 4 * PAGE, file, 4 * PAGE)
    for address, size in ((0x10000, PAGE), (0x10000 + PAGE, 3 * PAGE), (0x10000 - PAGE, 2 * PAGE), (0x10000, 4 * PAGE - 1),
                          (0x10000 + 1, 4 * PAGE - 1)):
        refused(client, errno.EINVAL, DMA_UNMAP, struct.pack("<IIQQ", 24, 0, address, size))
    for address, size, flags in ((0, 0, 0), (2**64 - 1, 2, 0), (0x10000, 4 * PAGE, 4), (0x10000, PAGE, 2)):
        refused(client, errno.EINVAL, DMA_UNMAP, struct.pack("<IIQQ", 24, flags, address, size))
    assert client.dma_unmap(0x10000, 4 * PAGE) == 4 * PAGE
    assert client.dma_unmap(0x10000, 4 * PAGE) == 0             # as with VFIO: nothing there, nothing wrong
    assert client.dma_unmap(0, 2**63) == 4 * PAGE
    client.dma_map(0x10000, 4 * PAGE, file)
    assert client.call(DMA_UNMAP, struct.pack("<IIQQ", 24, 2, 0, 0))
    client.dma_map(0x10000, 4 * PAGE, file)
    os.close(file)


def test_firmware_maps_and_unmaps_many_times(checked_card, client):
    file = memory_file(64 * PAGE)
    before = checked_card.descriptors()
    for turn in range(300):
        client.dma_map(0, 32 * PAGE, file)
        client.dma_map(0x100000, 32 * PAGE, file, 32 * PAGE)
        client.dma_unmap(0, 32 * PAGE)
        client.dma_unmap(0x100000, 32 * PAGE)
    assert checked_card.descriptors() <= before
    os.close(file)


# Descriptors.

def test_too_many_descriptors(checked_card, client):
    before = checked_card.descriptors()
    for count in (9, 16, 17, 60, 250):
        fds = [os.eventfd(0) for _ in range(count)]
        refused(client, errno.EINVAL, SET_IRQS, struct.pack("<IIIII", 20, DATA_EVENTFD | TRIGGER, MSIX, 0, 3), fds)
        for number in fds:
            os.close(number)
    assert checked_card.descriptors() == before


def test_descriptors_where_none_belong(checked_card, client):
    event = os.eventfd(0)
    before = checked_card.descriptors()
    for command in (GET_INFO, REGION_READ, RESET, 99):
        try:
            client.call(command, struct.pack("<QII", 16, 0, 4), [event] * 8)
        except Refused:
            pass
    alive(client)
    assert checked_card.descriptors() == before
    os.close(event)


def test_interrupt_requests(checked_card, client):
    count = client.irq_info(MSIX)[1]
    events = [os.eventfd(0) for _ in range(count)]
    before = checked_card.descriptors()

    def request(flags, start, number, index=MSIX, argsz=20):
        return struct.pack("<IIIII", argsz, flags, index, start, number)

    for payload in (request(DATA_EVENTFD | TRIGGER, count, 1), request(DATA_EVENTFD | TRIGGER, 0, count + 1),
                    request(DATA_EVENTFD | TRIGGER, 2**32 - 1, 2), request(DATA_EVENTFD | TRIGGER, 1, 2**32 - 1),
                    request(DATA_EVENTFD | TRIGGER, 0, 2), request(DATA_NONE | TRIGGER, 1, 0, index=0),
                    request(DATA_EVENTFD | TRIGGER, 0, 1, index=99), request(DATA_EVENTFD, 0, 1),
                    request(DATA_EVENTFD | DATA_BOOL | TRIGGER, 0, 1), request(0, 0, 0), request(2**32 - 1, 0, 1),
                    request(DATA_EVENTFD | TRIGGER, 0, 1, argsz=0)):
        refused(client, errno.EINVAL, SET_IRQS, payload, events[:1])
    refused(client, errno.EINVAL, SET_IRQS, request(DATA_BOOL | TRIGGER, 0, 3) + b"\1\1")
    refused(client, errno.EINVAL, SET_IRQS, request(DATA_NONE | TRIGGER, 1, 0))
    assert checked_card.descriptors() == before
    for _ in range(100):
        client.set_irqs(0, count, events)
    assert checked_card.descriptors() == before + count
    client.set_irqs(0, count)                                   # without descriptors: taken away
    assert checked_card.descriptors() == before
    for event in events:
        os.close(event)


def test_event_descriptors_that_cannot_be_written(client):
    """A pipe without a reader, a full pipe, a read-only file: the interrupt is lost, the card is not."""
    client.bus_master()
    reader, writer = os.pipe()
    os.close(reader)
    full = os.eventfd(0)
    os.eventfd_write(full, 2**64 - 2)
    for number in (writer, full, os.open("/etc/hostname", os.O_RDONLY)):
        client.set_irqs(0, 1, [number])
        client.set_irqs(0, 1, flags=DATA_NONE | TRIGGER)
        alive(client)
        os.close(number)


# The whole thing.

def test_random_messages(checked_program, tmp_path, seed):
    """Messages of the right shape with wrong content, in any order: an answer to each, or a clean end."""
    choice = random.Random(seed)
    numbers = [0, 1, 2, 3, 4, 7, 8, 16, 20, 24, 32, PAGE, 65536, 2**31, 2**32 - 1]
    for turn in range(12):
        folder = tmp_path / str(turn)
        folder.mkdir()
        with CardProcess(checked_program, "model", folder) as card:
            client = Client(card.socket)
            file = memory_file(PAGE * 16)
            try:
                for _ in range(400):
                    payload = b"".join(choice.choice(numbers).to_bytes(choice.choice((4, 4, 8)), "little")
                                       for _ in range(choice.randrange(9)))
                    fds = [file] * choice.choice((0, 0, 0, 1, 1, 2, 9))
                    command = choice.choice((*range(1, 11), 13, choice.randrange(20)))
                    flags = choice.choice((0, 0, 0, 0, NO_REPLY, REPLY, ERROR, choice.randrange(2**32)))
                    number = client.send(command, payload, fds, flags)
                    if not flags & NO_REPLY and flags & 0xF != REPLY:
                        try:
                            client.answer(number, command)
                        except Refused:
                            pass
                if choice.random() < 0.5:
                    client.send_raw(choice.randbytes(choice.randrange(1, 64)))
                client.close()
            except Gone:
                pass
            os.close(file)
            assert card.stop() == 0, f"turn {turn}: {card.log()}"


def test_signals(checked_program, tmp_path):
    """SIGTERM with commands running: the counters are written, the socket is gone, status 0."""
    with CardProcess(checked_program, "model", tmp_path) as card:
        memory = Memory()
        with Client(card.socket) as client:
            client.dma_map(memory.base, memory.size, memory.file)
            enable(client)
            queue = Queue(client, memory)
            queue.run([interface.SubmissionEntry(interface.OPCODE_NOP, tag=tag) for tag in range(100)])
            assert card.stop() == 0
        assert card.counters()["commands"] == 100 and not os.path.exists(card.socket)
        memory.close()


def eventually(condition):
    """Wait for something that has no event of its own."""
    for _ in range(60000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it did not happen")


def test_counters_outlive_a_kill(checked_program, tmp_path):
    """The file follows the work without being asked, so that SIGKILL costs a second of it at most."""
    with CardProcess(checked_program, "model", tmp_path) as card, Client(card.socket) as client:
        memory = Memory()
        client.dma_map(memory.base, memory.size, memory.file)
        enable(client)
        Queue(client, memory).run([interface.SubmissionEntry(interface.OPCODE_NOP, tag=tag) for tag in range(50)])
        eventually(lambda: card.counters()["commands"] == 50)
        card.counters_file.unlink()
        card.process.send_signal(signal.SIGUSR1)
        eventually(card.counters_file.exists)
        assert card.counters()["commands"] == 50
        assert card.stop(signal.SIGKILL) == -signal.SIGKILL
        assert card.counters()["completions"] == 50
        memory.close()


def test_instant_card_takes_no_time(checked_program, tmp_path):
    """With --instant the answer is in memory when the doorbell's write is answered; who waits for the interrupt gets it."""
    with CardProcess(checked_program, "model", tmp_path, options=["--instant", "yes"]) as card, Client(card.socket) as client:
        memory = Memory()
        client.dma_map(memory.base, memory.size, memory.file)
        enable(client)
        queue = Queue(client, memory, moderation=3 << interface.MODERATION_COUNT_SHIFT | 1 << interface.MODERATION_CYCLES_SHIFT)
        for tag in range(3 * queue.depth):
            queue.submit([interface.SubmissionEntry(interface.OPCODE_NOP, tag=tag)])
            client.write(interface.REGISTER_CONTROL, interface.CONTROL_ENABLE_MASK, posted=False)  # answered after the doorbell
            assert [entry.tag for entry in queue.take()] == [tag]
        queue.submit([interface.SubmissionEntry(interface.OPCODE_NOP, tag=tag) for tag in range(3)])
        assert [entry.tag for entry in queue.wait(3)] == [0, 1, 2]
        queue.submit([interface.SubmissionEntry(interface.OPCODE_NOP, tag=9)])
        assert [entry.tag for entry in queue.wait(1)] == [9]
        assert card.stop() == 0
        assert card.counters()["completions"] == 3 * queue.depth + 4
        memory.close()


def test_card_stands_still_with_true_counters(card_program, tmp_path, engine):
    """SIGUSR2 with commands running: the file and the rings are of the same moment until SIGCONT."""
    with CardProcess(card_program, engine, tmp_path) as card, Client(card.socket) as client:
        memory = Memory()
        client.dma_map(memory.base, memory.size, memory.file)
        enable(client)
        queue = Queue(client, memory, depth_log2=8)
        queue.submit([interface.SubmissionEntry(interface.OPCODE_NOP, tag=tag) for tag in range(200)])
        card.process.send_signal(signal.SIGUSR2)
        eventually(lambda: "State:\tT" in Path(f"/proc/{card.process.pid}/status").read_text())
        counters, size = card.counters(), interface.COMPLETION_ENTRY_BYTES
        entries = [interface.CompletionEntry.unpack(memory.read(queue.completions + size * number, size)) for number in range(200)]
        assert counters["bridge_write_bytes"] == size * sum(entry.phase for entry in entries), counters
        card.process.send_signal(signal.SIGCONT)
        queue.wait(200)
        assert card.stop() == 0 and card.counters()["completions"] == 200
        memory.close()


@pytest.mark.parametrize("arguments, message", [
    ([], "--socket is missing"), (["--socket"], "needs a value"), (["--socket", "x"], "--engine must be rtl or model"),
    (["--socket", "x", "--engine", "rtl", "--level", "wire"], "--level must be pcie or axi"),
    (["--socket", "x", "--engine", "model", "--level", "pcie"], "--level needs --engine rtl"),
    (["--socket", "x", "--engine", "rtl", "--page-shift", "14"], "--page-shift needs --engine model"),
    (["--socket", "x", "--engine", "rtl", "--instant", "yes"], "--instant needs --engine model"),
    (["--socket", "x", "--engine", "model", "--instant", "1"], "--instant must be yes or no"),
    (["--socket", "x", "--engine", "rtl", "--cold-format", "yes"], "--cold-format needs --engine model"),
    (["--socket", "x", "--engine", "model", "--cold-format", "1"], "--cold-format must be yes or no"),
    *((["--socket", "x", "--engine", "model", "--page-shift", wrong], "--page-shift must be 12 to 16") for wrong in ("11", "17", "1a", "014", "-1")),
    (["--socket", "x", "--engine", "fpga"], "--engine must be rtl or model"), (["--colour"], "unknown option --colour"),
    (["--socket", "/nowhere/x", "--engine", "model"], "No such file or directory"),
    (["--socket", "x" * 200, "--engine", "model"], "longer than"),
    (["--socket", "taken", "--engine", "model"], "exists already"),
    (["--socket", "live", "--engine", "model"], "in use by another process"),
    (["--socket", "x", "--engine", "model", "--log", "/nowhere/log"], "cannot write /nowhere/log"),
    (["--socket", "x", "--engine", "model", "--trace", "w.fst"], "--trace needs --engine rtl")])
def test_bad_command_lines(checked_program, tmp_path, arguments, message):
    """One clear line on standard error, a status other than 0, and nobody's file is touched."""
    (tmp_path / "taken").write_text("mine")
    live = socket.socket(socket.AF_UNIX)
    live.bind(str(tmp_path / "live"))
    live.listen()
    run = subprocess.run([checked_program, *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
    assert run.returncode != 0 and message in run.stderr and len(run.stderr.splitlines()) == 1 and not run.stdout
    assert (tmp_path / "taken").read_text() == "mine" and (tmp_path / "live").exists()
    live.close()
