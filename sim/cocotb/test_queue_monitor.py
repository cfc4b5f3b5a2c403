# SPDX-License-Identifier: Apache-2.0
"""queue_monitor: three queues whose depth and waiting change by lot; commands counted exactly, the sums as every sample says, peaks since they were last told,
and each question answered once and soon."""
import random

import cocotb

from exits import exits
from pagepress_management import *  # noqa: F403
from runner import run
from stream_bench import Bench

QUEUES, ROUND = 3, 16
NAMES = ("cycles", "depth", "depthPeak", "commands", "depthCycles", "waitingCycles")


class Monitor:
    def __init__(self, dut):
        self.dut, self.bench = dut, Bench(dut, [], [])
        self.loads = [(0, 0)] * QUEUES
        self.cycle = 0
        self.commands = [0] * QUEUES
        self.sums = [[0, 0] for _ in range(QUEUES)]  # of each cycle
        dut.clk.value = 0
        self.set(ask_valid=0, ask_payload=0)  # it has no reset: what it counts outlives those of the core
        self.exits = exits(dut)
        for exit_ in self.exits:
            getattr(dut, f"{exit_}_valid").value = 0

    def set(self, **inputs):
        for name, value in inputs.items():
            getattr(self.dut, f"io_{name}").value = value

    def show(self):
        """What the queue pairs show of the queue that is looked at; of one that there is not, anything."""
        queue = int(self.dut.io_look_queue.value)
        depth, waiting = self.loads[queue] if queue < QUEUES else (random.getrandbits(10), random.getrandbits(11))
        self.set(look_view_depth=depth, look_view_waiting=waiting)

    async def step(self, leaving=False):
        self.show()
        for exit_ in self.exits:
            queue, left = random.randrange(QUEUES), leaving and random.random() < 0.7
            getattr(self.dut, f"{exit_}_valid").value, getattr(self.dut, f"{exit_}_payload").value = int(left), queue
            self.commands[queue] += bool(left)
        for queue in range(QUEUES):
            for sum_, value in enumerate(self.loads[queue]):
                self.sums[queue][sum_] += value
        await self.bench.step()
        self.cycle += 1

    async def ask(self, queue, leaving=False):
        self.set(ask_valid=1, ask_payload=queue)
        await self.step(leaving)
        self.set(ask_valid=0, ask_payload=random.getrandbits(6))
        reports = []
        for _ in range(2 * ROUND):
            assert int(self.dut.io_busy.value) == (not reports)
            if int(self.dut.io_report_valid.value):
                reports.append({name: int(getattr(self.dut, f"io_report_payload_{name}").value) for name in NAMES})
            await self.step(leaving)
        assert len(reports) == 1, f"queue {queue}: {len(reports)} reports"
        return reports[0]


@cocotb.test()
async def accounts(dut):
    monitor = Monitor(dut)
    for queue in range(QUEUES):
        report = await monitor.ask(queue)
        assert [report[name] for name in NAMES[1:]] == [0] * 5, "at power-on"
    for turn in range(40):
        monitor.loads = [(depth := random.choice((0, 1, 5, random.randrange(1024))), random.randint(0, depth)) for _ in range(QUEUES)]
        for _ in range(random.randrange(1, 30) * ROUND):
            await monitor.step(leaving=turn % 3)
        for _ in range(2 * ROUND):
            await monitor.step()
        for queue in random.sample(range(QUEUES), QUEUES):
            report = await monitor.ask(queue)
            assert report["commands"] == monitor.commands[queue], queue
            assert report["depth"] == monitor.loads[queue][0]
            for name, exact in zip(("depthCycles", "waitingCycles"), monitor.sums[queue]):
                # A sample stands for a round; each change of the load is seen a round late or early at most.
                assert abs(report[name] - exact) <= 1024 * ROUND * (turn + 4), f"queue {queue}: {name} is {report[name]}, not about {exact}"
    assert monitor.sums[0][0] > 100 * 1024 * ROUND, "enough to tell"


@cocotb.test()
async def steady(dut):
    """With a load that stays, sums grow by exactly that in each cycle."""
    monitor = Monitor(dut)
    monitor.loads = [(7, 3), (1023, 1023), (1, 0)]
    for _ in range(3 * ROUND):
        await monitor.step()
    for queue, (depth, waiting) in enumerate(monitor.loads):
        before, cycle = await monitor.ask(queue), monitor.cycle
        for _ in range(random.randrange(50) * ROUND):
            await monitor.step()
        after = await monitor.ask(queue)
        rounds, rest = divmod(after["cycles"] - before["cycles"], ROUND)
        assert not rest and cycle and after["depthCycles"] - before["depthCycles"] == rounds * ROUND * depth
        assert after["waitingCycles"] - before["waitingCycles"] == rounds * ROUND * waiting


@cocotb.test()
async def peaks(dut):
    """The most that any sample found since it was last told, and no more of it afterwards."""
    monitor = Monitor(dut)
    for _ in range(2 * ROUND):
        await monitor.step()
    for queue in range(QUEUES):  # what the tests before left
        await monitor.ask(queue)
    low = [0] * QUEUES
    for _ in range(20):
        before = low
        high = [random.randrange(1024) for _ in range(QUEUES)]
        low = [random.randint(0, value) for value in high]
        for loads in (low, high, low):
            monitor.loads = [(value, 0) for value in loads]
            for _ in range(2 * ROUND):
                await monitor.step()
        for queue in range(QUEUES):
            assert (await monitor.ask(queue))["depthPeak"] == max(high[queue], before[queue])
            assert (await monitor.ask(queue))["depthPeak"] == low[queue], "told once"


@cocotb.test()
async def strangers(dut):
    monitor = Monitor(dut)
    monitor.loads = [(9, 9)] * QUEUES
    for queue in (QUEUES, QUEUE_COUNT - 1):
        assert not any((await monitor.ask(queue, leaving=True)).values())


def test_queue_monitor():
    run("queue_monitor", module=__name__)
