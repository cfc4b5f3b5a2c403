# SPDX-License-Identifier: Apache-2.0
"""queue_pair: ring indices, accounts and phase against a plain model, under random events."""
import random

import cocotb

from pagepress_interface import *  # noqa: F403
from runner import run
from stream_bench import Bench

WAITING_ENTRIES = 16


class Pair:
    """Drives the block's ports; every event lasts one cycle."""

    PULSES = ("write", "submissionDoorbell", "completionDoorbell", "reserve", "arrived", "claim", "written")

    def __init__(self, dut):
        self.dut, self.bench = dut, Bench(dut, [], [])
        for name in self.PULSES:
            getattr(dut, f"io_{name}_valid").value = 0
        dut.io_cardEnabled.value, dut.io_cardStopped.value, dut.io_left.value, dut.io_readOffset.value = 1, 0, 0, 0

    async def step(self, left=0, **pulses):
        """One cycle with these pulses: name=payload, or write=(offset, data)."""
        dut = self.dut
        for name in self.PULSES:
            getattr(dut, f"io_{name}_valid").value = int(name in pulses)
            if name == "write" and name in pulses:
                dut.io_write_payload_offset.value, dut.io_write_payload_data.value = pulses[name]
            elif name in pulses:
                getattr(dut, f"io_{name}_payload").value = int(pulses[name])
        dut.io_left.value = left
        await self.bench.step()

    async def calm(self, cycles=6):
        for _ in range(cycles):
            await self.step()

    async def enable(self, depth_log2, moderation=1 | 0xFFFF << 16):
        for offset, value in ((REGISTER_SUBMISSION_BASE_LOW, 0x1000), (REGISTER_SUBMISSION_BASE_HIGH, 7),
                              (REGISTER_COMPLETION_BASE_LOW, 0x2000), (REGISTER_COMPLETION_BASE_HIGH, 9),
                              (REGISTER_DEPTH_LOG2, depth_log2), (REGISTER_MODERATION, moderation)):
            await self.step(write=(offset, value))
        await self.step()
        await self.step(write=(REGISTER_QUEUE_CONTROL, 1))
        for _ in range(12):
            await self.step()
            assert self.dut.io_interrupt.value == 0, "completions of a former life interrupt"

    async def read(self, offset):
        self.dut.io_readOffset.value = offset
        await self.calm(2)
        return int(self.dut.io_readData.value)


@cocotb.test()
async def against_a_model(dut):
    """Software, fetcher, dispatcher and writer act at random; every output is what plain counting says."""
    pair = Pair(dut)
    await pair.bench.reset()
    for depth_log2 in (1, 2, 3, 5):
        depth = 1 << depth_log2
        await pair.enable(depth_log2)
        assert int(dut.io_fetch_mask.value) == depth - 1 and int(dut.io_fetch_base.value) == 7 << 32 | 0x1000
        # Totals since the enable; a ring index is a total modulo depth.
        submitted = reserved = arrived = left = claimed = written = taken = 0
        for _ in range(600):
            pulses, leaves = {}, 0
            event = random.choice(("submit", "reserve", "arrive", "leave", "claim", "written", "take", "two"))
            if event == "submit" and submitted < arrived + depth - 1:
                # Software may reuse what was fetched, however few completions it has taken.
                submitted = random.randint(submitted, arrived + depth - 1)
                pulses["submissionDoorbell"] = submitted % depth
            elif event in ("reserve", "two"):
                count = min(submitted - reserved, taken + depth - 1 - reserved, WAITING_ENTRIES - (reserved - left), 8)
                await pair.calm(2)
                assert int(dut.io_wants.value) == int(count > 0), "wants"
                if count:
                    pulses["reserve"] = random.randint(1, count)
                    reserved += pulses["reserve"]
            if event in ("arrive", "two") and arrived < reserved - pulses.get("reserve", 0):
                pulses["arrived"] = False
                arrived += 1
            if event in ("leave", "two") and left < arrived - ("arrived" in pulses):
                leaves = 1
                left += 1
            if event in ("claim", "two") and claimed < left - leaves:
                pulses["claim"] = False
                claimed += 1
            if event in ("written", "two") and written < claimed - ("claim" in pulses):
                pulses["written"] = False
                written += 1
            if event == "take" and taken < claimed:
                taken = random.randint(taken, claimed)
                pulses["completionDoorbell"] = taken % depth
            await pair.step(left=leaves, **pulses)
            await pair.step()
            assert int(dut.io_fetch_tail.value) == submitted % depth
            assert int(dut.io_fetch_issued.value) == reserved % depth
            assert int(dut.io_fetch_completionHead.value) == taken % depth
            assert int(dut.io_fetch_waiting.value) == reserved - left
            assert int(dut.io_completion_submissionHead.value) == arrived % depth
            assert int(dut.io_completion_tail.value) == claimed % depth
            assert int(dut.io_completion_phase.value) == 1 - claimed // depth % 2, "phase"
            assert dut.io_error.value == 0
            # Moderation of one: the level means that a completion in memory waits.
            await pair.calm(8)
            assert int(dut.io_interrupt.value) == int(max(0, claimed - taken - (claimed - written)) > 0), "interrupt"
        await pair.step(write=(REGISTER_QUEUE_CONTROL, 0))
        await pair.step()
        while written < reserved:
            assert dut.io_active.value == 1, "inactive with commands in flight"
            if arrived < reserved:
                arrived += 1
                await pair.step(arrived=False)
            elif left < arrived:
                left += 1
                await pair.step(left=1)
            elif claimed < left:
                claimed += 1
                await pair.step(claim=False)
            else:
                written += 1
                await pair.step(written=False)
            await pair.step()
        assert dut.io_active.value == 0 and dut.io_wants.value == 0


