# SPDX-License-Identifier: Apache-2.0
"""The card's management part with its firmware, by the window in BAR0: the model's, and the real image on the Verilated core.

NIGHTLY=1 (make test-firmware): all of it on the Verilated core, too.
"""
import random
import socket
import time

import images
import pytest
from card_process import CardProcess
from lzo import compress as software_compress
from lzo import compressible_pages
from pagepress_management import *  # noqa: F403
from pagepress_interface import CONTROL_ENABLE_MASK, REGISTER_CONTROL, REGISTER_STATUS, STATUS_READY_MASK, STATUS_SUCCESS
from rings import PAGE, Memory, Queue, compress, decompress, enable
from vfio_user import Client
from window import CALM, Window

OK = MANAGEMENT_STATUS_OK
SECONDS = 300  # of the slowest: an update of a Verilated part beside other tests
FORGED = 0x06060006  # version of a hostile image


class Part(Window):
    """A card process and its management part's window; `control(line)` goes to the control socket."""

    def __init__(self, process, client, control):
        self.process, self.client = process, client
        self.lines = control.makefile("rw", encoding="ascii")

    def read(self, address):
        return self.client.read(MANAGEMENT_WINDOW_OFFSET + address)

    def write(self, address, value):
        self.client.write(MANAGEMENT_WINDOW_OFFSET + address, value)

    def wait(self, address, mask, value, _cycles=None):
        self.until(lambda: self.read(address) & mask == value, lambda: f"{address:#x} is {self.read(address):#x}, not {value:#x} in {mask:#x}")

    def until(self, condition, what=lambda: "it did not happen"):
        deadline = time.monotonic() + SECONDS
        while not condition():
            assert time.monotonic() < deadline, what()
            time.sleep(0.01)

    def ask(self, line):
        self.lines.write(line + "\n")
        self.lines.flush()
        return self.lines.readline().strip()

    def control(self, line):
        self.read(REGISTER_MANAGEMENT_MAGIC)  # writes are posted: they must not come after what is said by another way
        assert self.ask(line) == "ok"

    def cause(self):
        return (self.read(REGISTER_CORE_STATUS) & CORE_STATUS_CAUSE_MASK) >> CORE_STATUS_CAUSE_SHIFT

    def bites(self):
        return self.read(REGISTER_CORE_STATUS) >> CORE_STATUS_BITES_SHIFT

    def hold_and_let_go(self):
        self.write(REGISTER_CORE_CONTROL, CORE_CONTROL_HOLD_MASK)
        assert self.read(REGISTER_CORE_STATUS) & CORE_STATUS_STAGE_MASK == STAGE_RESET
        self.write(REGISTER_CORE_CONTROL, 0)

    def identity(self):
        status, payload = self.message(MESSAGE_IDENTIFY)
        assert status == OK
        return Identity.unpack(payload)

    def beats(self):
        before = self.read(REGISTER_HEARTBEAT)
        self.until(lambda: self.read(REGISTER_HEARTBEAT) != before, lambda: "no heartbeat")


@pytest.fixture(params=["model", "pcie"])
def engine(request):
    """The engines that have a management part."""
    return request.param


@pytest.fixture
def start(engine, request, tmp_path):
    """A function: start(flash) starts a card whose flash holds these bytes, as its file says."""
    program = request.getfixturevalue("checked_program" if engine == "model" else "card_program")
    opened = []

    def starts(flash=None):
        number = len(opened)
        folder = tmp_path / str(number)
        folder.mkdir()
        if flash is not None:
            (tmp_path / "flash.bin").write_bytes(flash)
        process = CardProcess(program, engine, folder, control=folder / "control", flash=tmp_path / "flash.bin")
        client = Client(process.socket)
        client.__enter__()
        talk = socket.socket(socket.AF_UNIX)
        talk.settimeout(SECONDS)
        talk.connect(str(folder / "control"))
        opened.append((process, client, talk))
        return Part(process, client, talk)

    yield starts
    for process, client, talk in opened:
        talk.close()
        client.__exit__(None, None, None)
        assert process.stop() == 0, process.log()


