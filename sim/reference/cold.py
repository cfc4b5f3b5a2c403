# SPDX-License-Identifier: Apache-2.0
"""The cold format for Python: our coders (libreference.so), and zstd's decoder with our dictionary, which judges them.

    cold_compress(page, limit)             (status, stream)
    cold_decompress(stream, page_bytes)    (status, bytes right by the end)
    zstd_decompress(stream, page_bytes)    the page, by stock libzstd; ZstdError where it refuses
"""
import ctypes
import functools

from model import call_compress, call_decompress
from pagepress_cold import DICTIONARY


class ZstdError(Exception):
    """What zstd says of a stream or a dictionary."""


def cold_compress(page, limit):
    """Compress `page` into at most `limit` bytes; return (status, stream)."""
    return call_compress("cold_compress", page, limit)


def cold_decompress(stream, page_bytes):
    """Decompress `stream`, which must give `page_bytes` bytes; return (status, bytes that are right)."""
    return call_decompress("cold_decompress", stream, page_bytes)


@functools.cache
def _zstd():
    """libzstd, which Debian's dpkg itself needs, and a context of it."""
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_createDCtx.restype = ctypes.c_void_p
    library.ZSTD_decompress_usingDict.restype = ctypes.c_size_t
    library.ZSTD_getErrorName.restype = ctypes.c_char_p
    return library, ctypes.c_void_p(library.ZSTD_createDCtx())


def zstd_decompress(stream, page_bytes, dictionary=DICTIONARY):
    """Decompress `stream` into at most `page_bytes` bytes with libzstd and the dictionary; raise ZstdError."""
    library, context = _zstd()
    page = ctypes.create_string_buffer(page_bytes + 1)
    size = ctypes.c_size_t(library.ZSTD_decompress_usingDict(
        context, page, ctypes.c_size_t(page_bytes), bytes(stream), ctypes.c_size_t(len(stream)),
        bytes(dictionary), ctypes.c_size_t(len(dictionary))))
    if library.ZSTD_isError(size):
        raise ZstdError(library.ZSTD_getErrorName(size).decode())
    return page.raw[:size.value]
