# SPDX-License-Identifier: Apache-2.0
"""moderation: a queue interrupts when as many completions wait, or when the oldest or the last acknowledgement is so old; both exactly, where
it is visited in every cycle."""
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer

from runner import run

PERIOD = 4  # nanoseconds of a cycle
UNIT = 16  # cycles of an age
NEVER = 0xFFFF  # as a limit of age: longer than any test
LATENCY = 2  # cycles from a limit reached to the level
QUEUES = 4
BLIND = 4  # cycles behind an acknowledgement for which a visit may not know of it, and says so


class Moderation:
    """Drives the block; one queue, drawn, is visited in every cycle, the others have nothing to do."""

    @classmethod
    async def start(cls, dut, count, cycles):
        self = cls()
        self.dut, self.cycle, self.queue = dut, 0, random.randrange(QUEUES)
        dut.io_begin_valid.value = dut.io_enabled.value = 0
        self.limits, self.waiting = [count, cycles], 0
        self.visits(False)
        Clock(dut.clk, PERIOD, "ns").start()
        dut.reset.value = 1
        await self.step(3)
        dut.reset.value = 0
        await self.change()
        return self

    @property
    def level(self):
        return bool(int(self.dut.io_level.value) >> self.queue & 1)

    def visits(self, valid=True):
        """Whether the queue is visited from now on, and what is found there."""
        dut = self.dut
        dut.io_visit_valid.value, dut.io_visit_payload_queueIndex.value, dut.io_visit_payload_waiting.value = int(valid), self.queue, self.waiting
        dut.io_visit_payload_count.value, dut.io_visit_payload_cycles.value = self.limits

    def find(self, waiting):
        self.waiting = waiting
        self.visits()

    async def step(self, count=1):
        for _ in range(count):
            await RisingEdge(self.dut.clk)
            self.cycle += 1

    async def begin(self):
        """An acknowledgement, or the queue is enabled; visits of some cycles do not know of it yet."""
        self.dut.io_begin_valid.value, self.dut.io_begin_payload.value = 1, self.queue
        await self.step()
        self.dut.io_begin_valid.value = 0

    async def change(self, count=None, cycles=None):
        """Another limit; as when a queue is set up anew."""
        self.dut.io_enabled.value = 0
        self.limits = [self.limits[0] if count is None else count, self.limits[1] if cycles is None else cycles]
        self.waiting = 0
        self.visits(False)
        await self.begin()
        self.dut.io_enabled.value = 1 << self.queue
        self.visits()
        await self.step(2 * BLIND)
        assert not self.level

    async def acknowledge(self, left):
        """Software takes all but `left`."""
        self.visits(random.random() < 0.5)
        await self.begin()
        self.visits(False)
        await self.step(random.randint(1, BLIND))
        assert not self.level, "the level stays behind an acknowledgement"
        self.find(left)

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
        bench.find(1)
        begin, more = bench.cycle, random.sample(range(1, UNIT * limit + 1), min(3, UNIT * limit))
        waiting = 1
        while not bench.level:
            await bench.step()
            passed = bench.cycle - begin
            if passed in more:
                waiting += 1
                bench.find(waiting)
            assert passed <= UNIT * limit + 10, f"no interrupt after {limit} units"
        # The edge at which the first is seen counts as none.
        assert bench.cycle - begin - 1 == UNIT * limit + LATENCY, f"{limit} units: {bench.cycle - begin - 1} cycles"


@cocotb.test()
async def longest_age(dut):
    """The longest limit there is, though what counts cycles may wrap meanwhile."""
    bench = await Moderation.start(dut, 1000, NEVER)
    for _ in range(2):
        bench.find(1)
        await Timer((UNIT * NEVER - 20) * PERIOD - PERIOD // 2, "ns")  # half a cycle before an edge
        passed = await bench.until_level(50)
        assert passed == 21 + LATENCY, f"{passed - 21 - LATENCY} cycles beyond it"
        await bench.acknowledge(0)
        await bench.step(2 * BLIND)


@cocotb.test()
async def by_age_of_the_last_acknowledgement(dut):
    """What came before the acknowledgement and was not taken is announced so long after it, not at once."""
    bench = await Moderation.start(dut, 1000, 5)
    bench.find(3)
    assert await bench.until_level(200) is not None
    for left in (2, 1, 2):
        await bench.step(random.randint(1, 50))
        await bench.begin()
        bench.find(left)
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
            bench.find(enough - 1)
            assert await bench.until_level(300) is None, f"{enough - 1} of {count} were enough"
        bench.find(enough)
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
    bench.find(5)
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
        bench.find(random.randint(1, 9))
        assert await bench.until_level(20) is not None
        dut.io_enabled.value = 0
        await bench.step(2)
        assert not bench.level
        await bench.step(random.randint(1, 30))
        await bench.change()
        assert await bench.until_level(50) is None


@cocotb.test()
async def each_by_its_own(dut):
    """Four queues in turn, with limits and completions of their own: each level comes at the visit that finds its limit reached, and says
    nothing of another's."""
    bench = await Moderation.start(dut, 1, 0)
    limits = [(random.randint(1, 5), random.choice((3, 6, 9, NEVER))) for _ in range(QUEUES)]
    waiting, since, due = [0] * QUEUES, [None] * QUEUES, [None] * QUEUES
    for bench.queue in range(QUEUES):
        dut.io_enabled.value = (1 << QUEUES) - 1
        bench.visits(False)
        await bench.begin()
    for visit in range(3000):
        queue = bench.queue = visit % QUEUES
        if random.random() < 0.02 and waiting[queue] < 9:
            waiting[queue] += 1
        bench.limits, bench.waiting = limits[queue], waiting[queue]
        acknowledges = random.random() < 0.01
        bench.visits()
        if waiting[queue] and since[queue] is None:
            since[queue] = bench.cycle
        if waiting[queue] and due[queue] is None and (waiting[queue] >= limits[queue][0] or bench.cycle - since[queue] >= UNIT * limits[queue][1]):
            due[queue] = bench.cycle
        await bench.step()
        levels = int(dut.io_level.value)
        for one in range(QUEUES):
            if due[one] is None or bench.cycle - due[one] != LATENCY:  # at that edge either is right
                assert levels >> one & 1 == (due[one] is not None and bench.cycle - due[one] > LATENCY), f"queue {one}"
        if acknowledges:
            bench.visits(False)
            await bench.begin()
            waiting[queue] = random.randint(0, waiting[queue])
            since[queue] = due[queue] = None
            await bench.step(2)


def test_moderation():
    run("moderation", module=__name__)