@cocotb.test()
async def errors(dut):
    """Each error stops the queue with its cause; what still comes is accounted for, and the next life is clean."""
    pair = Pair(dut)
    await pair.bench.reset()

    async def status():
        value = await pair.read(REGISTER_QUEUE_STATUS)
        return bool(value & QUEUE_STATUS_ERROR_MASK), value >> QUEUE_STATUS_CAUSE_SHIFT

    await pair.enable(3)
    await pair.step(submissionDoorbell=5)
    await pair.step(reserve=5)
    await pair.step(arrived=False)
    await pair.step(arrived=True)
    await pair.step()
    assert dut.io_fetchFailed.value == 1 and dut.io_fetch_running.value == 0
    assert await status() == (True, FATAL_RING_FETCH)
    for _ in range(3):
        await pair.step(arrived=True)
    await pair.step(write=(REGISTER_QUEUE_CONTROL, 0))
    await pair.step()
    assert dut.io_active.value == 1, "one good command is still in flight"
    await pair.step(left=1)
    await pair.step(claim=False)
    await pair.step(written=True)
    await pair.step()
    assert dut.io_active.value == 0 and await status() == (False, FATAL_NONE)

    await pair.enable(3)
    await pair.step(submissionDoorbell=3)
    await pair.step(reserve=3)
    for _ in range(3):
        await pair.step(arrived=False, left=1)
    await pair.step(claim=False)
    await pair.step(written=True)
    await pair.step()
    assert dut.io_completion_discard.value == 1 and await status() == (True, FATAL_RING_COMPLETE)
    await pair.step(claim=True)
    await pair.step(claim=True)
    await pair.step(write=(REGISTER_QUEUE_CONTROL, 0))
    await pair.step()
    assert dut.io_active.value == 0

    await pair.enable(3)
    assert dut.io_completion_discard.value == 0 and dut.io_fetchFailed.value == 0
    await pair.step(submissionDoorbell=8)
    assert await status() == (True, FATAL_DOORBELL_RANGE)
    await pair.step(submissionDoorbell=3)
    await pair.calm()
    assert dut.io_wants.value == 0
    dut.io_cardEnabled.value = 0
    await pair.calm()
    assert await status() == (False, FATAL_NONE) and dut.io_active.value == 0


@cocotb.test()
async def depth_as_written(dut):
    """Five bits are kept, and whatever does not fit them reads 31: 36 is not 4. Only depths of the card start a queue."""
    pair = Pair(dut)
    await pair.bench.reset()
    deepest = len(dut.io_fetch_mask)
    for value in (*range(33), 36, 63, 64 + 4, 1 << 16 | 4, 1 << 31 | 4, 0xFFFFFFFF):
        for written in (deepest, value):  # from a good one
            await pair.step(write=(REGISTER_DEPTH_LOG2, written))
        assert await pair.read(REGISTER_DEPTH_LOG2) == min(value, 31), value
        await pair.enable(value)
        error = bool(await pair.read(REGISTER_QUEUE_STATUS) & QUEUE_STATUS_ERROR_MASK)
        assert error == (not MIN_DEPTH_LOG2 <= value <= deepest), f"depth {value}"
        # A queue that is active keeps what it was set up with.
        await pair.step(write=(REGISTER_DEPTH_LOG2, deepest))
        assert await pair.read(REGISTER_DEPTH_LOG2) == min(value, 31)
        await pair.step(write=(REGISTER_QUEUE_CONTROL, 0))
        await pair.calm()


