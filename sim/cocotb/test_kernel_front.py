# SPDX-License-Identifier: Apache-2.0
"""kernel_front: the kernel's handshake, and runs as the core's registers see them; the core is a model of its registers."""
import logging
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiLiteSlave

from core_bench import QUIET
from pagepress_interface import *  # noqa: F403 (registers)
from runner import run
from stalls import Stalls, axi_channels

DEPTH = 10  # log2, as CoreConfig has it


class CoreRegisters:
    """The core's registers as far as a run uses them: what happens to a command list is decided by `ending`.

    ending   None: all commands end; else (register, field value) that stops the card, with `stop_at` completions
    """

    def __init__(self):
        self.values, self.writes = {}, []
        self.ending, self.stop_at = None, 0
        self.ready = self.tail = self.slow = 0

    async def write(self, address, data):
        value = int.from_bytes(data, "little")
        self.writes.append((address, value))
        self.values[address] = value
        if address == REGISTER_CONTROL:
            self.enabled, self.slow = value, random.randrange(4)
        if address == DOORBELL_BASE + REGISTER_SUBMISSION_TAIL:
            self.tail, self.count = 0, value

    async def read(self, address, length):
        return self.look(address).to_bytes(4, "little")

    def look(self, address):
        stopped = self.ending if self.ending and self.tail >= self.stop_at and self.ready else None
        if address == REGISTER_STATUS:
            if self.slow:  # READY follows CONTROL after a while
                self.slow -= 1
            else:
                self.ready = getattr(self, "enabled", 0)
            fatal = STATUS_FATAL_MASK if stopped and stopped[0] == "card" else 0
            return self.ready * STATUS_READY_MASK | fatal
        if address == QUEUE_BASE + REGISTER_QUEUE_STATUS:
            if stopped and stopped[0] == "queue":
                return QUEUE_STATUS_ERROR_MASK | QUEUE_STATUS_ACTIVE_MASK | stopped[1] << QUEUE_STATUS_CAUSE_SHIFT
            return QUEUE_STATUS_ACTIVE_MASK
        if address == QUEUE_BASE + REGISTER_COMPLETION_TAIL:
            most = self.stop_at if self.ending else self.count
            self.tail = min(most, self.tail + random.randint(0, 3))
            return self.tail
        if address == REGISTER_FATAL_CAUSE:
            return stopped[1] if stopped and stopped[0] == "card" else FATAL_NONE
        return self.values.get(address, 0)


class Bench:
    @classmethod
    async def start(cls, dut):
        self = cls()
        self.dut, self.core = dut, CoreRegisters()
        dut.reset.value = 1
        dut.core_interrupt.value = 0
        Clock(dut.clk, 4, "ns").start()
        self.control = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi_control"), dut.clk, dut.reset)
        self.bus = AxiLiteSlave(AxiLiteBus.from_prefix(dut, "m_axi_core"), dut.clk, dut.reset, target=self.core)
        for model in (self.control.write_if, self.control.read_if, self.bus.write_if, self.bus.read_if):
            model.log.setLevel(logging.ERROR)
        await ClockCycles(dut.clk, 5)
        dut.reset.value = 0
        answers = self.control.write_if.b_channel, self.control.read_if.r_channel
        Stalls(dut.clk, (*axi_channels(self.bus), *answers)).set(random.choice((0, 0.1, 0.4)))
        await ClockCycles(dut.clk, 2)
        return self

    async def read(self, offset):
        return await self.control.read_dword(offset)

    async def write(self, offset, value):
        await self.control.write_dword(offset, value)

    async def arguments(self, submissions, completions, count):
        for offset, value in ((KERNEL_ARGUMENT_SUBMISSIONS_OFFSET, submissions), (KERNEL_ARGUMENT_COMPLETIONS_OFFSET, completions)):
            await self.write(offset, value & 0xFFFFFFFF)
            await self.write(offset + 4, value >> 32)
        await self.write(KERNEL_ARGUMENT_COUNT_OFFSET, count)

    async def finish(self):
        """Poll until the run has ended; return how often DONE was seen."""
        for _ in range(2000):
            value = await self.read(REGISTER_RUN_CONTROL)
            if value & RUN_CONTROL_DONE_MASK:
                assert value == RUN_CONTROL_DONE_MASK | RUN_CONTROL_READY_MASK | RUN_CONTROL_IDLE_MASK
                return
            assert value == RUN_CONTROL_START_MASK, f"RUN_CONTROL is {value:#x} while a run is under way"
        assert False, "the run does not end"


