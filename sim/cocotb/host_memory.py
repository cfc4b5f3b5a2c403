# SPDX-License-Identifier: Apache-2.0
"""The host's memory as the card sees it: every byte outside an open window is a guard.

    memory = HostMemory()
    address = memory.place(4096)              # a random aligned place nobody else has
    memory.open(address, 4096)                # from now the card may write there
    memory.fail(address, 64, writes=True)     # the bus answers SLVERR there
    memory.violations                         # writes to anything that was not open

It is the `target` of a cocotbext-axi AxiSlave, which answers SLVERR when read or write raises.
"""
import random

FILL = 0xA5  # what untouched memory holds
PAGE = 4096


class BusError(Exception):
    """The bus answers SLVERR."""


class HostMemory:
    """`width`: bits of an address on the bus."""

    def __init__(self, width=64):
        self.width = width
        self.pages = {}
        self.windows = {}  # page → bytearray of flags: the card may write this byte
        self.failing = []  # (first, end, reads, writes)
        self.violations = []
        self.reads = self.writes = self.written_bytes = 0
        self.placed = [(0, PAGE)]

    def place(self, size, alignment=64):
        """A random place of `size` bytes, a page or more away from every other, at any height of the bus."""
        while True:
            top = min(random.choice((1 << 24, 1 << 32, 1 << 40, 1 << 63)), 1 << self.width)
            address = random.randrange(top) // alignment * alignment
            if all(address + size + PAGE <= first or address >= end + PAGE for first, end in self.placed):
                self.placed.append((address, address + size))
                return address

    def open(self, address, size):
        self._mark(address, size, 1)

    def close(self, address, size):
        self._mark(address, size, 0)

    def fail(self, address, size, reads=False, writes=False):
        self.failing.append((address, address + size, reads, writes))

    def mend(self):
        self.failing.clear()

    def peek(self, address, size):
        """Read as software."""
        parts = bytearray()
        for page, start, end in pieces(address, size):
            parts += self._page(page)[start:end]
        return bytes(parts)

    def poke(self, address, data):
        """Write as software."""
        done = 0
        for page, start, end in pieces(address, len(data)):
            self._page(page)[start:end] = data[done:done + end - start]
            done += end - start

    async def read(self, address, size):
        self.reads += 1
        self._check_bus(address, size, 2)
        return self.peek(address, size)

    async def write(self, address, data):
        self.writes += 1
        self.written_bytes += len(data)
        for page, start, end in pieces(address, len(data)):
            flags = self.windows.get(page)
            if flags is None or not all(flags[start:end]):
                self.violations.append((address, len(data)))
        self._check_bus(address, len(data), 3)
        self.poke(address, data)

    def _check_bus(self, address, size, kind):
        for failing in self.failing:
            if failing[kind] and address < failing[1] and address + size > failing[0]:
                raise BusError

    def _page(self, page):
        if page not in self.pages:
            self.pages[page] = bytearray([FILL]) * PAGE
        return self.pages[page]

    def _mark(self, address, size, flag):
        for page, start, end in pieces(address, size):
            self.windows.setdefault(page, bytearray(PAGE))[start:end] = bytes([flag]) * (end - start)


def pieces(address, size):
    """Cut a stretch at page borders: (page, first byte in it, end in it)."""
    while size:
        start = address % PAGE
        length = min(size, PAGE - start)
        yield address // PAGE, start, start + length
        address += length
        size -= length
