# SPDX-License-Identifier: Apache-2.0
"""management_system: what the firmware says of itself, and that a reset of the core takes it back."""
import random

import cocotb
from cocotb.triggers import RisingEdge

from apb_bench import Peripheral
from pagepress_management import *  # noqa: F403
from runner import run


@cocotb.test()
async def says(dut):
    system = await Peripheral(dut, coreReset=0, cause=RESET_CAUSE_HOST).start()
    assert await system.read(REGISTER_SYSTEM_CAUSE) == RESET_CAUSE_HOST and await system.read(REGISTER_SYSTEM_CLOCK) == 20
    beats = 0
    for _ in range(4):
        report, version = random.getrandbits(32), random.getrandbits(32)
        await system.write(REGISTER_SYSTEM_STAGE, STAGE_RUNNING)
        await system.write(REGISTER_SYSTEM_REPORT, report)
        await system.write(REGISTER_SYSTEM_VERSION, version)
        await system.write(REGISTER_SYSTEM_THROTTLE, 2)
        for _ in range(3):
            await system.write(REGISTER_SYSTEM_HEARTBEAT, 0)
            beats += 1
        assert await system.read(REGISTER_SYSTEM_REPORT) == report and await system.read(REGISTER_SYSTEM_THROTTLE) == 2
        state = [system.get(f"state_{name}") for name in ("stage", "report", "version", "throttle", "heartbeat")]
        assert state == [STAGE_RUNNING, report, version, 2, beats]
        await system.pulse(coreReset=1)
        await system.step()
        state = [system.get(f"state_{name}") for name in ("stage", "report", "version", "throttle", "heartbeat")]
        assert state == [STAGE_RESET, 0, 0, 0, beats], "a reset of the core takes back all but the heartbeat"


@cocotb.test()
async def asks_for_reset(dut):
    system = await Peripheral(dut, coreReset=0, cause=0).start()
    asked = []

    async def watch():
        while True:
            await RisingEdge(dut.clk)  # what was there before it
            asked.append(system.get("ask"))
    cocotb.start_soon(watch())
    await system.read(REGISTER_SYSTEM_RESET)
    await system.step(3)
    assert not any(asked), "a read asks for nothing"
    await system.write(REGISTER_SYSTEM_RESET, 1)
    await system.step(3)
    assert sum(asked) == 1


def test_management_system():
    run("management_system", module=__name__)
