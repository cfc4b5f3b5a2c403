# SPDX-License-Identifier: Apache-2.0
"""moderation: an interrupt comes when as many completions wait, or when the oldest or the last acknowledgement is so old;
both exactly."""
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from runner import run

UNIT = 16  # cycles of an age
NEVER = 0xFFFF  # as a limit of age: longer than any test
LATENCY = 2  # cycles from a limit reached to the level
SETTLING = 4  # cycles after an acknowledgement for which `waiting` may be of before


class Moderation:
    @classmethod
    async def start(cls, dut, count, cycles):
        self = cls()
        self.dut, self.cycle = dut, 0
        for name in ("enable", "waiting", "acknowledge"):
            getattr(dut, f"io_{name}").value = 0
        dut.io_count.value, dut.io_cycles.value = count, cycles
        Clock(dut.clk, 4, "ns").start()
        dut.reset.value = 1
        await self.step(3)
        dut.reset.value = 0
        dut.io_enable.value = 1
        await self.step(2 * SETTLING)
        assert not self.level
        return self

    @property
    def level(self):
        return bool(self.dut.io_level.value)

    async def step(self, count=1):
        for _ in range(count):
            await RisingEdge(self.dut.clk)
            self.cycle += 1

    async def change(self, count=None, cycles=None):
        """Another limit; as when a queue is set up anew."""
        self.dut.io_enable.value = 0
        if count is not None:
            self.dut.io_count.value = count
        if cycles is not None:
            self.dut.io_cycles.value = cycles
        self.dut.io_waiting.value = 0
        await self.step(2)
        self.dut.io_enable.value = 1
        await self.step(2 * SETTLING)

    async def acknowledge(self, left):
        """Software takes all but `left`; `waiting` follows a little later."""
        self.dut.io_acknowledge.value = 1
        await self.step()
        self.dut.io_acknowledge.value = 0
        await self.step(random.randint(0, SETTLING - 1))
        self.dut.io_waiting.value = left

    async def until_level(self, most):
        """Cycles until the level is seen."""
        for passed in range(most):
            await self.step()
            if self.level:
                return passed
        return None


@cocotb.test()
async def by_age_of_the_oldest(dut):
    """Units of 16 cycles, exactly, from the first completion; later ones change nothing."""
    bench = await Moderation.start(dut, 1000, 1)
    for limit in (0, 1, 2, 3, 7, 8, 100, 257):
        await bench.change(cycles=limit)
        dut.io_waiting.value = 1
        begin, more = bench.cycle, random.sample(range(1, UNIT * limit + 1), min(3, UNIT * limit))
        waiting = 1
        while not bench.level:
            await bench.step()
            passed = bench.cycle - begin
            if passed in more:
                waiting += 1
                dut.io_waiting.value = waiting
            assert passed <= UNIT * limit + 10, f"no interrupt after {limit} units"
        # The edge at which the first is seen counts as none.
        assert bench.cycle - begin - 1 == UNIT * limit + LATENCY, f"{limit} units: {bench.cycle - begin - 1} cycles"


@cocotb.test()
async def by_age_of_the_last_acknowledgement(dut):
    """What came before the acknowledgement and was not taken is announced so long after it, not at once."""
    bench = await Moderation.start(dut, 1000, 5)
    dut.io_waiting.value = 3
    assert await bench.until_level(200) is not None
    for left in (2, 1, 2):
        await bench.step(random.randint(1, 50))
        dut.io_acknowledge.value = 1
        await bench.step()
        dut.io_acknowledge.value = 0
        dut.io_waiting.value = left
        await bench.step()
        assert not bench.level, "the level stays behind an acknowledgement"
        passed = await bench.until_level(200)
        assert passed == 5 * UNIT + LATENCY - 1, f"{passed} cycles behind the acknowledgement"


@cocotb.test()
async def by_count(dut):
    """As soon as so many wait, not one sooner; 0 and 1 both mean each."""
    bench = await Moderation.start(dut, 1, NEVER)
    for count in (0, 1, 2, 3, 10, 511, 1023):
        await bench.change(count=count)
        enough = max(count, 1)
        if enough > 1:
            dut.io_waiting.value = enough - 1
            assert await bench.until_level(300) is None, f"{enough - 1} of {count} were enough"
        dut.io_waiting.value = enough
        assert await bench.until_level(20) == LATENCY, f"{count} of {count} were not"
        # It stays until software has looked, and a stale count does not raise it again.
        await bench.step(100)
        assert bench.level
        await bench.acknowledge(0)
        assert await bench.until_level(100) is None
        assert not dut.io_timing.value, "the clock must run though nothing is to come"


@cocotb.test()
async def drops_and_rises_again(dut):
    """Whoever takes only some is told of the rest; between the two the level is low for some cycles."""
    bench = await Moderation.start(dut, 2, NEVER)
    dut.io_waiting.value = 5
    assert await bench.until_level(20) is not None
    for left in (4, 3, 2, 2):
        await bench.acknowledge(left)
        low = await bench.until_level(40)
        assert low is not None, f"nothing is said of {left}"
    await bench.acknowledge(1)
    assert await bench.until_level(300) is None, "one of two was enough"
    assert dut.io_timing.value


@cocotb.test()
async def of_a_former_life(dut):
    """A queue that is enabled anew knows nothing of what waited before."""
    bench = await Moderation.start(dut, 1, 0)
    for _ in range(5):
        dut.io_waiting.value = random.randint(1, 9)
        assert await bench.until_level(20) is not None
        dut.io_enable.value = 0
        await bench.step(2)
        assert not bench.level
        await bench.step(random.randint(1, 30))
        dut.io_enable.value = 1
        await bench.step(random.randint(0, SETTLING - 1))
        dut.io_waiting.value = 0
        assert await bench.until_level(50) is None


def test_moderation():
    run("moderation", module=__name__)