@cocotb.test()
async def set_up_reads_back(dut):
    """Every bit of every register of the set-up, and that an active queue keeps it."""
    pair = Pair(dut)
    await pair.bench.reset()
    offsets = (REGISTER_SUBMISSION_BASE_LOW, REGISTER_SUBMISSION_BASE_HIGH, REGISTER_COMPLETION_BASE_LOW, REGISTER_COMPLETION_BASE_HIGH,
               REGISTER_MODERATION)
    values = {}
    for value in (*(random.getrandbits(32) for _ in range(4)), 0, 0xFFFFFFFF):
        values = {offset: value ^ random.choice((0, 0xFFFFFFFF)) for offset in offsets}
        for offset in random.sample(offsets, len(offsets)):
            await pair.step(write=(offset, values[offset]))
        for offset in offsets:
            assert await pair.read(offset) == values[offset], hex(offset)
    await pair.step(write=(REGISTER_QUEUE_CONTROL, 1))
    for offset in offsets:
        await pair.step(write=(offset, ~values[offset] & 0xFFFFFFFF))
        assert await pair.read(offset) == values[offset], hex(offset)


@cocotb.test()
async def weight_as_written(dut):
    """0 counts as 1 and what is too large as the largest, whether the queue is active or not; nothing but a reset brings back the default."""
    pair = Pair(dut)
    await pair.bench.reset()
    assert await pair.read(REGISTER_WEIGHT) == int(dut.io_weight.value) == DEFAULT_WEIGHT
    values = [*range(2 * MAX_WEIGHT + 4), *(1 << bit | random.choice((0, 1, MAX_WEIGHT)) for bit in range(32)), 0xFFFFFFFF]
    random.shuffle(values)
    active = False
    for value in values:
        if random.random() < 0.3:
            active = not active
            if active:
                await pair.enable(3)
            else:
                await pair.step(write=(REGISTER_QUEUE_CONTROL, 0))
                await pair.calm()
        before = random.randint(1, MAX_WEIGHT)
        for written in (before, value):
            await pair.step(write=(REGISTER_WEIGHT, written))
        expected = min(max(value, 1), MAX_WEIGHT)
        assert await pair.read(REGISTER_WEIGHT) == int(dut.io_weight.value) == expected, value
        dut.io_cardEnabled.value = 0
        await pair.step()
        dut.io_cardEnabled.value = 1
        active = False
        await pair.calm()
        assert await pair.read(REGISTER_WEIGHT) == expected
    await pair.bench.reset()
    assert await pair.read(REGISTER_WEIGHT) == DEFAULT_WEIGHT


@cocotb.test()
async def moderation_as_written(dut):
    """The interrupt waits for as many completions as MODERATION says, or for as long; the exact cycle is test_moderation's."""
    pair = Pair(dut)
    await pair.bench.reset()

    async def complete():
        await pair.step(reserve=1)
        await pair.step(arrived=False)
        await pair.step(left=1, claim=False)
        await pair.step(written=False)
        await pair.calm(10)

    for count, units in ((1, 0xFFFF), (2, 0xFFFF), (5, 0xFFFF), (6, 20)):
        await pair.enable(3, moderation=count << MODERATION_COUNT_SHIFT | units << MODERATION_CYCLES_SHIFT)
        await pair.step(submissionDoorbell=7)
        await pair.calm()
        for done in range(1, count + 1 if units == 0xFFFF else 2):
            assert dut.io_interrupt.value == 0, f"{done - 1} of {count}"
            await complete()
        if units != 0xFFFF:
            assert dut.io_interrupt.value == 0, "too young"
            await pair.calm(16 * units + 20)
        assert dut.io_interrupt.value == 1, f"{count} completions, {units} units"
        await pair.step(write=(REGISTER_QUEUE_CONTROL, 0))
        await pair.calm()
        assert dut.io_active.value == 0


