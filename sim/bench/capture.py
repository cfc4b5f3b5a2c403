# SPDX-License-Identifier: Apache-2.0
"""Starts real programs, stops each at a telling moment, and keeps a sample of its memory as a set of pages."""
import hashlib
import sys
from pathlib import Path

from . import SEED, Trouble
from .memory import sample
from .pages import Cache
from .programs import names, program
from .workplace import Workplace

FEWEST = 6  # sets; fewer programs say too little of memory at large
HERE = Path(__file__).resolve().parent


def capture(name, count, seed=SEED):
    """Start one of the programs and draw a set of up to `count` pages from its memory."""
    try:
        with Workplace() as place:
            return sample(name, program(name).at_work(place), count, seed)
    except OSError as error:
        raise Trouble(f"cannot run or read {name}: {error}") from None


def key_of(name, count, seed):
    """What a captured set depends on: sizes, and the sources that make it."""
    sources = hashlib.sha256()
    for path in (HERE / "programs" / f"{name}.py", HERE / "memory.py", HERE / "pictures.py"):
        sources.update(path.read_bytes())
    return f"{count} pages, seed {seed}, {sources.hexdigest()}"


def captured_sets(folder, count, fresh, report, seed=SEED):
    """A set of each program, from the cache in `folder` unless `fresh`. `report` takes lines of progress.

    A program that cannot be had is reported by name; Trouble when fewer than FEWEST remain.
    """
    cache, sets = Cache(folder), []
    for name in names():
        key = key_of(name, count, seed)
        pages = None if fresh else cache.load(name, key)
        if pages:
            report(f"{name:9} {len(pages)} pages kept from an earlier run")
        else:
            report(f"{name:9} starting: {program(name).TITLE}")
            try:
                pages = capture(name, count, seed)
            except Trouble as trouble:
                report(f"{name:9} left out: {trouble}")
                continue
            cache.store(pages, key)
            report(f"{name:9} {len(pages)} pages, {pages.same_filled} more same-filled")
        sets.append(pages)
    if len(sets) < FEWEST:
        raise Trouble(f"only {len(sets)} of {len(names())} programs could be captured, {FEWEST} are needed; "
                      "see the reasons above, or give page files: make bench PAGES=\"x.pages y.pages\"")
    return sets


if __name__ == "__main__":
    sys.exit("capture is a part of the bench: run make bench")
