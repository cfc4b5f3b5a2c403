# SPDX-License-Identifier: Apache-2.0
"""firmware/soc's driver as Python calls it: the shared library that its Makefile builds, and the memory that core and driver share.

    memory = SharedMemory()                            # coherent=False: as behind a processor's cache
    driver = Driver(memory, read, write)               # read(offset) -> value and write(offset, value) are the core's registers
    assert driver.start() == OK
    result, outcome = driver.compress(page_address, stream_address, capacity)
"""
import ctypes
import random
import subprocess
from ctypes import POINTER, Structure, byref, c_bool, c_char_p, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p
from pathlib import Path

import pagepress_interface as interface

REPOSITORY = Path(__file__).resolve().parents[2]
LIBRARY = REPOSITORY / "build/soc/libpagepress_soc.so"
RESULTS = ("OK", "BAD_ARGUMENT", "NO_CORE", "OTHER_VERSION", "NO_QUEUE", "FULL", "EMPTY", "NOT_RUNNING", "STOPPED", "TIMEOUT", "BROKEN", "HUNG")
(OK, BAD_ARGUMENT, NO_CORE, OTHER_VERSION, NO_QUEUE, FULL, EMPTY, NOT_RUNNING, STOPPED, TIMEOUT, BROKEN, HUNG) = RESULTS
FILL = 0xA5  # what untouched memory holds

READ = ctypes.CFUNCTYPE(c_uint32, c_void_p, c_uint32)
WRITE = ctypes.CFUNCTYPE(None, c_void_p, c_uint32, c_uint32)
ADDRESS = ctypes.CFUNCTYPE(c_uint64, c_void_p, c_void_p)
STRETCH = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_size_t)
IDLE = ctypes.CFUNCTYPE(None, c_void_p)


class Bus(Structure):
    _fields_ = [("context", c_void_p), ("read", READ), ("write", WRITE), ("address", ADDRESS), ("clean", STRETCH), ("invalidate", STRETCH),
                ("idle", IDLE)]


class Core(Structure):
    _fields_ = [("bus", POINTER(Bus)), ("submissions", c_void_p), ("completions", c_void_p), ("depth_log2", c_uint32), ("queue", c_uint32),
                ("polls", c_uint32), ("page_bytes", c_uint32), ("tail", c_uint32), ("head", c_uint32), ("in_flight", c_uint32),
                ("next_tag", c_uint32), ("phase", c_uint8), ("running", c_bool)]


class Command(Structure):
    _fields_ = [("opcode", c_uint8), ("flags", c_uint16), ("source", c_void_p), ("source_length", c_uint32), ("destination", c_void_p),
                ("destination_capacity", c_uint32), ("crc32c", c_uint32)]


class Outcome(Structure):
    _fields_ = [("tag", c_uint32), ("status", c_uint8), ("length", c_uint32), ("crc32c", c_uint32), ("detail", c_uint64)]


def build():
    """Bring the library up to date; returns its path."""
    subprocess.run(["make", "-s", "-C", REPOSITORY / "firmware/soc", "library"], check=True)
    return LIBRARY


