# SPDX-License-Identifier: Apache-2.0
"""Capture: the memory of a process of our own, and what happens to programs that cannot be had."""
import subprocess
import sys
from types import SimpleNamespace

import pytest
from bench import PAGE_BYTES, Trouble, capture
from bench.memory import anonymous_addresses, sample, state, writable_ranges
from bench.pages import PageSet, is_same_filled
from bench.workplace import Workplace

MAPS = """\
00400000-00401000 r-xp 00000000 08:01 11 /usr/bin/program
00601000-00603000 rw-p 00001000 08:01 11 /usr/bin/program
01000000-01021000 rw-p 00000000 00:00 0 [heap]
7f0000000000-7f0000001000 r--p 00000000 00:00 0
7f0000002000-7f0000004000 rw-s 00000000 00:05 9 /dev/dri/card0
7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0 [stack]
7ffc00100000-7ffc00104000 rw-p 00000000 00:00 0 [vvar]
"""
MARKED = 300  # pages that the process fills with its mark and their number
SCRIPT = f"""
import mmap, sys
pages = {MARKED}
private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
marked, same, untouched = (mmap.mmap(-1, pages * {PAGE_BYTES}, flags=private) for _ in range(3))
shared = mmap.mmap(-1, pages * {PAGE_BYTES}, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
for page in range(pages):
    marked[page * {PAGE_BYTES}:page * {PAGE_BYTES} + 16] = b"captured" + page.to_bytes(8, "big")
    same[page * {PAGE_BYTES}:(page + 1) * {PAGE_BYTES}] = b"same....." [:8] * {PAGE_BYTES // 8}
    shared[page * {PAGE_BYTES}:page * {PAGE_BYTES} + 16] = b"shared.." + page.to_bytes(8, "big")
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def process():
    with Workplace() as place:
        started = place.start(sys.executable, "-c", SCRIPT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        place.wait_for_line(started, "ready")
        place.wait_until(started, "asleep in its last read", lambda: state(started.pid) == "S")
        yield started.pid


def test_only_writable_memory_of_the_program():
    assert list(writable_ranges(MAPS)) == [(0x601000, 0x603000), (0x1000000, 0x1021000), (0x7ffc00000000, 0x7ffc00021000)]


def test_every_private_page_written_and_no_other(process):
    found = sample("own", [process], 10**6, 1)
    marks = sorted(int.from_bytes(page[8:16], "big") for page in found if page.startswith(b"captured"))
    assert marks == list(range(MARKED))
    assert not any(page.startswith(b"shared..") for page in found)
    assert not any(map(is_same_filled, found))
    assert MARKED <= found.same_filled < 2 * MARKED, "the filled pages count, untouched ones do not exist"
    assert len(found) + found.same_filled <= len(anonymous_addresses(process))
    assert state(process) in "SR", "the process goes on afterwards"


def test_sample_follows_from_its_seed(process):
    first, again, other = (sample("own", [process], 50, seed) for seed in (1, 1, 2))
    assert len(first) == 50
    assert first == again
    assert first != other


def arranged(monkeypatch, programs):
    monkeypatch.setattr(capture, "names", lambda: sorted(programs))
    monkeypatch.setattr(capture, "key_of", lambda *words: str(words))
    monkeypatch.setattr(capture, "program", lambda name: SimpleNamespace(TITLE=name, at_work=programs[name]))
    monkeypatch.setattr(capture, "sample", lambda name, pids, count, seed: PageSet(name, bytes(PAGE_BYTES), 0))


def absent(place):
    raise Trouble("the package absent is not unpacked")


def test_absent_program_is_reported_and_left_out(monkeypatch, tmp_path):
    arranged(monkeypatch, {name: lambda place: [1] for name in "abcdef"} | {"gone": absent})
    lines = []
    sets = capture.captured_sets(tmp_path, 1, False, lines.append)
    assert [pages.name for pages in sets] == list("abcdef")
    assert any(line.startswith("gone ") and "absent is not unpacked" in line for line in lines)
    lines.clear()
    capture.captured_sets(tmp_path, 1, False, lines.append)
    assert sum("kept from an earlier run" in line for line in lines) == 6


def test_too_few_programs(monkeypatch, tmp_path):
    arranged(monkeypatch, {name: lambda place: [1] for name in "abcde"} | {"gone": absent})
    with pytest.raises(Trouble, match="only 5 of 6 programs"):
        capture.captured_sets(tmp_path, 1, False, lambda line: None)


def test_program_that_ends_early_is_trouble():
    with Workplace() as place:
        ended = place.start(sys.executable, "-c", "import sys; sys.exit('no such picture')")
        with pytest.raises(Trouble, match="ended with status 1 before drawing: no such picture"):
            place.wait_until(ended, "drawing", lambda: False)
        folder = place.folder
    assert not folder.exists()
