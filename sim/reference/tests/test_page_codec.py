# SPDX-License-Identifier: Apache-2.0
"""Our codec against liblzo2 and the kernel: real pages, edges, limits, and streams broken in every way."""

import os
import random

import pytest
from lzo import COMPRESSORS, LzoError, PAGE_BYTES, compress, crc32c, edge_pages, kernel_decompress, \
    liblzo2_decompress, sample_pages
from model import page_compress, page_crc32c, page_decompress, page_same_filled
from pagepress_interface import STATUS_INCOMPRESSIBLE, STATUS_MALFORMED_STREAM, STATUS_OUTPUT_OVERRUN, \
    STATUS_OUTPUT_UNDERRUN, STATUS_SUCCESS

SEED = int(os.environ.get("SEED", random.randrange(2**32)))
AGAIN = f"make test T=test_page_codec SEED={SEED}"
ROOM = 2 * PAGE_BYTES


def pages(count):
    return sample_pages(count, SEED) + list(edge_pages(SEED).values())


def test_streams_are_lzo1x():
    for index, page in enumerate(pages(150)):
        status, stream = page_compress(page, ROOM)
        assert status == STATUS_SUCCESS and stream[0] != 17, f"page {index}; {AGAIN}"
        assert liblzo2_decompress(stream, PAGE_BYTES) == page, f"page {index}; {AGAIN}"
        assert kernel_decompress(stream, PAGE_BYTES) == page, f"page {index}; {AGAIN}"
        assert page_decompress(stream, PAGE_BYTES) == (STATUS_SUCCESS, page), f"page {index}; {AGAIN}"


@pytest.mark.parametrize("codec", COMPRESSORS)
def test_takes_what_others_write(codec):
    for index, page in enumerate(pages(150)):
        assert page_decompress(compress(page, codec), PAGE_BYTES) == (STATUS_SUCCESS, page), f"page {index}; {AGAIN}"


@pytest.mark.parametrize("page_bytes", [16, 64, 4096, 16384, 65536])
def test_page_sizes(page_bytes):
    choice = random.Random(SEED)
    for _ in range(20):
        words = [choice.randbytes(choice.randrange(1, 40)) for _ in range(30)]
        page = b"".join(choice.choice(words) for _ in range(page_bytes))[:page_bytes]
        status, stream = page_compress(page, 2 * page_bytes + 64)
        assert status == STATUS_SUCCESS and kernel_decompress(stream, page_bytes) == page, AGAIN
        assert page_decompress(stream, page_bytes) == (STATUS_SUCCESS, page), AGAIN


