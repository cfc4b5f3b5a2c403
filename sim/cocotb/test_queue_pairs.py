# SPDX-License-Identifier: Apache-2.0
"""queue_pairs: ring indices, accounts and phases of four queues against a plain model, under random events."""
import functools
import random

import cocotb
from cocotb.triggers import Timer

from exits import exits
from pagepress_interface import *  # noqa: F403
from runner import run
from stream_bench import Bench

WAITING_ENTRIES = 16
QUEUES = 4
VISITED = 5 * QUEUES + 6  # cycles after which each queue has been visited, and what follows is seen


class Pairs:
    """Drives the block's ports; every event lasts one cycle. Where a queue is not named it is `queue`."""

    ACCESSES = ("write", "submissionDoorbell", "completionDoorbell")
    EVENTS = ("reserve", "arrived", "claim", "written")

    def __init__(self, dut, queue=0):
        self.dut, self.bench, self.queue = dut, Bench(dut, [], []), queue
        self.exits = exits(dut)
        self.nothing()
        dut.io_cardEnabled.value, dut.io_cardStopped.value, dut.io_readOffset.value = 1, 0, 0

    @classmethod
    async def start(cls, dut, queue=None):
        """With a queue, drawn unless given; the others have nothing to do."""
        self = cls(dut, random.randrange(QUEUES) if queue is None else queue)
        await self.reset()
        return self

    async def reset(self):
        await self.bench.reset()
        while not self.dut.io_cleared.value:
            await self.bench.step()

    async def step(self, left=(), **pulses):
        """One cycle with these pulses: name=payload, or write=(offset, data), or (queue, payload) of any of them; `left`: how many
        commands of this queue stop waiting, or of which queues. An access names its queue in the cycle before, so it takes two."""
        dut = self.dut
        pulses = {name: payload if isinstance(payload, tuple) and name not in ("write",) else (self.queue, payload) for name, payload in pulses.items()}
        for name in self.ACCESSES:
            if name in pulses:
                dut.io_accessed.value = pulses[name][0]
                await self.bench.step()
        for name in (*self.ACCESSES, *self.EVENTS):
            getattr(dut, f"io_{name}_valid").value = int(name in pulses)
            if name not in pulses:
                continue
            queue, payload = pulses[name]
            if name == "write":
                dut.io_write_payload_offset.value, dut.io_write_payload_data.value = payload
            elif name in self.ACCESSES:
                getattr(dut, f"io_{name}_payload").value = payload
            else:
                getattr(dut, f"io_{name}_payload_queueIndex").value = queue
                getattr(dut, f"io_{name}_payload_value").value = int(payload)
        queues = [self.queue] * left if isinstance(left, int) else left
        for exit_, queue in zip(random.sample(self.exits, len(self.exits)), [*queues, *[None] * len(self.exits)]):
            getattr(dut, f"{exit_}_valid").value = int(queue is not None)
            getattr(dut, f"{exit_}_payload").value = random.randrange(QUEUES) if queue is None else queue
        await self.bench.step()
        self.nothing()

    def nothing(self):
        """Let nothing happen."""
        for name in (*(f"io_{name}" for name in (*self.ACCESSES, *self.EVENTS)), *self.exits):
            getattr(self.dut, f"{name}_valid").value = 0

    async def calm(self, cycles=VISITED):
        for _ in range(cycles):
            await self.bench.step()

    async def look(self, queue=None):
        """Have the views show a queue."""
        for name in ("fetch", "push", "completion"):
            getattr(self.dut, f"io_{name}_queue").value = self.queue if queue is None else queue
        await Timer(1, "ns")

    def of(self, name, queue=None):
        """A queue's bit of an output that has one for each."""
        return int(getattr(self.dut, f"io_{name}").value) >> (self.queue if queue is None else queue) & 1

    async def view(self, name, queue=None):
        await self.look(queue)
        return int(getattr(self.dut, f"io_{name}").value)

    async def active(self, queue=None):
        return bool(await self.read(REGISTER_QUEUE_STATUS, queue) & QUEUE_STATUS_ACTIVE_MASK)

    async def weight(self):
        return int(getattr(self.dut, f"io_weights_{self.queue}").value)

    async def enable(self, depth_log2, moderation=1 | 0xFFFF << 16, queue=None):
        queue = self.queue if queue is None else queue
        before, self.queue = self.queue, queue
        for offset, value in ((REGISTER_SUBMISSION_BASE_LOW, 0x1000), (REGISTER_SUBMISSION_BASE_HIGH, 7 + queue),
                              (REGISTER_COMPLETION_BASE_LOW, 0x2000), (REGISTER_COMPLETION_BASE_HIGH, 19 + queue),
                              (REGISTER_DEPTH_LOG2, depth_log2), (REGISTER_MODERATION, moderation)):
            await self.step(write=(offset, value))
        await self.step(write=(REGISTER_QUEUE_CONTROL, 1))
        for _ in range(VISITED):
            await self.bench.step()
            assert not self.of("interrupt"), "completions of a former life interrupt"
        self.queue = before

    async def complete(self):
        """A command, from its fetch to its completion in memory, and the visit that finds it."""
        await self.step(reserve=1)
        await self.step(arrived=False)
        await self.step(left=1, claim=False)
        await self.step(written=False)
        await self.calm(10)

    async def read(self, offset, queue=None):
        self.dut.io_accessed.value = self.queue if queue is None else queue
        self.dut.io_readOffset.value = offset
        await self.calm(3)
        return int(self.dut.io_readData.value)


