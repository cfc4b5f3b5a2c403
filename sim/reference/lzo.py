# SPDX-License-Identifier: Apache-2.0
"""The LZO codecs that users run, for judging streams: liblzo2 and the kernel's lib/lzo.

    compress(page, "lzo1x_1")          liblzo2's fast compressor
    compress(page, "lzo1x_999")        liblzo2's best compressor
    compress(page, "kernel-lzo1x_1")   the kernel's `lzo`
    compress(page, "lzo-rle")          the kernel's `lzo-rle` (stream version 1)
    liblzo2_decompress(stream, limit)  plain bytes, or LzoError
    kernel_decompress(stream, limit)   plain bytes, or LzoError

liblzo2 does not know lzo-rle streams; the kernel's decompressor takes everything above.
"""

import ctypes
import functools

from crc32c import crc32c
from libraries import load
from sample_pages import PAGE_BYTES, edge_pages, fixed_pages, sample_pages

__all__ = ["COMPRESSORS", "LzoError", "PAGE_BYTES", "compress", "compressible_pages", "crc32c", "edge_pages",
           "fixed_pages", "kernel_decompress", "liblzo2_decompress", "sample_pages"]

# Both libraries number their errors alike.
ERRORS = {
    -1: "ERROR", -2: "OUT_OF_MEMORY", -3: "NOT_COMPRESSIBLE", -4: "INPUT_OVERRUN", -5: "OUTPUT_OVERRUN",
    -6: "LOOKBEHIND_OVERRUN", -7: "EOF_NOT_FOUND", -8: "INPUT_NOT_CONSUMED",
}
# The largest work memory any of the compressors wants is lzo1x_999's 14 * 16384 * 2 bytes.
WORK_BYTES = 14 * 16384 * 2
GUARD = b"\xa5" * 64


class LzoError(Exception):
    """A decompressor refused a stream. `code` is the library's number, `name` its name,
    `produced` what it had written by then."""

    def __init__(self, code, produced):
        self.code, self.name, self.produced = code, ERRORS.get(code, str(code)), produced
        super().__init__(f"{self.name} after {len(produced)} bytes")


@functools.cache
def _liblzo2():
    return ctypes.CDLL("liblzo2.so.2")


@functools.cache
def _kernel():
    return load("libkernel_lzo.so")


COMPRESSORS = {
    "lzo1x_1": lambda: _liblzo2().lzo1x_1_compress,
    "lzo1x_999": lambda: _liblzo2().lzo1x_999_compress,
    "kernel-lzo1x_1": lambda: _kernel().lzo1x_1_compress,
    "lzo-rle": lambda: _kernel().lzorle1x_1_compress,
}


def _input(data):
    # Decoders may look a word ahead inside the input; the slack keeps such a read inside the buffer.
    return ctypes.create_string_buffer(bytes(data) + GUARD, len(data) + len(GUARD))


def compress(page, codec):
    """Return `page` (any bytes) as a stream of `codec`, one of COMPRESSORS."""
    source, capacity = _input(page), len(page) + len(page) // 16 + 128
    stream, work = ctypes.create_string_buffer(capacity), ctypes.create_string_buffer(WORK_BYTES)
    length = ctypes.c_size_t(capacity)
    code = COMPRESSORS[codec]()(source, ctypes.c_size_t(len(page)), stream, ctypes.byref(length), work)
    if code:
        raise RuntimeError(f"{codec} failed with {ERRORS.get(code, code)}")
    return stream.raw[:length.value]


def _decompress(function, stream, limit, *more):
    source = _input(stream)
    page = ctypes.create_string_buffer(bytes(limit) + GUARD, limit + len(GUARD))
    length = ctypes.c_size_t(limit)
    code = function(source, ctypes.c_size_t(len(stream)), page, ctypes.byref(length), *more)
    if page.raw[limit:] != GUARD:
        raise RuntimeError(f"decompressor wrote past its limit of {limit} bytes on stream {bytes(stream).hex()}")
    produced = page.raw[:length.value]
    if code:
        raise LzoError(code, produced)
    return produced


def compressible_pages(count, seed):
    """Return `count` recorded pages that go into three quarters of a page with room to spare."""
    found = []
    while len(found) < count:
        found += [page for page in sample_pages(count, seed) if len(compress(page, "lzo1x_1")) < 0.7 * PAGE_BYTES]
        seed += 1
    return found[:count]


def liblzo2_decompress(stream, limit):
    """Decompress `stream` with liblzo2's safe decoder into at most `limit` bytes; raise LzoError."""
    return _decompress(_liblzo2().lzo1x_decompress_safe, stream, limit, None)


def kernel_decompress(stream, limit):
    """Decompress `stream` with the kernel's safe decoder into at most `limit` bytes; raise LzoError."""
    return _decompress(_kernel().lzo1x_decompress_safe, stream, limit)