def expected_writes(submissions, completions, count):
    """What a run writes into the core's registers, in this order."""
    queue = QUEUE_BASE
    return [
        (REGISTER_CONTROL, 0), (REGISTER_CONTROL, CONTROL_ENABLE_MASK),
        (queue + REGISTER_SUBMISSION_BASE_LOW, submissions & 0xFFFFFFFF), (queue + REGISTER_SUBMISSION_BASE_HIGH, submissions >> 32),
        (queue + REGISTER_COMPLETION_BASE_LOW, completions & 0xFFFFFFFF), (queue + REGISTER_COMPLETION_BASE_HIGH, completions >> 32),
        (queue + REGISTER_DEPTH_LOG2, DEPTH), (queue + REGISTER_MODERATION, 0),
        (queue + REGISTER_QUEUE_CONTROL, QUEUE_CONTROL_ENABLE_MASK),
        (DOORBELL_BASE + REGISTER_SUBMISSION_TAIL, count), (REGISTER_CONTROL, 0)]


def draw():
    return random.getrandbits(64), random.getrandbits(64), random.choice((0, 1, 5, 40))


@cocotb.test()
async def runs(dut):
    """Each run sets its own queue up on a stopped core, waits for every completion and stops the core again."""
    bench = await Bench.start(dut)
    assert await bench.read(REGISTER_RUN_CONTROL) == RUN_CONTROL_IDLE_MASK
    for _ in range(6):
        submissions, completions, count = draw()
        bench.core.writes.clear()
        await bench.arguments(submissions, completions, count)
        await bench.write(REGISTER_RUN_CONTROL, RUN_CONTROL_START_MASK)
        await bench.finish()
        assert bench.core.writes == expected_writes(submissions, completions, count)
        assert bench.core.tail == count and not bench.core.ready, "the run ended before its last command, or with a running core"
        assert await bench.read(REGISTER_RUN_CAUSE) == FATAL_NONE
        assert await bench.read(REGISTER_RUN_CONTROL) == RUN_CONTROL_IDLE_MASK, "reading clears DONE"


@cocotb.test()
async def runs_that_the_core_stops(dut):
    """A queue's error and a card's fatal error end the run and are told; the next run is as good as the first."""
    bench = await Bench.start(dut)
    for _ in range(8):
        submissions, completions, count = draw()
        cause = random.randint(1, 5)
        bench.core.ending = random.choice((None, ("queue", cause), ("card", cause)))
        bench.core.stop_at = random.randint(0, max(0, count - 1))
        if count == 0:
            bench.core.ending = None
        await bench.arguments(submissions, completions, count)
        bench.core.writes.clear()
        await bench.write(REGISTER_RUN_CONTROL, RUN_CONTROL_START_MASK)
        await bench.finish()
        assert bench.core.writes == expected_writes(submissions, completions, count) and not bench.core.ready
        assert await bench.read(REGISTER_RUN_CAUSE) == (cause if bench.core.ending else FATAL_NONE)


@cocotb.test()
async def nobody_else_during_a_run(dut):
    """While a run is under way arguments and the core's registers can be read but not written, and START is ignored."""
    bench = await Bench.start(dut)
    submissions, completions, count = random.getrandbits(64), random.getrandbits(64), 200
    await bench.arguments(submissions, completions, count)
    bench.core.values[REGISTER_MAGIC] = MAGIC_VALUE
    await bench.write(REGISTER_RUN_CONTROL, RUN_CONTROL_START_MASK)
    await bench.arguments(1, 2, 3)
    await bench.write(REGISTER_RUN_CONTROL, RUN_CONTROL_START_MASK)
    await bench.write(KERNEL_CORE_WINDOW + REGISTER_CONTROL, 0)
    await bench.write(KERNEL_CORE_WINDOW + QUEUE_BASE + REGISTER_DEPTH_LOG2, 3)
    assert await bench.read(KERNEL_CORE_WINDOW + REGISTER_MAGIC) == MAGIC_VALUE
    assert await bench.read(KERNEL_ARGUMENT_COUNT_OFFSET) == count
    assert await bench.read(REGISTER_RUN_CONTROL) == RUN_CONTROL_START_MASK, "the run ended too early for this test: raise its count"
    await bench.finish()
    assert bench.core.writes == expected_writes(submissions, completions, count)


@cocotb.test()
async def window(dut):
    """Without a run the core's registers are there to read and write."""
    bench = await Bench.start(dut)
    for _ in range(20):
        offset, value = random.randrange(0x400, 0x1000) * 4, random.getrandbits(32)
        if offset in (QUEUE_BASE + REGISTER_QUEUE_STATUS, QUEUE_BASE + REGISTER_COMPLETION_TAIL, DOORBELL_BASE):
            continue
        await bench.write(KERNEL_CORE_WINDOW + offset, value)
        assert bench.core.writes[-1] == (offset, value)
        assert await bench.read(KERNEL_CORE_WINDOW + offset) == value
    await bench.control.write(KERNEL_CORE_WINDOW + 0x1234, b"\1\2")
    assert bench.core.writes[-1][0] != 0x1234, "half a word was written"


