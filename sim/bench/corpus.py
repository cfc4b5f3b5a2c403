# SPDX-License-Identifier: Apache-2.0
"""Records the pages that tests draw from: memory of some of the bench's programs, and texts and files of known origin.

Only programs whose licences let anyone pass their pages on, with notice: sim/reference/corpus/README.md names them. A page
that names this machine, its user or its folders is left out.
"""
import argparse
import json
import lzma
import os
import random
import re
import socket
import subprocess
import sys
from functools import partial
from itertools import islice
from pathlib import Path

from . import PAGE_BYTES, REPOSITORY, SEED, Trouble
from .memory import anonymous_addresses, stopped
from .pages import is_same_filled
from .pictures import picture, portable
from .programs import program
from .workplace import Workplace, unpacked

FOLDER = REPOSITORY / "sim/reference/corpus"
RUN = 8  # pages next to each other in memory stay so: tests of larger pages take them together
# Kind of page → how many; kinds of memory are named after the program.
HEAPS = {"djpeg": 32, "node": 48, "pandas": 48, "redis": 48, "sqlite": 48}
OTHERS = {"library": 80, "stack": 16, "text": 48, "file": 32}
LIBRARIES = re.compile(r"/(libsqlite3|libjpeg|redis-|_multiarray_umath|python3\.|node$)[^/]*$")
TEXTS = ("README.md", "LICENSE", "rtl/**/*.md", "rtl/**/*.scala", "sim/reference/*.c", "sim/**/*.py", "rtl/**/*.toml")
PACKED = 45  # of a hundred pages of files, those that no compressor makes smaller


def names_of_this_machine():
    """What no recorded page may hold: folders, host name, environment, and anything that names a server."""
    folders = {str(REPOSITORY), str(REPOSITORY.resolve()), str(Path.home()) + "/", socket.gethostname()}
    words = [re.escape(name.encode()) for name in folders if len(name) > 2]
    return re.compile(b"|".join([*words, rb"\b(?:PATH|HOME|HOSTNAME|PWD)=", rb"https?://", rb"/(?:home|root)/", rb"@[\w-]+\.\w"]))


def ranges(pid, wanted):
    """(start, end) of a process's ranges whose permissions and name `wanted` takes."""
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        columns = line.split(maxsplit=5)
        if wanted(columns[1], columns[5] if len(columns) > 5 else ""):
            start, end = columns[0].split("-")
            yield int(start, 16), int(end, 16)


def heap(pid):
    within = [*ranges(pid, lambda _, name: not name or name == "[heap]")]
    return [address for address in anonymous_addresses(pid) if any(start <= address < end for start, end in within)]


def stack(pid):
    (start, end), = ranges(pid, lambda _, name: name == "[stack]")
    return [address for address in anonymous_addresses(pid) if start <= address < end]


def library(pid):
    return [address for start, end in ranges(pid, lambda mode, name: mode[0] == "r" and "w" not in mode and LIBRARIES.search(name))
            for address in range(start, end, PAGE_BYTES)]


def pages_at(pid, addresses, choice):
    """The pages at the addresses, in runs of neighbours, the runs in random order."""
    runs = [addresses[at:at + RUN] for at in range(0, len(addresses), RUN)]
    choice.shuffle(runs)
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for address in (address for run in runs for address in run):
            try:
                yield os.pread(memory.fileno(), PAGE_BYTES, address)
            except OSError:
                continue  # guard pages and the like


def cut(data):
    return [data[at:at + PAGE_BYTES] for at in range(0, len(data) - PAGE_BYTES + 1, PAGE_BYTES)]


def text_pages(choice):
    """This repository's own texts."""
    paths = sorted({path for pattern in TEXTS for path in REPOSITORY.glob(pattern)} - {*FOLDER.iterdir()})
    return cut(b"".join(path.read_bytes() for path in choice.sample(paths, len(paths))))


