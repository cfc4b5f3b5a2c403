# SPDX-License-Identifier: Apache-2.0
"""A core with a keeper of its lanes, and the management part's side of it: actions, reports and the buffers of a test.

    bench = await LanesBench.start(dut)
    report = await bench.act(LANE_ACTION_ISOLATE, lane)
    report.done, report.isolated, report.pages
    load = await bench.load_of(queue)
    load.depth, load.commands, load.waitingCycles
    status, output = await bench.test_lane(lane, page)

Every action's report is checked against what the keeper promises of any.
"""
import random
from types import SimpleNamespace

import cocotb
from cocotb.triggers import RisingEdge

from core_bench import CoreBench
from pagepress_interface import *  # noqa: F403 (statuses)
from pagepress_management import *  # noqa: F403 (actions)

DECOMPRESSORS, COMPRESSORS = (0, 1), (2, 3)
LANES = DECOMPRESSORS + COMPRESSORS
REPORT_CYCLES = 4
BITS = ("done", "isolated", "faulty", "idle", "fresh", "proven", "testing")
LOAD = ("cycles", "depth", "depthPeak", "commands", "depthCycles", "waitingCycles")
NUMBERS = ("status", "pages", "cycles", "verifyFailures", "resets", "length", "crc32c", "detail")


def kind_of(lane):
    return DECOMPRESSORS if lane in DECOMPRESSORS else COMPRESSORS


class LanesBench(CoreBench):
    @classmethod
    async def start(cls, dut, stalls=None):
        self = await super().start(dut, stalls)
        dut.monitor_ask_valid.value = 0
        self.given, self.got = [0] * (LANE_BUFFER_BYTES // 4), bytearray(LANE_BUFFER_BYTES)
        cocotb.start_soon(self.serve_buffers())
        return self

    async def serve_buffers(self):
        dut = self.dut
        while True:
            await RisingEdge(dut.clk)
            if dut.lanes_sink_valid.value:
                at = 4 * int(dut.lanes_sink_payload_index.value)
                self.got[at : at + 4] = int(dut.lanes_sink_payload_data.value).to_bytes(4, "little")
            index = dut.lanes_sourceIndex.value
            dut.lanes_sourceData.value = self.given[int(index)] if index.is_resolvable else 0

    async def act(self, action, lane, length=0):
        dut = self.dut
        dut.lanes_action_payload_lane.value, dut.lanes_action_payload_action.value = lane, action
        dut.lanes_action_payload_length.value = length
        dut.lanes_action_valid.value = 1
        await self.cycles(1)
        dut.lanes_action_valid.value = 0
        await self.cycles(REPORT_CYCLES + 1)
        return SimpleNamespace(**{name: int(getattr(dut, f"lanes_report_{name}").value) for name in BITS + NUMBERS})

    async def load_of(self, queue):
        """What the monitor says of a queue."""
        dut = self.dut
        dut.monitor_ask_payload.value, dut.monitor_ask_valid.value = queue, 1
        await self.cycles(1)
        dut.monitor_ask_valid.value = 0
        for _ in range(100):
            if dut.monitor_report_valid.value:
                return SimpleNamespace(**{name: int(getattr(dut, f"monitor_report_payload_{name}").value) for name in LOAD})
            await self.cycles(1)
        raise AssertionError(f"no report of queue {queue}")

    async def look(self, lane):
        return await self.act(LANE_ACTION_LOOK, lane)

    async def until_lane(self, lane, good, most=20000):
        begin = self.cycle
        while not good(report := await self.look(lane)):
            assert self.cycle - begin < most, f"lane {lane} stays {report}"
        return report

    async def isolate_and_reset(self, lane):
        assert (await self.act(LANE_ACTION_ISOLATE, lane)).done
        await self.until_lane(lane, lambda report: report.idle)
        report = await self.act(LANE_ACTION_RESET, lane)
        assert report.done and report.fresh and not report.proven
        await self.cycles(20)  # while it settles

    def give(self, data):
        """What the next test reads."""
        self.given = [int.from_bytes(data[at : at + 4], "little") for at in range(0, LANE_BUFFER_BYTES, 4)]

    async def test_lane(self, lane, data):
        """Status and output of a test."""
        self.give(data)
        self.got = bytearray(random.randbytes(LANE_BUFFER_BYTES))
        report = await self.act(LANE_ACTION_TEST, lane, len(data) if lane in DECOMPRESSORS else random.getrandbits(12))
        assert report.done, report
        report = await self.until_lane(lane, lambda report: not report.testing)
        return report, bytes(self.got[: report.length])
