# SPDX-License-Identifier: Apache-2.0
"""core: queues share the engines by their weights, whatever stalls, while weights change and while queues come and go."""
import random

import cocotb

import lzo
from sampled import sampled
from core_bench import QUIET, CoreBench
from core_checks import check
from crc32c import crc32c
from pagepress_interface import *  # noqa: F403 (registers, statuses, entries)
from runner import run
from weighted_turns import WIDEST_SHARE, longest_wait_ever, widest_share

QUEUES = 4
DEPTH_LOG2 = sampled(5, 4)  # what the rings hold at the end is done as well: half of the time
AHEAD = 6  # commands of a kind that have had their turn and are not completed: two before the engine, four in it


class Load:
    """Every queue always has commands of one kind in its ring, until `stop`. There is one engine of that kind, so completions
    are in the order of turns."""

    def __init__(self, bench, rings, compress):
        self.bench, self.rings, self.compress = bench, {ring.index: ring for ring in rings}, compress
        self.pages = lzo.sample_pages(6, random.getrandbits(32))
        self.order = []  # (queue, queues that waited all the time since the completion before)
        self.fetched, self.completed = dict.fromkeys(self.rings, 0), dict.fromkeys(self.rings, 0)
        self.waiting = set()
        self.resting, self.going = set(), True
        self.read, self.write = bench.memory.read, bench.memory.write
        bench.memory.read, bench.memory.write = self.see_read, self.see_write
        self.tasks = [cocotb.start_soon(self.feed(ring)) for ring in rings]

    async def see_read(self, address, size):
        for index, ring in self.rings.items():
            if 0 <= address - ring.submission < ring.depth * SUBMISSION_ENTRY_BYTES and (address + size) % SUBMISSION_ENTRY_BYTES == 0:
                self.fetched[index] += 1
        return await self.read(address, size)

    async def see_write(self, address, data):
        for index, ring in self.rings.items():
            at = address - ring.completion
            if 0 <= at < ring.depth * COMPLETION_ENTRY_BYTES and at % COMPLETION_ENTRY_BYTES == 0:
                self.completed[index] += 1
                self.order.append((index, frozenset(self.waiting)))
                self.waiting = {queue for queue in self.rings if queue not in self.resting and self.fetched[queue] - self.completed[queue] > AHEAD + 1}
        return await self.write(address, data)

    def job(self):
        page = random.choice(self.pages)
        if self.compress:
            return self.bench.compress(page)
        return self.bench.decompress(lzo.compress(page, "lzo1x_1"), page, crc=crc32c(page))

    async def feed(self, ring):
        done = []
        while self.going or ring.open:
            if ring.index not in self.resting:
                count = ring.room() if self.going else 0
                if count > ring.depth // 4:
                    await ring.submit([self.job() for _ in range(count)])
                for job in ring.poll():
                    done.append(job)
                if done:
                    await ring.acknowledge()
                    for job in done:
                        check(self.bench, job)
                    done.clear()
            await self.bench.cycles(random.randint(1, 400))

    async def until(self, completions, most=3000):
        """Until there are so many more; returns where in `order` that began."""
        begin, cycle = len(self.order), self.bench.cycle
        while len(self.order) < begin + completions:
            assert self.bench.cycle - cycle < most * completions, f"{len(self.order) - begin} of {completions} completions"
            await self.bench.cycles(50)
        return begin

    async def stop(self):
        self.going = False
        for task in self.tasks:
            await task
        self.bench.memory.read, self.bench.memory.write = self.read, self.write

    def check_shares(self, weights, begin):
        """From `begin` on, in each window in which both of two queues always waited."""
        measured = 0
        for first in self.rings:
            for second in self.rings:
                window = []
                for queue, waited in [*self.order[begin:], (None, frozenset())]:
                    if second < first and {first, second} <= waited:
                        window.append(queue)
                        continue
                    wide = widest_share(window, weights, first, second)
                    assert wide <= WIDEST_SHARE, f"queues {first} and {second} of weights {weights}: {wide}"
                    measured = max(measured, len(window))
                    window = []
        assert measured > 0.8 * (len(self.order) - begin), f"never more than {measured} of {len(self.order) - begin} completions had queues waiting"


async def weigh(rings, weights):
    for ring, weight in zip(rings, weights):
        await ring.write(REGISTER_WEIGHT, weight)