class Life:
    """What plain counting knows of a queue since it was enabled; a ring index is a total modulo depth."""

    def __init__(self, depth):
        self.depth = depth
        self.looked = False
        self.submitted = self.reserved = self.arrived = self.left = self.claimed = self.written = self.taken = 0

    def room(self):
        return min(self.submitted - self.reserved, self.taken + self.depth - 1 - self.reserved, WAITING_ENTRIES - (self.reserved - self.left), 8)


@cocotb.test()
async def against_a_model(dut):
    """Software, fetcher, dispatcher and writer act at random on four queues at once; every output is what plain counting says."""
    pairs = Pairs(dut)
    await pairs.reset()
    for depths in ((1, 2, 3, 5), (5, 1, 2, 3), (3, 5, 10, 1)):
        lives = [Life(1 << depth_log2) for depth_log2 in depths]
        for queue, depth_log2 in enumerate(depths):
            await pairs.enable(depth_log2, queue=queue)
            assert await pairs.view("fetch_view_mask", queue) == lives[queue].depth - 1
            assert await pairs.view("fetch_view_base", queue) == 7 + queue << 32 | 0x1000
            assert await pairs.view("completion_view_base", queue) == 19 + queue << 32 | 0x2000
        for turn in range(900):
            pulses, leaves = {}, []
            for life, queue in ((lives[queue], queue) for queue in random.sample(range(QUEUES), QUEUES)):
                event = random.choice(("submit", "reserve", "arrive", "leave", "claim", "written", "take", "two"))
                access = not any(name in pulses for name in Pairs.ACCESSES)
                if event == "submit" and access and life.submitted < life.arrived + life.depth - 1:
                    # Software may reuse what was fetched, however few completions it has taken.
                    life.submitted = random.randint(life.submitted, life.arrived + life.depth - 1)
                    pulses["submissionDoorbell"] = (queue, life.submitted % life.depth)
                before = life.reserved, life.arrived, life.left, life.claimed
                if event in ("reserve", "two") and "reserve" not in pulses and (count := life.room()) > 0 and life.looked:
                    pulses["reserve"] = (queue, random.randint(1, count))
                    life.reserved += pulses["reserve"][1]
                if event in ("arrive", "two") and "arrived" not in pulses and life.arrived < before[0]:
                    pulses["arrived"] = (queue, False)
                    life.arrived += 1
                while event in ("leave", "two") and len(leaves) < len(pairs.exits) and life.left < before[1] and random.random() < 0.8:
                    leaves.append(queue)
                    life.left += 1
                if event in ("claim", "two") and "claim" not in pulses and life.claimed < before[2] and life.claimed - life.written < 8:
                    pulses["claim"] = (queue, False)
                    life.claimed += 1
                if event in ("written", "two") and "written" not in pulses and life.written < before[3]:
                    pulses["written"] = (queue, False)
                    life.written += 1
                if event == "take" and not any(name in pulses for name in Pairs.ACCESSES) and life.taken < life.claimed:
                    life.taken = random.randint(life.taken, life.claimed)
                    pulses["completionDoorbell"] = (queue, life.taken % life.depth)
            await pairs.step(left=leaves, **pulses)
            await pairs.step()
            await pairs.step()
            for queue, life in enumerate(lives):
                await pairs.look(queue)
                assert int(dut.io_fetch_view_tail.value) == life.submitted % life.depth
                assert int(dut.io_fetch_view_issued.value) == life.reserved % life.depth
                assert int(dut.io_push_view_sequence.value) == life.reserved
                assert int(dut.io_fetch_view_completionHead.value) == life.taken % life.depth
                assert int(dut.io_fetch_view_waiting.value) == life.reserved - life.left
                assert int(dut.io_completion_view_submissionHead.value) == life.arrived % life.depth
                assert int(dut.io_completion_view_tail.value) == life.claimed % life.depth
                assert int(dut.io_completion_view_phase.value) == 1 - life.claimed // life.depth % 2, "phase"
                life.looked = True
            assert dut.io_errors.value == 0
            assert int(dut.io_working.value) == any(life.written < life.reserved for life in lives)
            if turn % 4 == 0:
                await pairs.calm()
                for queue, life in enumerate(lives):
                    assert pairs.of("wants", queue) == (life.room() > 0), "wants"
                    await pairs.look(queue)
                    await pairs.calm(1)
                    assert int(dut.io_push_view_settled.value) == (life.reserved == life.arrived)
                    # Moderation of one: the level means that a completion in memory waits.
                    assert pairs.of("interrupt", queue) == (life.written > life.taken), "interrupt"
        for queue, life in enumerate(lives):
            pairs.queue = queue
            await pairs.step(write=(REGISTER_QUEUE_CONTROL, 0))
            await pairs.step()
            while life.written < life.reserved:
                assert await pairs.active(), "inactive with commands in flight"
                await pairs.step(write=(REGISTER_QUEUE_CONTROL, 1))
                await pairs.step()
                assert not pairs.of("enabled"), "enabled while it drains"
                if life.arrived < life.reserved:
                    life.arrived += 1
                    await pairs.step(arrived=False)
                elif life.left < life.arrived:
                    life.left += 1
                    await pairs.step(left=1)
                elif life.claimed < life.left:
                    life.claimed += 1
                    await pairs.step(claim=False)
                else:
                    life.written += 1
                    await pairs.step(written=False)
                await pairs.step()
            assert not await pairs.active() and not pairs.of("wants")
        await pairs.calm(4 * VISITED)
        assert not dut.io_active.value and not dut.io_working.value and not dut.io_busy.value


