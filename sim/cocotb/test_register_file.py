# SPDX-License-Identifier: Apache-2.0
"""register_file: the address map, and the card's life from ENABLE to READY and back."""
import random

import cocotb

from pagepress_interface import *  # noqa: F403
from runner import run
from stream_bench import Bench, Sink, Source

QUEUES = 4
AXI = {"aw": ("awaddr", "awprot"), "w": ("wdata", "wstrb"), "ar": ("araddr", "arprot"), "b": ("bresp",), "r": ("rdata", "rresp")}


class Channel:
    """AXI4-Lite channel `kind` in the shape that stream_bench expects of a stream."""

    def __init__(self, dut, kind):
        for part in ("valid", "ready"):
            setattr(self, f"s_{part}", getattr(dut, f"s_axi_{kind}{part}"))
        for name in AXI[kind]:
            setattr(self, f"s_payload_{name}", getattr(dut, f"s_axi_{name}"))


class Registers:
    def __init__(self, dut):
        self.dut = dut
        self.address, self.data, self.ask = (Source(Channel(dut, kind), "s", AXI[kind]) for kind in ("aw", "w", "ar"))
        self.done, self.answer = (Sink(Channel(dut, kind), "s", AXI[kind]) for kind in ("b", "r"))
        self.bench = Bench(dut, [self.address, self.data, self.ask], [self.done, self.answer])
        self.events = []
        dut.io_working.value = dut.io_quiet.value = dut.io_fatal_valid.value = 0
        self.queue_data = [random.getrandbits(32) for _ in range(QUEUES)]
        self.accessed = [0, 0]  # queues in the last two cycles: what the queue pairs show is of the one before that
        dut.io_queuesCleared.value = 1
        self.counter_data = random.getrandbits(32)
        dut.io_counterData.value = self.counter_data

    async def step(self):
        dut = self.dut
        dut.io_queueData.value = self.queue_data[self.accessed[-2] % QUEUES]
        await self.bench.step()
        self.accessed = [self.accessed[-1], int(dut.io_queueAccessed.value)]
        if dut.io_push_valid.value == 1:
            self.events.append(("push", *(int(getattr(dut, f"io_push_payload_{field}").value) for field in ("queueIndex", "value_offset", "value_data"))))
        for name, fields in (("queueWrite", ("_offset", "_data")), ("submissionDoorbell", ("",)), ("completionDoorbell", ("",))):
            if getattr(dut, f"io_{name}_valid").value == 1:
                assert self.accessed[0] == self.accessed[1], "an access names its queue in the cycle before, too"
                self.events.append((name, self.accessed[1], *(int(getattr(dut, f"io_{name}_payload{field}").value) for field in fields)))

    async def write(self, offset, value, strobe=15):
        self.done.received.clear()
        self.address.send(awaddr=offset, awprot=0)
        self.data.send(wdata=value, wstrb=strobe)
        for _ in range(500):
            await self.step()
            if self.done.received:
                assert self.done.received == [{"bresp": 0}]
                return
        raise AssertionError("a write was never answered")

    async def read(self, offset):
        self.answer.received.clear()
        self.ask.send(araddr=offset, arprot=0)
        for _ in range(500):
            await self.step()
            if self.answer.received:
                assert self.answer.received[0]["rresp"] == 0
                return self.answer.received[0]["rdata"]
        raise AssertionError("a read was never answered")


async def start(dut):
    registers = Registers(dut)
    await registers.bench.reset()
    registers.bench.stall(random.choice((0, 0.4)), random.choice((0, 0.4)))
    return registers


@cocotb.test()
async def address_map(dut):
    registers = await start(dut)
    for offset, value in ((REGISTER_MAGIC, MAGIC_VALUE), (REGISTER_VERSION, VERSION_VALUE), (REGISTER_HASH_LOW, HASH_LOW_VALUE),
                          (REGISTER_HASH_HIGH, HASH_HIGH_VALUE), (REGISTER_CLOCK, 250000), (REGISTER_CONTROL, 0),
                          (REGISTER_STATUS, 0), (REGISTER_FATAL_CAUSE, 0), (0x1C, 0), (0x2C, 0), (0xFC, 0)):
        assert await registers.read(offset) == value, hex(offset)
    for index in range(QUEUES):
        for offset in (0, random.randrange(0, QUEUE_STRIDE, 4), QUEUE_STRIDE - 4):
            registers.queue_data[index] = random.getrandbits(32)
            assert await registers.read(QUEUE_BASE + index * QUEUE_STRIDE + offset) == registers.queue_data[index]
            assert int(dut.io_queueOffset.value) == offset
            value = random.getrandbits(32)
            registers.events.clear()
            await registers.write(QUEUE_BASE + index * QUEUE_STRIDE + offset, value)
            assert registers.events == [("queueWrite", index, offset, value)]
        for offset, name in ((REGISTER_SUBMISSION_TAIL, "submissionDoorbell"), (REGISTER_COMPLETION_HEAD, "completionDoorbell")):
            registers.events.clear()
            await registers.write(DOORBELL_BASE + index * DOORBELL_STRIDE + offset, 5 + index)
            assert registers.events == [(name, index, 5 + index)]
            assert await registers.read(DOORBELL_BASE + index * DOORBELL_STRIDE + offset) == 0
    for word in (0, random.randrange(2 * COUNTER_COUNT), 2 * COUNTER_COUNT - 1):
        assert await registers.read(COUNTER_BASE + 4 * word) == registers.counter_data
        assert int(dut.io_counterWord.value) == word
    registers.events.clear()
    for offset in (COUNTER_BASE + 8 * COUNTER_COUNT, QUEUE_BASE + QUEUES * QUEUE_STRIDE, QUEUE_BASE - 4,
                   DOORBELL_BASE + QUEUES * DOORBELL_STRIDE, 0x7FFC, MSIX_TABLE_OFFSET, BAR0_BYTES - 4):
        await registers.write(offset, 0xFFFFFFFF)
        assert await registers.read(offset) == 0, hex(offset)
    await registers.write(QUEUE_BASE, 1, strobe=7)
    await registers.write(REGISTER_CONTROL, 1, strobe=1)
    assert not registers.events and await registers.read(REGISTER_CONTROL) == 0, "a partial write took effect"


