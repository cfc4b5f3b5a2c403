# SPDX-License-Identifier: Apache-2.0
"""pagepressctl metrics, top and regs, on made-up machines."""

import json
import random
import re
import struct
import subprocess
import time
from pathlib import Path

import pytest

import pagepress_interface
import pagepress_management
from made_up_machine import documented

REPOSITORY = Path(__file__).resolve().parents[2]
PARSER = """import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
families = parse(sys.stdin.read())
print(json.dumps([[one.name, one.type, one.documentation, [[s.name, s.labels, s.value] for s in one.samples]] for one in families]))"""


def parsed(text):
    """{family: (type, {(sample, sorted labels): value})}, by Prometheus' own parser, which is strict."""
    python = REPOSITORY / "build/tools/host/venv/bin/python3"
    done = subprocess.run([python, "-c", PARSER], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:] + text[-2000:]
    families = {}
    for name, kind, documentation, samples in json.loads(done.stdout):
        assert documentation and name not in families
        families[name] = (
            kind,
            {(sample, *(f"{key}={value}" for key, value in sorted(labels.items()))): value for sample, labels, value in samples},
        )
    return families


def snake(name):
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def test_control_metrics_show_every_figure(machine):
    figures = {number: machine.disk(number) for number in (0, 3, 12)}
    histograms = machine.latencies()
    text = machine.run("metrics").stdout
    families = parsed(text)
    values = {key: value for _, samples in families.values() for key, value in samples.items()}
    assert values["pagepress_disks",] == 3
    for name in [*documented(), "disksize"]:
        if name == "card_state":
            continue
        stem = f"pagepress_{snake(name)}"
        for number, figure in figures.items():
            labels, shared = (f"device=pagepress{number}",), figures[0]
            candidates = {
                (stem + "_total", *labels): figure[name],
                (stem, *labels): figure[name],
                (stem + "_bytes", *labels): figure[name],
                (stem + "_total",): shared[name],
                (stem.removesuffix("_ns") + "_seconds",): shared[name] * 1e-9,
            }
            found = {key: value for key, value in candidates.items() if key in values}
            assert len(found) == 1, (name, found)
            for key, value in found.items():
                assert values[key] == pytest.approx(value, abs=1e-9), name
    for name in pagepress_interface.COUNTER_NAMES:
        assert values[f"pagepress_card_{name}_total",] == figures[0][name]
    kind, states = families["pagepress_card_state"]
    assert kind == "stateset" and sum(states.values()) == 1
    assert states["pagepress_card_state", "pagepress_card_state=ready"] == 1
    kind, buckets = families["pagepress_page_duration_seconds"]
    assert kind == "histogram"
    for way, histogram in histograms.items():
        assert buckets["pagepress_page_duration_seconds_bucket", "le=+Inf", f"way={way}"] == sum(histogram.values())
        within = {float(key[1][3:]): value for key, value in buckets.items() if key[2] == f"way={way}"}
        for n in histogram:
            if histogram[n]:
                (bound,) = (bound for bound in within if bound == pytest.approx(2 ** (n + 1) * 1e-9))
                assert within[bound] == sum(pages for m, pages in histogram.items() if m <= n)


OF_ALL_DISKS = {"card_late", "card_timeouts", "card_resets", "single_read_card_ns", "single_read_cpu_ns", "card_state"}


def test_control_metrics_are_of_the_documented_kind(machine):
    """A counter unless the driver's document calls it a gauge; without a disk's name where all disks say the same."""
    machine.disk(0), machine.disk(3)
    document = (REPOSITORY / "driver/docs/sysfs-block-pagepress").read_text()
    said = dict(re.findall(r"^What:\s*/sys/block/pagepress<id>/pagepress/(\w+)$.*?^Description:\n(.*?)(?=^What:|\Z)", document, re.M | re.S))
    families = parsed(machine.run("metrics").stdout)
    assert len(said) > 60 and said.keys() == set(documented())
    for name, description in said.items():
        stem = f"pagepress_{snake(name)}"
        family = next(one for one in (stem, f"{stem}_bytes", f"{stem.removesuffix('_ns')}_seconds") if one in families)
        kind, samples = families[family]
        assert kind == ("stateset" if name == "card_state" else "gauge" if re.search("gauge", description, re.I) else "counter"), name
        devices = {label for key in samples for label in key[1:] if label.startswith("device=")}
        shared = name in OF_ALL_DISKS or name.startswith("acomp_")
        assert devices == (set() if shared else {"device=pagepress0", "device=pagepress3"}), name