def test_compress_limit_is_exact():
    for page in sample_pages(20, SEED) + [edge_pages(SEED)["noise"]]:
        stream = page_compress(page, ROOM)[1]
        assert page_compress(page, len(stream)) == (STATUS_SUCCESS, stream), AGAIN
        for limit in (len(stream) - 1, len(stream) // 2, 3, 2, 1):
            assert page_compress(page, limit) == (STATUS_INCOMPRESSIBLE, b""), f"limit {limit}; {AGAIN}"


def test_statuses():
    page = edge_pages(SEED)["pointers"]
    stream = page_compress(page, ROOM)[1]
    assert page_decompress(stream, PAGE_BYTES - 1)[0] == STATUS_OUTPUT_OVERRUN
    assert page_decompress(stream, PAGE_BYTES + 1)[0] == STATUS_OUTPUT_UNDERRUN
    assert page_decompress(stream + b"\0", PAGE_BYTES)[0] == STATUS_MALFORMED_STREAM
    for length in range(len(stream)):
        assert page_decompress(stream[:length], PAGE_BYTES)[0] == STATUS_MALFORMED_STREAM, f"first {length} bytes"
    assert page_decompress(b"\x11\0\0", PAGE_BYTES)[0] == STATUS_OUTPUT_UNDERRUN
    assert page_decompress(b"\x15abcd\x12\0\0", 4)[0] == STATUS_MALFORMED_STREAM, "an end mark of another length"
    # Look back before the page; a zero run without the version; an unknown version.
    assert page_decompress(b"\x15abcd\x5c\x00\x11\0\0", 7)[0] == STATUS_MALFORMED_STREAM
    assert page_decompress(b"\x15abcd\x18\xfc\xff\x00\x11\0\0", 8)[0] == STATUS_MALFORMED_STREAM
    assert page_decompress(b"\x11\x01\x15abcd\x18\xfc\xff\x00\x11\0\0", 8) == (STATUS_SUCCESS, b"abcd\0\0\0\0")
    assert page_decompress(b"\x11\x02\x15abcd\x11\0\0", 4)[0] == STATUS_MALFORMED_STREAM


def mutations(choice, count):
    """Streams of every codec with bytes changed, cut, doubled, moved and replaced."""
    sources = pages(40)
    for _ in range(count):
        page = choice.choice(sources)
        stream = bytearray(compress(page, choice.choice(list(COMPRESSORS))))
        for _ in range(choice.choice((1, 1, 2, 5))):
            at = choice.randrange(len(stream))
            kind = choice.randrange(5)
            if kind == 0:
                stream[at] = choice.randrange(256)
            elif kind == 1:
                stream[at] ^= 1 << choice.randrange(8)
            elif kind == 2:
                del stream[at:at + choice.randrange(1, 4)]
            elif kind == 3:
                stream[at:at] = bytes(choice.choice((0, 0, 17, 32, 255)) for _ in range(choice.randrange(1, 4)))
            else:
                stream[at:at] = stream[at // 2:at // 2 + choice.randrange(1, 9)]
            if not stream:
                stream = bytearray(b"\0")
        yield bytes(stream)
    for _ in range(count // 4):
        yield choice.randbytes(choice.randrange(1, 200))


def kernel_verdict(stream):
    """(plain bytes or None, name of the kernel's error)."""
    try:
        return kernel_decompress(stream, PAGE_BYTES), "OK"
    except LzoError as error:
        return None, error.name


def test_refuses_what_the_kernel_refuses():
    taken = refused = 0
    for number, stream in enumerate(mutations(random.Random(SEED), int(os.environ.get("MUTATIONS", 4000)))):
        status, produced = page_decompress(stream, PAGE_BYTES)
        plain, name = kernel_verdict(stream)
        about = f"mutation {number}: {stream[:40].hex()}… the kernel says {name}; {AGAIN}"
        if len(stream) >= 5 and stream[0] == 17 and stream[1] > 1:
            assert status == STATUS_MALFORMED_STREAM, about   # the kernel guesses at unknown versions
        elif plain is None:
            refused += 1
            if name in ("OUTPUT_OVERRUN", "INPUT_OVERRUN"):
                # Where input and space are both short, decoders differ in which they notice first.
                assert status in (STATUS_OUTPUT_OVERRUN, STATUS_MALFORMED_STREAM), about
            else:
                assert status == STATUS_MALFORMED_STREAM, about
        elif len(plain) < PAGE_BYTES:
            assert (status, produced) == (STATUS_OUTPUT_UNDERRUN, plain), about
        else:
            taken += 1
            assert (status, produced) == (STATUS_SUCCESS, plain), about
    assert taken and refused, AGAIN


def test_checks():
    for page in pages(20):
        assert page_crc32c(page) == crc32c(page), AGAIN
        expected = int.from_bytes(page[:8], "little") if page == page[:8] * (PAGE_BYTES // 8) else None
        assert page_same_filled(page) == expected, AGAIN


@pytest.mark.skipif("REFERENCE_LIBRARY" in os.environ, reason="already inside")
def test_with_sanitizers(again_with_sanitizers):
    """The same tests again on the build with address and undefined-behaviour sanitizers."""
    run = again_with_sanitizers(__file__, SEED)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:] + AGAIN