async def begin(dut, weights, stalls):
    """A card with a load on all queues that has all of them waiting."""
    bench = await CoreBench.start(dut, stalls=0)
    await bench.enable()
    rings = [await bench.ring(index, DEPTH_LOG2, count=1 << DEPTH_LOG2, cycles=1000) for index in range(QUEUES)]
    await weigh(rings, weights)
    load = Load(bench, rings, random.random() < 0.5)
    while min(load.fetched.values()) < 16:
        await bench.cycles(20)
    bench.set_stalls(stalls)
    await load.until(AHEAD)
    return bench, rings, load


def some_weights(most):
    weights = [random.randint(1, most) for _ in range(QUEUES)]
    return weights if len(set(weights)) > 1 else [1, 2, 3, most]


@cocotb.test()
async def shares_follow_weights(dut):
    """All queues full, streams stall: of two queues none is ahead of its weight by more than two of its turns."""
    weights = random.choice(sampled((some_weights(5), [1, 1, 2, MAX_WEIGHT], [4, 1, 1, 2]), (some_weights(3), [4, 1, 1, 2])))
    bench, _, load = await begin(dut, weights, random.choice((0, 0.1, 0.4)))
    start = await load.until(sampled(6, 3) * sum(weights))
    load.check_shares(weights, start)
    await load.stop()
    bench.finish()


@cocotb.test()
async def weights_change_under_way(dut):
    """Weights change at any moment: no queue waits for longer than it may, nothing is lost, and the last ones count from the end of the cycle."""
    bench, rings, load = await begin(dut, some_weights(3), random.choice((0, 0.2)))
    for _ in range(sampled(12, 3)):
        ring = random.choice(rings)
        await ring.write(REGISTER_WEIGHT, random.choice((0, 1, 2, 3, 5, *sampled((MAX_WEIGHT, MAX_WEIGHT + 1, 0xFFFFFFFF), ()))))
        await load.until(random.randint(1, 8))
    weights = some_weights(3)
    await weigh(rings, weights)
    # The rest of that cycle of turns, in which each queue has as many as the largest weight at most.
    await load.until(QUEUES * sampled(MAX_WEIGHT, 5) + AHEAD)
    start = await load.until(3 * sum(weights))
    load.check_shares(weights, start)
    for queue in range(QUEUES):
        gap = 0
        for other, waited in load.order:
            gap = gap + 1 if other != queue and queue in waited else 0
            assert gap <= longest_wait_ever(QUEUES)
    await load.stop()
    bench.finish()


@cocotb.test()
async def disabled_with_a_weight(dut):
    """A queue is disabled while all are full: its commands end soon, the others go on by their weights, and it comes back with its own."""
    weights = [1, 1, 1, 1]
    leaver = random.randrange(QUEUES)
    weights[leaver], weights[leaver - 1] = random.choice(sampled(((1, MAX_WEIGHT), (MAX_WEIGHT, 2), (3, 3)), ((1, 4), (4, 2), (3, 3))))
    bench, rings, load = await begin(dut, weights, random.choice((0, 0.2)))
    await load.until(random.randint(1, 20))
    ring = rings[leaver]
    load.resting.add(leaver)
    await bench.cycles(500) # its software rests as well
    jobs, before = dict(ring.open), len(load.order)
    await ring.disable()
    others = sum(queue != leaver for queue, _ in load.order[before:])
    assert others <= 3 * (AHEAD + QUEUES), f"{others} commands of others before the queue was inactive"
    ended = ring.poll()
    for job in ended:
        if job.completion.status == STATUS_ABORTED:
            bench.untouched(job)
        else:
            check(bench, job)
    assert any(job.completion.status == STATUS_ABORTED for job in ended) and len(ended) < len(jobs)
    begun = await load.until(2 * sum(weights))
    assert all(queue != leaver for queue, _ in load.order[begun:])
    load.check_shares(weights, begun)
    assert await ring.read(REGISTER_WEIGHT) == weights[leaver]
    await ring.enable(64, 1000)
    load.fetched[leaver] = load.completed[leaver] = 0
    load.resting.clear()
    while load.fetched[leaver] < 16:
        await bench.cycles(20)
    await load.until(AHEAD)
    begun = await load.until(3 * sum(weights))
    load.check_shares(weights, begun)
    await load.stop()
    await bench.disable()
    assert [await ring.read(REGISTER_WEIGHT) for ring in rings] == weights
    bench.finish()


def test_core_weights():
    run("core", module=__name__, environment=QUIET)
