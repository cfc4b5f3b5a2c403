# SPDX-License-Identifier: Apache-2.0
"""The hungry program on this machine, without swap: whatever alters its memory or its image between
filling and reading back must be seen, named and judged."""
import os
import random
import re
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest
from system.tests.made_up import healthy

from system import BUILD, figures, verdict

WORKLOAD = Path(__file__).resolve().parents[1] / "workload"


@pytest.fixture(scope="module")
def hungry():
    subprocess.run(["make", "-s", "-C", WORKLOAD], check=True)
    return BUILD / "system/hungry"


@pytest.mark.parametrize(
    ("words", "phrase"),
    [
        ([], "--image is missing"),
        (["--bogus", "1"], "unknown option --bogus"),
        (["--out"], "usage: hungry"),
        (["--out", "x"], "--out takes a whole number, not 'x'"),
        (["--pace", "-1"], "--pace takes a whole number"),
        (["--seed", "99999999999999999999"], "--seed takes a whole number"),
        (["--goal", "nothing"], "--goal takes FILE:COUNT"),
        (["--goal", "/proc/uptime:x"], "--goal takes FILE:COUNT"),
        (["--goal", "/no/file:1"], "no count in /no/file"),
        (["--image", "/no/disk"], "cannot open the image /no/disk"),
        (["--image", "/dev/null"], "/dev/null"),
    ],
)
def test_hungry_bad_input(hungry, words, phrase):
    done = subprocess.run([hungry, *words], capture_output=True, text=True)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert phrase in done.stderr


PAGE = 4096
PAGES = 96  # three of the program's blocks


class Filled:
    """A hungry program that stands still, full, its image all in memory. `finish` lets it read back."""

    def __init__(self, program, folder, generator):
        self.image, self.report = folder / "image", folder / "report"
        self.image.write_bytes(generator.randbytes(PAGES * PAGE))
        self.report.touch()
        fifo = folder / "go"
        subprocess.run(["mkfifo", fifo], check=True)
        self.process = subprocess.Popen(
            [program, "--image", self.image, "--report", self.report, "--seed", "5", "--at-full", f"read go <{fifo}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.go = self.other_end(fifo)
        self.memory = open(f"/proc/{self.process.pid}/mem", "r+b", buffering=0)
        self.start = self.find()

    def other_end(self, fifo):
        """The FIFO, open for writing: possible once the program stands there and waits."""
        while self.process.poll() is None:
            try:
                return os.fdopen(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK), "w")
            except OSError:
                time.sleep(0.001)
        pytest.fail(f"hungry ended before it was full: {self.process.stderr.read()}")

    def find(self):
        """Where in the program's address space the image's copy starts."""
        maps = Path(f"/proc/{self.process.pid}/maps").read_text()
        areas = [(int(start, 16), int(end, 16)) for start, end in re.findall(r"^(\w+)-(\w+) rw-p 0+ 00:00 0", maps, re.M)]
        starts = [start for start, end in areas if end - start == PAGES * PAGE and self.read(start) == self.image.read_bytes()]
        assert len(starts) == 1, maps
        return starts[0]

    def read(self, place, length=PAGES * PAGE):
        self.memory.seek(place)
        return self.memory.read(length)

    def page(self, number):
        return self.read(self.start + number * PAGE, PAGE)

    def write(self, page, content, byte=0):
        self.memory.seek(self.start + page * PAGE + byte)
        self.memory.write(content)

    def write_image(self, page, content, byte=0):
        with open(self.image, "r+b") as image:
            image.seek(page * PAGE + byte)
            image.write(content)

    def finish(self):
        """(exit status, [(page, byte), ...] as named on standard error, the reported dict)."""
        self.go.write("\n")
        self.go.close()
        _, errors = self.process.communicate(timeout=600)
        named = [re.fullmatch(r"hungry: page (\d+) is wrong from byte (\d+) on", line) for line in errors.splitlines()]
        assert all(named), errors
        reports = dict(line.split(" ", 1) for line in self.report.read_text().splitlines())
        told = figures.reported(reports, "hungry", ("pages", "checked", "wrong", "out", "in"))
        return self.process.returncode, sorted((int(match[1]), int(match[2])) for match in named), told

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()
        self.go.close()
        self.memory.close()


@pytest.fixture
def filled(hungry, tmp_path):
    program = Filled(hungry, tmp_path, random)
    yield program
    program.end()


def judged(told):
    """The verdict's sentences when everything else of a demo is well."""
    good = healthy()
    return verdict.failures(replace(good, hungry={**good.hungry, "pages": told["pages"], "checked": told["checked"], "wrong": told["wrong"]}))


def refused(filled, *expected):
    status, named, told = filled.finish()
    assert (status, named) == (1, sorted(expected))
    assert (told["pages"], told["checked"], told["wrong"]) == (PAGES, PAGES, len(expected))
    assert judged(told) == [f"{len(expected)} pages came back wrong"]


def test_hungry_is_content_with_untouched_memory(filled):
    status, named, told = filled.finish()
    assert (status, named) == (0, [])
    assert (told["pages"], told["checked"], told["wrong"]) == (PAGES, PAGES, 0)
    assert judged(told) == []


@pytest.mark.parametrize("bit", [0, 7])
@pytest.mark.parametrize("byte", [0, 1, 2049, PAGE - 1])
@pytest.mark.parametrize("page", [0, 31, 32, PAGES - 1])
def test_hungry_names_one_wrong_bit(filled, page, byte, bit):
    filled.write(page, bytes([filled.page(page)[byte] ^ 1 << bit]), byte)
    refused(filled, (page, byte))


@pytest.mark.parametrize(("one", "other"), [(0, 1), (3, 30), (5, 70), (31, 32)])
def test_hungry_notices_two_pages_in_each_others_place(filled, one, other):
    first, second = filled.page(one), filled.page(other)
    byte = next(byte for byte in range(PAGE) if first[byte] != second[byte])
    filled.write(one, second)
    filled.write(other, first)
    refused(filled, (one, byte), (other, byte))


def test_hungry_notices_a_lost_page(filled):
    content = filled.page(40)
    filled.write(40, bytes(PAGE))
    refused(filled, (40, next(byte for byte in range(PAGE) if content[byte])))


def test_hungry_reads_the_image_anew(filled):
    """Compared is what the disk holds now, not what was read while filling."""
    filled.write_image(33, bytes([filled.page(33)[99] ^ 1]), 99)
    refused(filled, (33, 99))


def test_hungry_counts_more_wrong_pages_than_it_names(filled):
    for page in range(PAGES):
        filled.write(page, bytes([filled.page(page)[7] ^ 0x80]), 7)
    status, named, told = filled.finish()
    assert status == 1 and len(named) == 10 and {byte for _, byte in named} == {7}
    assert told["wrong"] == PAGES
    assert judged(told) == [f"{PAGES} pages came back wrong"]
