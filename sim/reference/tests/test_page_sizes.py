# SPDX-License-Identifier: Apache-2.0
"""page-sizes: what larger pages gain, on the recorded pages and on files, and what it refuses."""
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).resolve().parents[1] / "page-sizes"
UNIT = 65536


def table(*files):
    """{name: (pages, [engine's shares], [lzo1x_1's])}"""
    done = subprocess.run([sys.executable, PROGRAM, *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()[1:]]
    return {name: (int(pages), [*map(float, shares[:3])], [*map(float, shares[3:])]) for name, pages, *shares in rows}


def test_page_sizes_larger_pages_take_less():
    """These pages compress better the larger the unit; all of them are counted."""
    sets = table()
    pages, engine, software = sets["all"]
    assert pages == sum(row[0] for name, row in sets.items() if name != "all") == 400
    for shares in (engine, software):
        assert 1 > shares[0] > shares[1] > shares[2] > 0
    assert engine[0] < software[0]


def test_page_sizes_counts_what_is_stored(tmp_path, seed):
    """Noise is stored as it is, whatever the size; what repeats after 8 KiB only larger units can find."""
    choice = random.Random(seed)
    noise, page = tmp_path / "noise.pages", choice.randbytes(8192)
    noise.write_bytes(choice.randbytes(UNIT))
    (tmp_path / "repeats.pages").write_bytes(page * (UNIT // 8192) + page)  # the last two pages are no whole unit
    sets = table(noise, tmp_path / "repeats.pages")
    assert sets["noise"] == (16, [1, 1, 1], [1, 1, 1])
    pages, engine, _ = sets["repeats"]
    assert pages == 16 and engine[0] == 1 and 0.5 < engine[1] < 0.6 and 0.125 < engine[2] < 0.2
    assert sets["all"][0] == 32


@pytest.mark.parametrize("content, phrase", ((None, "is no file"), (bytes(4096), "has no 64 KiB")))
def test_page_sizes_refuses_bad_input(tmp_path, content, phrase):
    path = tmp_path / "some.pages"
    if content is not None:
        path.write_bytes(content)
    done = subprocess.run([sys.executable, PROGRAM, path], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and phrase in done.stderr and done.stderr.count("\n") == 1 and not re.search("Traceback", done.stderr)
