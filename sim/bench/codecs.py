# SPDX-License-Identifier: Apache-2.0
"""What software makes of the same pages: the codecs to compare with, and the decoders that judge our streams."""
import ctypes
import functools
import threading
import time

from lzo import LzoError, compress, kernel_decompress, liblzo2_decompress

from . import PAGE_BYTES, Trouble

ROOM = 2 * PAGE_BYTES  # more than any codec here makes of a page
LZ4HC_LEVEL = 9  # its default, and zram's


@functools.cache
def _library(name, package):
    try:
        return ctypes.CDLL(name)
    except OSError:
        raise Trouble(f"{name} is missing: run .tools/install-bench, or install {package}") from None


class _Own(threading.local):
    """Each thread's own output buffer."""

    def __init__(self):
        self.room = ctypes.create_string_buffer(ROOM)


_own = _Own()


def _lz4(page):
    return _library("liblz4.so.1", "liblz4-1").LZ4_compress_default(page, _own.room, PAGE_BYTES, ROOM)


def _lz4hc(page):
    return _library("liblz4.so.1", "liblz4-1").LZ4_compress_HC(page, _own.room, PAGE_BYTES, ROOM, LZ4HC_LEVEL)


def _zstd1(page):
    library = _library("libzstd.so.1", "libzstd1")
    library.ZSTD_compress.restype = ctypes.c_size_t
    size = library.ZSTD_compress(_own.room, ctypes.c_size_t(ROOM), page, ctypes.c_size_t(PAGE_BYTES), 1)
    if library.ZSTD_isError(ctypes.c_size_t(size)):
        raise RuntimeError("zstd failed on a page")
    return size


# Name in engine.json → bytes of the codec's stream for a page.
SIZES = {
    "lzo1x_1": lambda page: len(compress(page, "lzo1x_1")),
    "lz4": _lz4,
    "lz4hc": _lz4hc,
    "lzo1x_999": lambda page: len(compress(page, "lzo1x_999")),
    "zstd1": _zstd1,
}
DECODERS = {"liblzo2's": liblzo2_decompress, "the kernel's": kernel_decompress}


def stored_bytes(size):
    """What a page costs in a pool: its stream, or the page itself when that is not larger."""
    return min(size, PAGE_BYTES)


def total_stored(codec, pages):
    """Bytes that a codec stores for all pages of a set."""
    total = 0
    for page in pages:
        size = SIZES[codec](page)
        if size <= 0:
            raise RuntimeError(f"{codec} failed on a page")
        total += stored_bytes(size)
    return total


def judge(pages, streams):
    """Decode every stream (None: none) with both software decoders; a list of lines on what they find wrong."""
    wrong = []
    for number, (page, stream) in enumerate(zip(pages, streams, strict=True)):
        for decoder, decompress in DECODERS.items() if stream is not None else ():
            try:
                if decompress(stream, PAGE_BYTES) != page:
                    wrong.append(f"page {number}: {decoder} decoder gives other bytes back")
            except LzoError as error:
                wrong.append(f"page {number}: {decoder} decoder says {error}")
    return wrong


def software_rate(pages, seconds=1.0):
    """How fast one core runs liblzo2's lzo1x_1 and its safe decoder, in MB (10^6 plain bytes) a second.

    The fastest of several rounds over the pages, each call's own cost through ctypes taken off: other work on
    the machine can only make a round slower.
    """
    library = _library("liblzo2.so.2", "liblzo2-2")
    pages = list(pages)
    streams = [compress(page, "lzo1x_1") for page in pages]
    work, length = ctypes.create_string_buffer(1 << 20), ctypes.c_size_t(ROOM)
    arguments = (_own.room, ctypes.byref(length), work)

    def compress_all():
        for page in pages:
            library.lzo1x_1_compress(page, ctypes.c_size_t(PAGE_BYTES), *arguments)

    def decompress_all():
        for stream in streams:
            length.value = ROOM
            library.lzo1x_decompress_safe(stream, ctypes.c_size_t(len(stream)), *arguments)

    def nothing():
        for stream in streams:
            length.value = ROOM
            library.lzo_get_crc32_table(stream, ctypes.c_size_t(len(stream)), *arguments)

    overhead = _fastest(nothing, seconds / 10)
    rate = lambda action: len(pages) * PAGE_BYTES / 1e6 / (_fastest(action, seconds) - overhead)  # noqa: E731
    return {"compress_mb_s": round(rate(compress_all), 1), "decompress_mb_s": round(rate(decompress_all), 1)}


def _fastest(action, seconds):
    """Seconds of processor time that the fastest of the repetitions took."""
    best, end = float("inf"), time.monotonic() + seconds
    while time.monotonic() < end:
        begin = time.thread_time()
        action()
        best = min(best, time.thread_time() - begin)
    return best