@cocotb.test()
async def interrupts(dut):
    """A run's end and the core's levels interrupt where they are enabled; a run hides the levels of its own queue."""
    bench = await Bench.start(dut)
    for enable in range(8):
        await bench.write(REGISTER_INTERRUPT_ENABLE, enable)
        await bench.write(REGISTER_INTERRUPT_GLOBAL, 1)
        dut.core_interrupt.value = 1
        await ClockCycles(dut.clk, 3)
        assert bool(dut.interrupt.value) == bool(enable & INTERRUPT_STATUS_CORE_MASK)
        await bench.arguments(random.getrandbits(64), random.getrandbits(64), 100)
        await bench.write(REGISTER_RUN_CONTROL, RUN_CONTROL_START_MASK)
        await ClockCycles(dut.clk, 3)
        assert not dut.interrupt.value, "an interrupt while the run is under way"
        dut.core_interrupt.value = 0
        await bench.finish()
        ended = enable & (INTERRUPT_STATUS_DONE_MASK | INTERRUPT_STATUS_READY_MASK)
        assert bool(dut.interrupt.value) == bool(ended)
        assert await bench.read(REGISTER_INTERRUPT_STATUS) == ended
        await bench.write(REGISTER_INTERRUPT_GLOBAL, 0)
        await ClockCycles(dut.clk, 3)
        assert not dut.interrupt.value
        # Writing 1 turns a bit over, also one that is 0.
        both = INTERRUPT_STATUS_DONE_MASK | INTERRUPT_STATUS_READY_MASK
        for turned in (both, INTERRUPT_STATUS_DONE_MASK, both ^ INTERRUPT_STATUS_DONE_MASK ^ ended):
            await bench.write(REGISTER_INTERRUPT_STATUS, turned)
            ended ^= turned
            assert await bench.read(REGISTER_INTERRUPT_STATUS) == ended
        assert not ended


@cocotb.test()
async def interrupt_beside_an_access(dut):
    """A run's end is pending whatever the host writes to the status in that very cycle."""
    bench = await Bench.start(dut)
    both = INTERRUPT_STATUS_DONE_MASK | INTERRUPT_STATUS_READY_MASK
    await bench.write(REGISTER_INTERRUPT_ENABLE, both)
    await bench.arguments(random.getrandbits(64), random.getrandbits(64), 0)
    for run_number in range(60):
        bench.core.writes.clear()
        await bench.write(REGISTER_RUN_CONTROL, RUN_CONTROL_START_MASK)
        await ClockCycles(dut.clk, random.randrange(1, 8))
        # Until the core has stopped, and what it says of that has arrived.
        left = 4
        while left:
            left -= (REGISTER_CONTROL, CONTROL_ENABLE_MASK) in bench.core.writes and not bench.core.ready and not bench.core.enabled
            await bench.write(REGISTER_INTERRUPT_STATUS, 0)
        await bench.finish()
        assert await bench.read(REGISTER_INTERRUPT_STATUS) == both, f"run {run_number} has ended, and nothing is pending"
        await bench.write(REGISTER_INTERRUPT_STATUS, both)


@cocotb.test()
async def partial_writes(dut):
    """Writes with a byte strobe missing are answered and ignored, those of the kernel's own registers too."""
    bench = await Bench.start(dut)
    await bench.arguments(random.getrandbits(64), random.getrandbits(64), random.getrandbits(32))
    addresses = [offset + 4 * word for offset in (KERNEL_ARGUMENT_SUBMISSIONS_OFFSET, KERNEL_ARGUMENT_COMPLETIONS_OFFSET) for word in range(2)]
    for offset in (REGISTER_RUN_CONTROL, REGISTER_INTERRUPT_GLOBAL, REGISTER_INTERRUPT_ENABLE, REGISTER_INTERRUPT_STATUS, *addresses,
                   KERNEL_ARGUMENT_COUNT_OFFSET):
        before = await bench.read(offset)
        first = random.randrange(3)
        await bench.control.write(offset + first, bytes([~before >> 8 * first & 0xFF] * random.randint(1, 3 - first)))
        assert await bench.read(offset) == before, f"a part of {offset:#x} was written"
    assert not bench.core.writes


def test_kernel_front():
    run("kernel_front", module=__name__, environment=QUIET)
