# SPDX-License-Identifier: Apache-2.0
"""management_lanes: what there is, one action at a time, the report of the last one that was answered, and never a wait."""
import random

import cocotb

from apb_bench import Peripheral
from pagepress_management import *  # noqa: F403
from runner import run

COMPRESSORS, DECOMPRESSORS, PAGE = 3, 2, 4096
BITS = {"done": LANE_REPORT_DONE_MASK, "isolated": LANE_REPORT_ISOLATED_MASK, "faulty": LANE_REPORT_FAULTY_MASK, "idle": LANE_REPORT_IDLE_MASK,
        "fresh": LANE_REPORT_FRESH_MASK, "proven": LANE_REPORT_PROVEN_MASK, "testing": LANE_REPORT_TESTING_MASK}
WORDS = {"pages": REGISTER_LANE_PAGES, "cycles": REGISTER_LANE_CYCLES, "length": REGISTER_LANE_LENGTH, "crc32c": REGISTER_LANE_CRC32C,
         "detail": REGISTER_LANE_DETAIL}


def drawn():
    return {**{name: random.getrandbits(1) for name in BITS}, **{name: random.getrandbits(32) for name in WORDS}, "status": random.getrandbits(8),
            "verifyFailures": random.getrandbits(16), "resets": random.getrandbits(16)}


async def shows(port, report):
    state = sum(mask for name, mask in BITS.items() if report[name]) | report["status"] << LANE_REPORT_STATUS_SHIFT
    assert await port.read(REGISTER_LANE_REPORT) == state
    for name, register in WORDS.items():
        assert await port.read(register) == report[name], name
    assert await port.read(REGISTER_LANE_TROUBLE) == report["resets"] << LANE_TROUBLE_RESETS_SHIFT | report["verifyFailures"]


@cocotb.test()
async def actions(dut):
    report = dict.fromkeys(drawn(), 0)
    port = await Peripheral(dut, action_ready=0, report_valid=0, **{f"report_payload_{name}": 0 for name in report}).start()
    lanes = (1 << COMPRESSORS + DECOMPRESSORS) - 1
    assert await port.read(REGISTER_LANES_PRESENT) == lanes | (lanes >> DECOMPRESSORS << DECOMPRESSORS) << LANES_PRESENT_COMPRESSORS_SHIFT
    assert await port.read(REGISTER_LANES_PAGE) == PAGE
    assert await port.read(REGISTER_LANE_BUSY) == 0
    await shows(port, report)
    for _ in range(30):
        lane, action, length = random.randrange(16), random.randrange(8), random.randrange(8192)
        await port.write(REGISTER_LANE_ACTION, lane << LANE_ACTION_LANE_SHIFT | action << LANE_ACTION_ACTION_SHIFT | length << LANE_ACTION_LENGTH_SHIFT)
        for _ in range(random.randrange(3)):  # what comes meanwhile is ignored
            await port.write(REGISTER_LANE_ACTION, random.getrandbits(32))
            assert await port.read(REGISTER_LANE_BUSY) == 1
        await port.step(random.randrange(4))
        assert [port.get(f"action_{name}") for name in ("valid", "payload_lane", "payload_action", "payload_length")] == [1, lane, action, length]
        await port.pulse(action_ready=1)
        assert not port.get("action_valid") and await port.read(REGISTER_LANE_BUSY) == 1
        await shows(port, report)
        report = drawn()
        port.set(**{f"report_payload_{name}": value for name, value in report.items()})
        await port.pulse(report_valid=1)
        port.set(**{f"report_payload_{name}": value for name, value in drawn().items()})
        assert await port.read(REGISTER_LANE_BUSY) == 0 and not port.get("action_valid")
        await shows(port, report)


def test_management_lanes():
    run("management_lanes", module=__name__)
