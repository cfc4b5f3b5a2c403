# SPDX-License-Identifier: Apache-2.0
"""core_tampered: lanes that are isolated, reset, tested and taken back one by one while the others carry pages, seen by the core's ports.

The block has two engines of each kind that break when a page says so (rtl/engine/ObedientFaults.scala).
"""
import random

import cocotb
import pytest
from cocotb.triggers import gather

from sampled import sampled
from core_bench import PAGE, QUIET
from core_checks import check
from crc32c import crc32c
from lanes_bench import COMPRESSORS, DECOMPRESSORS, LANES, LanesBench, kind_of
from model import page_compress
from pagepress_interface import *  # noqa: F403 (statuses)
from pagepress_management import *  # noqa: F403 (actions)
from runner import run
from test_core_faults import INSIDE, KINDS, check_fault, fatal, fault, make, ordering, real_pages

WATCHDOG = 2000
# Tests that end with their result, as nothing comes out.
NO_STREAM, NO_GAIN = bytes(4), random.Random(1).randbytes(PAGE)


async def start(bench):
    await bench.enable()
    return [await bench.ring(index, random.randint(4, 5)) for index in range(2)]


def kind_name(lane):
    return "decompress" if lane in DECOMPRESSORS else "compress"


async def traffic(bench, rings, count=4):
    """Pages of both kinds through both rings; all must be right."""
    lots = [[make(bench, kind, page) for page in real_pages(count) for kind in KINDS] for _ in rings]
    await gather(*(ring.run(lot) for ring, lot in zip(rings, lots)))
    for job in sum(lots, []):
        check(bench, job)


async def proves(bench, lane):
    """A golden page through the engine of an isolated lane, judged by the reference codec."""
    page = real_pages(1)[0]
    stream = page_compress(page, PAGE)[1]
    if lane in DECOMPRESSORS:
        report, output = await bench.test_lane(lane, stream)
        assert output == page
    else:
        report, output = await bench.test_lane(lane, page)
        assert output == stream and report.detail == crc32c(stream)
    assert report.status == STATUS_SUCCESS and report.crc32c == crc32c(page)
    return report


@cocotb.test()
async def lives(dut):
    """A lane of each kind, at night each: isolated, reset, tested while the others carry pages, taken back; nothing of it reaches memory."""
    bench = await LanesBench.start(dut)
    rings = await start(bench)
    await traffic(bench, rings)
    each = [random.sample(kind, sampled(2, 1)) for kind in (DECOMPRESSORS, COMPRESSORS)]
    for lane in random.sample(sum(each, []), 2 * sampled(2, 1)):
        running = cocotb.start_soon(traffic(bench, rings, 3))
        await bench.cycles(random.randint(0, 600))
        await bench.isolate_and_reset(lane)
        before = (await bench.look(lane)).pages
        for _ in range(2):
            report = await proves(bench, lane)
        assert report.proven and report.isolated and report.idle
        await running
        await traffic(bench, rings, 2)
        report = await bench.look(lane)
        assert report.pages == before, "an isolated lane got a command"
        assert (await bench.act(LANE_ACTION_RETURN, lane)).done
        for _ in range(20):
            await traffic(bench, rings, 2)
            if (await bench.look(lane)).pages > before:
                break
        else:
            raise AssertionError(f"lane {lane} gets nothing after its return")
        report = await bench.look(lane)
        assert not report.isolated and not report.fresh and report.resets == 1
    counts = await bench.counters()
    assert counts["pages_compressed"] == sum([(await bench.look(lane)).pages for lane in COMPRESSORS]), "a test counts as a page of the host's"
    await bench.disable()
    bench.finish()