def of_each_queue(body):
    """A cocotb test that runs `body(pairs)` on every queue, from a reset."""
    @functools.wraps(body)
    async def test(dut):
        for queue in range(QUEUES):
            await body(await Pairs.start(dut, queue))
    return test


@cocotb.test()
@of_each_queue
async def errors(pairs):
    """Each error stops the queue with its cause; what still comes is accounted for, and the next life is clean."""
    dut = pairs.dut

    async def status():
        value = await pairs.read(REGISTER_QUEUE_STATUS)
        return bool(value & QUEUE_STATUS_ERROR_MASK), value >> QUEUE_STATUS_CAUSE_SHIFT

    await pairs.enable(3)
    await pairs.step(submissionDoorbell=5)
    await pairs.step(reserve=5)
    await pairs.step(arrived=False)
    await pairs.step(arrived=True)
    await pairs.step()
    assert pairs.of("fetchFailed") == 1 and not pairs.of("running")
    assert await status() == (True, FATAL_RING_FETCH)
    for _ in range(3):
        await pairs.step(arrived=True)
    await pairs.step(write=(REGISTER_QUEUE_CONTROL, 0))
    await pairs.step()
    assert await pairs.active(), "one good command is still in flight"
    await pairs.step(left=1)
    await pairs.step(claim=False)
    await pairs.step(written=True)
    await pairs.step()
    assert not await pairs.active() and await status() == (False, FATAL_NONE)
    for doorbell in ("submissionDoorbell", "completionDoorbell"):
        await pairs.step(**{doorbell: 0})
        assert await status() == (True, FATAL_DOORBELL_RANGE), "a queue that is not enabled has no doorbells"
        await pairs.step(write=(REGISTER_QUEUE_CONTROL, 0))
        await pairs.step()

    await pairs.enable(3)
    await pairs.step(submissionDoorbell=3)
    await pairs.step(reserve=3)
    for _ in range(3):
        await pairs.step(arrived=False, left=1)
    await pairs.step(claim=False)
    await pairs.step(written=True)
    await pairs.step()
    assert await pairs.view("completion_view_discard") == 1 and await status() == (True, FATAL_RING_COMPLETE)
    await pairs.step(claim=True)
    await pairs.step(claim=True)
    await pairs.step(write=(REGISTER_QUEUE_CONTROL, 0))
    await pairs.step()
    assert not await pairs.active()

    await pairs.enable(3)
    assert await pairs.view("completion_view_discard") == 0 and pairs.of("fetchFailed") == 0
    await pairs.step(submissionDoorbell=8)
    assert await status() == (True, FATAL_DOORBELL_RANGE)
    await pairs.step(submissionDoorbell=3)
    await pairs.calm()
    assert not pairs.of("wants")
    dut.io_cardEnabled.value = 0
    await pairs.calm()
    assert await status() == (False, FATAL_NONE) and not await pairs.active()


