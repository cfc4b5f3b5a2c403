# SPDX-License-Identifier: Apache-2.0
"""msix_table: a message for each rise of a level, and none once the host has said no, however long the link stands still."""
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from pagepress_interface import MSIX_PENDING_OFFSET, MSIX_TABLE_OFFSET
from runner import run

VECTORS = 5
LAG = 2  # cycles within which a message is withdrawn
SENDS = 20  # cycles within which a vector that may send does, where nobody else does


class Table:
    @classmethod
    async def start(cls, dut, enabled=True, ready=True):
        """Every vector with an address and data of its own, unmasked."""
        self = cls()
        self.dut, self.sent, self.levels, self.masked = dut, [], 0, (1 << VECTORS) - 1
        for name in ("command_valid", "command_payload_address", "command_payload_write", "command_payload_data",
                     "command_payload_strobe"):
            getattr(dut, f"io_registers_{name}").value = 0
        dut.io_levels.value, dut.io_enabled.value, dut.io_message_ready.value = 0, enabled, ready
        Clock(dut.clk, 4, "ns").start()
        dut.reset.value = 1
        await self.cycles(3)
        dut.reset.value = 0
        self.entries = [(random.getrandbits(62) << 2, random.getrandbits(32)) for _ in range(VECTORS)]
        cocotb.start_soon(self.watch())
        for vector, (address, data) in enumerate(self.entries):
            for word, value in enumerate((address & 0xFFFFFFFF, address >> 32, data)):
                await self.write(MSIX_TABLE_OFFSET + 16 * vector + 4 * word, value)
            await self.mask(vector, False)
        return self

    async def cycles(self, count):
        for _ in range(count):
            await RisingEdge(self.dut.clk)

    async def watch(self):
        """Take messages: each must be whole."""
        dut = self.dut
        while True:
            await RisingEdge(dut.clk)
            if dut.io_message_valid.value and dut.io_message_ready.value:
                found = int(dut.io_message_payload_address.value), int(dut.io_message_payload_data.value)
                assert found in self.entries, f"a message of no vector: {found}"
                self.sent.append(self.entries.index(found))

    async def access(self, address, write, data=0, strobe=15):
        dut = self.dut
        dut.io_registers_command_payload_address.value = address
        dut.io_registers_command_payload_write.value = write
        dut.io_registers_command_payload_data.value = data
        dut.io_registers_command_payload_strobe.value = strobe
        dut.io_registers_command_valid.value = 1
        await RisingEdge(dut.clk)
        assert dut.io_registers_command_ready.value
        dut.io_registers_command_valid.value = 0

    async def write(self, address, data, strobe=15):
        await self.access(address, 1, data, strobe)

    async def read(self, address):
        await self.access(address, 0)
        await self.cycles(2)
        assert self.dut.io_registers_answer_valid.value
        return int(self.dut.io_registers_answer_payload.value)

    async def mask(self, vector, yes):
        self.masked = self.masked & ~(1 << vector) | yes << vector
        await self.write(MSIX_TABLE_OFFSET + 16 * vector + 12, yes)

    def level(self, vector, high):
        self.levels = self.levels & ~(1 << vector) | high << vector
        self.dut.io_levels.value = self.levels

    async def pending(self):
        return await self.read(MSIX_PENDING_OFFSET)

    def taken(self):
        """The vectors of the messages since the last call."""
        sent, self.sent = self.sent, []
        return sent


@cocotb.test()
async def one_message_a_rise(dut):
    table = await Table.start(dut)
    for _ in range(10):
        vectors = random.sample(range(VECTORS), random.randint(1, VECTORS))
        for vector in vectors:
            table.level(vector, 1)
        await table.cycles(SENDS * len(vectors))
        assert sorted(table.taken()) == sorted(vectors) and not await table.pending()
        await table.cycles(100)
        for vector in vectors:
            table.level(vector, 0)
        await table.cycles(SENDS)
        assert not table.taken(), "a message without a rise"


@cocotb.test()
async def pending_bits(dut):
    """Function mask and vector masks keep messages back, pending bits show them, and they go when the mask does."""
    table = await Table.start(dut)
    for by_function in (True, False, True, False):
        vectors = random.sample(range(VECTORS), 3)
        if by_function:
            dut.io_enabled.value = 0
        else:
            for vector in vectors:
                await table.mask(vector, True)
        await table.cycles(LAG)
        for vector in vectors:
            table.level(vector, 1)
        await table.cycles(100)
        assert not table.taken(), "a masked message went out"
        assert await table.pending() == sum(1 << vector for vector in vectors)
        # Software has looked by itself: nothing is to be said any more.
        silent = vectors.pop()
        table.level(silent, 0)
        await table.cycles(3)
        assert await table.pending() == sum(1 << vector for vector in vectors)
        dut.io_enabled.value = 1
        for vector in [silent, *vectors]:
            await table.mask(vector, False)
        await table.cycles(SENDS * VECTORS)
        assert sorted(table.taken()) == sorted(vectors) and not await table.pending()
        for vector in vectors:
            table.level(vector, 0)


