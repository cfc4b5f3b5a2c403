# SPDX-License-Identifier: Apache-2.0
"""A host for cocotbext-pcie's hard block: its root complex over a HostMemory, made capricious.

    host = Host(memory)
    host.spoil(address, 64, "poison")   # reads that touch these bytes: drop, late, poison, ur, ca, void or odd
    host.delay, host.split = 300, True  # most nanoseconds before a completion; split: anywhere it may be, or "everywhere"

Reads are answered after random delays, so out of order between tags, in order within one. Every law that a requester has
to keep is checked here: payload and read request sizes, borders, tags, traffic after bus mastering was turned off.
"""
import random

import cocotb
from cocotb.triggers import Timer
from cocotbext.axi import Region
from cocotbext.pcie.core import RootComplex
from cocotbext.pcie.core.tlp import Tlp
from cocotbext.pcie.core.utils import PcieId

# The root complex's own windows: devices, and messages of interrupts.
WINDOWS = ((0x8000_0000, 0x1_0000_0000), (1 << 63, 1 << 64))


class MemoryRegion(Region):
    """A HostMemory as a region of the root complex, from `base` on."""

    def __init__(self, memory, base, size):
        super().__init__(size)
        self.memory, self.first = memory, base

    async def read(self, address, length, **_):
        return await self.memory.read(self.first + address, length)

    async def write(self, address, data, **_):
        await self.memory.write(self.first + address, bytes(data))


class Host(RootComplex):
    def __init__(self, memory):
        super().__init__()
        space = self.mem_address_space
        space.regions = [region for region in space.regions if region[3] is not self.mem_pool]
        first = 0
        for start, end in WINDOWS:
            space.register_region(MemoryRegion(memory, first, start - first), first)
            memory.placed.append((start, end))
            first = end
        self.memory, self.delay, self.split = memory, 300, True
        self.spoiled = []  # (first, end, kind)
        self.open = {}  # tag → its read
        self.late = []  # coroutines of completions held back
        self.void = set()  # tags whose last completion the hard block is to declare void
        self.reads = self.writes = 0
        self.most_open = 0
        self.largest_read = self.largest_write = 0

    def spoil(self, address, size, kind):
        self.spoiled.append((address, address + size, kind))

    def mend(self):
        self.spoiled.clear()

    def kind_of(self, tlp):
        for first, end, kind in self.spoiled:
            if tlp.address < end and tlp.address + 4 * tlp.length > first:
                return kind
        return None

    async def handle_mem_write_tlp(self, tlp):
        size = 4 * tlp.length
        assert size <= 128 << self.max_payload_size, f"a payload of {size} bytes"
        assert tlp.address // 4096 == (tlp.address + size - 1) // 4096, f"{tlp} crosses 4 KiB"
        if not any(start <= tlp.address < end for start, end in WINDOWS):
            self.writes += 1
            self.largest_write = max(self.largest_write, size)
        await super().handle_mem_write_tlp(tlp)

    async def handle_mem_read_tlp(self, tlp):
        size = 4 * tlp.length
        assert size <= 128 << self.card_read_request, f"a read of {size} bytes"
        assert tlp.address // 4096 == (tlp.address + size - 1) // 4096, f"{tlp} crosses 4 KiB"
        assert tlp.tag not in self.open, f"tag {tlp.tag} is in use"
        self.reads += 1
        self.largest_read = max(self.largest_read, size)
        self.open[tlp.tag] = tlp
        self.void.discard(tlp.tag)
        self.most_open = max(self.most_open, len(self.open))
        cocotb.start_soon(self.answer(tlp, self.kind_of(tlp)))

    async def answer(self, tlp, kind):
        await Timer(random.randint(1, max(self.delay, 1)), "ns")
        if kind == "drop":
            return
        if kind == "late":
            self.late.append(self.complete(tlp, None))
            return
        if kind == "void":
            self.void.add(tlp.tag)
        await self.complete(tlp, kind)

    async def complete(self, tlp, kind):
        me = PcieId(0, 0, 0)
        if kind in ("ur", "ca"):
            make = Tlp.create_ur_completion_for_tlp if kind == "ur" else Tlp.create_ca_completion_for_tlp
            self.open.pop(tlp.tag)
            await self.send(make(tlp, me))
            return
        data = await self.memory.read(tlp.address, 4 * tlp.length)
        pieces = list(self.odd_pieces(len(data)) if kind == "odd" else self.pieces(tlp.address, len(data)))
        bad = random.randrange(len(pieces)) if kind == "poison" else None
        done = 0
        for index, size in enumerate(pieces):
            completion = Tlp.create_completion_data_for_tlp(tlp, me)
            completion.byte_count = len(data) - done
            completion.lower_address = (tlp.address + done) & 0x7f
            completion.set_data(data[done:done + size])
            completion.ep = index == bad
            done += size
            if index == len(pieces) - 1:
                self.open.pop(tlp.tag)
            elif self.delay and random.random() < 0.3:
                await Timer(random.randint(1, min(self.delay, 200)), "ns")
            await self.send(completion)

    def pieces(self, address, size):
        """Sizes of the completions of a read: each but the last ends at a multiple of the boundary."""
        boundary, most = 128 if self.read_completion_boundary else 64, 128 << self.max_payload_size
        while size:
            to_boundary = boundary - address % boundary
            choices = [piece for piece in range(to_boundary, most + 1, boundary) if piece < size]
            piece = random.choice(choices) if choices and (self.split or size > most) else min(size, most)
            if self.split == "everywhere":
                piece = min(size, to_boundary)
            if piece == most and address % boundary and size > most:
                piece = to_boundary
            yield piece
            address, size = address + piece, size - piece

    def odd_pieces(self, size):
        """Sizes of completions that no host may split so: none but the last ends at a multiple of 64 bytes."""
        piece = 4 * random.randint(1, 15)
        while size:
            yield min(piece, size)
            size -= min(piece, size)
            piece = 64
