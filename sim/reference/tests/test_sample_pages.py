# SPDX-License-Identifier: Apache-2.0
"""The pages that tests take for real memory follow from the seed alone: on every machine, in every process."""
import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from sample_pages import PAGE_BYTES, corpus, edge_pages, fixed_pages, sample_pages

REFERENCE = Path(__file__).resolve().parents[1]
# Of the bytes that `digest()` covers. Another value means other data: bounds stated for recorded pages are to be measured again.
DIGEST = "2d683f9a8b39ac9c0518c7f567dae0c34cedab124ee941efe3a00fc3bf0e4104"
PROGRAM = "import sys; sys.path.insert(0, sys.argv[1]); import test_sample_pages; print(test_sample_pages.digest())"


def digest():
    """Of all recorded pages and of what some seeds draw of them and make."""
    sums = hashlib.sha256()
    for data in (*corpus().values(), *sample_pages(30, 7), *sample_pages(10, 8, 65536), *fixed_pages(20), *edge_pages(9).values()):
        sums.update(data)
    return sums.hexdigest()


def test_pages_are_these():
    assert digest() == DIGEST


def test_pages_depend_on_nothing_around_them(tmp_path):
    """Another process, folder, environment and hash seed give the same bytes."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(REFERENCE), "PYTHONHASHSEED": "77", "LC_ALL": "C", "TZ": "Asia/Tokyo"}
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(Path(__file__).parent)], cwd=tmp_path, env=environment,
                          capture_output=True, text=True, check=True)
    assert done.stdout.strip() == DIGEST


@pytest.mark.parametrize("page_bytes", [512, PAGE_BYTES, 4 * PAGE_BYTES, 16 * PAGE_BYTES, 64 * PAGE_BYTES])
def test_pages_have_the_size_asked_for(seed, page_bytes):
    pages = sample_pages(25, seed, page_bytes)
    assert {len(page) for page in pages} == {page_bytes}
    assert pages == sample_pages(25, seed, page_bytes) != sample_pages(25, seed + 1, page_bytes)
    assert fixed_pages(25, page_bytes) == fixed_pages(25, page_bytes)


def test_every_kind_is_drawn(seed):
    kinds = {page: kind for kind, data in corpus().items()
             for page in (data[at:at + PAGE_BYTES] for at in range(0, len(data), PAGE_BYTES))}
    assert {kinds[page] for page in sample_pages(len(corpus()), seed)} == set(corpus())
    assert len(set(sample_pages(300, seed))) > 150
