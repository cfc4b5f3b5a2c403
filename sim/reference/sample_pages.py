# SPDX-License-Identifier: Apache-2.0
"""Pages to test with: real ones taken from this machine, and made ones at the edges.

Pages are PAGE_BYTES long, the size that swapping on x86 uses; callers with other page sizes pass theirs.
"""

import functools
import os
import pathlib
import random
import sys
import sysconfig

PAGE_BYTES = 4096

# Folders of each kind of memory that swaps out: code, text, and structured data.
FOLDERS = {
    "library": ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"],
    "program": ["/usr/bin", "/usr/sbin"],
    "text": [sysconfig.get_paths()["stdlib"], "/usr/share/perl5", "/usr/include"],
    "data": ["/usr/share/zoneinfo", "/usr/share/mime", "/var/lib/dpkg"],
}


@functools.cache
def _files(kind, page_bytes):
    """Regular files of `kind` with a page or more, two folder levels deep, in a stable order."""
    found = []
    for folder in map(pathlib.Path, FOLDERS[kind]):
        for pattern in ("*", "*/*"):
            for path in folder.glob(pattern):
                try:
                    if path.is_file() and not path.is_symlink() and path.stat().st_size >= page_bytes:
                        found.append(path)
                except OSError:
                    continue
    return sorted(found)


def _file_page(choice, kind, page_bytes):
    path = choice.choice(_files(kind, page_bytes))
    with open(path, "rb") as file:
        file.seek(choice.randrange(path.stat().st_size // page_bytes) * page_bytes)
        return file.read(page_bytes)


def _own_ranges():
    """Writable private ranges of this very process without a file behind them: heap and stacks."""
    for line in pathlib.Path("/proc/self/maps").read_text(encoding="ascii", errors="replace").splitlines():
        columns = line.split()
        if columns[1] == "rw-p" and (len(columns) == 5 or columns[5] in ("[heap]", "[stack]")):
            start, end = (int(address, 16) for address in columns[0].split("-"))
            yield start, end


def _anonymous_page(choice, page_bytes):
    ranges = [(start, end) for start, end in _own_ranges() if end - start >= page_bytes]
    with open("/proc/self/mem", "rb", buffering=0) as memory:
        for _ in range(100):
            start, end = choice.choice(ranges)
            memory.seek(start + choice.randrange((end - start) // page_bytes) * page_bytes)
            try:
                page = memory.read(page_bytes)
            except OSError:
                continue
            # Memory never touched reads as zeros: no page that a kernel would swap out.
            if len(page) == page_bytes and any(page):
                return page
    raise RuntimeError("no page of this process could be read from /proc/self/mem")


def sample_pages(count, seed, page_bytes=PAGE_BYTES):
    """Return `count` pages from libraries, programs, text, data and this process's own memory, in turn.

    Files and offsets follow from `seed`, so a machine gives the same file pages again; the pages of
    the running process differ from run to run by nature.
    """
    choice = random.Random(seed)
    kinds = [kind for kind in FOLDERS if _files(kind, page_bytes)]
    if os.access("/proc/self/mem", os.R_OK) and sys.platform == "linux":
        kinds.append("anonymous")
    return [
        _anonymous_page(choice, page_bytes) if kind == "anonymous" else _file_page(choice, kind, page_bytes)
        for kind in (kinds[index % len(kinds)] for index in range(count))
    ]


def edge_pages(seed, page_bytes=PAGE_BYTES):
    """Return {name: page} of pages that real memory seldom holds but codecs must survive."""
    choice = random.Random(seed)
    noise = choice.randbytes(page_bytes)
    word = choice.randbytes(8)
    pages = {
        "zeros": bytes(page_bytes),
        "same byte": b"\xa5" * page_bytes,
        "same word": word * (page_bytes // 8),
        "same word but the last byte": (word * (page_bytes // 8))[:-1] + bytes([word[7] ^ 1]),
        "zeros but the first byte": b"\x01" + bytes(page_bytes - 1),
        "zeros but the last byte": bytes(page_bytes - 1) + b"\x01",
        "noise": noise,
        "noise then zeros": noise[:page_bytes // 2] + bytes(page_bytes // 2),
        "zeros then noise": bytes(page_bytes // 2) + noise[:page_bytes // 2],
        "noise twice": noise[:page_bytes // 2] * 2,
        "first byte 17": b"\x11\x01" + noise[2:],
        "two symbols": bytes(choice.choice(b"\x00\x01") for _ in range(page_bytes)),
        "sparse": bytes(choice.randrange(256) if choice.random() < 0.02 else 0 for _ in range(page_bytes)),
        "counter": b"".join(number.to_bytes(4, "little") for number in range(page_bytes // 4)),
        "pointers": b"".join((0x7F3A12340000 + 8 * choice.randrange(4096)).to_bytes(8, "little")
                             for _ in range(page_bytes // 8)),
    }
    for period in (1, 2, 3, 5, 7, 9, 15, 17, 31, 33, 255, 257, 2047, 2048, 2049):
        prefix = choice.randbytes(13)
        body = choice.randbytes(period)
        pages[f"period {period}"] = (prefix + body * (page_bytes // period + 1))[:page_bytes]
    for gap in (1, 2, 3, 4, 18, 19, 238, 239, 273, 274):
        # Matches `gap` literals apart: every way a literal count is written.
        words = [choice.randbytes(8) for _ in range(4)]
        page = b"".join(words)
        while len(page) < page_bytes:
            page += choice.randbytes(gap) + choice.choice(words)
        pages[f"literal gap {gap}"] = page[:page_bytes]
    return pages
