# SPDX-License-Identifier: Apache-2.0
"""management_monitor: one question at a time, the report of the last one that was answered, and never a wait."""
import random

import cocotb

from apb_bench import Peripheral
from pagepress_management import *  # noqa: F403
from runner import run

QUEUES, SAMPLE_CYCLES = 4, 16
WORDS = {"commands": REGISTER_MONITOR_COMMANDS, "completionsFaulted": REGISTER_MONITOR_COMPLETIONS_FAULTED,
         "readsOverdue": REGISTER_MONITOR_READS_OVERDUE, "writesFailed": REGISTER_MONITOR_WRITES_FAILED,
         "completionsUnexpected": REGISTER_MONITOR_COMPLETIONS_UNEXPECTED}
WIDE = {"cycles": REGISTER_MONITOR_CYCLES_LOW, "depthCycles": REGISTER_MONITOR_DEPTH_CYCLES_LOW, "waitingCycles": REGISTER_MONITOR_WAITING_CYCLES_LOW}


def drawn():
    return {**{name: random.getrandbits(32) for name in WORDS}, **{name: random.getrandbits(64) for name in WIDE},
            "depth": random.getrandbits(16), "depthPeak": random.getrandbits(16)}


async def shows(port, report):
    for name, register in WORDS.items():
        assert await port.read(register) == report[name], name
    for name, register in WIDE.items():
        assert await port.read(register) | await port.read(register + 4) << 32 == report[name], name
    assert await port.read(REGISTER_MONITOR_DEPTH) == report["depthPeak"] << MONITOR_DEPTH_PEAK_SHIFT | report["depth"]


@cocotb.test()
async def questions(dut):
    report = dict.fromkeys(drawn(), 0)
    port = await Peripheral(dut, ask_ready=0, report_valid=0, **{f"report_payload_{name}": 0 for name in report}).start()
    assert await port.read(REGISTER_MONITOR_QUEUES) == QUEUES and await port.read(REGISTER_MONITOR_SAMPLE_CYCLES) == SAMPLE_CYCLES
    assert await port.read(REGISTER_MONITOR_BUSY) == 0
    await shows(port, report)
    for _ in range(30):
        queue = random.randrange(QUEUE_COUNT)
        await port.write(REGISTER_MONITOR_ASK, queue)
        for _ in range(random.randrange(3)):  # what comes meanwhile is ignored
            await port.write(REGISTER_MONITOR_ASK, random.getrandbits(32))
            assert await port.read(REGISTER_MONITOR_BUSY) == 1
        await port.step(random.randrange(4))
        assert port.get("ask_valid") and port.get("ask_payload") == queue
        await port.pulse(ask_ready=1)
        assert not port.get("ask_valid") and await port.read(REGISTER_MONITOR_BUSY) == 1
        await shows(port, report)
        report = drawn()
        port.set(**{f"report_payload_{name}": value for name, value in report.items()})
        await port.pulse(report_valid=1)
        port.set(**{f"report_payload_{name}": value for name, value in drawn().items()})
        assert await port.read(REGISTER_MONITOR_BUSY) == 0 and not port.get("ask_valid")
        await shows(port, report)


def test_management_monitor():
    run("management_monitor", module=__name__)
