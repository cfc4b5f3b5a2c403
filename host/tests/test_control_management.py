# SPDX-License-Identifier: Apache-2.0
"""pagepressctl selftest, log, telemetry, lanes and firmware on made-up machines; the driver's tests have them with a card's model."""

import contextlib
import errno
import fcntl
import os
import random
import threading
import time

import pagepress_management as interface
import pytest
from made_up_machine import TELEMETRY, text_of

SECONDS = 600  # for a made-up firmware on a busy machine
ADDRESS = "0000:01:00.0"
PARTS = list(interface.SELF_TEST_NAMES.values())
COMMANDS = (("selftest",), ("log",), ("telemetry",), ("lanes",), ("firmware", "list"), ("firmware", "rollback"))


class Managed:
    """A card with a management part whose firmware runs."""

    def __init__(self, machine):
        machine.card(ADDRESS)
        self.machine, self.folder = machine, machine.firmware(ADDRESS)
        self.upload = f"class/firmware/pagepress-{ADDRESS}"

    def put(self, name, value):
        self.machine.put(f"{self.folder}/{name}", value)

    def get(self, name):
        return self.machine.get(f"{self.folder}/{name}")

    def identity(self, **values):
        return self.machine.identity(ADDRESS, **values)

    def upload_class(self, error=""):
        for name, value in {"loading": 0, "data": "", "status": "idle", "error": error, "cancel": ""}.items():
            self.machine.put(f"{self.upload}/{name}", value)

    @contextlib.contextmanager
    def when(self, asked, play):
        """Calls `play`, in a thread, once `asked()` is true."""

        def wait():
            end = time.monotonic() + SECONDS
            while not asked() and time.monotonic() < end:
                time.sleep(0.01)
            play()

        firmware = threading.Thread(target=wait)
        firmware.start()
        try:
            yield
        finally:
            firmware.join()

    def when_restarted(self, play):
        """Calls it once the firmware has been asked to restart; a longer word may stand before it in the file."""
        return self.when(lambda: self.get("control").startswith("restart"), play)

    @contextlib.contextmanager
    def on_restart(self, **values):
        """What identity says once the firmware has been asked to restart. Yields a list that will hold it."""
        after = []

        def play():
            time.sleep(0.3)  # long enough for whoever takes the old one, which still runs, for what came of it
            identity = self.machine.sysfs / self.folder / "identity"
            identity.with_suffix(".none").symlink_to(".")
            os.replace(identity.with_suffix(".none"), identity)  # no folder can be read: it does not answer
            time.sleep(0.3)
            self.identity(slot="B", trial=1, next_slot="A")
            time.sleep(1)  # long enough for whoever takes a trial for the end of it
            after.append(self.identity(**values))

        with self.when_restarted(play):
            yield after


@pytest.fixture
def managed(machine):
    return Managed(machine)


def test_selftest_says_which_part_fails(managed):
    for failed in ([], random.sample(PARTS, random.randrange(1, len(PARTS)))):
        # What is written lands on the first letters of the file here, not in a firmware.
        managed.put("self_test", f"ran: {' '.join(PARTS)}\nfailed: {' '.join(failed) or 'none'}")
        line = managed.machine.json("selftest", "--json", status=7 if failed else 0)
        assert line == {"card": ADDRESS, "ran": PARTS, "failed": failed}
        shown = dict(row.split() for row in managed.machine.run("selftest", ADDRESS).stdout.splitlines())
        assert shown == {part: "failed" if part in failed else "fine" for part in PARTS}
    managed.put("self_test", "ran: none\nfailed: none")
    managed.machine.refused(3, "no test ran", "selftest")


def test_log_shows_every_event(managed):
    entries, lines, first = [], [], random.getrandbits(31)
    for number in range(first, first + random.randrange(1, interface.LOG_ENTRIES + 1)):
        event = " ".join([random.choice(list(interface.EVENT_NAMES.values())), *random.choices(["A", "IMAGE_EMPTY", "1.2.3"], k=random.randrange(3))])
        entries.append({"number": number, "milliseconds": random.getrandbits(32), "severity": random.choice(list(interface.SEVERITY_NAMES.values())), "event": event})
        lines.append(f"{number} {entries[-1]['milliseconds']} {entries[-1]['severity']} {event}")
    managed.put("log", "\n".join(lines))
    assert managed.machine.json("log", "--json") == {"card": ADDRESS, "entries": entries}
    shown = managed.machine.run("log").stdout.splitlines()
    rows = [[str(entry["number"]), f"{entry['milliseconds'] / 1000:.3f}", entry["severity"], *entry["event"].split()] for entry in entries]
    assert [row.split() for row in shown] == [["number", "seconds", "severity", "event"], *rows]
    for bad in ("no event", f"{first} x INFO BOOTED", f"{first} 1 INFO"):
        managed.put("log", bad)
        managed.machine.refused(3, f"no event: '{bad}'", "log")


