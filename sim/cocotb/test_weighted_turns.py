# SPDX-License-Identifier: Apache-2.0
"""weighted_turns: queues take turns as the reference has it, in any mixture of weights, comings and goings, and none waits for long."""
import random

import cocotb
from cocotb.triggers import Timer

from pagepress_interface import MAX_WEIGHT
from runner import run
from weighted_turns import WIDEST_SHARE, WeightedTurns, longest_wait, longest_wait_ever, widest_share

QUEUES = 4
ALL = (1 << QUEUES) - 1
MOST_IDLE = 2  # cycles in which nobody is chosen though one waits


class Turns:
    """The block, and who takes what is chosen; `waiting` counts each queue's commands."""

    @classmethod
    async def start(cls, dut, weights):
        self = cls()
        self.dut, self.waiting, self.order, self.taken = dut, [0] * QUEUES, [], None
        self.idle, self.passed = 0, [0] * QUEUES
        self.enabled = ALL
        self.weigh(weights)
        dut.io_waiting.value = dut.io_take.value = 0
        dut.reset.value = 1
        await self.clock()
        await self.clock()
        dut.reset.value = 0
        return self

    def weigh(self, weights):
        self.weights = list(weights)
        for queue, weight in enumerate(weights):
            getattr(self.dut, f"io_weights_{queue}").value = weight

    async def clock(self):
        self.dut.clk.value = 0
        await Timer(1, "ns")
        self.dut.clk.value = 1
        await Timer(1, "ns")

    async def step(self, room=True):
        """A cycle; returns the queue that was taken, if any. A queue that has become empty says so a cycle late."""
        dut = self.dut
        seen = [count > 0 or self.taken == queue for queue, count in enumerate(self.waiting)]
        dut.io_waiting.value = sum(there << queue for queue, there in enumerate(seen))
        dut.io_enabled.value = self.enabled
        dut.clk.value = 0
        await Timer(1, "ns")
        chosen = int(dut.io_chosen.value)
        assert chosen & (chosen - 1) == 0, f"{chosen:04b} is chosen"
        queue = chosen.bit_length() - 1 if chosen else None
        assert queue is None or seen[queue], f"queue {queue} does not wait"
        takes = queue is not None and self.taken is None and room
        dut.io_take.value = int(takes)
        await Timer(1, "ns")
        dut.clk.value = 1
        await Timer(1, "ns")
        self.idle = self.idle + 1 if any(self.waiting) and queue is None else 0
        assert self.idle <= MOST_IDLE, "nobody has a turn, and one waits"
        for other in range(QUEUES):
            self.passed[other] = 0 if other == queue or not self.waiting[other] else self.passed[other] + bool(takes and self.enabled >> queue & 1)
        self.taken = queue if takes else None
        if takes:
            self.waiting[queue] -= 1
            self.order.append(queue)
        return self.taken


def weights_of_any_kind():
    return random.choice(([random.randint(1, MAX_WEIGHT) for _ in range(QUEUES)], [random.randint(1, 3) for _ in range(QUEUES)],
                          [random.choice((1, MAX_WEIGHT)) for _ in range(QUEUES)]))


@cocotb.test()
async def as_the_reference(dut):
    """While no queue's last command is taken the order is the reference's, and so are shares and waits."""
    for _ in range(30):
        weights, waits = weights_of_any_kind(), random.randint(1, ALL)
        turns, reference = await Turns.start(dut, weights), WeightedTurns(QUEUES)
        turns.waiting = [10000 * (waits >> queue & 1) for queue in range(QUEUES)]
        saturated = {queue for queue in range(QUEUES) if turns.waiting[queue]}
        for _ in range(400):
            await turns.step(random.random() < 0.8)
            assert all(turns.passed[queue] <= longest_wait(weights, queue) for queue in saturated)
        assert turns.order == [reference.take(saturated, weights) for _ in turns.order]
        assert len(turns.order) > 80
        for first in saturated:
            for second in saturated - {first}:
                assert widest_share(turns.order, weights, first, second) <= WIDEST_SHARE


@cocotb.test()
async def nobody_waits_for_long(dut):
    """Commands come and go, weights change at any moment: a queue that waits has its turn after so many others at most."""
    turns = await Turns.start(dut, weights_of_any_kind())
    most = 0
    for _ in range(6000):
        if random.random() < 0.1:
            turns.weigh(weights_of_any_kind())
        for queue in range(QUEUES):
            if random.random() < 0.3:
                turns.waiting[queue] = min(16, turns.waiting[queue] + random.choice((1, 1, 8)))
        await turns.step(random.random() < 0.9)
        most = max(most, *turns.passed)
        assert most <= longest_wait_ever(QUEUES)
    assert most > QUEUES


@cocotb.test()
async def idle_queues_cost_nothing(dut):
    """A queue alone has its turn in the cycle after it asks, in every second or third one while it goes on, whatever it or the others weigh."""
    turns = await Turns.start(dut, weights_of_any_kind())
    for _ in range(50):
        turns.weigh(weights_of_any_kind())
        for _ in range(4):
            await turns.step()
        queue = random.randrange(QUEUES)
        turns.waiting[queue] = 1
        assert await turns.step() == queue, "a command that is alone waits"
        turns.waiting[queue] = 60
        before = len(turns.order)
        for _ in range(100):
            await turns.step()
        assert len(turns.order) - before >= 49
        turns.waiting[queue] = 0


@cocotb.test()
async def disabled_queues_are_emptied(dut):
    """Commands of a queue that is not enabled go in any round: within as many turns as there are other queues, and then all at once."""
    turns = await Turns.start(dut, [MAX_WEIGHT] * QUEUES)
    for _ in range(20):
        turns.waiting = [10000] * QUEUES
        for _ in range(random.randint(1, 80)):
            await turns.step()
        leaver = random.randrange(QUEUES)
        turns.enabled, turns.waiting[leaver] = ALL & ~(1 << leaver), 16
        others = 0
        while turns.waiting[leaver]:
            taken = await turns.step()
            others += taken not in (None, leaver)
        assert others < QUEUES, f"{others} others before the last command of queue {leaver}"
        turns.enabled = ALL


def test_weighted_turns():
    run("weighted_turns", module=__name__)
