# SPDX-License-Identifier: Apache-2.0
"""submission_push: whatever is written to the windows, an entry comes out only if it is the queue's next one, and once."""
import itertools
import random

import cocotb
from cocotb.triggers import Timer

from pagepress_interface import *  # noqa: F403 (offsets of the window)
from runner import run
from stream_bench import Bench

QUEUES = 4
DWORDS = PUSH_ENTRY_BYTES // 4
NUMBERS = PUSH_BEGIN_NUMBER_MASK + 1


class Queue:
    """A queue as the block sees it, and the entries that are really in its ring, by number."""

    def __init__(self):
        self.sequence = random.choice((0, NUMBERS - 3, random.randrange(NUMBERS)))
        self.wants_then = [False, False]  # as in the queue pairs, `wants` lags two cycles
        self.begin()

    def begin(self):
        """A new life: the numbers may be the same, the entries are others."""
        self.enabled, self.failed, self.tail, self.entries, self.unsettled = True, False, self.sequence, {}, 0

    def entry(self, number):
        return self.entries.setdefault(number, [random.getrandbits(32) for _ in range(DWORDS)])

    def running(self):
        return self.enabled and not self.failed

    def step(self):
        self.wants_then = [self.running() and self.tail != self.sequence, *self.wants_then[:1]]
        self.unsettled = max(0, self.unsettled - 1)

    def take(self, count):
        assert self.running() and count <= (self.tail - self.sequence) % NUMBERS, "taken without a doorbell, or twice"
        self.sequence = (self.sequence + count) % NUMBERS


class Window:
    """What the interface says of the copy: (queue, dwords), the one that was begun last."""

    def __init__(self):
        self.queue, self.dwords = None, []

    def write(self, queue, offset, data):
        if offset == REGISTER_PUSH_BEGIN:
            self.queue, self.dwords = queue, [data]
        elif queue == self.queue and offset <= REGISTER_PUSH_END:
            self.dwords = [*self.dwords, data] if self.dwords and offset == 4 * len(self.dwords) else []

    def drop(self, queue):
        if queue == self.queue:
            self.dwords = []

    def whole(self):
        return len(self.dwords) == DWORDS + 2 and (self.dwords[0] ^ self.dwords[-1]) % NUMBERS == 0

    def number(self):
        return self.dwords[0] % NUMBERS