def with_unit(name, figure):
    """As people read it."""
    if figure is None:
        return "silent"
    if name.startswith("temperature"):
        return f"{figure / 100:.2f} degrees Celsius"
    if name.startswith("voltage"):
        return f"{figure / 1000:.3f} V" if figure else "silent"
    if name in ("uptime", "running", "throttle_time"):
        return f"{figure / 1000:.1f} s"
    return f"{figure} {'cycles' if name == 'loop_longest' else 'bytes' if name.startswith('stack') else ''}".strip()


def as_known(figures):
    """Of a silent sensor nothing is known, whatever it said last."""
    silent = figures["sensors_silent"] >> interface.SENSOR_TEMPERATURE & 1
    return figures | ({"temperature": None, "temperature_peak": None} if silent else {})


def test_telemetry_shows_every_figure(managed):
    figures = {name: random.getrandbits(16) for name in TELEMETRY} | {"temperature": -random.getrandbits(14), "voltage_core": 0}
    for silent in (1 << interface.SENSOR_TEMPERATURE, ~(1 << interface.SENSOR_TEMPERATURE) & 0xFF):
        figures["sensors_silent"] = silent
        managed.put("telemetry", text_of(figures).rstrip())
        expected = as_known(figures)
        assert (expected["temperature"] is None) == (silent == 1 << interface.SENSOR_TEMPERATURE)
        assert managed.machine.json("telemetry", "--json") == {"card": ADDRESS, **expected}
        shown = dict(row.split(maxsplit=1) for row in managed.machine.run("telemetry", ADDRESS).stdout.splitlines()[1:])
        assert shown == {name: with_unit(name, figure) for name, figure in expected.items()} and shown["voltage_core"] == "silent"
    for bad in ("uptime", "uptime 1x", "uptime -", f"uptime {1 << 63}"):
        managed.put("telemetry", bad)
        managed.machine.refused(3, "uptime", "telemetry")


def telemetry_page(lanes=3, queues=4, longer=0):
    """Parts drawn by lot, and the bytes of a page of them; each part is so many bytes longer than this program's interface has it."""
    def drawn(structure, **values):
        part = structure.unpack(random.randbytes(len(structure().pack())))
        for name, value in values.items():
            setattr(part, name, value)
        return part

    general = drawn(interface.Telemetry, temperature=-random.getrandbits(14) & 0xFFFFFFFF, temperature_peak=random.getrandbits(14))
    link = drawn(interface.TelemetryLink)
    each_lane = [drawn(interface.Lane, number=number, kind=number % 2, state=number % 4, cause=number % 4, reserved=bytes(3)) for number in range(lanes)]
    each_queue = [drawn(interface.TelemetryQueue, depth_cycles=random.getrandbits(50), waiting_cycles=random.getrandbits(50)) for _ in range(queues)]
    header = interface.TelemetryHeader(
        lanes=lanes, queues=queues, cycles=random.getrandbits(40) + 1, published=random.getrandbits(32), began=random.getrandbits(32),
        **{f"{name}_bytes": len(part().pack()) + longer for name, part in (
            ("header", interface.TelemetryHeader), ("telemetry", interface.Telemetry), ("link", interface.TelemetryLink), ("lane", interface.Lane),
            ("queue", interface.TelemetryQueue))})  # fmt: skip
    parts = [header, general, link, *each_lane, *each_queue]
    header.length = sum(len(part.pack()) + longer for part in parts)
    return header, general, link, each_lane, each_queue, b"".join(part.pack() + random.randbytes(longer) for part in parts)