@cocotb.test()
async def withdrawn(dut):
    """A message that waits behind back-pressure does not go out once it must not; it does later, once."""
    table = await Table.start(dut, ready=False)
    for why in ("vector", "function", "level") * 4:
        vector = random.randrange(VECTORS)
        dut.io_message_ready.value = 0
        table.level(vector, 1)
        await table.cycles(random.randint(SENDS, 60))
        assert dut.io_message_valid.value, "nothing waits"
        if why == "vector":
            await table.mask(vector, True)
            await table.cycles(1)  # until the write has taken effect
        elif why == "function":
            dut.io_enabled.value = 0
        else:
            table.level(vector, 0)
        await table.cycles(LAG + 1)
        assert not dut.io_message_valid.value, f"still offered ({why})"
        dut.io_message_ready.value = 1
        await table.cycles(100)
        assert not table.taken(), f"a message went out though it must not ({why})"
        assert await table.pending() == (0 if why == "level" else 1 << vector)
        dut.io_enabled.value = 1
        await table.mask(vector, False)
        await table.cycles(SENDS)
        assert table.taken() == ([] if why == "level" else [vector])
        table.level(vector, 0)
        await table.cycles(5)


@cocotb.test()
async def anything_at_any_time(dut):
    """Levels, masks and the link move at random: never a message beyond its lag, never more than rises, and none lost."""
    table = await Table.start(dut)
    disabled, masked_for = 0, [0] * VECTORS  # cycles for which none must send, and for which a vector must not
    rises = [0] * VECTORS
    counted = [0] * VECTORS

    async def judge():
        nonlocal disabled
        while True:
            await RisingEdge(dut.clk)
            disabled = 0 if dut.io_enabled.value else disabled + 1
            for vector in range(VECTORS):
                masked_for[vector] = masked_for[vector] + 1 if table.masked >> vector & 1 else 0
            for vector in table.taken():
                counted[vector] += 1
                # Apart: one may end as the other begins, and has not been seen yet.
                forbidden = max(disabled, masked_for[vector])
                assert forbidden <= LAG + 2, f"vector {vector} sent {forbidden} cycles after its mask"
                assert counted[vector] <= rises[vector], f"vector {vector} sent more often than its level rose"

    judging = cocotb.start_soon(judge())
    for _ in range(1500):
        vector, kind = random.randrange(VECTORS), random.random()
        if kind < 0.5:
            rises[vector] += not table.levels >> vector & 1
            table.level(vector, not table.levels >> vector & 1)
        elif kind < 0.7:
            await table.mask(vector, random.random() < 0.5)
        elif kind < 0.8:
            dut.io_enabled.value = random.random() < 0.7
        else:
            dut.io_message_ready.value = random.random() < 0.5
        await table.cycles(random.choice((1, 1, 2, 5, 30)))
    # What still waits goes when it may.
    dut.io_enabled.value = dut.io_message_ready.value = 1
    for vector in range(VECTORS):
        await table.mask(vector, False)
    await table.cycles(SENDS * VECTORS)
    assert not await table.pending()
    before = list(counted)
    for vector in range(VECTORS):
        table.level(vector, 0)
    await table.cycles(5)
    for vector in range(VECTORS):
        rises[vector] += 1
        table.level(vector, 1)
    await table.cycles(SENDS * VECTORS)
    assert [after - earlier for after, earlier in zip(counted, before)] == [1] * VECTORS
    judging.cancel()


@cocotb.test()
async def masked_by_a_reset(dut):
    """After a reset every vector is masked: until software has filled its entry and unmasks it a rise only pends."""
    table = await Table.start(dut)
    dut.reset.value = 1
    await table.cycles(3)
    dut.reset.value = 0
    await table.cycles(1)
    for vector in range(VECTORS):
        assert await table.read(MSIX_TABLE_OFFSET + 16 * vector + 12) == 1, f"vector {vector} is not masked"
        table.level(vector, 1)
    await table.cycles(100)
    assert not table.taken() and await table.pending() == (1 << VECTORS) - 1


@cocotb.test()
async def table_as_software_reads_it(dut):
    """Each dword reads as it was written, but for what is no bit of the table; there is nothing beside the table and its pending bits."""
    table = await Table.start(dut)

    async def dwords(vector):
        return [await table.read(MSIX_TABLE_OFFSET + 16 * vector + 4 * word) for word in range(4)]

    for _ in range(20):
        for vector, (address, data) in enumerate(table.entries):
            assert await dwords(vector) == [address & 0xFFFFFFFF, address >> 32, data, table.masked >> vector & 1]
        vector, word, value = random.randrange(VECTORS + 3), random.randrange(4), random.getrandbits(32)
        is_whole = random.random() < 0.8
        await table.write(MSIX_TABLE_OFFSET + 16 * vector + 4 * word, value, 15 if is_whole else random.randrange(15))
        if vector < VECTORS and is_whole:
            address, data = table.entries[vector]
            if word == 0:
                address = address & ~0xFFFFFFFF | value & ~3
            elif word == 1:
                address = address & 0xFFFFFFFF | value << 32
            elif word == 3:
                table.masked = table.masked & ~(1 << vector) | (value & 1) << vector
            table.entries[vector] = address, value if word == 2 else data
    for vector in (VECTORS, 7, 8, 15, 16, 64, 0x3FF):
        assert await dwords(vector) == [0] * 4, f"vector {vector}"
    await table.mask(1, True)
    table.level(1, 1)
    await table.cycles(3)
    assert [await table.read(MSIX_PENDING_OFFSET + at) for at in (0, 4, 8, 12, 16, 64)] == [2, 0, 0, 0, 0, 0]


def test_msix_table():
    run("msix_table", module=__name__)