@pytest.fixture
def boots_often(engine, nightly):
    """Of a test that boots a Verilated part again, or waits for its time to pass: it is a long one."""
    if engine == "pcie" and not nightly:
        pytest.skip("make test-firmware runs it")


@pytest.fixture(scope="session")
def newer(built, tmp_path_factory):
    """A signed image of version 1.1.0, which raises the floor to 1.0.5 once it is confirmed."""
    built("firmware")
    return images.made(tmp_path_factory.mktemp("image"), "1.1.0", "1.0.5")


def test_card_firmware_boots_and_answers(start):
    card = start()
    assert card.boots() == {"slot": SLOT_A, "a": OK, "b": OK, "kind": BOOT_NORMAL}
    assert card.read(REGISTER_FIRMWARE_VERSION) == 0x01000000 and card.cause() == RESET_CAUSE_POWER
    card.beats()
    payload = random.randbytes(MAILBOX_BYTES - MESSAGE_HEADER_BYTES)
    assert card.message(MESSAGE_PING, payload=payload) == (OK, payload)
    identity = card.identity()
    assert (identity.version, identity.slot, identity.trial, identity.other_status) == (0x01000000, SLOT_A, 0, MANAGEMENT_STATUS_IMAGE_EMPTY)
    status, payload = card.message(MESSAGE_TELEMETRY)
    telemetry = Telemetry.unpack(payload)
    assert (status, telemetry.temperature, telemetry.voltage_core, telemetry.voltage_aux) == (OK, 4228, 849, 1799)
    assert (telemetry.sensors_silent, telemetry.throttle) == (0, 0)
    status, result = card.message(MESSAGE_SELF_TEST)
    assert (status, SelfTestResult.unpack(result).failed) == (OK, 0)
    assert card.message(MESSAGE_SET_LIMITS, 9000 << 16 | 8000)[0] == OK
    assert card.events()[:2] == [("CORE_RESET", RESET_CAUSE_POWER), ("BOOTED", 0x01000000)]