@pytest.mark.parametrize("lanes, queues, longer", [(3, 4, 0), (interface.LANE_COUNT, interface.QUEUE_COUNT, 0), (1, 1, 0), (2, 5, 8)])
def test_telemetry_shows_the_page(managed, lanes, queues, longer):
    """All of one snapshot, also of a card whose interface has more in each part than this program knows."""
    header, general, link, each_lane, each_queue, data = telemetry_page(lanes, queues, longer)
    (managed.machine.sysfs / managed.folder / "telemetry_page").write_bytes(data)
    line = managed.machine.json("telemetry", "--json")
    figures = {name: getattr(general, name) for name in TELEMETRY}
    for name in ("temperature", "temperature_peak"):
        figures[name] -= figures[name] >> 31 << 32
    assert {name: line[name] for name in TELEMETRY} == as_known(figures)
    assert line["link"] == vars(link) and (line["cycles"], line["published"], line["began"]) == (header.cycles, header.published, header.began)
    assert (line["card"], line["state"]) == (ADDRESS, "running")
    names = {"kind": interface.LANE_KIND_NAMES, "state": interface.LANE_STATE_NAMES, "cause": interface.LANE_CAUSE_NAMES}
    assert line["lanes"] == [{name: names[name][value] if name in names else value for name, value in vars(lane).items() if name != "reserved"} for lane in each_lane]
    assert line["queues"] == [{"number": number} | vars(queue) for number, queue in enumerate(each_queue)]
    shown = managed.machine.run("telemetry", ADDRESS).stdout
    rows = [row.split() for row in shown.splitlines()]
    for lane in each_lane:
        assert [str(lane.number), interface.LANE_KIND_NAMES[lane.kind], interface.LANE_STATE_NAMES[lane.state], interface.LANE_CAUSE_NAMES[lane.cause],
                str(lane.verify_failures), str(lane.resets), str(lane.pages), f"{100 * lane.cycles / header.cycles:.1f}"] in rows  # fmt: skip
    for number, queue in enumerate(each_queue):
        means = [f"{cycles / queue.commands:.0f}" for cycles in (queue.waiting_cycles, queue.depth_cycles)]
        assert [str(number), str(queue.depth), str(queue.depth_peak), f"{queue.depth_cycles / header.cycles:.3f}", str(queue.commands), *means] in rows
    said = dict(row.split(maxsplit=1) for row in shown.split("\n\n")[0].splitlines()[1:])
    assert said == {name: with_unit(name, line[name]) for name in TELEMETRY} | {name: str(count) for name, count in vars(link).items()}
    managed.put("state", "dead")
    assert "firmware is dead: the last snapshot" in managed.machine.run("telemetry").stdout


def test_telemetry_refuses_what_is_no_page(managed):
    """Whatever the file holds: one line, no figure."""
    *_, data = telemetry_page(2, 2)
    page = managed.machine.sysfs / managed.folder / "telemetry_page"

    def with_header(**values):
        header = interface.TelemetryHeader.unpack(data[: interface.TELEMETRY_HEADER_BYTES])
        for name, value in values.items():
            setattr(header, name, value)
        return header.pack() + data[interface.TELEMETRY_HEADER_BYTES :]

    def adding_up(**values):
        """A file whose parts are as long as it is; its header alone is wrong."""
        header = interface.TelemetryHeader.unpack(with_header(**values)[: interface.TELEMETRY_HEADER_BYTES])
        header.length = sum(getattr(header, f"{part}_bytes") * count for part, count in (
            ("header", 1), ("telemetry", 1), ("link", 1), ("lane", header.lanes), ("queue", header.queues)))  # fmt: skip
        return header.pack() + random.randbytes(header.length - interface.TELEMETRY_HEADER_BYTES)

    short = {f"{part}_bytes": size - 4 for part, size in (
        ("telemetry", interface.TELEMETRY_BYTES), ("link", interface.TELEMETRY_LINK_BYTES), ("lane", interface.LANE_BYTES), ("queue", interface.TELEMETRY_QUEUE_BYTES))}  # fmt: skip
    bad = [*(adding_up(**{name: size}) for name, size in short.items()), adding_up(lanes=interface.LANE_COUNT + 1), adding_up(queues=interface.QUEUE_COUNT + 1),
           adding_up(header_bytes=interface.TELEMETRY_HEADER_BYTES + 4)[:-1],
           b"", data[:-1], data + b"more", data[:20], bytes(len(data)), b"\xff" * len(data), with_header(length=7), with_header(lanes=3),
           with_header(queues=255), with_header(lane_bytes=4), with_header(queue_bytes=0), with_header(header_bytes=0xFFFF)]  # fmt: skip
    for contents in bad:
        page.write_bytes(contents)
        managed.machine.refused(3, "telemetry_page: ", "telemetry")
    for _ in range(200):
        at = random.randrange(14)
        flipped = data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1 :]
        page.write_bytes(flipped)
        managed.machine.refused(3, "telemetry_page: ", "telemetry", "--json")


