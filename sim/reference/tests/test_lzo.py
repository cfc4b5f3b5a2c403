# SPDX-License-Identifier: Apache-2.0
"""The reference codecs agree with each other, and refuse what is not a stream."""

import os
import random

import pytest
from lzo import COMPRESSORS, LzoError, PAGE_BYTES, compress, crc32c, edge_pages, kernel_decompress, \
    liblzo2_decompress, sample_pages

SEED = int(os.environ.get("SEED", random.randrange(2**32)))
AGAIN = f"make test T=test_lzo SEED={SEED}"


@pytest.mark.parametrize("codec", COMPRESSORS)
def test_round_trip(codec):
    pages = sample_pages(100, SEED) + list(edge_pages(SEED).values())
    for index, page in enumerate(pages):
        stream = compress(page, codec)
        assert kernel_decompress(stream, PAGE_BYTES) == page, f"page {index}; {AGAIN}"
        if codec != "lzo-rle":
            assert liblzo2_decompress(stream, PAGE_BYTES) == page, f"page {index}; {AGAIN}"


def test_lzo_rle_is_version_1():
    assert compress(bytes(64) + b"end" * 20, "lzo-rle")[:2] == b"\x11\x01"


def test_limit():
    page = edge_pages(SEED)["sparse"]
    stream = compress(page, "lzo1x_1")
    for decompress in (liblzo2_decompress, kernel_decompress):
        with pytest.raises(LzoError, match="OUTPUT_OVERRUN"):
            decompress(stream, PAGE_BYTES - 1)
        with pytest.raises(LzoError, match="INPUT_OVERRUN|EOF_NOT_FOUND"):
            decompress(stream[:-1], PAGE_BYTES)
        with pytest.raises(LzoError, match="INPUT_NOT_CONSUMED"):
            decompress(stream + b"\0", PAGE_BYTES)


def test_pages_follow_the_seed():
    first, again, other = sample_pages(4, SEED), sample_pages(4, SEED), sample_pages(4, SEED + 1)
    assert first == again and first != other, AGAIN
    assert all(len(page) == PAGE_BYTES for page in first + list(edge_pages(SEED).values()))


def test_crc32c():
    # Check value of the catalogue of CRCs, and RFC 3720's examples.
    assert crc32c(b"123456789") == 0xE3069283
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(b"\xff" * 32) == 0x62A8AB43
    assert crc32c(bytes(range(32))) == 0x46DD794E
    assert crc32c(b"") == 0