def shop(place):
    """SQLite with a shop's sales in memory and, as shop.db, in a file; the bench's own database is of this machine's files."""
    choice = random.Random(SEED)
    sales = (f"insert into sale values({number}, 'article-{choice.randrange(900):04}', {choice.lognormvariate(3, 1):.2f}, "
             f"{1_700_000_000 + 977 * number}, '{choice.choice(('', '', 'gift', 'returned', 'by telephone'))}');"
             for number in range(20_000))
    words = ["create table sale(id integer primary key, article text, price real, sold integer, note text);", "begin;", *sales,
             "commit;", "create index by_article on sale(article, sold);",
             "create table sum as select article, count(*), sum(price), group_concat(sold) from sale group by article;",
             ".backup shop.db", "select 'ready';", ""]
    shell = place.start(unpacked("sqlite3", "usr/bin/sqlite3"), ":memory:", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    shell.stdin.write("\n".join(words).encode())
    shell.stdin.flush()
    place.wait_for_line(shell, "ready")
    return [shell.pid]


def file_pages(place):
    """Files as programs write them: a picture, packed by itself, and the shop's database."""
    packed = OTHERS["file"] * PACKED // 100
    tables = cut((place.folder / "shop.db").read_bytes())
    step = len(tables) // (OTHERS["file"] - packed)
    return cut(portable(picture(0, 400, 300)))[:packed] + tables[::step]


def record(report):
    """Kind → pages of every kind, as many as HEAPS and OTHERS say."""
    choice, unwanted = random.Random(SEED), names_of_this_machine()
    kinds = {kind: [] for kind in (*HEAPS, *OTHERS)}
    seen = set()

    def keep(kind, pages, count):
        fit = (page for page in pages if len(page) == PAGE_BYTES and not is_same_filled(page)
               and page not in seen and not unwanted.search(page))
        taken = [*islice(fit, count)]
        seen.update(taken)
        kinds[kind] += taken

    for number, (name, count) in enumerate(HEAPS.items(), 1):
        report(f"{name:8} starting")
        with Workplace() as place:
            pids = (shop if name == "sqlite" else program(name).at_work)(place)
            with stopped(pids):
                for pid in pids:
                    left = count - len(kinds[name])
                    keep(name, pages_at(pid, heap(pid), choice), -(-left // (len(pids) - pids.index(pid))))
                    for kind, addresses in (("library", library(pid)), ("stack", stack(pid))):
                        share = OTHERS[kind] * number // len(HEAPS) - len(kinds[kind])
                        keep(kind, pages_at(pid, addresses, choice), share)
            if name == "sqlite":
                keep("file", file_pages(place), OTHERS["file"])
    keep("text", text_pages(choice), OTHERS["text"])
    for kind, pages in kinds.items():
        report(f"{kind:8} {len(pages)} pages")
        if not pages:
            raise Trouble(f"no page of kind {kind} was found; the corpus is as it was")
    return kinds


def store(kinds, folder):
    """One packed file with the pages, kind by kind, and what is where."""
    data = b"".join(page for pages in kinds.values() for page in pages)
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 1 << 23, "lc": 3, "lp": 0, "pb": 2}]
    packed = lzma.compress(data, format=lzma.FORMAT_XZ, filters=filters)
    (folder / "pages.xz").write_bytes(packed)
    (folder / "pages.json").write_text(json.dumps({kind: len(pages) for kind, pages in kinds.items()}, indent=1) + "\n")
    return len(packed)


def main(words):
    parser = argparse.ArgumentParser(prog="make corpus", description=__doc__)
    parser.parse_args(words)
    try:
        size = store(record(partial(print, flush=True)), FOLDER)
    except Trouble as trouble:
        print(f"corpus: {trouble}", file=sys.stderr)
        return 1
    print(f"{FOLDER.relative_to(REPOSITORY)}/pages.xz: {size:,} bytes")
    return 0