def test_lanes_shows_each(managed):
    numbers = ("failures", "verify_failures", "resets", "pages", "cycles")
    names = {"kind": interface.LANE_KIND_NAMES, "cause": interface.LANE_CAUSE_NAMES}
    healthy = [name for name in interface.LANE_STATE_NAMES.values() if name != "OUT"]
    for out in (False, True):
        lanes = [{"number": number, **{name: random.choice(list(words.values())) for name, words in names.items()}, "state": random.choice(healthy),
                  **{name: random.getrandbits(random.choice((8, 63))) for name in numbers}} for number in range(random.randrange(1, interface.LANE_COUNT))]  # fmt: skip
        if out:
            random.choice(lanes)["state"] = "OUT"
        order = ("number", "kind", "state", "cause", *numbers)
        managed.put("lanes", "\n".join(" ".join(str(lane[name]) for name in order) for lane in lanes))
        assert managed.machine.json("lanes", "--json", status=7 if out else 0) == {"card": ADDRESS, "lanes": lanes}
        shown = managed.machine.run("lanes", ADDRESS).stdout.splitlines()
        assert [row.split() for row in shown[1:]] == [[str(lane[name]) for name in order] for lane in lanes]
    for bad in ("no lane", "0 COMPRESS OUT NONE 0 0 0 0", "0 COMPRESS OUT NONE 0 0 0 0 x", "x COMPRESS OUT NONE 0 0 0 0 0"):
        managed.put("lanes", bad)
        managed.machine.refused(3, f"no lane: '{bad}'", "lanes")
    assert "lanes an engine that stays out" in managed.machine.run("lanes", "--help").stdout


def test_firmware_lists_its_slots(managed):
    fields = managed.identity(slot="B", trial=1, other_status="IMAGE_EMPTY", other_version="0.0.0")
    assert managed.machine.json("firmware", "list", "--json") == {
        "card": ADDRESS, "slot": "B", "version": fields["version"], "on_trial": True, "next_slot": "A", "other_slot": "A",
        "other_version": "0.0.0", "other_status": "IMAGE_EMPTY", "floor": fields["floor"],
    }  # fmt: skip
    shown = managed.machine.run("firmware", "list").stdout.splitlines()
    assert shown[1].split() == ["B", fields["version"], "runs", "on", "trial"] and shown[2].split() == ["A", "-", "IMAGE_EMPTY", "boots", "it"]
    assert fields["floor"] in shown[3]
    managed.put("identity", "version 1.2.3")
    managed.machine.refused(3, "identity: has no slot", "firmware", "list")


@pytest.mark.parametrize("way", ["class", "debugfs"])
def test_firmware_update_brings_the_whole_image(managed, way, tmp_path):
    image = random.randbytes(random.randrange(1, interface.IMAGE_MAX_BYTES))
    (tmp_path / "image").write_bytes(image)
    if way == "class":
        managed.upload_class()
    else:
        managed.machine.put(f"kernel/debug/pagepress-{ADDRESS}", "")
    managed.identity(next_slot="B")
    with managed.on_restart(slot="B", next_slot="B") as after:
        line = managed.machine.json("firmware", "update", tmp_path / "image", "--json")
    assert line == {"card": ADDRESS, "version": after[0]["version"], "slot": "B", "restarted": True}
    there = managed.machine.sysfs / (f"{managed.upload}/data" if way == "class" else f"kernel/debug/pagepress-{ADDRESS}")
    assert there.read_bytes()[: len(image)] == image
    assert way != "class" or managed.machine.get(f"{managed.upload}/loading") == "0"


def test_firmware_update_says_why_an_image_is_refused(managed, tmp_path):
    (tmp_path / "image").write_bytes(random.randbytes(5000))
    managed.upload_class(error="transferring:firmware-invalid")
    for status, meaning in {"IMAGE_BAD_SIGNATURE": "unsigned", "IMAGE_TOO_OLD": "older than", "IMAGE_TOO_LARGE": "larger than"}.items():
        managed.put("update_status", status)
        managed.machine.refused(5, f"{status}: {meaning}", "firmware", "update", tmp_path / "image")
    assert managed.get("control") == ""
    managed.machine.refused(1, "nothing: cannot be read", "firmware", "update", tmp_path / "nothing")
    (tmp_path / "image").write_bytes(b"")
    managed.machine.refused(3, "is empty", "firmware", "update", tmp_path / "image")