@cocotb.test()
async def heals(dut):
    """An engine that breaks in mid-work is out, is proven, and carries pages again; unproven it stays out."""
    bench = await LanesBench.start(dut)
    rings = await start(bench)
    for kind in random.sample(KINDS, 2):
        victim = fault(bench, kind)
        lots = [[make(bench, kind, page) for page in real_pages(4) for kind in KINDS] for _ in rings]
        lots[0].insert(random.randrange(5), victim)
        await gather(*(ring.run(lot) for ring, lot in zip(rings, lots)))
        check_fault(bench, victim)
        lost = [job for job in sum(lots, []) if job.completion.status == STATUS_ENGINE_FAULT]
        assert len(lost) <= INSIDE
        for job in sum(lots, []):
            check_fault(bench, job) if job in lost else check(bench, job)
        lane, = [lane for lane in LANES if (await bench.look(lane)).faulty]
        assert kind_name(lane) == kind
        assert not (await bench.act(LANE_ACTION_RETURN, lane)).done, "back as it is"
        running = cocotb.start_soon(traffic(bench, rings, 3))
        assert not (await bench.act(LANE_ACTION_RESET, lane)).done, "reset in service"
        assert not (await bench.act(LANE_ACTION_TEST, lane)).done, "tested in service"
        await bench.isolate_and_reset(lane)
        assert not (await bench.act(LANE_ACTION_RETURN, lane)).done, "back untested"
        # A test that breaks the engine again proves nothing.
        order = ordering(b"h", 2)
        report, _ = await bench.test_lane(lane, order if kind == "compress" else page_compress(order, PAGE)[1])
        assert report.status == STATUS_ENGINE_FAULT and not report.proven and report.faulty
        assert not (await bench.act(LANE_ACTION_RETURN, lane)).done, "back after a failed test"
        await bench.act(LANE_ACTION_RESET, lane)
        await bench.cycles(20)
        assert (await proves(bench, lane)).proven
        report = await bench.act(LANE_ACTION_RETURN, lane)
        assert report.done and not report.faulty
        await running
        for _ in range(sampled(4, 2)):
            await traffic(bench, rings, 2)
        assert not await fatal(bench)
        assert not (await bench.look(lane)).faulty
    await bench.disable()
    bench.finish()


@cocotb.test()
async def floor(dut):
    """The last healthy lane of a kind cannot be isolated; when it breaks, the healthy one that is isolated is back, out of a test too."""
    bench = await LanesBench.start(dut)
    for kind in (DECOMPRESSORS, COMPRESSORS):
        rings = await start(bench)
        away, last = random.sample(kind, 2)
        await bench.isolate_and_reset(away)
        assert not (await bench.act(LANE_ACTION_ISOLATE, last)).done and not (await bench.look(last)).isolated
        await traffic(bench, rings, 2)
        begin = None
        if random.randrange(2):  # a test that hangs
            order = ordering(b"h", 2)
            data = order if kind == COMPRESSORS else page_compress(order, PAGE)[1]
            bench.give(data)
            begin = await bench.act(LANE_ACTION_TEST, away, len(data))
            assert begin.done
        victim = fault(bench, kind_name(last))
        await rings[0].run([victim])
        check_fault(bench, victim)
        report = await bench.look(away)
        assert not report.isolated and not report.testing and not report.faulty, "the card waits for a lane that is away"
        assert not await fatal(bench)
        for _ in range(2):
            await traffic(bench, rings, 2)
        await bench.disable()
    bench.finish()


@cocotb.test()
async def hostile(dut):
    """Any actions in any order at any moment beside pages: each page is right, or lost to a fault that was asked for; all else is as ever."""
    bench = await LanesBench.start(dut)
    rings = await start(bench)
    done = False

    async def annoy():
        while not done:
            bench.given = [random.getrandbits(32) for _ in bench.given]
            lane, action = random.randrange(LANE_COUNT), random.choice((random.randrange(8), random.choice((1, 1, 2, 3, 4))))
            report = await bench.act(action, lane, random.choice((0, 1, 4096, 8191, random.randrange(8192))))
            if lane < len(LANES):
                mates = [(await bench.look(mate)) for mate in kind_of(lane)]
                assert not all(mate.isolated for mate in mates if not mate.faulty), mates
            else:
                assert not any(vars(report).values()), f"a report of lane {lane}, which is not there: {report}"
            await bench.cycles(random.choice((0, 5, 100, 1000)))

    annoying = cocotb.start_soon(annoy())
    for _ in range(sampled(6, 4)):
        await traffic(bench, rings, 3)
    done = True
    await annoying
    assert not await fatal(bench)
    await bench.disable()
    before = bench.memory.reads, bench.memory.writes
    await bench.cycles(300)
    assert (bench.memory.reads, bench.memory.writes) == before
    bench.finish()


@cocotb.test()
async def disabled(dut):
    """READY falls whatever becomes of the lanes, a test included; then all of them are in service, and counts go on."""
    bench = await LanesBench.start(dut)
    for _ in range(sampled(4, 2)):
        rings = await start(bench)
        lane = random.choice(LANES)
        await bench.isolate_and_reset(lane)
        await bench.act(LANE_ACTION_TEST, lane, 1000)
        lots = [[make(bench, kind, page) for page in real_pages(2) for kind in KINDS] for _ in rings]
        for ring, lot in zip(rings, lots):
            await ring.submit(lot)
        await bench.cycles(random.randint(0, 2000))
        pages = (await bench.look(lane)).pages
        await bench.disable()
        for mate in LANES:
            report = await bench.look(mate)
            assert not (report.isolated or report.testing or report.fresh or report.proven), report
        assert not (await bench.act(LANE_ACTION_ISOLATE, lane)).done, "isolated while READY is low"
        assert (await bench.look(lane)).pages == pages
        rings = await start(bench)
        for _ in range(2):
            await traffic(bench, rings, 2)
        await bench.disable()
    bench.finish()