@cocotb.test()
async def first_cause_stays(dut):
    """What goes wrong later does not hide what went wrong first."""
    pair = Pair(dut)
    await pair.bench.reset()

    async def fetch_fails():
        await pair.step(arrived=True)

    async def completion_fails():
        await pair.step(claim=False)
        await pair.step(written=True)

    async def bad_doorbell():
        await pair.step(submissionDoorbell=99)

    causes = {fetch_fails: FATAL_RING_FETCH, completion_fails: FATAL_RING_COMPLETE, bad_doorbell: FATAL_DOORBELL_RANGE}
    for _ in range(6):
        await pair.enable(3)
        await pair.step(submissionDoorbell=5)
        await pair.step(reserve=5)
        for _ in range(2):
            await pair.step(arrived=False, left=1)
        order = random.sample(list(causes), 3)
        for happens in order:
            await happens()
            await pair.calm()
            found = await pair.read(REGISTER_QUEUE_STATUS)
            assert found >> QUEUE_STATUS_CAUSE_SHIFT == causes[order[0]], [one.__name__ for one in order]
        # Two came well, three have not come or were dropped; one was written.
        await pair.step(write=(REGISTER_QUEUE_CONTROL, 0))
        for _ in range(2):
            assert dut.io_active.value == 1
            await pair.step(arrived=True)
        await pair.step(claim=False)
        await pair.step(written=False)
        await pair.calm()
        assert dut.io_active.value == 0


@cocotb.test()
async def deepest_ring(dut):
    """Twice around the deepest ring there is; it holds one entry less than it has places."""
    pair = Pair(dut)
    await pair.bench.reset()
    depth = 1 << len(dut.io_fetch_mask)
    await pair.enable(len(dut.io_fetch_mask))
    done = taken = 0

    async def command():
        await pair.step(reserve=1)
        await pair.step(arrived=False)
        await pair.step(left=1, claim=False)
        await pair.step(written=False)

    for limit in (depth - 1, 2 * depth + 5):
        while done < limit:
            submitted = min(limit, done + random.randint(1, depth - 1), taken + depth - 1)
            await pair.step(submissionDoorbell=submitted % depth)
            while done < submitted:
                await command()
                done += 1
            await pair.calm(2)
            assert int(dut.io_completion_tail.value) == int(dut.io_fetch_issued.value) == done % depth
            assert int(dut.io_completion_phase.value) == 1 - done // depth % 2, f"phase behind {done} completions"
            if done < depth - 1:
                continue  # software takes nothing until its ring is full
            if done == depth - 1:
                await pair.step(submissionDoorbell=0)  # one more, for which there is no completion entry
                await pair.calm()
                assert dut.io_wants.value == 0, "a ring of n entries was given n"
            taken = done
            await pair.step(completionDoorbell=taken % depth)
            await pair.calm()
            assert dut.io_error.value == 0
    assert dut.io_active.value == 1


@cocotb.test()
async def acknowledged_before_written(dut):
    """Software sees completions in the ring, and takes them, before the bus has answered for them: more commands are in flight than the
    ring has places, and ACTIVE covers them all."""
    pair = Pair(dut)
    await pair.bench.reset()
    depth = 1 << len(dut.io_fetch_mask)
    unwritten = 8  # that the completion writer remembers
    await pair.enable(len(dut.io_fetch_mask))

    async def begin():
        await pair.step(reserve=1)
        await pair.step(arrived=False)
        await pair.step(left=1)

    await pair.step(submissionDoorbell=depth - 1)
    for _ in range(depth - 1):
        await begin()
    for early in range(1, unwritten + 1):
        await pair.step(claim=False)
        await pair.calm()
        await pair.step(completionDoorbell=early % depth)
        await pair.calm()
        await pair.step(submissionDoorbell=(depth - 1 + early) % depth)
        await begin()
        assert dut.io_working.value == 1 and dut.io_error.value == 0, f"{early} acknowledged"
    await pair.step(write=(REGISTER_QUEUE_CONTROL, 0))
    for done in range(depth - 1 + unwritten):
        await pair.step()
        assert dut.io_active.value == 1, f"inactive with {depth - 1 + unwritten - done} in flight"
        if done >= unwritten:
            await pair.step(claim=False)
        await pair.step(written=False)
    await pair.step()
    assert dut.io_active.value == 0


def test_queue_pair():
    run("queue_pair", module=__name__)
