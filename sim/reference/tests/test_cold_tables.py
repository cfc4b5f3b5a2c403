# SPDX-License-Identifier: Apache-2.0
"""The trained tables: what the training command makes of the recorded pages, and what they are worth to pages it never saw."""
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from cold import cold_compress, zstd_decompress
from cold_training import KIND_WEIGHT, kind_of, limited_bits, train
from cold_writer import INTERFACE, frame, load
from generator.cold import with_tables
from generator.fse import Fse
from generator.huffman import share
from lzo import compress
from model import page_compress
from pagepress_cold import DICTIONARY
from sample_pages import PAGE_BYTES, corpus

REFERENCE = Path(__file__).resolve().parents[1]
PROGRAMS = {"djpeg", "node", "pandas", "redis", "sqlite", "library", "stack"}
MOST_LOST = {kind: 0.03 if kind in PROGRAMS else 0.05 for kind in corpus()}   # measured: sim/reference/README.md


@pytest.fixture(scope="module")
def pages():
    return {kind: [data[at:at + PAGE_BYTES] for at in range(0, len(data), PAGE_BYTES)] for kind, data in corpus().items()}


@pytest.fixture(scope="module")
def kinds(pages):
    return {kind: kind_of(found) for kind, found in pages.items()}


def stored(streams):
    return sum(min(PAGE_BYTES, len(stream)) for stream in streams)


def test_tables_are_those_that_training_gives(kinds):
    assert train(list(kinds.values())) == tomllib.loads((INTERFACE / "cold_tables.toml").read_text(encoding="utf-8"))
    assert load().dictionary == DICTIONARY


@pytest.mark.parametrize("left_out", corpus())
def test_left_out_kind_loses_little(pages, kinds, left_out):
    """Tables trained without a kind of pages code its pages nearly as well; zstd takes these streams with their dictionary."""
    others = with_tables((), train([found for kind, found in kinds.items() if kind != left_out]))
    streams = [frame(others, page) for page in pages[left_out]]
    for page, stream in list(zip(pages[left_out], streams))[::8]:
        assert zstd_decompress(stream, PAGE_BYTES, others.dictionary) == page
    own = stored(cold_compress(page, PAGE_BYTES + 9)[1] for page in pages[left_out])
    lost = stored(streams) / own - 1
    print(f"{left_out}: loses {lost:.2%}")
    assert lost <= MOST_LOST[left_out]


def test_smaller_than_lzo(pages):
    """Every kind is smaller than lzo1x_1 makes it and than the card's LZO1X; measured means stand in sim/reference/README.md."""
    shares = []
    for kind, found in pages.items():
        cold = stored(cold_compress(page, PAGE_BYTES + 9)[1] for page in found)
        assert cold < stored(page_compress(page, 2 * PAGE_BYTES)[1] for page in found), kind
        shares.append(cold / stored(compress(page, "lzo1x_1") for page in found))
        assert shares[-1] < 0.91, f"{kind}: {shares[-1]:.3f}"
    assert sum(shares) / len(shares) < 0.82


def test_prefix_code_is_the_best_of_its_length():
    assert limited_bits([1, 1, 2, 4], 3) == [3, 3, 2, 1]
    assert limited_bits([1, 1, 2, 4], 2) == [2, 2, 2, 2]
    assert max(limited_bits([2 ** index for index in range(40)], 11)) == 11


def test_states_are_shared_out_by_counts():
    assert share([0, 0, 10], 32) == (1, 1, 30)
    assert share([KIND_WEIGHT] * 3, 32) == (11, 11, 10)
    with pytest.raises(ValueError):
        Fse((16, 15), 5)


def test_bad_pages_are_named(tmp_path):
    (tmp_path / "x.pages").write_bytes(b"short")
    for name in (tmp_path / "x.pages", tmp_path / "none.pages"):
        run = subprocess.run([sys.executable, REFERENCE / "train-cold-tables", name], capture_output=True, text=True, check=False)
        assert run.returncode == 1 and f"{name} is no file of raw" in run.stderr and len(run.stderr.splitlines()) == 1
