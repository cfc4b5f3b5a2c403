# SPDX-License-Identifier: Apache-2.0
"""firmware/soc, the driver without an operating system, on the card's model: pages, every status, and a core that fails in each way."""
import ctypes
import random
import re
import subprocess
from pathlib import Path

import pytest

import lzo
import pagepress_interface as interface
from crc32c import crc32c
from model import CardModel
from soc_driver import (BAD_ARGUMENT, BROKEN, EMPTY, FILL, FULL, HUNG, NO_CORE, NO_QUEUE, NOT_RUNNING, OK, OTHER_VERSION, REPOSITORY, STOPPED,
                        TIMEOUT, Command, Driver, SharedMemory, build)

PAGE = 4096
ALL_ONES = 0xFFFFFFFF
REFUSED_BY_BUS = {interface.STATUS_READ_FAULT: False, interface.STATUS_WRITE_FAULT: True}


@pytest.fixture(scope="module", autouse=True)
def library():
    build()


class Board:
    """A model, a driver and the wires between them. `registers`: offset → value that the driver reads instead; `ignored`: writes
    to these go nowhere; `completions`: called with each completion entry on its way to memory; `held`: a list in which these wait."""

    def __init__(self, coherent=True, queues=4, beat=16, **core):
        self.memory = SharedMemory(coherent=coherent, beat=beat)
        self.held = None
        self.registers, self.ignored, self.completions = {}, set(), lambda entry: entry
        self.polls = 0
        self.model = CardModel(self, queue_pairs=queues)
        self.driver = Driver(self.memory, self.read_register, self.write_register, self.idle, **core)
        self.ring = self.memory.address(self.driver.core.completions)
        self.page, self.stream, self.back = (self.memory.place(2 * PAGE, 1) + random.randrange(64) for _ in range(3))

    def read_register(self, offset):
        return self.registers.get(offset, self.model.read(offset))

    def write_register(self, offset, value):
        if offset not in self.ignored:
            self.model.write(offset, value)

    def idle(self):
        self.polls += 1

    # The model's memory.
    def read(self, address, size):
        return self.memory.read(address, size)

    def write(self, address, data):
        if self.ring <= address < self.ring + interface.COMPLETION_ENTRY_BYTES << self.driver.core.depth_log2 and \
                len(data) == interface.COMPLETION_ENTRY_BYTES:
            data = self.completions(interface.CompletionEntry.unpack(data)).pack()
            if self.held is not None:
                self.held.append((address, data))
                return True
        return self.memory.write(address, data)

    def compress(self, page, capacity=PAGE):
        self.memory.poke(self.page, page)
        self.memory.poke(self.stream, bytes([FILL]) * 2 * PAGE)
        return self.driver.compress(self.page, self.stream, capacity)

    def decompress(self, stream, crc):
        self.memory.poke(self.stream, stream)
        self.memory.poke(self.back, bytes([FILL]) * 2 * PAGE)
        return self.driver.decompress(self.stream, len(stream), crc, self.back)


@pytest.fixture
def board():
    board = Board()
    assert board.driver.start() == OK
    return board