@cocotb.test()
async def windows(dut):
    """Writes of PUSH windows follow each other at once; none is lost or passes another write, or a read."""
    registers = await start(dut)
    expected, reads = [], 0
    for _ in range(300):
        index, offset, value, strobe = random.randrange(QUEUES + 1), 4 * random.randrange(PUSH_STRIDE // 4), random.getrandbits(32), 15
        what = random.random()
        if what < 0.1:
            registers.ask.send(araddr=REGISTER_MAGIC, arprot=0)
            reads += 1
        elif what < 0.2:
            where, event = DOORBELL_BASE + index * DOORBELL_STRIDE, ("submissionDoorbell", index, value)
        else:
            where, event = PUSH_BASE + index * PUSH_STRIDE + offset, ("push", index, offset, value)
            strobe = random.choice((15,) * 20 + (7, 0))
        if what >= 0.1:
            registers.address.send(awaddr=where, awprot=0)
            registers.data.send(wdata=value, wstrb=strobe)
            expected += [event] if index < QUEUES and strobe == 15 else []
    while len(registers.answer.received) < reads or registers.address.queue or registers.data.queue or dut.io_busy.value == 1:
        await registers.step()
        assert registers.bench.cycle < 20000
    assert registers.events == expected
    assert all(answer == {"rdata": MAGIC_VALUE, "rresp": 0} for answer in registers.answer.received)
    registers.bench.stall(0, 0)
    begun, count = registers.bench.cycle, len(registers.done.received)
    for at in range(20):
        registers.address.send(awaddr=PUSH_BASE + 4 * (at % 11), awprot=0)
        registers.data.send(wdata=at, wstrb=15)
    while len(registers.done.received) < count + 20:
        await registers.step()
    assert registers.bench.cycle - begun <= 22, "a dword a cycle"


@cocotb.test()
async def turns(dut):
    """While both kinds wait, reads and writes are served in turn."""
    registers = await start(dut)
    registers.bench.stall(0, 0)
    for _ in range(20):
        registers.ask.send(araddr=REGISTER_MAGIC, arprot=0)
        registers.address.send(awaddr=0xFC, awprot=0)
        registers.data.send(wdata=0, wstrb=15)
    while len(registers.done.received) < 20 or len(registers.answer.received) < 20:
        await registers.step()
        assert abs(len(registers.done.received) - len(registers.answer.received)) <= 1
        assert registers.bench.cycle < 2000


@cocotb.test()
async def enable_ready_and_fatal(dut):
    registers = await start(dut)
    await registers.write(REGISTER_CONTROL, CONTROL_ENABLE_MASK)
    assert await registers.read(REGISTER_STATUS) == STATUS_READY_MASK and dut.io_card_enabled.value == 1
    dut.io_working.value = 1
    await registers.write(REGISTER_CONTROL, 0)
    assert dut.io_card_enabled.value == 0
    assert await registers.read(REGISTER_STATUS) == STATUS_READY_MASK | STATUS_BUSY_MASK
    await registers.write(REGISTER_CONTROL, CONTROL_ENABLE_MASK)
    assert await registers.read(REGISTER_CONTROL) == 0, "enabled while draining"
    dut.io_working.value, dut.io_quiet.value = 0, 1
    for _ in range(4):
        await registers.step()
    assert await registers.read(REGISTER_STATUS) == 0
    await registers.write(REGISTER_CONTROL, CONTROL_ENABLE_MASK)
    for cause, kept in ((FATAL_ENGINE_STUCK, FATAL_ENGINE_STUCK), (FATAL_RING_FETCH, FATAL_ENGINE_STUCK)):
        dut.io_fatal_valid.value, dut.io_fatal_payload.value = 1, cause
        await registers.step()
        dut.io_fatal_valid.value = 0
        await registers.step()
        assert await registers.read(REGISTER_STATUS) == STATUS_READY_MASK | STATUS_FATAL_MASK
        assert await registers.read(REGISTER_FATAL_CAUSE) == kept and dut.io_card_stopped.value == 1
    await registers.write(REGISTER_CONTROL, 0)
    assert await registers.read(REGISTER_FATAL_CAUSE) == 0
    assert await registers.read(REGISTER_STATUS) == 0 and dut.io_card_stopped.value == 0


def test_register_file():
    run("register_file", module=__name__)
