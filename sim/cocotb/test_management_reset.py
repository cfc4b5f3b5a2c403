# SPDX-License-Identifier: Apache-2.0
"""management_reset: every cause resets the core for sixteen cycles at least, and only the host can keep it there."""
import random

import cocotb
from cocotb.triggers import Timer

from pagepress_management import *  # noqa: F403
from runner import run
from stream_bench import Bench


class Reset:
    def __init__(self, dut):
        self.dut, self.bench, self.happened = dut, Bench(dut, [], []), []
        dut.io_hold.value = dut.io_bite.value = dut.io_ask.value = 0

    async def step(self, cycles=1):
        for _ in range(cycles):
            self.dut.clk.value = 0
            await Timer(1, "ns")
            if self.dut.io_happened.value == 1:
                self.happened.append(int(self.dut.io_cause.value))
            self.dut.clk.value = 1
            await Timer(1, "ns")

    async def pulse(self, *names):
        for name in names:
            getattr(self.dut, f"io_{name}").value = 1
        await self.step()
        for name in names:
            getattr(self.dut, f"io_{name}").value = 0

    async def released(self):
        """Cycles until the core runs."""
        for cycle in range(40):
            if self.dut.io_reset.value == 0:
                return cycle
            await self.step()
        raise AssertionError("the core stays in reset")


@cocotb.test()
async def causes(dut):
    reset = Reset(dut)
    await reset.bench.reset()
    assert await reset.released() >= 15 and reset.happened == [RESET_CAUSE_POWER]
    bites = 0
    for _ in range(30):
        await reset.step(random.randint(1, 30))
        reset.happened.clear()
        names = random.choice((("bite",), ("ask",), ("bite", "ask")))
        await reset.pulse(*names)
        assert dut.io_reset.value == 1
        bites += "bite" in names
        await reset.pulse(random.choice(("bite", "ask")))   # one that is in reset is not reset again
        assert await reset.released() >= 14
        assert reset.happened == [RESET_CAUSE_WATCHDOG if "bite" in names else RESET_CAUSE_FIRMWARE]
        assert int(dut.io_bites.value) == bites


@cocotb.test()
async def hold(dut):
    reset = Reset(dut)
    await reset.bench.reset()
    await reset.released()
    for _ in range(10):
        reset.happened.clear()
        dut.io_hold.value = 1
        for _ in range(random.randint(1, 60)):
            dut.io_bite.value, dut.io_ask.value = random.randrange(2), random.randrange(2)
            await reset.step()
            assert dut.io_reset.value == 1
        dut.io_hold.value = dut.io_bite.value = dut.io_ask.value = 0
        await reset.released()
        assert reset.happened == [RESET_CAUSE_HOST] and int(dut.io_bites.value) == 0
        await reset.step(random.randint(0, 20))


def test_management_reset():
    run("management_reset", module=__name__)
