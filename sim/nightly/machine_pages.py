# SPDX-License-Identifier: Apache-2.0
"""Pages of this machine: of its files, and of the memory of this very process. No test may depend on them."""
import functools
import os
import pathlib
import random
import sys
import sysconfig

from sample_pages import PAGE_BYTES

# Folders of each kind of memory that swaps out: code, text, and structured data.
FOLDERS = {
    "library": ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"],
    "program": ["/usr/bin", "/usr/sbin"],
    "text": [sysconfig.get_paths()["stdlib"], "/usr/share/perl5", "/usr/include"],
    "data": ["/usr/share/zoneinfo", "/usr/share/mime", "/var/lib/dpkg"],
}


@functools.cache
def _files(kind):
    """Regular files of `kind` with a page or more, two folder levels deep, in a stable order."""
    found = []
    for folder in map(pathlib.Path, FOLDERS[kind]):
        for pattern in ("*", "*/*"):
            for path in folder.glob(pattern):
                try:
                    if path.is_file() and not path.is_symlink() and path.stat().st_size >= PAGE_BYTES:
                        found.append(path)
                except OSError:
                    continue
    return sorted(found)


def _file_page(choice, kind):
    path = choice.choice(_files(kind))
    with open(path, "rb") as file:
        file.seek(choice.randrange(path.stat().st_size // PAGE_BYTES) * PAGE_BYTES)
        return file.read(PAGE_BYTES)


def _own_ranges():
    """Writable private ranges of this very process without a file behind them: heap and stacks."""
    for line in pathlib.Path("/proc/self/maps").read_text(encoding="ascii", errors="replace").splitlines():
        columns = line.split()
        if columns[1] == "rw-p" and (len(columns) == 5 or columns[5] in ("[heap]", "[stack]")):
            start, end = (int(address, 16) for address in columns[0].split("-"))
            yield start, end


def _anonymous_page(choice):
    ranges = [(start, end) for start, end in _own_ranges() if end - start >= PAGE_BYTES]
    with open("/proc/self/mem", "rb", buffering=0) as memory:
        for _ in range(100):
            start, end = choice.choice(ranges)
            memory.seek(start + choice.randrange((end - start) // PAGE_BYTES) * PAGE_BYTES)
            try:
                page = memory.read(PAGE_BYTES)
            except OSError:
                continue
            # Memory never touched reads as zeros: no page that a kernel would swap out.
            if len(page) == PAGE_BYTES and any(page):
                return page
    raise RuntimeError("no page of this process could be read from /proc/self/mem")


def machine_pages(count, seed):
    """Return `count` pages from libraries, programs, text, data and this process's own memory, in turn.

    Files and offsets follow from `seed`, so a machine gives the same file pages again; the pages of
    the running process differ from run to run by nature.
    """
    choice = random.Random(seed)
    kinds = [kind for kind in FOLDERS if _files(kind)]
    if os.access("/proc/self/mem", os.R_OK) and sys.platform == "linux":
        kinds.append("anonymous")
    return [
        _anonymous_page(choice) if kind == "anonymous" else _file_page(choice, kind)
        for kind in (kinds[index % len(kinds)] for index in range(count))
    ]
