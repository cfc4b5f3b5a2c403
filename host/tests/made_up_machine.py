# SPDX-License-Identifier: Apache-2.0
"""A made-up machine for pagepressctl: folders in place of /sys, /proc and /dev, with numbers from Python's `random`."""

import dataclasses
import json
import os
import random
import re
import subprocess
import threading
from pathlib import Path

import pagepress_interface
import pagepress_management

DOCUMENT = Path(__file__).resolve().parents[2] / "driver/docs/sysfs-block-pagepress"
WAYS_OF_LATENCY = ("card_write", "card_read", "cpu_write", "cpu_read", "redone")
# What is 0 while all is well, besides what doctor does not look at.
FAILURES = (
    "FailedReads",
    "FailedWrites",
    "card_late",
    "card_timeouts",
    "card_errors",
    "card_mismatches",
    "acomp_card_errors",
    "acomp_card_mismatches",
    "card_resets",
    "backing_errors",
    "memory_short_pages",
    "redone_pages",
)
TELEMETRY = [field.name for field in dataclasses.fields(pagepress_management.Telemetry) if field.name != "reserved"]
PARAMETERS = {"card": "Y", "read_path": "auto", "verify_streams": "all"}


def documented():
    """Names of the files in a disk's folder pagepress/, card_state among them."""
    return re.findall(r"^What:\s*/sys/block/pagepress<id>/pagepress/(\w+)$", DOCUMENT.read_text(), re.MULTILINE)


def version():
    """Of some firmware."""
    return ".".join(str(random.randrange(1, limit)) for limit in (256, 256, 65536))


def text_of(fields):
    return "".join(f"{name} {value}\n" for name, value in fields.items())


