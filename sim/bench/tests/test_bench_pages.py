# SPDX-License-Identifier: Apache-2.0
"""Page files and the cache of captured sets."""
import random

import pytest
from bench import PAGE_BYTES, Trouble
from bench.pages import Cache, PageSet, is_same_filled, read_file, read_files


def test_same_filled_repeats_eight_bytes():
    word = random.randbytes(8)
    page = word * (PAGE_BYTES // 8)
    assert is_same_filled(page) and is_same_filled(bytes(PAGE_BYTES))
    for place in (0, 7, 8, PAGE_BYTES // 2, PAGE_BYTES - 1):
        other = bytearray(page)
        other[place] ^= 1
        assert not is_same_filled(bytes(other)), f"byte {place}"


def test_file_keeps_every_page_and_counts_same_filled(tmp_path):
    pages = [random.randbytes(PAGE_BYTES), bytes(PAGE_BYTES), random.randbytes(PAGE_BYTES)]
    (tmp_path / "shop.day.pages").write_bytes(b"".join(pages))
    found = read_file(tmp_path / "shop.day.pages")
    assert (found.name, list(found), found.same_filled) == ("shop.day", pages, 1)


@pytest.mark.parametrize("content, message", [
    (None, "cannot read .*x.pages: No such file"),
    (b"", "x.pages is empty"),
    (bytes(PAGE_BYTES + 1), f"x.pages has {PAGE_BYTES + 1} bytes, no multiple of {PAGE_BYTES}"),
])
def test_bad_file_is_named(tmp_path, content, message):
    if content is not None:
        (tmp_path / "x.pages").write_bytes(content)
    with pytest.raises(Trouble, match=message):
        read_file(tmp_path / "x.pages")


def test_two_files_of_one_name(tmp_path):
    (tmp_path / "a").mkdir()
    for path in (tmp_path / "x.pages", tmp_path / "a/x.raw"):
        path.write_bytes(bytes(PAGE_BYTES))
    with pytest.raises(Trouble, match="two files are called x"):
        read_files([tmp_path / "x.pages", tmp_path / "a/x.raw"])


def test_cache_gives_back_only_what_it_was_asked_to_keep(tmp_path):
    cache, pages = Cache(tmp_path / "new"), PageSet("shop", random.randbytes(2 * PAGE_BYTES), 5)
    assert cache.load("shop", "key") is None
    cache.store(pages, "key")
    assert cache.load("shop", "key") == pages
    assert cache.load("shop", "other key") is None
    (tmp_path / "new/shop.pages").write_bytes(bytes(100))
    assert cache.load("shop", "key") is None