class Push:
    """The block, its window as it should be, and the queues."""

    def __init__(self, dut):
        self.dut, self.bench = dut, Bench(dut, [], [])
        self.queues, self.window = [Queue() for _ in range(QUEUES)], Window()
        self.used = self.due = 0
        dut.io_write_valid.value = dut.io_reserved_valid.value = dut.io_entry_ready.value = 0
        self.show()

    def show(self):
        dut = self.dut
        looked = self.queues[int(dut.io_look_queue.value)]
        dut.io_look_view_sequence.value, dut.io_look_view_settled.value = looked.sequence, int(not looked.unsettled)
        for name, is_so in (("enabled", lambda queue: queue.enabled), ("running", Queue.running), ("wants", lambda queue: queue.wants_then[-1])):
            getattr(dut, f"io_{name}").value = sum(is_so(queue) << index for index, queue in enumerate(self.queues))

    def reserve(self, queue, valid):
        self.dut.io_reserved_valid.value, self.dut.io_reserved_payload_queueIndex.value = int(valid), queue

    async def step(self, write=None, fetch=None, ready=True):
        """One cycle: a dword written (queue, offset, data), or entries taken by the fetcher (queue, count)."""
        dut, window = self.dut, self.window
        self.show()
        dut.io_write_valid.value = int(write is not None)
        if write:
            dut.io_write_payload_queueIndex.value, dut.io_write_payload_value_offset.value, dut.io_write_payload_value_data.value = write
        self.reserve(0, False)
        dut.io_entry_ready.value = int(ready and not fetch)
        dut.clk.value = 0
        await Timer(1, "ns")
        taken = None
        if dut.io_entry_valid.value == 1:
            index = int(dut.io_entry_payload_queueIndex.value)
            queue = self.queues[index]
            assert window.queue == index and window.whole() and window.number() == queue.sequence, "not the copy that was begun last"
            assert int(dut.io_entry_payload_bytes.value) == sum(
                dword << 32 * at for at, dword in enumerate(queue.entry(queue.sequence))), "another command than the ring's"
            if ready and not fetch:
                taken = (index, 1)
                self.used += 1
            self.due = 0
        else:
            queue = self.queues[window.queue or 0]
            self.due = self.due + 1 if (window.whole() and window.number() == queue.sequence and queue.wants_then[-1] and
                                        queue.running() and not queue.unsettled) else 0
            assert self.due < 3, "a copy that is due is not offered"
        for index, count in filter(None, (taken, fetch)):
            self.reserve(index, True)
            await Timer(1, "ns")
        for queue in self.queues:
            queue.step()
        for index, count in filter(None, (taken, fetch)):
            self.queues[index].take(count)
            window.drop(index)
        if fetch:
            self.queues[fetch[0]].unsettled = random.randint(1, 30)
        for index, queue in enumerate(self.queues):
            if not queue.enabled:
                window.drop(index)
        if write:
            window.write(*write)
        dut.clk.value = 1
        await Timer(1, "ns")
        self.bench.cycle += 1

    async def write_copy(self, index):
        """Push the next entry of queue `index`, a write a cycle."""
        for write in self.copy(index, "clean"):
            await self.step(write)

    def copy(self, index, kind):
        """The writes that push the next entry of queue `index`, or what `kind` makes of them. Every dword is of the entry
        that its copy's number says, as software that goes wrong would have it."""
        queue = self.queues[index]
        number = queue.tail
        if kind == "stale":
            number = (number + random.choice((-1, 1, -16, 1024))) % NUMBERS
        whole = [number, *queue.entry(number), number]
        cut = random.randrange(1, len(whole))
        if kind == "torn":
            other = (number + random.choice((-1, 1, 256))) % NUMBERS
            whole[cut:] = [other, *queue.entry(other), other][cut:]
        for end in (0, -1):
            whole[end] |= random.getrandbits(16) << 16  # bits of no meaning
        writes = list(enumerate(whole))
        if kind == "doubled":
            writes += writes
        elif kind == "short":
            del writes[cut:]
        elif kind == "headless":
            del writes[:cut]
        elif kind == "gap":
            del writes[min(cut, DWORDS)]
        elif kind == "swapped":
            at = random.randrange(len(writes) - 1)
            writes[at:at + 2] = writes[at + 1], writes[at]
        elif kind == "repeated":
            writes.insert(cut, writes[cut])
        writes += [(at, random.getrandbits(32)) for at in range(DWORDS + 2, PUSH_STRIDE // 4) if random.random() < 0.3]
        return [(index, 4 * at, dword) for at, dword in writes]


@cocotb.test()
async def random_writers(dut):
    push = Push(dut)
    await push.bench.reset()
    kinds = ("clean",) * 6 + ("doubled", "short", "headless", "gap", "swapped", "repeated", "stale", "torn")
    writers = {}  # queue → dwords still to write
    fetched = lives = 0
    for _ in range(6000):
        index = random.randrange(QUEUES)
        queue = push.queues[index]
        write = fetch = None
        if random.random() < 0.9 and writers:
            # Mostly one after the other, as under a lock; else two processors at once.
            writer = next(iter(writers)) if random.random() < 0.95 else random.choice(list(writers))
            write = writers[writer].pop(0)
            if not writers[writer]:
                del writers[writer]
                # Mostly the doorbell follows at once.
                done = push.queues[writer]
                if random.random() < 0.8 and done.running() and done.tail == done.sequence:
                    done.tail = (done.tail + 1) % NUMBERS
        what = random.random()
        if what < 0.10 and index not in writers and queue.running() and queue.tail == queue.sequence:
            writers[index] = push.copy(index, random.choice(kinds))
        elif what < 0.13 and queue.running() and queue.tail == queue.sequence and (index not in writers or random.random() < 0.1):
            count = random.choice((1, 1, 1, 3))
            queue.tail = (queue.tail + count) % NUMBERS
        elif what < 0.17 and queue.wants_then[-1] and queue.running() and queue.tail != queue.sequence:
            fetch = (index, random.randint(1, (queue.tail - queue.sequence) % NUMBERS))
            fetched += 1
        elif what < 0.18 and random.random() < 0.15:
            # Stopped by software, or by itself; what is being written to it goes on.
            queue.enabled, queue.failed = random.choice(((False, False), (True, True)))
        elif not queue.running() and what < 0.6:
            if queue.enabled:
                queue.enabled = False
            else:
                queue.sequence = (queue.sequence - random.choice((0, 0, 1))) % NUMBERS
                queue.begin()
                lives += 1
                # What was begun before may go on; nobody begins in this life to write what the last one's ring held.
                writes = writers.pop(index, [])
                if write and write[:2] == (index, REGISTER_PUSH_BEGIN):
                    write, writes = None, []
                begun = list(itertools.takewhile(lambda write: write[1] != REGISTER_PUSH_BEGIN, writes))
                writers |= {index: begun} if begun else {}
        await push.step(write, fetch, ready=random.random() < 0.8)
    assert push.used > 25 and fetched > 25 and lives > 5, (push.used, fetched, lives)


@cocotb.test()
async def next_life(dut):
    """A copy ends with its queue, though the next life's numbers are the same."""
    push = Push(dut)
    await push.bench.reset()
    for index, queue in enumerate(push.queues):
        await push.write_copy(index)
        queue.enabled = False
        await push.step()
        queue.begin()
        await push.step()
        queue.tail = (queue.tail + 1) % NUMBERS
        for _ in range(10):
            await push.step()
            assert dut.io_entry_valid.value == 0, "a copy of the life before"
        await push.step(fetch=(index, 1))


@cocotb.test()
async def a_lap_later(dut):
    """A copy ends when its entry is taken, though after a lap of the numbers an entry has the same one again."""
    push = Push(dut)
    await push.bench.reset()
    for index, queue in enumerate(push.queues):
        for fetched in random.sample((False, True), 2):
            await push.write_copy(index)
            queue.tail = (queue.tail + 1) % NUMBERS
            while not queue.wants_then[-1]:
                await push.step(ready=False)
            used = push.used
            await push.step(fetch=(index, 1) if fetched else None)
            while not fetched and push.used == used:
                await push.step()
            for _ in range(random.randint(0, 40)):
                await push.step()
            queue.sequence = queue.tail = (queue.sequence - 1) % NUMBERS
            queue.entries.clear()
            queue.tail = (queue.tail + 1) % NUMBERS
            for _ in range(40):
                await push.step()
                assert dut.io_entry_valid.value == 0, "a copy of the lap before"
            await push.step(fetch=(index, 1))


@cocotb.test()
async def latency(dut):
    """An entry is offered in the cycle in which its queue wants one, when its copy came in time, whatever the others' numbers are."""
    push = Push(dut)
    await push.bench.reset()
    for index in [*range(QUEUES)] * 6:
        queue = push.queues[index]
        await push.write_copy(index)
        await push.step()
        for _ in range(5):
            await push.step()
            assert dut.io_entry_valid.value == 0, "no doorbell"
        queue.tail = (queue.tail + 1) % NUMBERS
        used = push.used
        while not queue.wants_then[-1]:
            await push.step()
        await push.step()
        assert push.used == used + 1
        for _ in range(5):
            await push.step()
            assert dut.io_entry_valid.value == 0, "twice"


def test_submission_push():
    run("submission_push", module=__name__)