def test_card_firmware_publishes_telemetry(start, engine):
    """Pages of the host's show in the newest snapshot: of their queue, and of the lanes; what was taken stays until another one is."""
    card = start()
    card.boots()
    memory = Memory()
    card.client.dma_map(memory.base, memory.size, memory.file)
    enable(card.client)
    card.until(card.telemetry_page)
    # A lane's pages are counted from the firmware's first look at it: a round of looks has ended when `began` goes on.
    first = card.telemetry_page().header.began
    card.until(lambda: card.telemetry_page().header.began != first)
    before = card.telemetry_page()
    assert (before.header.lanes, before.header.queues, before.header.interface) == (4 if engine == "model" else 2, 4, MANAGEMENT_INTERFACE_VERSION_VALUE)
    assert (before.general.temperature, before.general.voltage_core) == (4228, 849)
    assert [(lane.number, lane.state) for lane in before.lanes] == [(lane, LANE_STATE_IN_SERVICE) for lane in range(before.header.lanes)]
    queue = Queue(card.client, memory, index=2)
    page, stream = memory.allocate(PAGE), memory.allocate(PAGE)
    memory.write(page, bytes(range(256)) * (PAGE // 256))
    count = 12
    queue.submit([compress(tag, page, stream) for tag in range(count)])
    queue.wait(count)

    def work(snapshot):
        return [queue.commands for queue in snapshot.queues], sum(lane.pages for lane in snapshot.lanes)

    # The card shows what was taken; only another take shows what was counted since.
    shown = [card.read(TELEMETRY_OFFSET + at) for at in range(0, before.header.length, 4)]
    time.sleep(0.1)
    assert [card.read(TELEMETRY_OFFSET + at) for at in range(0, before.header.length, 4)] == shown
    card.until(lambda: work(card.telemetry_page()) == ([0, 0, count, 0], count), lambda: str(work(card.telemetry_page())))
    after = card.telemetry_page()
    assert after.sequence > before.sequence and after.queues[2].depth == 0 and 0 < after.queues[2].depth_peak <= count
    assert 0 < after.queues[2].waiting_cycles < after.queues[2].depth_cycles < count * after.header.cycles
    assert sum(lane.cycles for lane in after.lanes) > 0 and after.link == before.link
    # A function-level reset takes the queues away, and none of what was counted of them.
    card.client.reset()
    enable(card.client)
    queue = Queue(card.client, memory, index=1)
    queue.submit([compress(tag, page, stream) for tag in range(3)])
    queue.wait(3)
    card.until(lambda: work(card.telemetry_page()) == ([0, 3, count, 0], count + 3), lambda: str(work(card.telemetry_page())))
    after = card.telemetry_page()
    # Firmware that has died leaves its last snapshot.
    card.control("firmware dead")
    last = card.telemetry_page()
    card.until(lambda: card.read(REGISTER_UPTIME) - last.general.uptime > 300)
    assert card.telemetry_page() == last and work(last) == work(after)


@pytest.mark.usefixtures("boots_often")
def test_card_firmware_refuses_what_hardware_refuses(start):
    """Lengths out of range are no request; while one is open the buffer takes no writes and nothing is sent."""
    card = start()
    card.boots()
    state = MAILBOX_STATUS_STATE_MASK
    for length in (0, MAILBOX_BYTES + 1, 0xFFFFFFFF):
        card.write(REGISTER_MAILBOX_SEND, length)
        assert card.read(REGISTER_MAILBOX_STATUS) & state == MAILBOX_STATE_IDLE
    for length in (1, 7, 8, 9):
        card.send(MessageHeader(0x1234, 5, 6).pack(), length)
        expected = MANAGEMENT_STATUS_UNKNOWN_MESSAGE if length >= 8 else MANAGEMENT_STATUS_BAD_LENGTH
        assert MessageHeader.unpack(card.answer()).argument == expected
    card.control("firmware dead")
    card.send(MessageHeader(MESSAGE_PING, 7, 0).pack() + b"kept")
    assert card.read(REGISTER_MAILBOX_STATUS) & state == MAILBOX_STATE_REQUESTED
    card.write(MAILBOX_REQUEST_OFFSET + MESSAGE_HEADER_BYTES, 0)
    card.write(REGISTER_MAILBOX_SEND, 1)
    card.control("firmware well")
    response = card.answer()
    assert MessageHeader.unpack(response[:MESSAGE_HEADER_BYTES]).tag == 7 and response[MESSAGE_HEADER_BYTES:] == b"kept"
    # What the host cannot write, and what is not there.
    for address in (REGISTER_HEARTBEAT, LOG_OFFSET, MAILBOX_RESPONSE_OFFSET + 8, REGISTER_TELEMETRY_SEQUENCE, TELEMETRY_OFFSET, 0x80):
        before = card.read(address)
        card.write(address, before + 0x01000000)
        assert card.read(address) - before in range(1000)
    assert card.read(MAILBOX_REQUEST_OFFSET) == 0 and card.read(0x80) == 0


@pytest.mark.usefixtures("boots_often")
def test_card_firmware_hung_is_reset_by_its_watchdog(start):
    """Its heart stands, an open request is answered with nothing, and the watchdog boots it anew."""
    card = start()
    card.boots()
    card.beats()
    # The watchdog takes a second: where this test is not given that much in time, it bites before there is a request, which is then answered.
    answered, bites = None, 0
    while answered != b"":
        assert answered is None or card.bites() > bites, "who hangs has answered"
        bites = card.bites()
        card.control("firmware hung")
        card.send(MessageHeader(MESSAGE_PING, 1, 0).pack())
        answered = card.answer()
    card.wait(REGISTER_CORE_STATUS, CORE_STATUS_STAGE_MASK, STAGE_RUNNING)
    assert (card.bites(), card.cause()) == (bites + 1, RESET_CAUSE_WATCHDOG)
    card.beats()
    assert card.message(MESSAGE_PING, payload=b"again") == (OK, b"again")
    assert ("CORE_RESET", RESET_CAUSE_WATCHDOG) in card.events()


@pytest.mark.usefixtures("boots_often")
def test_card_firmware_dead_waits_for_the_host(start):
    card = start()
    card.boots()
    card.control("firmware dead")
    before, uptime = card.read(REGISTER_HEARTBEAT), card.read(REGISTER_UPTIME)
    card.until(lambda: card.read(REGISTER_UPTIME) - uptime > 700)
    assert (card.read(REGISTER_HEARTBEAT), card.bites()) == (before, 0)
    card.hold_and_let_go()
    card.boots()
    assert card.cause() == RESET_CAUSE_HOST
    card.beats()


@pytest.mark.usefixtures("boots_often")
def test_card_firmware_beats_for_a_host_that_looks_seldom(start):
    """Time passes after each look, not only during it: one look is enough for a beat, and a starved machine gets some more."""
    card = start()
    card.boots()
    before = card.read(REGISTER_HEARTBEAT)
    for _ in range(20):
        time.sleep(0.5)
        if card.read(REGISTER_HEARTBEAT) != before:
            return
    pytest.fail("twenty looks without a heartbeat")


def test_card_firmware_updates_and_confirms(start, newer, engine):
    """The new image boots on trial, confirms itself, and stays over a power cycle; the floor has risen above the old one."""
    card = start()
    card.boots()
    assert card.update(newer) == OK
    assert card.identity().next_slot == SLOT_B
    assert card.message(MESSAGE_RESET)[0] == OK
    card.wait(REGISTER_FIRMWARE_VERSION, 0xFFFFFFFF, 0x01010000)
    assert card.boots()["kind"] == BOOT_TRIAL and card.cause() == RESET_CAUSE_FIRMWARE
    card.until(lambda: not card.identity().trial)
    identity = card.identity()
    assert (identity.slot, identity.next_slot, identity.floor, identity.other_status) == (SLOT_B, SLOT_B, 0x01000005, MANAGEMENT_STATUS_IMAGE_TOO_OLD)
    assert card.message(MESSAGE_ROLLBACK)[0] == MANAGEMENT_STATUS_IMAGE_TOO_OLD
    if engine == "model":  # whose boot takes no time: it writes the floor, which the boot before has locked
        card.hold_and_let_go()
        assert card.boots()["kind"] == BOOT_NORMAL and "FLASH_TROUBLE" not in dict(card.events())
    assert card.process.stop() == 0
    again = start()
    assert again.boots() == {"slot": SLOT_B, "a": OK, "b": OK, "kind": BOOT_NORMAL}


@pytest.mark.usefixtures("boots_often")
def test_card_firmware_takes_no_other_image(start, newer):
    """Altered, cut short, or of another key: a status by name, and the old image runs on."""
    card = start()
    card.boots()
    altered = newer[:200] + bytes([newer[200] ^ 1]) + newer[201:]
    assert card.update(altered) == MANAGEMENT_STATUS_IMAGE_BAD_SIGNATURE
    assert card.message(MESSAGE_UPDATE_BEGIN, len(newer))[0] == OK
    assert card.message(MESSAGE_UPDATE_DATA, 4, b"abcd")[0] == MANAGEMENT_STATUS_WRONG_STATE
    assert card.message(MESSAGE_UPDATE_COMMIT)[0] == MANAGEMENT_STATUS_IMAGE_TRUNCATED
    assert card.identity().next_slot == SLOT_A
    card.hold_and_let_go()
    assert card.boots()["slot"] == SLOT_A


@pytest.mark.usefixtures("boots_often")
def test_card_firmware_board(start, engine):
    """What the control socket does to flash and sensors is seen by the firmware, and said of lines that mean nothing."""
    card = start()
    card.boots()
    card.until(card.telemetry_page)

    def lanes(kind, state):
        return sum((lane.kind, lane.state) == (kind, state) for lane in card.telemetry_page().lanes)

    of_a_kind = 2 if engine == "model" else 1
    for code, step, working in ((47700, 2, 1), (50000, 3, 1), (CALM[SENSOR_TEMPERATURE], 0, of_a_kind)):  # 90.5, 108.3, 42.3 degrees
        card.control(f"sensor {SENSOR_TEMPERATURE} {code}")
        card.wait(REGISTER_THROTTLE, 3, step)
        for kind in (LANE_KIND_COMPRESS, LANE_KIND_DECOMPRESS):
            card.until(lambda kind=kind, working=working: lanes(kind, LANE_STATE_IN_SERVICE) == working)
            assert lanes(kind, LANE_STATE_RESTING) == of_a_kind - working
    card.control(f"sensor {SENSOR_VOLTAGE_AUX} off")
    card.until(lambda: ("SENSOR_SILENT", SENSOR_VOLTAGE_AUX) in card.events())
    assert Telemetry.unpack(card.message(MESSAGE_TELEMETRY)[1]).voltage_aux == 0
    card.control("flash worn")
    assert card.update(b"\0" * 400) == MANAGEMENT_STATUS_FLASH_FAILED
    card.control("flash dead")
    assert card.message(MESSAGE_UPDATE_BEGIN, 400)[0] == MANAGEMENT_STATUS_FLASH_TIMEOUT
    card.hold_and_let_go()
    report = card.boots(STAGE_FAILED)
    assert (report["slot"], report["a"], report["b"]) == (SLOT_NONE, MANAGEMENT_STATUS_FLASH_TIMEOUT, MANAGEMENT_STATUS_FLASH_TIMEOUT)
    card.control("flash well")
    card.hold_and_let_go()
    card.boots()
    assert card.ask("firmware").startswith("running 1 heartbeat ")
    for line in ("sensor", "sensor 8 1", "sensor 0 65536", "sensor 0 -1", "sensor 0 1 2", "flash", "flash broken", "firmware dead now"):
        assert card.ask(line).startswith("error expected: "), line


class Pages:
    """Pages that go out by the card and come back, and others' streams beside them."""

    def __init__(self, card, seed):
        memory = Memory()
        card.client.dma_map(memory.base, memory.size, memory.file)
        self.memory = memory
        self.pages = compressible_pages(8, seed)
        self.places = [[memory.allocate(PAGE) for _ in range(4)] for _ in self.pages]
        self.streams = [software_compress(page, "lzo1x_1") for page in self.pages]
        for page, stream, (source, _, foreign, _) in zip(self.pages, self.streams, self.places):
            memory.write(source, page)
            memory.write(foreign, stream)
        enable(card.client)
        self.queue = Queue(card.client, memory, depth_log2=5)

    def go_and_come(self):
        """All of them, all right; cycles that the engines took for them."""
        for _, own, _, back in self.places:
            self.memory.write(own, bytes(PAGE))
            self.memory.write(back, bytes(PAGE))
        out = self.queue.run([compress(2 * number, source, own) for number, (source, own, _, _) in enumerate(self.places)]
                             + [decompress(2 * number + 1, foreign, len(stream), back)
                                for number, (stream, (_, _, foreign, back)) in enumerate(zip(self.streams, self.places))])
        assert all(completion.status == STATUS_SUCCESS for completion in out), [completion.status for completion in out]
        assert [self.memory.read(back, PAGE) for *_, back in self.places] == self.pages
        lengths = [completion.produced_length for completion in out[: len(self.pages)]]
        again = self.queue.run([decompress(number, own, length, back) for number, (length, (_, own, _, back)) in enumerate(zip(lengths, self.places))])
        assert all(completion.status == STATUS_SUCCESS for completion in again)
        assert [self.memory.read(back, PAGE) for *_, back in self.places] == self.pages
        return sum(completion.engine_cycles for completion in out + again)


def disturb(card):
    """All that a host asks of firmware, whatever comes of it."""
    if card.read(REGISTER_MAILBOX_STATUS) & MAILBOX_STATUS_STATE_MASK != MAILBOX_STATE_REQUESTED:
        card.send(MessageHeader(MESSAGE_PING, 1, 0).pack() + b"anybody there?")
    card.write(REGISTER_TELEMETRY_TAKE, 1)
    for address in random.sample(range(0, MANAGEMENT_WINDOW_BYTES, 4), 20):
        card.read(address)


@pytest.mark.parametrize("harm", images.HOSTILE)
@pytest.mark.usefixtures("boots_often")
def test_card_firmware_hostile(start, engine, harm, seed, tmp_path):
    """Signed firmware that does what harm it can: every page is right, in the cycles that it takes while the core is held in reset; the host
    stops it at any moment, and READY falls."""
    if engine == "pcie":
        card = start(images.flash_contents({SLOT_A: images.made(tmp_path / "hostile", hostile=harm)}))
    else:
        card = start()
        card.boots()
        card.control(f"firmware hostile-{harm}")
    card.write(REGISTER_CORE_CONTROL, CORE_CONTROL_HOLD_MASK)
    pages = Pages(card, seed)
    pages.go_and_come()  # the first ones wait for the rings
    held = pages.go_and_come()
    card.write(REGISTER_CORE_CONTROL, 0)
    next_log, bites = card.read(REGISTER_LOG_NEXT), card.bites()

    def shows():
        """It is at work. What it does to the lanes nobody sees from here: it seems well."""
        version = card.read(REGISTER_FIRMWARE_VERSION)
        return {"mailbox": card.bites() - bites >= 2, "log": card.read(REGISTER_LOG_NEXT) - next_log > 3 * LOG_ENTRIES,
                "lanes": version == FORGED, "floor": version == FORGED, "writes": version not in (0, FORGED)}[harm]

    rounds = 0

    def at_work():
        nonlocal rounds
        rounds += 1
        assert pages.go_and_come() <= 1.05 * held
        disturb(card)
        return rounds >= 8 and shows()

    card.until(at_work)
    for wanted, ready in ((0, 0), (CONTROL_ENABLE_MASK, STATUS_READY_MASK)):
        card.client.write(REGISTER_CONTROL, wanted)
        card.until(lambda ready=ready: card.client.read(REGISTER_STATUS) & STATUS_READY_MASK == ready)
    card.write(REGISTER_CORE_CONTROL, CORE_CONTROL_HOLD_MASK)
    beats = card.read(REGISTER_HEARTBEAT)
    assert card.read(REGISTER_CORE_STATUS) & CORE_STATUS_STAGE_MASK == STAGE_RESET and card.read(REGISTER_HEARTBEAT) == beats
    if engine == "model":
        card.control("firmware well")
        card.write(REGISTER_CORE_CONTROL, 0)
        card.boots()
        assert card.identity().version == 0x01000000
        left = card.read(REGISTER_TELEMETRY_SEQUENCE)  # of a page that the hostile one may have filled with anything

        def told():
            card.write(REGISTER_TELEMETRY_TAKE, 1)
            return card.read(REGISTER_TELEMETRY_SEQUENCE) != left

        card.until(told)
        card.until(lambda: (page := card.telemetry_page()) and all(lane.state == LANE_STATE_IN_SERVICE for lane in page.lanes))


def test_card_model_firmware_that_takes_no_request_or_lies(checked_program, tmp_path):
    """Until it is told to be well, the core held or not."""
    process = CardProcess(checked_program, "model", tmp_path, control=tmp_path / "control")
    with Client(process.socket) as client, socket.socket(socket.AF_UNIX) as talk:
        talk.settimeout(SECONDS)
        talk.connect(str(tmp_path / "control"))
        card = Part(process, client, talk)
        card.boots()
        card.control("firmware mute")
        card.write(REGISTER_MAILBOX_SEND, MESSAGE_HEADER_BYTES)
        card.beats()
        assert card.read(REGISTER_MAILBOX_STATUS) & MAILBOX_STATUS_STATE_MASK == MAILBOX_STATE_REQUESTED
        card.hold_and_let_go()
        card.control("firmware liar")
        card.until(lambda: card.read(REGISTER_MANAGEMENT_MAGIC) == 0xFFFFFFFF)
        card.control("firmware well")
        assert card.read(REGISTER_MANAGEMENT_MAGIC) == MANAGEMENT_MAGIC_VALUE
        card.boots()
        card.identity()
    assert process.stop() == 0, process.log()


def test_card_firmware_files_that_cannot_be(checked_program, tmp_path):
    """A line for each, and no card."""
    (tmp_path / "short.bin").write_bytes(b"short")
    for options, words in ((["--flash", tmp_path / "short.bin"], "no flash's contents"), (["--firmware", tmp_path / "none"], "run make firmware")):
        with pytest.raises(RuntimeError, match=words):
            CardProcess(checked_program, "model", tmp_path, options=options)
