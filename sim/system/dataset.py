# SPDX-License-Identifier: Apache-2.0
"""The demo's data: an image of real file contents, found on this machine and in the Debian
packages that the tools were unpacked from. Page-aligned files as they are, nothing made up: so
the mix of compressible, incompressible and same-filled pages is the one that the files have.
"""
import itertools
import json
import os
import random
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from sample_pages import sample_pages
from system import BUILD, Trouble, run
from system.boot import PAGE_BYTES as PAGE

RUN_PAGES = 64  # a file's pages stand together in runs of at most so many
FILE_PAGES = 512  # at most so many pages of one file, from its beginning


@dataclass(frozen=True)
class Kind:
    """Files whose name ends in one of `endings`, below `roots`; `share`: percent of the image."""

    name: str
    roots: tuple
    endings: tuple
    share: int


@dataclass(frozen=True)
class Contents:
    """What an image holds. pages: in all; files: how many they are from, 0 for recorded pages; kinds: name → pages."""

    pages: int
    files: int
    kinds: dict


TOOLS = BUILD / "tools"
KINDS = (
    Kind("libraries", ("/usr/lib", TOOLS / "qemu/usr/lib"), (".so", ".so.0", ".so.1", ".so.2", ".so.6"), 26),
    Kind("programs", ("/usr/bin", "/usr/sbin", TOOLS / "qemu/usr/bin"), ("",), 16),
    Kind("kernel modules", (TOOLS / "kernel/lib/modules",), (".ko",), 12),
    Kind("Python", ("/usr/lib/python3", "/usr/lib/python3.11", TOOLS / "venv"), (".py", ".pyc"), 14),
    Kind("C headers", (TOOLS / "kernel/usr/src", "/usr/include"), (".h",), 10),
    Kind("text", ("/usr/share", "/etc"), (".txt", ".xml", ".conf", ".json", ".html", ".svg", "copyright"), 10),
    Kind("firmware", (TOOLS / "qemu/usr/share",), (".bin", ".fd", ".rom", ".dtb"), 5),
    Kind("archives", (TOOLS / "maven", "/usr/share"), (".jar", ".gz", ".xz", ".whl", ".png"), 7),
)


def files(kind):
    """Non-empty regular files of a kind, sorted, links left out."""
    found = []
    for root in kind.roots:
        for folder, folders, names in os.walk(root):
            folders.sort()
            for name in names:
                path = os.path.join(folder, name)
                if name.endswith(kind.endings) and os.path.isfile(path) and not os.path.islink(path):
                    found.append(path)
    return sorted(found)


def pages_of(path):
    """A file's first pages as one bytes object, its end padded with zeros to a whole page as in
    memory; empty when the file cannot be read."""
    try:
        with open(path, "rb") as stream:
            data = stream.read(FILE_PAGES * PAGE)
    except OSError:
        return b""
    return data + bytes(-len(data) % PAGE)


def runs(kind, pages, generator):
    """Runs of pages of a kind, as (kind's name, file, bytes); `pages` in all or fewer when there are
    no more; files in random order."""
    paths = files(kind)
    generator.shuffle(paths)
    for path in paths:
        data = pages_of(path)
        for start in range(0, len(data), RUN_PAGES * PAGE):
            if pages <= 0:
                return
            part = data[start : start + min(RUN_PAGES, pages) * PAGE]
            pages -= len(part) // PAGE
            yield kind.name, path, part


def build(path, pages, seed, kinds=KINDS):
    """Writes an image of `pages` pages to `path`; returns its Contents. The kinds are mixed, so that
    every stretch of the image holds all of them. Trouble when this machine has too few files."""
    generator = random.Random(seed)
    total = sum(kind.share for kind in kinds)
    mixed = [part for kind in kinds for part in runs(kind, -(-pages * kind.share // total), generator)]
    # What one kind lacks, the others give.
    spare = itertools.chain.from_iterable(runs(kind, pages, generator) for kind in kinds)
    missing = pages - sum(len(data) for _, _, data in mixed) // PAGE
    for part in spare if missing > 0 else ():
        mixed.append(part)
        missing -= len(part[2]) // PAGE
        if missing <= 0:
            break
    if missing > 0:
        raise Trouble(f"this machine's files fill only {pages - missing} of {pages} pages")
    generator.shuffle(mixed)
    counts, files_used, left = {}, set(), pages
    with open(path, "wb") as image:
        for name, file, data in mixed:
            data = data[: left * PAGE]
            if not data:
                break
            image.write(data)
            left -= len(data) // PAGE
            counts[name] = counts.get(name, 0) + len(data) // PAGE
            files_used.add(file)
    return Contents(pages, len(files_used), counts)


def recorded(path, pages, seed):
    """Writes an image of the pages that tests draw from, each with its number in front, as they come many times; its Contents."""
    drawn = sample_pages(pages, seed)
    with open(path, "wb") as image:
        for number, page in enumerate(drawn):
            image.write(number.to_bytes(8, "little") + page[8:])
    return Contents(pages, 0, {"recorded": pages})


def cached(pages, seed, kinds=KINDS, say=partial(print, flush=True)):
    """(path, Contents) of an image under build/system, made once for each size however many ask; without kinds, of recorded pages."""
    path = BUILD / f"system/{'pages' if kinds else 'recorded'}-{pages}.img"
    described = path.with_suffix(".json")
    with run.alone("pages"):
        if not described.exists():
            say(f"[data] collecting {pages:,} pages of {'real files' if kinds else 'recorded memory'} (some seconds)")
            contents = build(path, pages, seed, kinds) if kinds else recorded(path, pages, seed)
            fresh = described.with_suffix(".new")
            fresh.write_text(json.dumps(asdict(contents)))
            fresh.replace(described)  # last: where it is, the image is whole
    return path, Contents(**json.loads(described.read_text()))