@pytest.mark.parametrize("coherent", [True, False])
def test_soc_driver_pages_there_and_back(coherent):
    """Real pages and edge cases, behind a cache as well: what was not cleaned or invalidated would be old bytes."""
    board = Board(coherent, depth_log2=random.randint(1, 4), queue=random.randrange(4))
    assert board.driver.start() == OK
    pages = lzo.sample_pages(40, random.getrandbits(32)) + list(lzo.edge_pages(random.getrandbits(32)).values())
    ends = set()
    for page in pages:
        capacity = random.choice((PAGE, PAGE, random.randint(1, PAGE)))
        result, outcome = board.compress(page, capacity)
        assert result == OK and outcome.crc32c == crc32c(page)
        ends.add(outcome.status)
        written = board.memory.peek(board.stream, outcome.length)
        assert board.memory.peek(board.stream + outcome.length, PAGE) == bytes([FILL]) * PAGE, "bytes behind the stream were written"
        if outcome.status == interface.STATUS_SAME_FILLED:
            assert outcome.detail.to_bytes(8, "little") * (PAGE // 8) == page
        elif outcome.status == interface.STATUS_SUCCESS:
            assert lzo.kernel_decompress(written, PAGE) == page and outcome.length <= capacity
            result, outcome = board.decompress(written, crc32c(page))
            assert (result, outcome.status, outcome.length) == (OK, interface.STATUS_SUCCESS, PAGE)
            assert board.memory.peek(board.back, PAGE) == page
    assert ends == {interface.STATUS_SUCCESS, interface.STATUS_SAME_FILLED, interface.STATUS_INCOMPRESSIBLE}


@pytest.mark.parametrize("beat", [4, 8, 16])
def test_soc_driver_completion_that_comes_while_its_line_is_filled(beat):
    """Before any beat of it: no outcome is half of this completion and half of the one a lap of the ring ago."""
    board = Board(coherent=False, beat=beat, depth_log2=1)
    assert board.driver.start() == OK
    places = interface.COMPLETION_ENTRY_BYTES // beat
    # A first lap without, then each place with each of the two entries.
    for count, page in enumerate(lzo.compressible_pages(2 * (places + 1) + 1, random.getrandbits(32))):
        board.held, left = [], [max(count - 1, 0) % (places + 1)]

        def fill():
            if board.held:
                if left[0] == 0:
                    board.memory.write(*board.held.pop())
                left[0] -= 1
        board.memory.fills = fill
        result, outcome = board.compress(page)
        assert (result, outcome.status, outcome.crc32c) == (OK, interface.STATUS_SUCCESS, crc32c(page))
        written = board.memory.peek(board.stream, outcome.length)
        assert lzo.kernel_decompress(written, PAGE) == page and outcome.detail == crc32c(written)


def test_soc_driver_several_in_flight():
    """Full rings that wrap many times: each command's outcome is its own, and one more is refused."""
    board = Board(depth_log2=3)
    driver, memory = board.driver, board.memory
    assert driver.start() == OK and driver.poll()[0] == EMPTY
    pages = lzo.compressible_pages(7, random.getrandbits(32))
    places = [(memory.place(PAGE, 1), memory.place(PAGE, 1)) for _ in pages]
    for _ in range(9):
        count, open_ = random.randint(1, 7), {}
        for page, (source, destination) in list(zip(pages, places))[:count]:
            memory.poke(source, page)
            result, tag = driver.submit(Command(interface.OPCODE_COMPRESS, 0, source, PAGE, destination, PAGE, 0))
            assert result == OK and tag not in open_
            open_[tag] = page, destination
        if count == 7:
            assert driver.submit(Command(interface.OPCODE_COMPRESS, 0, places[0][0], PAGE, places[0][1], PAGE, 0))[0] == FULL
        assert driver.compress(places[0][0], places[0][1], PAGE)[0] == BAD_ARGUMENT, "a page waited for wants the queue alone"
        for _ in range(count):
            result, outcome = driver.poll()
            assert (result, outcome.status) == (OK, interface.STATUS_SUCCESS)
            page, destination = open_.pop(outcome.tag)
            assert lzo.kernel_decompress(memory.peek(destination, outcome.length), PAGE) == page
        assert driver.poll()[0] == EMPTY and not open_
    assert driver.counter(interface.COUNTER_PAGES_COMPRESSED) == driver.counter(interface.COUNTER_COMMANDS) > 9
    assert driver.counter(interface.COUNTER_COUNT) == 0


def test_soc_driver_bad_streams_and_buses(board):
    """What the core itself answers, and that it goes on."""
    page, = lzo.compressible_pages(1, random.getrandbits(32))
    stream = lzo.compress(page, "lzo1x_1")
    seen = {}
    for name, data, crc in (("CRC_MISMATCH", stream, crc32c(page) ^ 1), ("MALFORMED_STREAM", stream + b"\0", crc32c(page)),
                            ("OUTPUT_UNDERRUN", lzo.compress(page[:100], "lzo1x_1"), 0), ("OUTPUT_OVERRUN", lzo.compress(page + page, "lzo1x_1"), 0)):
        result, outcome = board.decompress(data, crc)
        seen[name] = (result, board.driver.status_name(outcome.status))
    for status, write in REFUSED_BY_BUS.items():
        place = board.memory.address(board.back if write else board.stream)
        board.memory.refuse = lambda address, size, writes, write=write, place=place: writes == write and place <= address < place + PAGE
        result, outcome = board.decompress(stream, crc32c(page))
        seen[interface.STATUS_NAMES[status]] = (result, board.driver.status_name(outcome.status))
    board.memory.refuse = lambda *_: False
    tag_of_flags = board.driver.submit(Command(interface.OPCODE_DECOMPRESS, 0x8000, board.stream, len(stream), board.back, PAGE, 0))
    result, outcome = board.driver.poll()
    seen["INVALID_FLAGS"] = (result, board.driver.status_name(outcome.status))
    assert tag_of_flags == (OK, outcome.tag)
    assert seen == {name: (OK, name) for name in seen}
    assert board.decompress(stream, crc32c(page))[0] == OK and board.memory.peek(board.back, PAGE) == page


@pytest.mark.parametrize("status", [*interface.STATUS_NAMES, max(interface.STATUS_NAMES) + 1, 255], ids=lambda status: interface.STATUS_NAMES.get(status, status))
def test_soc_driver_every_status(board, status):
    """Each reaches the caller under its name; one that there is not is a core that lies."""
    def rewrite(entry):
        entry.status, entry.produced_length = status, entry.produced_length if status == interface.STATUS_SUCCESS else 0
        return entry
    board.completions = rewrite
    page, = lzo.compressible_pages(1, random.getrandbits(32))
    result, outcome = board.compress(page)
    if status in interface.STATUS_NAMES:
        assert (result, outcome.status, board.driver.status_name(status)) == (OK, status, interface.STATUS_NAMES[status])
    else:
        assert (result, board.driver.status_name(status)) == (BROKEN, "?")
        assert not board.model.read(interface.REGISTER_STATUS) & interface.STATUS_READY_MASK, "a core that lies still runs"


LIES = {
    "tag": lambda entry: setattr(entry, "tag", entry.tag ^ 2), "kind": lambda entry: setattr(entry, "tag", entry.tag ^ 1),
    "longer than a page": lambda entry: setattr(entry, "produced_length", PAGE + 1), "nothing": lambda entry: setattr(entry, "produced_length", 0),
    "longer than the buffer": lambda entry: setattr(entry, "produced_length", PAGE - 1),
    "written and same-filled": lambda entry: setattr(entry, "status", interface.STATUS_SAME_FILLED)}


@pytest.mark.parametrize("lie", LIES)
def test_soc_driver_completions_that_cannot_be(board, lie):
    def rewrite(entry):
        LIES[lie](entry)
        return entry
    board.completions = rewrite
    page, = lzo.compressible_pages(1, random.getrandbits(32))
    assert board.compress(page, PAGE - 2)[0] == BROKEN
    assert board.compress(page)[0] == NOT_RUNNING
    board.completions = lambda entry: entry
    assert board.driver.start() == OK and board.compress(page)[0] == OK


def test_soc_driver_page_of_another_sum(board):
    """A page that the core calls good and whose sum is not the one asked for."""
    page, = lzo.compressible_pages(1, random.getrandbits(32))

    def rewrite(entry):
        entry.crc32c ^= 1
        return entry
    board.completions = rewrite
    assert board.decompress(lzo.compress(page, "lzo1x_1"), crc32c(page))[0] == BROKEN


def test_soc_driver_gives_up_after_so_many_polls():
    """A core that takes a doorbell and says nothing: as many polls as asked for, then it is stopped, and a start brings it back."""
    board = Board(polls=50)
    assert board.driver.start() == OK
    doorbell = interface.DOORBELL_BASE + interface.REGISTER_SUBMISSION_TAIL
    board.ignored.add(doorbell)
    page, = lzo.compressible_pages(1, random.getrandbits(32))
    before = board.polls
    assert board.compress(page)[0] == TIMEOUT
    assert board.polls == before + 50
    assert not board.model.read(interface.REGISTER_STATUS) & interface.STATUS_READY_MASK
    board.ignored.clear()
    assert board.driver.start() == OK and board.compress(page)[0] == OK
    # One that does not even stop may write to buffers still: it says so, and neither stop nor start claims another thing.
    board.ignored.add(doorbell)
    board.registers[interface.REGISTER_STATUS] = interface.STATUS_READY_MASK
    assert board.compress(page)[0] == HUNG and board.driver.stop() == HUNG and board.driver.start() == HUNG
    board.registers[interface.REGISTER_STATUS] = ALL_ONES  # a bus that fails is no READY that has fallen
    assert board.driver.stop() == HUNG


def test_soc_driver_starts_again_after_a_fatal_error(board):
    page, = lzo.compressible_pages(1, random.getrandbits(32))
    ring = board.memory.address(board.driver.core.submissions)
    board.memory.refuse = lambda address, size, write: ring <= address < ring + 512
    assert board.compress(page)[0] == STOPPED and board.driver.cause() == interface.FATAL_RING_FETCH
    assert board.compress(page)[0] == NOT_RUNNING
    board.memory.refuse = lambda *_: False
    assert board.driver.start() == OK and board.driver.cause() == interface.FATAL_NONE
    assert board.compress(page)[0] == OK
    assert board.driver.start() == OK and board.driver.poll()[0] == EMPTY, "a completion of a former life was taken for a new one"
    assert board.compress(page)[0] == OK
    # The whole core, by itself.
    board.ignored.add(interface.DOORBELL_BASE)
    board.registers = {interface.REGISTER_STATUS: interface.STATUS_READY_MASK | interface.STATUS_FATAL_MASK,
                       interface.REGISTER_FATAL_CAUSE: interface.FATAL_ENGINE_STUCK}
    assert board.compress(page)[0] == STOPPED and board.driver.cause() == interface.FATAL_ENGINE_STUCK
    board.registers, board.ignored = {}, set()
    assert board.driver.start() == OK and board.compress(page)[0] == OK


def test_soc_driver_hands_nothing_to_a_queue_that_has_stopped(board):
    """Once a poll has said so, nothing is submitted or polled for; the cause stays to be read until the next start."""
    page, = lzo.compressible_pages(1, random.getrandbits(32))
    board.memory.poke(board.page, page)
    command = Command(interface.OPCODE_COMPRESS, 0, board.page, PAGE, board.stream, PAGE, 0)
    ring = board.memory.address(board.driver.core.submissions)
    board.memory.refuse = lambda address, size, write: ring <= address < ring + 512
    assert board.driver.submit(command)[0] == OK and board.driver.poll()[0] == STOPPED
    board.memory.refuse = lambda *_: False
    assert board.driver.submit(command)[0] == NOT_RUNNING and board.driver.poll()[0] == NOT_RUNNING
    assert board.driver.cause() == interface.FATAL_RING_FETCH
    assert board.driver.start() == OK and board.compress(page)[0] == OK


def test_soc_driver_forgets_a_former_life():
    """Behind a cache, too: what the core has written in a former life is cleared where the core writes."""
    board = Board(coherent=False)
    page, = lzo.compressible_pages(1, random.getrandbits(32))
    for _ in range(2):
        assert board.driver.start() == OK and board.driver.poll()[0] == EMPTY
        assert board.compress(page)[0] == OK


def test_soc_driver_bus_that_fails(board):
    """All ones are no status: neither a reason to stop nor a core that is ready."""
    board.registers = dict.fromkeys((interface.REGISTER_STATUS, interface.REGISTER_FATAL_CAUSE, interface.QUEUE_BASE + interface.REGISTER_QUEUE_STATUS), ALL_ONES)
    assert board.driver.cause() == interface.FATAL_NONE and board.driver.poll()[0] == EMPTY

    class FailsOnceStopped(dict):
        looks = 0

        def get(self, offset, otherwise):
            self.looks += offset == interface.REGISTER_STATUS
            return otherwise if offset != interface.REGISTER_STATUS else 0 if self.looks == 1 else ALL_ONES

    board.registers = FailsOnceStopped()
    assert board.driver.start() == HUNG


def test_soc_driver_counter_that_carries(board):
    """Its high half moves between the looks: low and high of one moment are told."""
    place = interface.COUNTER_BASE + 8 * interface.COUNTER_CYCLES
    looks = [(place + 4, 1), (place, 0), (place + 4, 2), (place, 5), (place + 4, 2)]

    class Moves(dict):
        def get(self, offset, otherwise):
            wanted, value = looks.pop(0)
            assert offset == wanted
            return value

    board.registers = Moves()
    assert board.driver.counter(interface.COUNTER_CYCLES) == 2 << 32 | 5 and not looks


def test_soc_driver_takes_a_queue_as_its_own(board):
    """What its last owner had set does not delay its interrupts."""
    moderation = interface.QUEUE_BASE + interface.REGISTER_MODERATION
    assert board.driver.stop() == OK
    board.model.write(moderation, 0x00100010)
    assert board.model.read(moderation) and board.driver.start() == OK and not board.model.read(moderation)


def test_soc_driver_queue_that_does_not_start(board):
    """As of a ring too high for the core's bus."""
    board.registers[interface.QUEUE_BASE + interface.REGISTER_QUEUE_STATUS] = \
        interface.QUEUE_STATUS_ERROR_MASK | interface.FATAL_RING_SETUP << interface.QUEUE_STATUS_CAUSE_SHIFT
    assert board.driver.start() == STOPPED and board.driver.cause() == interface.FATAL_RING_SETUP
    assert board.compress(bytes(PAGE))[0] == NOT_RUNNING


@pytest.mark.parametrize("register, value, result", [
    (interface.REGISTER_MAGIC, ALL_ONES, NO_CORE), (interface.REGISTER_MAGIC, 0, NO_CORE),
    (interface.REGISTER_HASH_LOW, interface.HASH_LOW_VALUE ^ 1, OTHER_VERSION), (interface.REGISTER_HASH_HIGH, 0, OTHER_VERSION),
    (interface.REGISTER_STATUS, 0, HUNG)])
def test_soc_driver_refuses_another_core(register, value, result):
    board = Board()
    board.registers[register] = value
    assert board.driver.start() == result
    assert board.compress(bytes(PAGE))[0] == NOT_RUNNING


@pytest.mark.parametrize("core, result", [
    ({"queue": 3}, OK), ({"queue": 4}, NO_QUEUE), ({"queue": 64}, BAD_ARGUMENT), ({"depth_log2": 10}, OK), ({"depth_log2": 11}, NO_QUEUE),
    ({"depth_log2": 0}, BAD_ARGUMENT), ({"polls": 0}, BAD_ARGUMENT)])
def test_soc_driver_set_up(core, result):
    assert Board(**core).driver.start() == result


def test_soc_driver_refuses_bad_arguments(board):
    driver = board.driver
    for command in (Command(interface.OPCODE_NOP, 0, board.page, PAGE, board.stream, PAGE, 0),
                    Command(interface.OPCODE_COMPRESS, 0, board.page, PAGE - 1, board.stream, PAGE, 0),
                    Command(interface.OPCODE_COMPRESS, 0, board.page, PAGE, board.stream, 0, 0),
                    Command(interface.OPCODE_COMPRESS, 0, board.page, PAGE, board.stream, PAGE + 1, 0),
                    Command(interface.OPCODE_COMPRESS, 0, None, PAGE, board.stream, PAGE, 0),
                    Command(interface.OPCODE_DECOMPRESS, 0, board.page, 0, board.stream, PAGE, 0),
                    Command(interface.OPCODE_DECOMPRESS, 0, board.page, 2 * PAGE + 1, board.stream, PAGE, 0),
                    Command(interface.OPCODE_DECOMPRESS, 0, board.page, 2 * PAGE + 2, board.stream, PAGE, 0),
                    Command(interface.OPCODE_DECOMPRESS, 0, board.page, PAGE, board.stream, PAGE - 1, 0),
                    Command(interface.OPCODE_DECOMPRESS, 0, board.page, PAGE, None, PAGE, 0)):
        assert driver.submit(command)[0] == BAD_ARGUMENT
    assert driver.compress(0, board.stream, PAGE)[0] == BAD_ARGUMENT
    assert driver.stop() == OK and driver.poll()[0] == NOT_RUNNING and driver.submit(command)[0] == NOT_RUNNING
    driver.core.submissions += 64
    assert driver.start() == BAD_ARGUMENT
    driver.core.submissions, driver.core.completions = driver.core.submissions - 64, driver.core.completions + 64
    assert driver.start() == BAD_ARGUMENT
    assert driver.library.pagepress_start(None) == driver.library.pagepress_stop(None) == driver.library.pagepress_compress(None, None, None, 0, None) == 1


def test_soc_driver_mapped_registers(board):
    """The accesses of a core that stands in the processor's memory."""
    words = (ctypes.c_uint32 * 4)(1, 2, 3, 4)
    board.driver.library.pagepress_mapped_read.restype = ctypes.c_uint32
    assert board.driver.library.pagepress_mapped_read(ctypes.byref(words), 8) == 3
    board.driver.library.pagepress_mapped_write(ctypes.byref(words), 4, ctypes.c_uint32(0xDEADBEEF))
    assert list(words) == [1, 0xDEADBEEF, 3, 4]


def test_soc_driver_needs_nothing(built):
    """It compiles for RV32 and RV64 without a warning, without a header of a libc and without a symbol from anywhere."""
    built("firmware-tools")
    made = subprocess.run(["make", "-s", "-B", "-C", REPOSITORY / "firmware/soc", "riscv"], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr


def test_soc_driver_misra(built, tmp_path):
    """cppcheck's addon finds what firmware/soc/README.md lists as kept, and nothing else; a line that breaks a rule is found."""
    built("soc-tools")
    allowed = set(re.findall(r"^\| ([\d.]+) \| `(\S+)` \|", (REPOSITORY / "firmware/soc/README.md").read_text(), re.M))

    def found(text):
        # cppcheck leaves its dump beside the source, so that is a copy of this test alone.
        source = tmp_path / "pagepress_soc.c"
        source.write_text(text)
        done = subprocess.run(["cppcheck", "--addon=misra", "--std=c11", "--quiet", "--template={file} {id}", f"-I{REPOSITORY / 'firmware/soc'}",
                               f"-I{REPOSITORY / 'rtl/interface/generated'}", source], capture_output=True, text=True, check=True)
        return {(rule, Path(file).name) for file, rule in re.findall(r"^(\S+) misra-c2012-(\S+)$", done.stderr, re.M)}

    text = (REPOSITORY / "firmware/soc/pagepress_soc.c").read_text()
    assert found(text) == allowed
    assert found(text.replace("bool found = false;", "bool found = false, other = 1;", 1)) - allowed == {("10.3", "pagepress_soc.c")}
