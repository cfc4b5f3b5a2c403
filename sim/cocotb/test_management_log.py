# SPDX-License-Identifier: Apache-2.0
"""management_log: the last entries in order, numbered and timed by hardware, none lost when two come at once."""
import random

import cocotb
from cocotb.triggers import RisingEdge

from apb_bench import Peripheral
from pagepress_management import *  # noqa: F403
from runner import run

WORDS = LOG_ENTRY_BYTES // 4


async def stored(log, number):
    words = []
    for at in range(WORDS):
        log.set(word=number % LOG_ENTRIES * WORDS + at)
        await log.step()
        words.append(log.get("data").to_bytes(4, "little"))
    return LogEntry.unpack(b"".join(words))


@cocotb.test()
async def entries(dut):
    log = await Peripheral(dut, milliseconds=0, happened=0, cause=0, word=0).start()
    expected = []
    for turn in range(3 * LOG_ENTRIES):
        time = 7 * turn
        log.set(milliseconds=time)
        kind = random.choice(("firmware", "hardware", "both"))
        cause = random.randrange(4)
        if kind != "firmware":
            log.set(cause=cause)
            severity = SEVERITY_ERROR if cause == RESET_CAUSE_WATCHDOG else SEVERITY_INFO
            expected.append((time, EVENT_CORE_RESET, severity, cause))
        if kind == "hardware":
            await log.pulse(happened=1)
        else:
            code, severity, argument = random.getrandbits(16), random.getrandbits(8), random.getrandbits(32)
            await log.write(REGISTER_LOG_EVENT, severity << LOG_EVENT_SEVERITY_SHIFT | code)
            expected.append((time, code, severity, argument))
            if kind == "both":      # in the very cycle in which the firmware's entry is written, or around it
                log.set(happened=1)
                await log.step()
                log.set(happened=0)
            await log.write(REGISTER_LOG_ARGUMENT, argument)
        await log.step(4)
        assert log.get("next") == len(expected)
    for number in range(len(expected) - LOG_ENTRIES, len(expected)):
        entry = await stored(log, number)
        assert entry == LogEntry(number, *expected[number][:3], bytes(1), expected[number][3])


@cocotb.test()
async def at_once(dut):
    """Both in one cycle, at every distance of the two: two entries."""
    for distance in range(6):
        log = await Peripheral(dut, milliseconds=5, happened=0, cause=RESET_CAUSE_HOST, word=0).start()
        log.pause = 0

        async def firmware(log=log):
            await log.write(REGISTER_LOG_ARGUMENT, 77)
            await log.step(8)
        task = cocotb.start_soon(firmware())
        for _ in range(distance):
            await RisingEdge(dut.clk)
        dut.io_happened.value = 1
        await RisingEdge(dut.clk)
        dut.io_happened.value = 0
        await task
        assert log.get("next") == 2
        found = {((await stored(log, number)).code, (await stored(log, number)).argument) for number in (0, 1)}
        assert found == {(EVENT_CORE_RESET, RESET_CAUSE_HOST), (0, 77)}


def test_management_log():
    run("management_log", module=__name__)