@cocotb.test()
@of_each_queue
async def depth_as_written(pairs):
    """Five bits are kept, and whatever does not fit them reads 31: 36 is not 4. Only depths of the card start a queue."""
    dut = pairs.dut
    deepest = len(dut.io_fetch_view_mask)
    for value in (*range(33), 36, 63, 64 + 4, 1 << 16 | 4, 1 << 31 | 4, 0xFFFFFFFF):
        for written in (deepest, value):  # from a good one
            await pairs.step(write=(REGISTER_DEPTH_LOG2, written))
        assert await pairs.read(REGISTER_DEPTH_LOG2) == min(value, 31), value
        await pairs.enable(value)
        error = bool(await pairs.read(REGISTER_QUEUE_STATUS) & QUEUE_STATUS_ERROR_MASK)
        assert error == (not MIN_DEPTH_LOG2 <= value <= deepest), f"depth {value}"
        # A queue that is active keeps what it was set up with.
        await pairs.step(write=(REGISTER_DEPTH_LOG2, deepest))
        assert await pairs.read(REGISTER_DEPTH_LOG2) == min(value, 31)
        await pairs.step(write=(REGISTER_QUEUE_CONTROL, 0))
        await pairs.calm()


@cocotb.test()
@of_each_queue
async def set_up_reads_back(pairs):
    """Every bit of every register of the set-up, and that an active queue keeps it."""
    offsets = (REGISTER_SUBMISSION_BASE_LOW, REGISTER_SUBMISSION_BASE_HIGH, REGISTER_COMPLETION_BASE_LOW, REGISTER_COMPLETION_BASE_HIGH,
               REGISTER_MODERATION)
    values = {}
    for value in (*(random.getrandbits(32) for _ in range(4)), 0, 0xFFFFFFFF):
        values = {offset: value ^ random.choice((0, 0xFFFFFFFF)) for offset in offsets}
        for offset in random.sample(offsets, len(offsets)):
            await pairs.step(write=(offset, values[offset]))
        for offset in offsets:
            assert await pairs.read(offset) == values[offset], hex(offset)
    await pairs.step(write=(REGISTER_QUEUE_CONTROL, 1))
    for offset in offsets:
        await pairs.step(write=(offset, ~values[offset] & 0xFFFFFFFF))
        assert await pairs.read(offset) == values[offset], hex(offset)