def test_control_metrics_tell_of_firmware(machine):
    """Of two cards: one whose firmware runs, on trial, one sensor silent; one whose firmware is dead. A third has none."""
    first, second = "0000:01:00.0", "0000:02:00.0"
    for address in (first, second, "0000:03:00.0"):
        machine.card(address)
    machine.firmware(first, firmware_version="1.2.3", slot="B", boot_kind="TRIAL", watchdog_resets=7, firmware_resets=5, throttle=2)
    machine.identity(first, trial=1)
    figures = machine.telemetry(first, temperature=-random.getrandbits(14), sensors_silent=1 << pagepress_management.SENSOR_VOLTAGE_AUX)
    machine.firmware(second, state="dead", firmware_version="0.0.0", slot="NONE")
    families = parsed(machine.run("metrics").stdout)
    values = {key: value for _, samples in families.values() for key, value in samples.items()}
    one, other = f"card={first}", f"card={second}"
    kind, states = families["pagepress_firmware_state"]
    assert kind == "stateset" and {key for key, value in states.items() if value} == {
        ("pagepress_firmware_state", one, "pagepress_firmware_state=running"),
        ("pagepress_firmware_state", other, "pagepress_firmware_state=dead"),
    }
    assert families["pagepress_firmware"][0] == "info"
    assert values["pagepress_firmware_info", "boot=TRIAL", one, "slot=B", "version=1.2.3"] == 1
    of_firmware = {name.removeprefix("pagepress_firmware_"): {} for name, *_ in values if name.startswith("pagepress_firmware_")}
    for (name, *labels), value in values.items():
        if name.startswith("pagepress_firmware_"):
            of_firmware[name.removeprefix("pagepress_firmware_")][tuple(labels)] = value
    assert of_firmware["answers"] == {(one,): 1, (other,): 0}
    assert of_firmware["on_trial"] == {(one,): 1}
    assert of_firmware["restarts_total"] == {(one,): 5, (other,): 0} and of_firmware["watchdog_resets_total"] == {(one,): 7, (other,): 0}
    assert of_firmware["flash_errors_total"] == {(one,): figures["flash_errors"]}
    assert of_firmware["throttle"] == {(one,): 2, (other,): 0}
    assert of_firmware["temperature_celsius"] == {(one,): figures["temperature"] / 100}
    assert of_firmware["voltage_volts"] == {(one, "rail=core"): figures["voltage_core"] / 1000, (one, "rail=memory"): figures["voltage_memory"] / 1000}
    # Beside it the text file's form says the same.
    done = machine.run("metrics", "--textfile", machine.folder / "x.prom")
    text = (machine.folder / "x.prom").read_text()
    assert done.returncode == 0 and f'pagepress_firmware_info{{card="{first}",version="1.2.3",slot="B",boot="TRIAL"}} 1\n' in text
    machine.put(f"bus/pci/devices/{first}/management/telemetry", "temperature hot\nsensors_silent 0")
    machine.refused(3, "telemetry: not a number: 'temperature hot'", "metrics")


def test_control_top_tells_of_firmware_that_does_not_run(machine):
    machine.disk()
    machine.card()
    machine.firmware()
    assert "firmware" not in machine.run("top", "--once").stdout
    for values, words in {("dead", 0): "0000:01:00.0  firmware dead", ("running", 3): "0000:01:00.0  hot: slows down, step 3 of 3"}.items():
        state, throttle = values
        machine.firmware(state=state, throttle=throttle)
        assert words in machine.run("top", "--once").stdout.splitlines()
        assert machine.json("top", "--once", "--json")["firmware"] == [{"card": "0000:01:00.0", "state": state, "throttle": throttle}]