class MadeUpMachine:
    """`run` calls pagepressctl on it; the other functions put something there."""

    def __init__(self, program, folder):
        self.program, self.folder, self.sysfs, self.proc, self.dev = (
            program,
            folder,
            folder / "sys",
            folder / "proc",
            folder / "dev",
        )
        for path in (self.sysfs / "block", self.sysfs / "bus/pci/devices", self.proc / "self", self.dev):
            path.mkdir(parents=True)
        self.swaps, self.memory_bytes = [], random.randrange(1 << 18, 1 << 28) * 4096
        self.put("class/pagepress-control/hot_add", random.randrange(10, 32))
        self.put("class/pagepress-control/hot_remove", "")
        for name, value in PARAMETERS.items():
            self.put(f"module/pagepress/parameters/{name}", value)
        (self.proc / "meminfo").write_text(f"MemTotal:       {self.memory_bytes // 1024} kB\nMemFree: 1 kB\n")
        (self.proc / "self/mountinfo").write_text("22 1 0:21 / /proc rw,relatime shared:12 - proc proc rw\n")
        self.write_swaps()

    @property
    def environment(self):
        return {
            **os.environ,
            "PAGEPRESS_SYSFS": str(self.sysfs),
            "PAGEPRESS_PROC": str(self.proc),
            "PAGEPRESS_DEV": str(self.dev),
        }

    def run(self, *words, **environment):
        return subprocess.run(
            [self.program, *map(str, words)],
            capture_output=True,
            text=True,
            env={**self.environment, **environment},
            stdin=subprocess.DEVNULL,
            timeout=600,
        )

    def json(self, *words, status=0):
        """What it prints as JSON, a list of its lines when there are several."""
        done = self.run(*words)
        assert (done.returncode, done.stderr) == (status, ""), done
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        return lines[0] if len(lines) == 1 else lines

    def refused(self, status, phrase, *words):
        """It prints nothing but one line of complaint, which has the phrase, and ends with this status."""
        done = self.run(*words)
        assert done.returncode == status, done
        assert done.stdout == "" and len(done.stderr.splitlines()) == 1, done
        assert done.stderr.startswith("pagepressctl: ") and phrase in done.stderr, done

    def put(self, file, value):
        path = self.sysfs / file
        path.parent.mkdir(parents=True, exist_ok=True)
        # Whole at once, as sysfs does: who reads meanwhile finds no empty file.
        new = self.folder / f"new-{threading.get_ident()}"
        new.write_text(f"{value}\n")
        new.replace(path)

    def get(self, file):
        return (self.sysfs / file).read_text().strip()

    def disk(self, number=0, **values):
        """Adds a disk with random figures, failures 0, these values by name. Returns {name: number}."""
        figures = {name: random.getrandbits(random.choice((3, 30, 50))) for name in documented()}
        figures |= dict.fromkeys(FAILURES, 0)
        counters = {name: random.getrandbits(random.choice((3, 30, 60))) for name in pagepress_interface.COUNTER_NAMES} | {
            "verify_failures": 0
        }
        figures |= {
            "card_state": "ready",
            "disksize": random.randrange(1, 1 << 40),
            "present": 1,
            "card_pages_out": 900,
            "software_pages_out": 100,
            "NumWrites": 1000,
        } | values
        folder = f"block/pagepress{number}"
        for name, value in figures.items():
            place = {"disksize": "", "present": "card/"}.get(name, "pagepress/")
            self.put(f"{folder}/{place}{name}", value)
        for name, value in counters.items():
            self.put(f"{folder}/card/{name}", value)
        version = f"{pagepress_interface.VERSION_MAJOR}.{pagepress_interface.VERSION_MINOR}"
        hashes = f"{pagepress_interface.HASH_HIGH_VALUE:08x}{pagepress_interface.HASH_LOW_VALUE:08x}"
        for name, value in {
            "mem_limit": 0,
            "backing_dev": "none",
            "reset": "",
            "dev": f"252:{number}",
            "bd_stat": "0 0 0",
            "writeback_limit": 0,
            "writeback_limit_enable": 0,
            "card/interface": f"{version} {hashes}",
        }.items():
            self.put(f"{folder}/{name}", value)
        (self.dev / f"pagepress{number}").touch()
        return {**figures, **counters}

    def card(self, address="0000:01:00.0", driver="pagepress"):
        """A card on the bus. Returns its folder below sysfs."""
        folder = f"bus/pci/devices/{address}"
        self.put(f"{folder}/vendor", f"{pagepress_interface.PCI_VENDOR_ID:#06x}")
        self.put(f"{folder}/device", f"{pagepress_interface.PCI_DEVICE_ID:#06x}")
        if driver:
            (self.sysfs / "bus/pci/drivers" / driver).mkdir(parents=True, exist_ok=True)
            (self.sysfs / folder / "driver").symlink_to(f"../../drivers/{driver}")
            (self.sysfs / "bus/pci/drivers" / driver / address).symlink_to(f"../../devices/{address}")
        return folder

    def firmware(self, address="0000:01:00.0", **values):
        """The files of a card's management part, whose firmware runs; these values by name. Returns its folder below sysfs."""
        files = {
            "state": "running", "firmware_version": version(), "slot": "A", "boot_kind": "NORMAL", "reset_cause": "POWER", "watchdog_resets": 0,
            "firmware_resets": 0, "throttle": 0, "update_status": "none", "log": "", "self_test": "", "control": "",
        } | values  # fmt: skip
        folder = f"bus/pci/devices/{address}/management"
        for name, value in files.items():
            self.put(f"{folder}/{name}", value)
        self.identity(address, version=files["firmware_version"], slot=files["slot"], next_slot=files["slot"])
        self.telemetry(address)
        return folder

    def identity(self, address="0000:01:00.0", **values):
        """What firmware says of itself: whoever reads it sees the old one or all of the new. Returns {name: value}."""
        fields = {
            "version": version(), "slot": "A", "trial": 0, "next_slot": "A", "other_version": version(), "other_status": "OK",
            "floor": version(), "flash_id": "ef4016", "interface": "1.3",
        } | values  # fmt: skip
        self.put(f"bus/pci/devices/{address}/management/identity", text_of(fields).rstrip())
        return fields

    def telemetry(self, address="0000:01:00.0", **values):
        """What firmware measures, random but for these values. Returns {name: value}."""
        fields = {name: random.getrandbits(12) for name in TELEMETRY} | {"sensors_silent": 0} | values
        self.put(f"bus/pci/devices/{address}/management/telemetry", text_of(fields).rstrip())
        return fields

    def swap(self, path, priority, size=1 << 20, used=0):
        self.swaps.append(f"{path:40}partition\t{size // 1024}\t\t{used // 1024}\t\t{priority}")
        self.write_swaps()

    def write_swaps(self):
        (self.proc / "swaps").write_text(
            "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n" + "".join(f"{line}\n" for line in self.swaps)
        )

    def mount(self, device, folder, kind="ext4", number=None):
        """number: of the device, where it is not that of a disk."""
        number = number or self.get(f"block/{device.removeprefix('/dev/')}/dev")
        with open(self.proc / "self/mountinfo", "a") as mounts:
            mounts.write(f"31 22 {number} / {folder} rw,relatime shared:7 master:1 - {kind} {device} rw\n")

    def latencies(self):
        """Random histograms in debugfs. Returns {way: {exponent: pages}}."""
        histograms = {way: {n: random.randrange(0, 500) for n in random.sample(range(8, 30), 5)} for way in WAYS_OF_LATENCY}
        lines = ["nanoseconds " + " ".join(WAYS_OF_LATENCY)]
        for n in sorted(set().union(*histograms.values())):
            lines.append(" ".join(map(str, [1 << n, *(histograms[way].get(n, 0) for way in WAYS_OF_LATENCY)])))
        self.put("kernel/debug/pagepress/latency", "\n".join(lines))
        return histograms

    def queues(self, *in_flight):
        """The dump of a card's queues with so many requests each."""
        lines = []
        for number, requests in enumerate(in_flight):
            lines += [
                f"0000:01:00.0 queue {number}: QUEUE_STATUS 0x1 SUBMISSION_HEAD 3 COMPLETION_TAIL 3",
                f"  running depth 64 tail 3 rung 3 head 3 phase 1 free {64 - requests}",
            ]
            lines += [f"  request {tag:#x} write pagepress0 slot {tag} for 900 ns" for tag in range(requests)]
        self.put("kernel/debug/pagepress/queues", "\n".join(lines))