@cocotb.test()
@of_each_queue
async def weight_as_written(pairs):
    """0 counts as 1 and what is too large as the largest, whether the queue is active or not; nothing but a reset brings back the default."""
    dut = pairs.dut
    assert await pairs.read(REGISTER_WEIGHT) == await pairs.weight() == DEFAULT_WEIGHT
    values = [*range(2 * MAX_WEIGHT + 4), *(1 << bit | random.choice((0, 1, MAX_WEIGHT)) for bit in range(32)), 0xFFFFFFFF]
    random.shuffle(values)
    active = False
    for value in values:
        if random.random() < 0.3:
            active = not active
            if active:
                await pairs.enable(3)
            else:
                await pairs.step(write=(REGISTER_QUEUE_CONTROL, 0))
                await pairs.calm()
        before = random.randint(1, MAX_WEIGHT)
        for written in (before, value):
            await pairs.step(write=(REGISTER_WEIGHT, written))
        expected = min(max(value, 1), MAX_WEIGHT)
        assert await pairs.read(REGISTER_WEIGHT) == await pairs.weight() == expected, value
        dut.io_cardEnabled.value = 0
        await pairs.step()
        dut.io_cardEnabled.value = 1
        active = False
        await pairs.calm()
        assert await pairs.read(REGISTER_WEIGHT) == expected
    await pairs.reset()
    assert await pairs.read(REGISTER_WEIGHT) == DEFAULT_WEIGHT


@cocotb.test()
@of_each_queue
async def moderation_as_written(pairs):
    """The interrupt waits for as many completions as MODERATION says, or for as long; the exact cycle is test_moderation's."""
    for count, units in ((1, 0xFFFF), (2, 0xFFFF), (5, 0xFFFF), (6, 20)):
        await pairs.enable(3, moderation=count << MODERATION_COUNT_SHIFT | units << MODERATION_CYCLES_SHIFT)
        await pairs.step(submissionDoorbell=7)
        await pairs.calm()
        for done in range(1, count + 1 if units == 0xFFFF else 2):
            assert not pairs.of("interrupt"), f"{done - 1} of {count}"
            await pairs.complete()
        if units != 0xFFFF:
            assert not pairs.of("interrupt"), "too young"
            await pairs.calm(16 * units + 20)
        assert pairs.of("interrupt"), f"{count} completions, {units} units"
        await pairs.step(write=(REGISTER_QUEUE_CONTROL, 0))
        await pairs.calm()
        assert not await pairs.active()


