# SPDX-License-Identifier: Apache-2.0
"""Our page codec and card model (libreference.so) for Python.

    page_compress(page, limit)           (status, stream)
    page_decompress(stream, page_bytes)  (status, plain bytes written)
    page_matches(page)                   [(from, length, distance)] that the compressor takes
    page_crc32c(page), page_same_filled(page) -> fill value or None
    CardModel(memory)                    the card behind its registers; `memory` has read and write

REFERENCE_LIBRARY=libreference_checked.so loads the build with sanitizers (start Python with libasan preloaded).
"""

import ctypes
import os

from libraries import load

_library = load(os.environ.get("REFERENCE_LIBRARY", "libreference.so"))
_GUARD = b"\x5a" * 64


def _guarded(size):
    return ctypes.create_string_buffer(bytes(size) + _GUARD, size + len(_GUARD))


def _checked(buffer, size, length):
    if buffer.raw[size:] != _GUARD:
        raise RuntimeError(f"the codec wrote past its limit of {size} bytes")
    return buffer.raw[:length.value]


def call_compress(function, page, limit):
    """Have a compressor of the library bring `page` into at most `limit` bytes; return (status, stream)."""
    stream, length = _guarded(limit), ctypes.c_size_t()
    # An array of exactly the page's size lets the sanitizer see a read past its end, here and below.
    status = getattr(_library, function)(_exact(page), ctypes.c_size_t(len(page)), stream, ctypes.c_size_t(limit),
                                         ctypes.byref(length))
    return status, _checked(stream, limit, length)


def call_decompress(function, stream, page_bytes):
    """Have a decompressor of the library make `page_bytes` bytes of `stream`; return (status, bytes written)."""
    page, length = _guarded(page_bytes), ctypes.c_size_t()
    status = getattr(_library, function)(_exact(stream), ctypes.c_size_t(len(stream)), page, ctypes.c_size_t(page_bytes),
                                         ctypes.byref(length))
    return status, _checked(page, page_bytes, length)


def _exact(data):
    return (ctypes.c_char * max(1, len(data))).from_buffer_copy(bytes(data) or b"\0")


def page_compress(page, limit):
    """Compress `page` into at most `limit` bytes; return (status, stream)."""
    return call_compress("page_compress", page, limit)


def page_decompress(stream, page_bytes):
    """Decompress `stream`, which must give `page_bytes` bytes; return (status, bytes written)."""
    return call_decompress("page_decompress", stream, page_bytes)


class _Match(ctypes.Structure):
    _fields_ = [("begin", ctypes.c_size_t), ("length", ctypes.c_size_t), ("distance", ctypes.c_size_t)]


def page_matches(page):
    """The matches that the compressor takes of `page`: [(from, length, distance)], bytes."""
    matches = (_Match * (len(page) // 3 + 1))()
    _library.page_matches.restype = ctypes.c_size_t
    count = _library.page_matches(bytes(page), ctypes.c_size_t(len(page)), matches)
    return [(match.begin, match.length, match.distance) for match in matches[:count]]


def page_crc32c(page):
    """CRC32C of `page`."""
    _library.page_crc32c.restype = ctypes.c_uint32
    return _library.page_crc32c(bytes(page), ctypes.c_size_t(len(page)))


def page_same_filled(page):
    """The 64-bit fill value of a page that repeats 8 bytes, else None."""
    _library.page_same_filled.restype = ctypes.c_bool
    fill = ctypes.c_uint64()
    same = _library.page_same_filled(bytes(page), ctypes.c_size_t(len(page)), ctypes.byref(fill))
    return fill.value if same else None


class _Options(ctypes.Structure):
    _fields_ = [("page_shift", ctypes.c_uint), ("queue_pairs", ctypes.c_uint), ("max_depth_log2", ctypes.c_uint),
                ("cold_format", ctypes.c_bool)]


_READ = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_size_t)
_WRITE = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_size_t)
_INTERRUPT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint)


class _Host(ctypes.Structure):
    _fields_ = [("context", ctypes.c_void_p), ("read", _READ), ("write", _WRITE), ("interrupt", _INTERRUPT)]


class QueueLoad(ctypes.Structure):
    """What CardModel.load tells of a queue, as card_model.h has it."""
    _fields_ = [("depth", ctypes.c_uint32), ("depth_peak", ctypes.c_uint32), ("commands", ctypes.c_uint32),
                ("depth_cycles", ctypes.c_uint64), ("waiting_cycles", ctypes.c_uint64)]


class CardModel:
    """The card of card_model.h. `memory.read(address, bytes)` returns bytes or None for a bus error,
    `memory.write(address, data)` returns False for one. `interrupts` lists the vectors that rose."""

    def __init__(self, memory, page_shift=12, queue_pairs=4, max_depth_log2=10, cold_format=False):
        self.interrupts = []

        def read(_, address, data, size):
            found = memory.read(address, size)
            if found is None:
                return False
            ctypes.memmove(data, bytes(found), size)
            return True

        def write(_, address, data, size):
            return memory.write(address, ctypes.string_at(data, size)) is not False

        # The structure must outlive the card: C keeps the pointers.
        self._host = _Host(None, _READ(read), _WRITE(write), _INTERRUPT(lambda _, vector: self.interrupts.append(vector)))
        _library.card_model_create.restype = ctypes.c_void_p
        _library.card_model_counter.restype = ctypes.c_uint64
        _library.card_model_read.restype = ctypes.c_uint32
        _library.card_model_step.restype = ctypes.c_bool
        options = _Options(page_shift, queue_pairs, max_depth_log2, cold_format)
        card = _library.card_model_create(ctypes.byref(options), ctypes.byref(self._host))
        if not card:
            raise ValueError(f"no such card: page_shift {page_shift}, {queue_pairs} queues, depth 2^{max_depth_log2}")
        self._card = ctypes.c_void_p(card)

    def __del__(self):
        if hasattr(self, "_card"):
            _library.card_model_destroy(self._card)

    def reset(self):
        """Back to power-on."""
        _library.card_model_reset(self._card)

    def read(self, offset):
        """32-bit register at byte `offset`."""
        return _library.card_model_read(self._card, ctypes.c_uint32(offset))

    def write(self, offset, value):
        """Write a 32-bit register, then do all the work it caused."""
        self.write_only(offset, value)
        while self.step():
            pass

    def write_only(self, offset, value):
        _library.card_model_write(self._card, ctypes.c_uint32(offset), ctypes.c_uint32(value))

    def step(self):
        """Carry out one command, or one interrupt that is due; False when there is nothing to do."""
        return _library.card_model_step(self._card)

    def load(self, queue):
        """What a queue has had to do, a QueueLoad."""
        told = QueueLoad()
        _library.card_model_queue(self._card, queue, ctypes.byref(told))
        return told

    def counter(self, index):
        """A 64-bit counter by its index."""
        return _library.card_model_counter(self._card, index)
