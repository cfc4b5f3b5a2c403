# SPDX-License-Identifier: Apache-2.0
"""The swappable memory of a running process, through /proc/PID/maps, pagemap and mem."""
import contextlib
import os
import random
import signal
import struct
import time
from pathlib import Path

from . import PAGE_BYTES, Trouble
from .pages import PageSet, is_same_filled

# Bits of a /proc/PID/pagemap entry.
PRESENT = 1 << 63
FILE_OR_SHARED = 1 << 61
STOP_SECONDS = 10


def writable_ranges(maps):
    """Writable ranges in the text of /proc/PID/maps as (start, end); devices' memory is left out."""
    for line in maps.splitlines():
        columns = line.split(maxsplit=5)
        name = columns[5] if len(columns) > 5 else ""
        if "w" in columns[1] and not name.startswith(("/dev/", "[v")):
            start, end = columns[0].split("-")
            yield int(start, 16), int(end, 16)


def anonymous_addresses(pid):
    """Addresses of the pages that a kernel could swap out: writable, present and without a file behind them."""
    found = []
    with open(f"/proc/{pid}/pagemap", "rb", buffering=0) as pagemap:
        for start, end in writable_ranges(Path(f"/proc/{pid}/maps").read_text()):
            first, count = start // PAGE_BYTES, (end - start) // PAGE_BYTES
            entries = os.pread(pagemap.fileno(), count * 8, first * 8)
            for index, (entry,) in enumerate(struct.iter_unpack("<Q", entries)):
                if entry & PRESENT and not entry & FILE_OR_SHARED:
                    found.append((first + index) * PAGE_BYTES)
    return found


@contextlib.contextmanager
def stopped(pids):
    """Hold the processes still, so that what is read is the memory of one moment."""
    held = []
    try:
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
            held.append(pid)
        deadline = time.monotonic() + STOP_SECONDS
        for pid in pids:
            while state(pid) not in "TtZ":
                if time.monotonic() > deadline:
                    raise Trouble(f"process {pid} does not stop within {STOP_SECONDS} s")
                time.sleep(0.002)
        yield
    finally:
        for pid in held:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def state(pid):
    """The process's state letter of /proc/PID/stat; the name before it may hold blanks and brackets."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def sample(name, pids, count, seed):
    """Stop the processes and draw up to `count` of their anonymous pages, evenly over all of them.

    Same-filled pages are counted and left out. The set is in order of process and address.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(stopped(pids))
        places = [(index, address) for index, pid in enumerate(pids) for address in anonymous_addresses(pid)]
        random.Random(seed).shuffle(places)
        memories = [stack.enter_context(open(f"/proc/{pid}/mem", "rb", buffering=0)) for pid in pids]
        drawn, same_filled = [], 0
        for place in places:
            if len(drawn) == count:
                break
            try:
                page = os.pread(memories[place[0]].fileno(), PAGE_BYTES, place[1])
            except OSError:
                continue  # guard pages and the like
            if len(page) != PAGE_BYTES:
                continue
            if is_same_filled(page):
                same_filled += 1
            else:
                drawn.append((place, page))
    if not drawn:
        raise Trouble(f"{name}: no page of anonymous memory was found in its processes")
    return PageSet(name, b"".join(page for _, page in sorted(drawn)), same_filled)