@cocotb.test()
@of_each_queue
async def doorbells_and_the_age(pairs):
    """A submission doorbell leaves level and age as they are; a completion doorbell acknowledges, though it takes nothing."""
    units, age = 20, 16 * 20
    for doorbell, acknowledges in (("submissionDoorbell", False), ("completionDoorbell", True)):
        await pairs.enable(3, moderation=6 << MODERATION_COUNT_SHIFT | units << MODERATION_CYCLES_SHIFT)
        await pairs.step(submissionDoorbell=1)
        await pairs.complete()
        index = 0 if acknowledges else 2
        await pairs.calm(age // 2)
        await pairs.step(**{doorbell: index})
        await pairs.calm(age // 2 + VISITED)
        assert pairs.of("interrupt") != acknowledges, f"{doorbell} at half of the age"
        await pairs.calm(age // 2)
        assert pairs.of("interrupt"), f"no interrupt behind {doorbell}"
        await pairs.step(**{doorbell: index})
        for _ in range(VISITED):
            await pairs.step()
            assert acknowledges or pairs.of("interrupt"), "a level falls without an acknowledgement"
        assert pairs.of("interrupt") != acknowledges, f"{doorbell} while the level is high"
        await pairs.step(write=(REGISTER_QUEUE_CONTROL, 0))
        await pairs.calm()
        assert not pairs.of("errors")


@cocotb.test()
@of_each_queue
async def first_cause_stays(pairs):
    """What goes wrong later does not hide what went wrong first."""

    async def fetch_fails():
        await pairs.step(arrived=True)

    async def completion_fails():
        await pairs.step(claim=False)
        await pairs.step(written=True)

    async def bad_doorbell():
        await pairs.step(submissionDoorbell=99)

    causes = {fetch_fails: FATAL_RING_FETCH, completion_fails: FATAL_RING_COMPLETE, bad_doorbell: FATAL_DOORBELL_RANGE}
    for _ in range(6):
        await pairs.enable(3)
        await pairs.step(submissionDoorbell=5)
        await pairs.step(reserve=5)
        for _ in range(2):
            await pairs.step(arrived=False, left=1)
        order = random.sample(list(causes), 3)
        for happens in order:
            await happens()
            await pairs.calm()
            found = await pairs.read(REGISTER_QUEUE_STATUS)
            assert found >> QUEUE_STATUS_CAUSE_SHIFT == causes[order[0]], [one.__name__ for one in order]
        # Two came well, three have not come or were dropped; one was written.
        await pairs.step(write=(REGISTER_QUEUE_CONTROL, 0))
        for _ in range(2):
            assert await pairs.active()
            await pairs.step(arrived=True)
        await pairs.step(claim=False)
        await pairs.step(written=False)
        await pairs.calm()
        assert not await pairs.active()


@cocotb.test()
async def deepest_ring(dut):
    """Twice around the deepest ring there is; it holds one entry less than it has places."""
    pairs = await Pairs.start(dut)
    depth = 1 << len(dut.io_fetch_view_mask)
    await pairs.enable(len(dut.io_fetch_view_mask))
    done = taken = 0

    async def command():
        await pairs.step(reserve=1)
        await pairs.step(arrived=False)
        await pairs.step(left=1, claim=False)
        await pairs.step(written=False)

    for limit in (depth - 1, 2 * depth + 5):
        while done < limit:
            submitted = min(limit, done + random.randint(1, depth - 1), taken + depth - 1)
            await pairs.step(submissionDoorbell=submitted % depth)
            while done < submitted:
                await command()
                done += 1
            await pairs.calm(2)
            assert await pairs.view("completion_view_tail") == await pairs.view("fetch_view_issued") == done % depth
            assert await pairs.view("completion_view_phase") == 1 - done // depth % 2, f"phase behind {done} completions"
            if done < depth - 1:
                continue  # software takes nothing until its ring is full
            if done == depth - 1:
                await pairs.step(submissionDoorbell=0)  # one more, for which there is no completion entry
                await pairs.calm()
                assert not pairs.of("wants"), "a ring of n entries was given n"
            taken = done
            await pairs.step(completionDoorbell=taken % depth)
            await pairs.calm()
            assert not pairs.of("errors")
    assert await pairs.active()


@cocotb.test()
async def numbers_of_pushed_entries(dut):
    """The number that a pushed copy must bear counts the entries whose fetch has begun, modulo 65536 and nothing less."""
    pairs = await Pairs.start(dut)
    await pairs.enable(3)
    await pairs.look()
    begun, numbers = 0, PUSH_BEGIN_NUMBER_MASK + 1
    while begun < numbers + 100:
        count = random.randint(1, 8)
        await pairs.step(reserve=count)
        begun += count
        if begun & begun - 1 < 8 or random.random() < 0.01:  # right behind a power of two, and now and then
            await pairs.step()
            assert int(dut.io_push_view_sequence.value) == begun % numbers, f"behind {begun} entries"


@cocotb.test()
async def acknowledged_before_written(dut):
    """Software sees completions in the ring, and takes them, before the bus has answered for them: more commands are in flight than the
    ring has places, and ACTIVE covers them all."""
    pairs = await Pairs.start(dut)
    depth = 1 << len(dut.io_fetch_view_mask)
    unwritten = 8  # that the completion writer remembers
    await pairs.enable(len(dut.io_fetch_view_mask))

    async def begin():
        await pairs.step(reserve=1)
        await pairs.step(arrived=False)
        await pairs.step(left=1)

    await pairs.step(submissionDoorbell=depth - 1)
    for _ in range(depth - 1):
        await begin()
    for early in range(1, unwritten + 1):
        await pairs.step(claim=False)
        await pairs.calm()
        await pairs.step(completionDoorbell=early % depth)
        await pairs.calm()
        await pairs.step(submissionDoorbell=(depth - 1 + early) % depth)
        await begin()
        assert dut.io_working.value == 1 and not pairs.of("errors"), f"{early} acknowledged"
    await pairs.step(write=(REGISTER_QUEUE_CONTROL, 0))
    for done in range(depth - 1 + unwritten):
        await pairs.step()
        assert await pairs.active(), f"inactive with {depth - 1 + unwritten - done} in flight"
        if done >= unwritten:
            await pairs.step(claim=False)
        await pairs.step(written=False)
    await pairs.step()
    assert not await pairs.active()


def test_queue_pairs():
    run("queue_pairs", module=__name__)