def test_firmware_update_waits_for_the_end_of_an_upload(managed, tmp_path):
    """What is said before is of the update before."""
    (tmp_path / "image").write_bytes(random.randbytes(5000))
    managed.upload_class()
    managed.put("update_status", "OK")
    managed.machine.put(f"{managed.upload}/status", "programming")

    def play():
        time.sleep(0.3)
        managed.put("update_status", "IMAGE_BAD_SIGNATURE")
        managed.machine.put(f"{managed.upload}/error", "programming:firmware-invalid")
        managed.machine.put(f"{managed.upload}/status", "idle")

    with managed.when(lambda: (managed.machine.sysfs / managed.upload / "data").stat().st_size >= 5000, play):
        managed.machine.refused(5, "IMAGE_BAD_SIGNATURE", "firmware", "update", tmp_path / "image")


@pytest.mark.parametrize("image", ["/dev/zero", ".", "pipe"])
def test_firmware_update_takes_plain_files_alone(managed, tmp_path, image):
    """Others may have no end, or none that comes."""
    os.mkfifo(tmp_path / "pipe")
    managed.upload_class()
    managed.machine.refused(3, "no plain file", "firmware", "update", tmp_path / image)


def test_firmware_update_that_the_kernel_does_not_take(managed, tmp_path):
    """It is called off: the next one begins anew."""
    (tmp_path / "image").write_bytes(random.randbytes(5000))
    managed.upload_class()
    data = managed.machine.sysfs / managed.upload / "data"
    data.unlink()
    data.mkdir()
    managed.machine.refused(5, "data: Is a directory", "firmware", "update", tmp_path / "image")
    assert managed.machine.get(f"{managed.upload}/loading") == "-1"


@pytest.mark.parametrize("way", ["class", "debugfs"])
def test_firmware_updates_do_not_mix(managed, way, tmp_path):
    (tmp_path / "image").write_bytes(random.randbytes(5000))
    debugfs = f"kernel/debug/pagepress-{ADDRESS}"
    if way == "class":
        managed.upload_class()
    else:
        managed.machine.put(debugfs, "")
    with open(managed.machine.sysfs / (f"{managed.upload}/cancel" if way == "class" else debugfs)) as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        for words in (["update", tmp_path / "image"], ["rollback"]):
            managed.machine.refused(5, "another update is under way", "firmware", *words)
    assert managed.machine.get(f"{managed.upload}/data" if way == "class" else debugfs) == ""


@pytest.mark.parametrize("words", [("update",), ("update", "--no-restart"), ("rollback",), ("rollback", "--no-restart")])
def test_firmware_that_somebody_else_has_taken_back(managed, words, tmp_path):
    """Whatever was taken, the next restart boots what runs: that is no success."""
    (tmp_path / "image").write_bytes(random.randbytes(5000))
    managed.upload_class()
    managed.identity(slot="A", next_slot="A")
    image = [tmp_path / "image"] if "update" in words else []
    managed.machine.refused(7, "boots slot A, not B", "firmware", *words, *image)
    assert not managed.get("control").startswith("restart")


def test_firmware_that_somebody_else_has_restarted(managed, tmp_path):
    """The image that was brought is on trial already: another restart would end that."""
    (tmp_path / "image").write_bytes(random.randbytes(5000))
    managed.upload_class()
    managed.identity(next_slot="B")
    managed.machine.put(f"{managed.upload}/status", "programming")

    def play():
        managed.identity(slot="B", trial=1, next_slot="A")
        managed.machine.put(f"{managed.upload}/status", "idle")
        time.sleep(1)
        managed.identity(slot="B", next_slot="B")

    with managed.when(lambda: (managed.machine.sysfs / managed.upload / "data").stat().st_size >= 5000, play):
        assert managed.machine.json("firmware", "update", tmp_path / "image", "--json")["slot"] == "B"
    assert managed.get("control") == ""


