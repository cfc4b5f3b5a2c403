# SPDX-License-Identifier: Apache-2.0
"""submission_fetch: entries of random rings come whole, in order, fairly, and never more than is reserved."""
import random

import cocotb

from pagepress_interface import RING_ALIGNMENT, SUBMISSION_ENTRY_BYTES
from runner import run
from stream_bench import Bench, Sink, Source

QUEUES, WIDTH, WAITING, MOST = 4, 16, 16, 8


class Ring:
    """A queue as the fetcher sees it, counted in totals."""

    def __init__(self, base):
        self.base, self.depth = base, 1 << random.randint(1, 6)
        self.ran = True  # a cycle ago
        self.pushes = False  # its entries come from software, none is fetched
        self.begin()

    def begin(self):
        """A life of the queue, with other entries."""
        self.entries = [random.randbytes(SUBMISSION_ENTRY_BYTES) for _ in range(self.depth)]
        self.tail = self.issued = self.left = self.head = 0
        self.running, self.failed = True, False
        self.expected, self.arrived, self.unusable, self.taken = [], 0, 0, 0

    def room(self):
        return min(self.tail - self.issued, self.head + self.depth - 1 - self.issued, WAITING - (self.issued - self.left))


class GivingWay(Sink):
    """Where entries are pushed as well: one that is offered gives way to a fetched one that is whole."""

    def at_edge(self, cycle):
        self.waiting = None
        return super().at_edge(cycle)