def test_control_metrics_without_disks_and_with_bad_files(machine):
    assert parsed(machine.run("metrics").stdout) == {"pagepress_disks": ("gauge", {("pagepress_disks",): 0})}
    machine.disk()
    machine.put("kernel/debug/pagepress/latency", "something else")
    machine.refused(3, "not the histograms", "metrics")
    machine.put("kernel/debug/pagepress/latency", "nanoseconds card_write\n768 1")
    machine.refused(3, "not the histograms", "metrics")
    machine.put("block/pagepress0/pagepress/NumReads", "many")
    machine.refused(3, "NumReads: not a whole number", "metrics")


WAYS = ("card", "software", "direct", "backing")


def percentile(histogram, share):
    wanted, before = sum(histogram.values()) * share, 0
    for n in sorted(histogram):
        if histogram[n] and before + histogram[n] >= wanted:
            return 2**n * (1 + (wanted - before) / histogram[n])
        before += histogram[n]
    return 0


def test_control_top_shows_now(machine):
    figures = machine.disk(0), machine.disk(5)
    histograms = machine.latencies()
    machine.queues(3, 0)
    line = machine.json("top", "--once", "--json")
    assert [disk["device"] for disk in line["disks"]] == ["pagepress0", "pagepress5"]
    for disk, figure in zip(line["disks"], figures):
        assert disk["stored_bytes"] == figure["OrigDataSize"] and disk["pages_out_per_second"] == 0
        assert disk["ways"]["software"]["pages_in"] == figure["software_pages_in"]
        assert disk["ways"]["backing device"]["pages_out"] == figure["backing_pages_out"]
    for way, histogram in histograms.items():
        assert line["latencies"][way]["pages"] == sum(histogram.values())
        for name, share in {"p50_ns": 0.5, "p90_ns": 0.9, "p99_ns": 0.99}.items():
            assert line["latencies"][way][name] == pytest.approx(percentile(histogram, share)), way
    assert [(queue["card"], queue["queue"], queue["depth"], queue["in_flight"]) for queue in line["queues"]] == [
        ("0000:01:00.0", 0, 64, 3),
        ("0000:01:00.0", 1, 64, 0),
    ]
    text = machine.run("top", "-1").stdout
    assert "card ready" in text and "LATENCY" in text and re.search(r"0000:01:00\.0 0 +running +64 +3\n", text)
    assert [one["device"] for one in machine.json("top", "--once", "--json", "pagepress5")["disks"]] == ["pagepress5"]


def test_control_top_shows_growth(machine):
    figures = machine.disk(NumReads=1000)
    machine.latencies()
    command = [machine.program, "top", "--json", "--count", "2", "--interval", "3"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=machine.environment) as process:
        begun = time.monotonic()
        first = json.loads(process.stdout.readline())
        grown = random.randrange(1000, 5000)
        machine.put("block/pagepress0/pagepress/card_pages_out", figures["card_pages_out"] + grown)
        machine.put("block/pagepress0/pagepress/NumReads", 3)  # as after a reset
        machine.put(
            "kernel/debug/pagepress/latency",
            (machine.sysfs / "kernel/debug/pagepress/latency").read_text().strip() + "\n1099511627776 7 0 0 0 0",
        )
        second = json.loads(process.stdout.readline())
        took = time.monotonic() - begun
    out = second["disks"][0]["ways"]["card"]["pages_out_per_second"]
    assert first["disks"][0]["ways"]["card"]["pages_out_per_second"] == 0
    assert grown / (took + 1) <= out <= grown / 2.9  # no earlier than after the interval
    assert second["disks"][0]["pages_in_per_second"] == 0
    assert second["latencies"]["card_write"]["pages"] == 7  # those that came since
    assert 2**40 <= second["latencies"]["card_write"]["p50_ns"] <= 2**41