@pytest.mark.parametrize("name", ["loading", "data", "status", "error"])
def test_firmware_update_is_held_up_by_no_reader(managed, tmp_path, name):
    """Everybody may read these files, and lock what he may read; `cancel` is root's."""
    (tmp_path / "image").write_bytes(random.randbytes(5000))
    managed.upload_class()
    managed.identity(next_slot="B")
    with open(managed.machine.sysfs / managed.upload / name) as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        managed.machine.json("firmware", "update", tmp_path / "image", "--no-restart", "--json")


def test_firmware_update_reads_no_more_than_an_image(managed, tmp_path):
    """The card says that it is too large, however large it is."""
    (tmp_path / "image").touch()
    os.truncate(tmp_path / "image", 1 << 26)
    managed.upload_class(error="preparing:invalid-file-size")
    managed.put("update_status", "IMAGE_TOO_LARGE")
    managed.machine.refused(5, "IMAGE_TOO_LARGE: larger than", "firmware", "update", tmp_path / "image")
    assert len((managed.machine.sysfs / managed.upload / "data").read_bytes()) == interface.IMAGE_MAX_BYTES + 1


@pytest.mark.parametrize("number, said", [(errno.EHOSTDOWN, "firmware does not run"), (errno.ETIMEDOUT, "does not answer"), (errno.ECONNRESET, "was reset before"),
                                          (errno.ENODEV, "is away"), (errno.ECANCELED, "Operation canceled")])
def test_firmware_update_that_nobody_judges(managed, tmp_path, number, said):
    """The driver has an errno and no verdict: what it means is said, not its number."""
    (tmp_path / "image").write_bytes(random.randbytes(5000))
    managed.upload_class(error="transferring:hw-error")
    managed.put("update_status", f"error {number}")
    managed.machine.refused(5, said, "firmware", "update", tmp_path / "image")


def test_firmware_update_without_a_way_to_the_card(managed, tmp_path):
    (tmp_path / "image").write_bytes(random.randbytes(5000))
    managed.machine.refused(1, "mount -t debugfs", "firmware", "update", tmp_path / "image")


def test_firmware_that_does_not_confirm_itself(managed):
    """The trial fails, and the old image runs again."""
    old = managed.identity(next_slot="B")
    with managed.on_restart(version=old["version"], next_slot="A", other_status="IMAGE_TRIAL_FAILED"):
        managed.machine.refused(7, f"slot B did not confirm itself: {old['version']} of slot A runs", "firmware", "rollback")


def test_firmware_card_that_leaves_is_not_waited_for(managed):
    managed.identity(next_slot="B")
    with managed.when_restarted(lambda: (managed.machine.sysfs / managed.folder / "identity").unlink()):
        managed.machine.refused(1, "identity: missing", "firmware", "rollback")


def test_firmware_rollback_may_wait_for_the_next_restart(managed):
    managed.identity(next_slot="B")
    assert managed.machine.json("firmware", "rollback", "--no-restart", "--json") == {"card": ADDRESS, "next_slot": "B", "restarted": False}
    assert managed.get("control") == "rollback"
    assert "the next restart of the firmware boots slot B\n" in managed.machine.run("firmware", "rollback", "--no-restart").stdout


def test_firmware_update_may_wait_for_the_next_restart(managed, tmp_path):
    (tmp_path / "image").write_bytes(random.randbytes(5000))
    managed.upload_class()
    managed.identity(next_slot="B")
    assert managed.machine.json("firmware", "update", tmp_path / "image", "--no-restart", "--json") == {"card": ADDRESS, "next_slot": "B", "restarted": False}
    assert managed.get("control") == ""


@pytest.mark.parametrize("command", COMMANDS)
def test_management_that_is_not_there(machine, command):
    machine.refused(1, "no Pagepress card on the bus", *command)
    machine.card(ADDRESS, driver=None)
    machine.refused(1, "no driver has the card", *command)
    machine.card("0000:02:00.0")
    option = ("--card",) if command[0] == "firmware" else ()
    machine.refused(1, "has no management part", *command, *option, "0000:02:00.0")
    machine.refused(1, "0000:09:00.0: no Pagepress card", *command, *option, "0000:09:00.0")


def test_firmware_command_lines_that_make_no_sense(managed):
    for phrase, words in {"say what to do": [], "say which image": ["update"], "for firmware update alone": ["list", "image"],
                          "update and rollback alone": ["list", "--no-restart"], "ACTION": ["dance"]}.items():  # fmt: skip
        managed.machine.refused(2, phrase, "firmware", *words)