class Fetch:
    """The block with four rings around it; `latency` cycles between a job and its data."""

    def __init__(self, dut, entry=Sink):
        self.dut = dut
        self.job = Sink(dut, "io_job", ["address", "length"])
        self.data = Source(dut, "io_data", ["last", "fragment_data", "fragment_fault"])
        self.entry = entry(dut, "io_entry", ["queueIndex", "bytes"])
        self.pushed = Source(dut, "io_pushed", ["queueIndex", "bytes"])
        self.bench = Bench(dut, [self.data, self.pushed], [self.job, self.entry])
        self.rings = [Ring((1 + index) << 20) for index in range(QUEUES)]
        self.seen = self.jobs = 0
        self.faults = set()  # (queue, total index) whose beat fails
        dut.io_wants.value = dut.io_fetchFailed.value = 0
        self.show()

    def show(self):
        """What the queue pairs show of the queue that is looked at; `wants` lags as it does there."""
        dut = self.dut
        ring = self.rings[int(dut.io_look_queue.value)]
        for name, value in (("base", ring.base), ("mask", ring.depth - 1), ("tail", ring.tail % ring.depth),
                            ("issued", ring.issued % ring.depth), ("completionHead", ring.head % ring.depth),
                            ("waiting", ring.issued - ring.left), ("running", int(ring.running))):
            getattr(dut, f"io_look_view_{name}").value = value
        dut.io_wants.value = sum((ring.ran and not ring.pushes and ring.room() > 0) << index for index, ring in enumerate(self.rings))
        for ring in self.rings:
            ring.ran = ring.running
        dut.io_fetchFailed.value = sum(ring.failed << index for index, ring in enumerate(self.rings))

    async def step(self):
        dut = self.dut
        self.show()
        for port in self.bench.ports:
            port.before_edge()
        dut.clk.value = 0
        await cocotb.triggers.Timer(1, "ns")
        if any(ring.issued > ring.arrived + ring.unusable for ring in self.rings):
            assert dut.io_busy.value == 1, "not busy with entries on their way"
        if dut.io_reserve_valid.value == 1:
            index, count = int(dut.io_reserve_payload_queueIndex.value), int(dut.io_reserve_payload_value.value)
            ring = self.rings[index]
            assert 1 <= count <= min(MOST, ring.room()), f"{count} entries reserved, room for {ring.room()}"
            assert ring.running, "a stopped queue reserves"
            first = ring.issued % ring.depth
            assert first + count <= ring.depth, f"entries {first}+{count} wrap in a ring of {ring.depth}"
            if ring.pushes:
                assert count == 1
            else:
                ring.expected.append((first, count))
            ring.issued += count
        arrived = None
        if dut.io_arrived_valid.value == 1:
            arrived = self.rings[int(dut.io_arrived_payload_queueIndex.value)]
            unusable = bool(dut.io_arrived_payload_value.value)
        fired = [port.at_edge(self.bench.cycle) for port in self.bench.ports]
        dut.clk.value = 1
        await cocotb.triggers.Timer(1, "ns")
        for port, did in zip(self.bench.ports, fired):
            port.after_edge(did)
        self.bench.cycle += 1
        if arrived:
            arrived.failed |= unusable
            arrived.unusable += unusable
            arrived.arrived += not unusable
            arrived.left += unusable
        for job in self.job.received[self.jobs:]:
            self.serve(job)
        self.jobs = len(self.job.received)
        self.take()

    def serve(self, job):
        """Send what a job asked for, which must be what was just reserved."""
        index = (job["address"] >> 20) - 1
        ring = self.rings[index]
        first, count = ring.expected.pop(0)
        assert job["address"] == ring.base + first * SUBMISSION_ENTRY_BYTES
        assert job["length"] == count * SUBMISSION_ENTRY_BYTES
        assert job["address"] // RING_ALIGNMENT == (job["address"] + job["length"] - 1) // RING_ALIGNMENT
        data = b"".join(ring.entries[first:first + count])
        words = [data[at:at + WIDTH] for at in range(0, len(data), WIDTH)]
        faulted = False
        for at, word in enumerate(words):
            faulted |= (index, first + at * WIDTH // SUBMISSION_ENTRY_BYTES) in self.faults
            self.data.send(fragment_data=int.from_bytes(word, "little"), fragment_fault=int(faulted), last=int(at == len(words) - 1))

    def take(self):
        """Every entry is the next one of its ring."""
        for entry in self.entry.received[self.seen:]:
            ring = self.rings[entry["queueIndex"]]
            assert entry["bytes"].to_bytes(SUBMISSION_ENTRY_BYTES, "little") == ring.entries[ring.taken % ring.depth]
            ring.taken += 1
        self.seen = len(self.entry.received)


@cocotb.test()
async def random_rings(dut):
    fetch = Fetch(dut)
    await fetch.bench.reset()
    for stall in ((0, 0), (0.4, 0.2), (0, 0.6)):
        fetch.bench.stall(*stall)
        for _ in range(1500):
            ring = random.choice(fetch.rings)
            what = random.random()
            if what < 0.1 and ring.tail < ring.arrived + ring.depth - 1:
                ring.tail = random.randint(ring.tail, ring.arrived + ring.depth - 1)
            elif what < 0.4 and ring.left < ring.arrived:
                ring.left += 1
            elif what < 0.6 and ring.head < ring.left:
                ring.head = random.randint(ring.head, ring.left)
            await fetch.step()
    for ring in fetch.rings:
        ring.head = ring.left = ring.arrived
    for _ in range(6000):
        for ring in fetch.rings:
            ring.left = ring.arrived
        await fetch.step()
        if all(ring.room() <= 0 and ring.issued == ring.arrived for ring in fetch.rings):
            break
    for _ in range(20):
        await fetch.step()
    for ring in fetch.rings:
        assert ring.issued == ring.arrived == ring.taken and ring.issued > ring.depth and not ring.unusable
    assert dut.io_busy.value == 0


@cocotb.test()
async def turns(dut):
    """A queue with much work does not keep the others waiting: each is served within one round."""
    fetch = Fetch(dut)
    await fetch.bench.reset()
    for ring in fetch.rings:
        ring.depth, ring.tail = 64, 63
        ring.entries = [random.randbytes(SUBMISSION_ENTRY_BYTES) for _ in range(64)]
    while len(fetch.job.received) < 8:
        await fetch.step()
    order = [(job["address"] >> 20) - 1 for job in fetch.job.received[:8]]
    assert sorted(order[:4]) == sorted(order[4:]) == list(range(QUEUES))


@cocotb.test()
async def fault_stops_one_ring(dut):
    """From the failed entry on nothing of that ring is used, though more of it is on the way; the others go on."""
    fetch = Fetch(dut)
    await fetch.bench.reset()
    for ring in fetch.rings:
        ring.depth, ring.tail = 32, 30
        ring.entries = [random.randbytes(SUBMISSION_ENTRY_BYTES) for _ in range(32)]
    bad = random.randrange(1, 10)
    fetch.faults.add((2, bad))
    for _ in range(1500):
        for ring in fetch.rings:
            ring.left = ring.arrived + ring.unusable
            ring.running = not ring.failed
        await fetch.step()
    for index, ring in enumerate(fetch.rings):
        if index == 2:
            assert ring.arrived == ring.taken == bad and ring.unusable == ring.issued - bad
        else:
            assert ring.arrived == ring.taken == 30


@cocotb.test()
async def second_life(dut):
    """A queue that is disabled and enabled again around the fetcher's look at it: what it held before is never fetched in its new life."""
    fetch = Fetch(dut)
    await fetch.bench.reset()
    # Software's accesses come three cycles after another at least.
    swept = [(phase, low) for phase in range(14) for low in (3, 4, 5)]
    drawn = [(random.randrange(40), random.randint(3, 9)) for _ in range(60)]
    unfetched = 0
    for trial, (phase, low) in enumerate(swept + drawn):
        if trial == len(swept):
            fetch.bench.stall(0.3, 0.3)
        reborn, *others = random.sample(fetch.rings, QUEUES)
        reborn.tail = random.randint(1, reborn.depth - 1)
        for ring in others[:random.randrange(QUEUES)]:
            ring.tail = random.randint(ring.tail, ring.arrived + ring.depth - 1)
        for _ in range(phase):
            await fetch.step()
        reborn.running = False
        for _ in range(low):
            await fetch.step()
        unfetched += not reborn.issued
        while reborn.issued != reborn.arrived:
            await fetch.step()
        reborn.begin()
        for _ in range(8):
            await fetch.step()
        assert reborn.issued == 0
        reborn.tail = random.randint(1, reborn.depth - 1)
        for _ in range(3000):
            for ring in fetch.rings:
                ring.left = ring.head = ring.arrived
            await fetch.step()
            if all(ring.arrived == ring.tail for ring in fetch.rings):
                break
        assert reborn.taken == reborn.tail
        reborn.begin()
    assert unfetched > QUEUES, "each was fetched before it was disabled"


@cocotb.test()
async def pushed_entries(dut):
    """An entry that software has sent itself goes whole, between those that are fetched, and is reserved and reported as one."""
    fetch = Fetch(dut, entry=GivingWay)
    await fetch.bench.reset()
    pusher = fetch.rings[random.randrange(QUEUES)]
    pusher.pushes = True
    for stall in ((0, 0), (0.3, 0.4)):
        fetch.bench.stall(*stall)
        for _ in range(1000):
            for ring in fetch.rings:
                ring.left = ring.head = ring.arrived
                if random.random() < 0.1:
                    ring.tail = random.randint(ring.tail, ring.arrived + ring.depth - 1)
            if not fetch.pushed.queue and pusher.issued == pusher.arrived < pusher.tail:
                entry = pusher.entries[pusher.issued % pusher.depth]
                fetch.pushed.send(queueIndex=fetch.rings.index(pusher), bytes=int.from_bytes(entry, "little"))
            await fetch.step()
    assert all(ring.taken > 20 for ring in fetch.rings), [ring.taken for ring in fetch.rings]


def test_submission_fetch():
    run("submission_fetch", module=__name__)