def test_control_top_as_text(machine):
    """Each figure below its heading; how busy a card's engines are, since the screen before."""
    machine.disk(0, OrigDataSize=3 << 20, MemUsedTotal=1 << 20, ZeroPages=4, NoCompress=5, backed_pages=6, FailedReads=1, FailedWrites=2, card_late=7,
                 card_timeouts=8, card_resets=9, **{f"{way}_pages_{to}": 10 * number + (to == "in") for number, way in enumerate(WAYS) for to in ("out", "in")})  # fmt: skip
    machine.queues(3)
    for name in ("cycles", "compress_busy_cycles", "decompress_busy_cycles"):
        machine.put(f"block/pagepress0/card/{name}", 1000)
    with subprocess.Popen([machine.program, "top", "--count", "2", "--interval", "3"], stdout=subprocess.PIPE, text=True, env=machine.environment) as process:
        first = process.stdout.readline()
        for name, more in {"compress_busy_cycles": 250, "decompress_busy_cycles": 750, "cycles": 1000}.items():
            machine.put(f"block/pagepress0/card/{name}", 1000 + more)
        rest = process.stdout.read().splitlines()
    assert first == "pagepress  card ready  cards 1  late 7  time-outs 8  resets 9\n"
    assert first.strip() + "  compress busy 25 %  decompress busy 75 %" in rest
    cells = [re.split("  +", line.strip()) for line in rest]
    below = {heading[0]: dict(zip(heading, row, strict=True)) for heading, row in zip(cells, cells[1:]) if heading[0] in ("DISK", "QUEUE")}
    assert below["DISK"] == {"DISK": "pagepress0", "STORED": "3 MiB", "MEMORY": "1 MiB", "RATIO": "3.00", "SAME": "4", "WHOLE": "5", "BACKED": "6", "OUT/s": "0",
                             "IN/s": "0", "FAILED": "3", "USE": "-"}  # fmt: skip
    assert below["QUEUE"] == {"QUEUE": "0000:01:00.0 0", "STATE": "running", "DEPTH": "64", "IN FLIGHT": "3"}
    for number, way in enumerate(WAYS):
        assert [way.replace("backing", "backing device"), str(10 * number), "0", str(10 * number + 1), "0"] in cells, way


def test_control_top_refuses(machine):
    machine.refused(1, "no Pagepress disk: pagepressctl setup", "top", "--once")
    machine.disk()
    machine.refused(1, "no such disk", "top", "--once", "pagepress1")
    for words in (["--count", "0"], ["--interval", "0"], ["--interval", "soon"], ["--interval", "nan"]):
        machine.refused(2, words[0], "top", *words)


BLOCKS = {block: getattr(pagepress_interface, f"{block}_BASE") for block in ("CARD", "QUEUE")}
CARD = {
    "MAGIC": 0x0,
    "VERSION": 0x4,
    "HASH_LOW": 0x8,
    "HASH_HIGH": 0xC,
    "CAPABILITIES": 0x10,
    "ENGINES": 0x14,
    "CLOCK": 0x18,
    "CONTROL": 0x20,
    "STATUS": 0x24,
    "FATAL_CAUSE": 0x28,
}


