# SPDX-License-Identifier: Apache-2.0
"""management_timer: milliseconds, and a watchdog that bites the unfed and nobody else. The block counts 20 cycles a millisecond and 40 ms."""
import random

import cocotb

from apb_bench import Peripheral
from pagepress_management import *  # noqa: F403
from runner import run

MILLISECOND, FIRST_LIMIT = 20, 40


async def bites_within(timer, cycles):
    for cycle in range(cycles):
        if timer.get("bite"):
            return cycle
        await timer.step()
    return None


@cocotb.test()
async def time(dut):
    timer = await Peripheral(dut, coreReset=0).start()
    before = timer.get("milliseconds")
    await timer.step(300 * MILLISECOND)  # further than a byte
    assert timer.get("milliseconds") - before == 300
    assert timer.get("milliseconds") - await timer.read(REGISTER_TIMER_MILLISECONDS) in (0, 1)


@cocotb.test()
async def watchdog(dut):
    timer = await Peripheral(dut, coreReset=0).start()
    assert await timer.read(REGISTER_WATCHDOG_LIMIT) == FIRST_LIMIT
    for limit in (FIRST_LIMIT, 5, random.randint(6, 30), 2):
        await timer.write(REGISTER_WATCHDOG_LIMIT, limit)
        for _ in range(5):
            await timer.write(REGISTER_WATCHDOG_FEED, random.getrandbits(32))
            assert await bites_within(timer, (limit - 1) * MILLISECOND - 20) is None
        await timer.write(REGISTER_WATCHDOG_FEED, 0)
        assert await bites_within(timer, limit * MILLISECOND + 2) is not None
        await timer.step()
        assert not timer.get("bite"), "a bite is one cycle long"
        assert await timer.read(REGISTER_WATCHDOG_LIMIT) == FIRST_LIMIT, "a bite gives the first limit back"


@cocotb.test()
async def cannot_be_stopped(dut):
    timer = await Peripheral(dut, coreReset=0).start()
    await timer.write(REGISTER_WATCHDOG_LIMIT, 0)
    assert await bites_within(timer, 2 * MILLISECOND) is not None
    await timer.step()
    await timer.write(REGISTER_WATCHDOG_LIMIT, 0xFFFF0001)
    assert await timer.read(REGISTER_WATCHDOG_LIMIT) == 0xFFFF, "a limit too large for the register is its largest"
    timer.set(coreReset=1)
    assert await bites_within(timer, 3 * FIRST_LIMIT * MILLISECOND) is None, "a core in reset is not bitten"
    timer.set(coreReset=0)
    assert await timer.read(REGISTER_WATCHDOG_LIMIT) == FIRST_LIMIT
    assert await bites_within(timer, FIRST_LIMIT * MILLISECOND - 30) is None
    assert await bites_within(timer, 40) is not None


def test_management_timer():
    run("management_timer", module=__name__)