class SharedMemory:
    """`size` bytes that driver and core share, at `base` for the core. What is not coherent is two memories, of which each side sees
    its own until lines are cleaned or invalidated; a line comes beat by beat, `beat` bytes each, and before each `fills()` is called, which may
    have the core write. `refuse(address, size, write)` may make the core's accesses fail."""

    def __init__(self, size=1 << 18, base=None, coherent=True, beat=16):
        self.size, self.coherent, self.beat = size, coherent, beat
        self._processor = ctypes.create_string_buffer(bytes([FILL]) * (size + interface.RING_ALIGNMENT))
        self._core = self._processor if coherent else ctypes.create_string_buffer(bytes([FILL ^ 0xFF]) * (size + interface.RING_ALIGNMENT))
        self.start, self._device = (-(-ctypes.addressof(buffer) // interface.RING_ALIGNMENT) * interface.RING_ALIGNMENT
                                    for buffer in (self._processor, self._core))
        self.base = self._device if base is None else base
        self.refuse = lambda address, size, write: False
        self.fills = lambda: None
        self.next = self.start

    def place(self, size, alignment=64):
        """Room for `size` bytes that nobody else has, a page from the last; its address for the driver."""
        self.next += -self.next % alignment
        address, self.next = self.next, self.next + size + 4096
        assert self.next <= self.start + self.size, "the test wants more memory than there is"
        return address

    def address(self, pointer):
        """A place of the driver's as the core sees it."""
        return pointer - self.start + self.base

    def poke(self, pointer, data):
        ctypes.memmove(pointer, bytes(data), len(data))

    def peek(self, pointer, size):
        return ctypes.string_at(pointer, size)

    def clean(self, pointer, size):
        if not self.coherent:
            ctypes.memmove(pointer - self.start + self._device, pointer, size)

    def invalidate(self, pointer, size):
        if not self.coherent:
            for at in range(pointer, pointer + size, self.beat):
                self.fills()
                ctypes.memmove(at, at - self.start + self._device, min(self.beat, pointer + size - at))

    # As the core's model calls it: addresses of the bus.
    def read(self, address, size):
        if not self.base <= address <= self.base + self.size - size or self.refuse(address, size, False):
            return None
        return ctypes.string_at(address - self.base + self._device, size)

    def write(self, address, data):
        if not self.base <= address <= self.base + self.size - len(data) or self.refuse(address, len(data), True):
            return False
        ctypes.memmove(address - self.base + self._device, bytes(data), len(data))
        return True


class Driver:
    """A struct pagepress_core, and the driver's functions on it. Results are their names."""

    def __init__(self, memory, read, write, idle=None, depth_log2=3, queue=0, polls=1000):
        self.library = ctypes.CDLL(str(LIBRARY))
        self.library.pagepress_status_name.restype = c_char_p
        self.library.pagepress_counter.restype = c_uint64
        self.library.pagepress_cause.restype = c_uint32
        self.memory = memory
        self.failure = None

        def kept(function, default=None):
            """An exception does not pass through C: it is kept, and raised when C has returned."""
            def call(_, *arguments):
                try:
                    return function(*arguments)
                except BaseException as error:  # noqa: BLE001
                    self.failure = self.failure or error
                    return default
            return call

        self.bus = Bus(None, READ(kept(read, 0)), WRITE(kept(write)), ADDRESS(kept(memory.address, 0)), STRETCH(kept(memory.clean)),
                       STRETCH(kept(memory.invalidate)), IDLE(kept(idle or (lambda: None))))
        depth = 1 << depth_log2
        self.core = Core(ctypes.pointer(self.bus), memory.place(depth * interface.SUBMISSION_ENTRY_BYTES, interface.RING_ALIGNMENT),
                         memory.place(depth * interface.COMPLETION_ENTRY_BYTES, interface.RING_ALIGNMENT), depth_log2, queue, polls)
        self.core.next_tag = random.getrandbits(32)

    def call(self, name, *arguments):
        result = getattr(self.library, f"pagepress_{name}")(byref(self.core), *arguments)
        if self.failure:
            failure, self.failure = self.failure, None
            raise failure
        return RESULTS[result]

    def start(self):
        return self.call("start")

    def stop(self):
        return self.call("stop")

    def compress(self, page, stream, capacity):
        outcome = Outcome()
        return self.call("compress", c_void_p(page), c_void_p(stream), c_uint32(capacity), byref(outcome)), outcome

    def decompress(self, stream, length, crc32c, page):
        outcome = Outcome()
        return self.call("decompress", c_void_p(stream), c_uint32(length), c_uint32(crc32c), c_void_p(page), byref(outcome)), outcome

    def submit(self, command):
        tag = c_uint32()
        return self.call("submit", byref(command), byref(tag)), tag.value

    def poll(self):
        outcome = Outcome()
        return self.call("poll", byref(outcome)), outcome

    def cause(self):
        return self.library.pagepress_cause(byref(self.core))

    def counter(self, index):
        return self.library.pagepress_counter(byref(self.core), c_uint32(index))

    def status_name(self, status):
        return self.library.pagepress_status_name(c_uint32(status)).decode()