def bar0(active):
    """Random contents of BAR0 with four queue pairs, of which those in `active` are."""
    words = [random.getrandbits(32) for _ in range(pagepress_interface.BAR0_BYTES // 4)]
    words[CARD["MAGIC"] // 4] = pagepress_interface.MAGIC_VALUE
    words[CARD["CAPABILITIES"] // 4] = 12 | 4 << 8 | 10 << 16
    words[CARD["FATAL_CAUSE"] // 4] = 3
    for queue in range(4):
        words[(BLOCKS["QUEUE"] + queue * pagepress_interface.QUEUE_STRIDE + pagepress_interface.REGISTER_QUEUE_STATUS) // 4] = (
            queue in active
        )
    return words


def test_control_shows_registers(machine):
    words = bar0(active=[2])
    (machine.sysfs / machine.card() / "resource0").write_bytes(struct.pack(f"<{len(words)}I", *words))
    machine.card("0000:02:00.0")
    line = machine.json("regs", "--json", "--counters")
    assert line["card"] == "0000:01:00.0" and list(line) == ["card", "registers", "queues", "counters"]
    assert {name: entry["offset"] for name, entry in line["registers"].items()} == CARD
    (queue,) = line["queues"]
    assert queue["queue"] == 2
    assert all(entry["value"] == words[entry["offset"] // 4] for block in (line, queue) for entry in block["registers"].values())
    assert line["registers"]["CAPABILITIES"]["fields"] == {"PAGE_SHIFT": 12, "QUEUE_PAIRS": 4, "MAX_DEPTH_LOG2": 10, "PUSH": 0, "WEIGHTS": 0, "COLD_TABLES": 0}
    assert queue["registers"]["QUEUE_STATUS"]["fields"] == {"ACTIVE": 1, "ERROR": 0, "CAUSE": 0}
    assert queue["registers"]["SUBMISSION_HEAD"]["offset"] == BLOCKS["QUEUE"] + 2 * pagepress_interface.QUEUE_STRIDE + 0x20
    for index, name in enumerate(pagepress_interface.COUNTER_NAMES):
        low, high = words[pagepress_interface.COUNTER_BASE // 4 + 2 * index :][:2]
        assert line["counters"][name.upper()] == low | high << 32
    assert [queue["queue"] for queue in machine.json("regs", "--json", "--all")["queues"]] == list(range(4))
    text = machine.run("regs").stdout
    assert re.search(r"^  0028  FATAL_CAUSE +00000003 \(RING_COMPLETE\)$", text, re.M) and "PAGE_SHIFT 12" in text
    assert "SUBMISSION_TAIL" not in text  # write-only


def test_control_shows_registers_of_the_dump(machine):
    """Of a card that the driver has they come from debugfs, whatever its BAR says; a card that is not there comes through its BAR."""
    words = bar0(active=[1])
    named = [*CARD.values(), *(BLOCKS["QUEUE"] + queue * pagepress_interface.QUEUE_STRIDE + offset for queue in range(4) for offset in range(0, 0x40, 4))]
    counters = [pagepress_interface.COUNTER_BASE + 4 * word for word in range(2 * len(pagepress_interface.COUNTER_NAMES))]
    lines = [f"0000:01:00.0 {offset:04x} {words[offset // 4]:08x}" for offset in named + counters]
    machine.card()
    machine.card("0000:02:00.0")
    machine.put("kernel/debug/pagepress/registers", "\n".join(lines))
    line = machine.json("regs", "--json", "--counters")
    assert list(line) == ["card", "registers", "queues", "counters"] and [queue["queue"] for queue in line["queues"]] == [1]
    assert all(entry["value"] == words[entry["offset"] // 4] for block in (line, *line["queues"]) for entry in block["registers"].values())
    low, high = words[pagepress_interface.COUNTER_BASE // 4 :][:2]
    assert line["counters"][pagepress_interface.COUNTER_NAMES[0].upper()] == low | high << 32
    machine.refused(1, "resource0: registers cannot be read", "regs", "0000:02:00.0")
    machine.put("kernel/debug/pagepress/registers", "\n".join(lines[:-1]))
    machine.refused(3, f"registers: has no register {counters[-1]:04x}", "regs", "--counters")
    machine.put("kernel/debug/pagepress/registers", "no dump")
    machine.refused(3, "not a dump of registers: no dump", "regs")


def test_control_refuses_cards_without_registers(machine):
    machine.refused(1, "no Pagepress card on the bus", "regs")
    file = machine.sysfs / machine.card() / "resource0"
    machine.refused(1, "resource0: registers cannot be read", "regs")
    file.write_bytes(bytes(4096))
    machine.refused(3, "smaller than", "regs")
    file.write_bytes(b"\xff" * pagepress_interface.BAR0_BYTES)
    machine.refused(3, "does not answer", "regs")
    file.write_bytes(bytes(pagepress_interface.BAR0_BYTES))
    machine.refused(3, "MAGIC reads 0", "regs")
    machine.refused(1, "they are 0000:01:00.0", "regs", "0000:09:00.0")