async def around_its_result(bench, lane, data):
    """Begins a test of an isolated lane again and again; the caller breaks each off, at each cycle around its result once."""
    await bench.isolate_and_reset(lane)
    begin = bench.cycle
    await bench.test_lane(lane, data)
    whole = bench.cycle - begin
    for delay in range(max(0, whole - 40), whole - 8):
        await bench.isolate_and_reset(lane)
        bench.give(data)
        assert (await bench.act(LANE_ACTION_TEST, lane, len(data))).done
        await bench.cycles(delay)
        yield


@cocotb.test()
async def reset_around_a_result(dut):
    """A test that is broken off by a reset around its result answers none of the host's pages."""
    bench = await LanesBench.start(dut)
    rings = await start(bench)
    for lane in random.sample(DECOMPRESSORS, sampled(2, 1)) + random.sample(COMPRESSORS, sampled(1, 0)):
        async for _ in around_its_result(bench, lane, NO_STREAM if lane in DECOMPRESSORS else NO_GAIN):
            assert (await bench.act(LANE_ACTION_RESET, lane)).done
        assert (await bench.act(LANE_ACTION_RETURN, lane)).done
        await traffic(bench, rings)
    await bench.disable()
    bench.finish()


@cocotb.test()
async def disabled_around_a_result(dut):
    """A test that is broken off by READY around its result answers none of the pages of the card's next start."""
    bench = await LanesBench.start(dut)
    await bench.enable()
    async for _ in around_its_result(bench, random.choice(DECOMPRESSORS), NO_STREAM):
        await bench.disable()
        await bench.enable()
    await bench.disable()
    rings = await start(bench)
    await traffic(bench, rings)
    await bench.disable()
    bench.finish()


@cocotb.test()
async def fault_beside_returns(dut):
    """A lane that breaks while its return is asked for in every cycle is faulty all the same."""
    bench = await LanesBench.start(dut)
    rings = await start(bench)
    away, last = random.sample(random.choice((DECOMPRESSORS, COMPRESSORS)), 2)
    assert (await bench.act(LANE_ACTION_ISOLATE, away)).done
    dut.lanes_action_payload_lane.value, dut.lanes_action_payload_action.value = last, LANE_ACTION_RETURN
    dut.lanes_action_valid.value = 1
    victim = fault(bench, kind_name(last))
    await rings[0].run([victim])
    check_fault(bench, victim)
    report = await bench.look(last)
    assert report.faulty, report
    await bench.disable()
    bench.finish()


@cocotb.test()
async def loads(dut):
    """Each queue's commands are counted, and how deep it is and how long they wait is summed up: each for itself, and through a disabled card."""
    bench = await LanesBench.start(dut)
    await bench.enable()
    rings = [await bench.ring(index, 5) for index in range(2)]
    for _ in range(2):  # the first time it tells the peak of the test before
        before = [await bench.load_of(queue) for queue in range(2)]
    assert not any(load.depth or load.depthPeak for load in before)
    counts = random.sample(range(6, 20), 2)
    lots = [[make(bench, "compress", page) for page in real_pages(count)] for count in counts]
    for ring, lot in zip(rings, lots):
        await ring.submit(lot)
    running = [cocotb.start_soon(ring.run([])) for ring in rings]
    deepest = [0, 0]
    while not all(task.done() for task in running):
        for queue in range(2):
            deepest[queue] = max(deepest[queue], (load := await bench.load_of(queue)).depth, load.depthPeak)
        await bench.cycles(20)
    for lot in lots:
        for job in lot:
            check(bench, job)
    for again in range(2):
        after = [await bench.load_of(queue) for queue in range(2)]
        for queue, count in enumerate(counts):
            load, then = after[queue], before[queue]
            depth, waiting = load.depthCycles - then.depthCycles, load.waitingCycles - then.waitingCycles
            assert load.commands - then.commands == count and not load.depth
            assert count - 3 <= deepest[queue] <= count, f"{deepest[queue]} of {count}, which come at once"
            assert 0 < waiting < depth < count * (load.cycles - then.cycles)
            # At least as long as a page takes one of two engines, were each taken at once.
            assert depth > count * 200, f"{depth} for {count} pages"
        await bench.disable()
    await bench.enable()
    rings = [await bench.ring(index, 4) for index in range(2)]
    await traffic(bench, rings, 1)
    for queue in range(2):
        assert (await bench.load_of(queue)).commands == after[queue].commands + len(KINDS)


def test_core_lanes():
    run("core_tampered", module=__name__, environment=QUIET)


@pytest.mark.night("test-whole")
def test_core_lanes_on_one_clock():
    run("core_tended", module=__name__, environment=QUIET)
