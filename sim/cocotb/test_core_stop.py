# SPDX-License-Identifier: Apache-2.0
"""core: the reset contract, the stopped clock, and how much of a page's time is not the engine's."""
import os
import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer

import lzo
from sampled import sampled
from core_bench import CLOCK_NS, PAGE, QUIET, CoreBench
from crc32c import crc32c
from pagepress_interface import *  # noqa: F403 (registers, statuses, entries)
from runner import run

ENGINE_BYTES = 16  # of a compressed page a cycle
MOST_ADDED = 84  # cycles: 76 at most are, and a few more where buffers lie worse


def mixed_jobs(bench, pages):
    jobs = []
    for page in pages:
        if random.random() < 0.5:
            jobs.append(bench.compress(page))
        else:
            jobs.append(bench.decompress(lzo.compress(page, "lzo1x_1"), page, crc=crc32c(page)))
    return jobs


async def no_more_of(bench, cycles):
    """Whatever the card could touch becomes a guard; nothing may move for `cycles`."""
    before = bench.memory.reads, bench.memory.writes
    await bench.cycles(cycles)
    assert (bench.memory.reads, bench.memory.writes) == before, "the card touched memory after it said it would not"


def check_ended(bench, jobs):
    """What was ended before the stop is right; what was aborted has not been written."""
    for job in jobs:
        if job.completion is None or job.destination is None:
            continue
        if job.completion.status == STATUS_ABORTED:
            bench.untouched(job)
        elif job.entry.opcode == OPCODE_DECOMPRESS:
            assert job.completion.status == STATUS_SUCCESS and bench.output(job) == job.plain, job
        elif job.completion.status == STATUS_SUCCESS:
            assert lzo.kernel_decompress(bench.output(job), PAGE) == job.plain
        else:
            assert job.completion.status in (STATUS_SAME_FILLED, STATUS_INCOMPRESSIBLE), job


@cocotb.test()
async def card_disabled_in_mid_flight(dut):
    """At any moment: READY falls only when nothing is outstanding, nothing follows, and the card starts clean again."""
    bench = await CoreBench.start(dut)
    pages = lzo.sample_pages(12, random.getrandbits(32))
    for _ in range(int(os.environ.get("ROUNDS", sampled(12, 3)))):
        bench.set_stalls(random.choice((0, 0.2, 0.6)))
        await bench.enable()
        rings = [await bench.ring(index, 3) for index in range(2)]
        jobs = []
        for ring in rings:
            mine = mixed_jobs(bench, random.choices(pages, k=random.randint(1, 7)))
            await ring.submit(mine)
            jobs += mine
        await bench.cycles(random.choice((random.randint(0, 60), random.randint(0, 3000))))
        await bench.disable()
        for ring in rings:
            assert await ring.read(REGISTER_QUEUE_CONTROL) == await ring.read(REGISTER_QUEUE_STATUS) == 0
            ring.poll()
        check_ended(bench, jobs)
        await no_more_of(bench, 300)
        await bench.enable()
        ring = await bench.ring(random.randrange(2), 3)
        again = mixed_jobs(bench, pages[:3])
        await ring.run(again)
        assert all(job.completion.status != STATUS_ABORTED for job in again)
        check_ended(bench, again)
        await bench.disable()
    bench.finish()


@cocotb.test()
async def stop_while_a_stream_is_dropped(dut):
    """A page that was read badly is answered before its stream is through; pages after a restart get their own streams."""
    bench = await CoreBench.start(dut, stalls=0)
    hard = b"".join(bytes([value]) * 2 + random.randbytes(14) for value in range(PAGE // 16))  # its stream is long
    for wait in (0, 20, 60, 120):
        await bench.enable()
        ring = await bench.ring(0, 3)
        bad = bench.compress(hard)
        bench.memory.fail(bad.entry.source_address + PAGE - 64, 64, reads=True)
        await ring.submit([bad])
        while not ring.poll():
            await bench.cycles(1)
        assert bad.completion.status == STATUS_READ_FAULT
        bench.untouched(bad)
        bench.memory.mend()
        await bench.cycles(wait)
        await bench.disable()
        await bench.enable()
        ring = await bench.ring(0, 3)
        jobs = [bench.compress(page) for page in lzo.sample_pages(3, random.getrandbits(32))]
        await ring.run(jobs, most=20000)
        check_ended(bench, jobs)
        await bench.disable()
    bench.finish()


@cocotb.test()
async def queue_disabled_in_mid_flight(dut):
    """ACTIVE falls only when nothing of the queue is left; the other queue notices nothing. Aborted commands count as failed."""
    bench = await CoreBench.start(dut)
    await bench.enable()
    pages = lzo.sample_pages(10, random.getrandbits(32))
    other = await bench.ring(1, 4)
    rounds = aborted = 0
    while rounds < sampled(10, 4) or not aborted:
        rounds += 1
        assert rounds < 40, "no command is ever aborted"
        bench.set_stalls(random.choice((0, 0.2, 0.6)))
        ring = await bench.ring(0, 4)
        jobs = mixed_jobs(bench, random.choices(pages, k=random.randint(1, 15)))
        others = mixed_jobs(bench, random.choices(pages, k=4))
        await ring.submit(jobs)
        running = cocotb.start_soon(other.run(others))
        await bench.cycles(random.choice((random.randint(0, 60), random.randint(0, 3000))))
        await ring.disable()
        ring.poll()
        check_ended(bench, jobs)
        aborted += sum(job.completion is not None and job.completion.status == STATUS_ABORTED for job in jobs)
        for job in jobs:  # the buffers have new owners now
            bench.memory.close(*job.destination)
        bench.memory.close(ring.completion, ring.depth * COMPLETION_ENTRY_BYTES)
        await running
        check_ended(bench, others)
        assert all(job.completion.status != STATUS_ABORTED for job in others)
    assert (await bench.counters())["commands_failed"] == aborted
    bench.finish()


@cocotb.test()
async def enable_waits_for_the_stop(dut):
    """ENABLE written while the card still drains is ignored: READY must be seen to fall first. The card is not enabled in that time, and its
    counter of cycles stands."""
    bench = await CoreBench.start(dut, stalls=0.6)
    await bench.enable()
    ring = await bench.ring(0, 3)
    await ring.submit(mixed_jobs(bench, lzo.sample_pages(5, random.getrandbits(32))))
    await bench.cycles(300)
    await bench.write(REGISTER_CONTROL, 0)
    cycles = [await bench.read(COUNTER_BASE + 8 * COUNTER_CYCLES) for _ in range(2)]
    assert cycles[0] == cycles[1]
    assert await bench.read(REGISTER_STATUS) & STATUS_READY_MASK, "drained already: nothing was tested"
    await bench.write(REGISTER_CONTROL, CONTROL_ENABLE_MASK)
    assert await bench.read(REGISTER_CONTROL) == 0
    await bench.disable()
    bench.finish()


@cocotb.test()
async def clock_only_while_busy(dut):
    """Clocks that stop whenever the core is not busy and nobody accesses it change nothing."""
    bench = await CoreBench.start(dut, stalls=0)
    accesses = stopped = 0

    async def gated(clk, clock):
        nonlocal stopped
        while True:
            awake = dut.busy.value == 1 or accesses > 0 or dut.s_axi_awvalid.value == 1 or dut.s_axi_arvalid.value == 1
            if awake:
                clk.value = 1
            elif clock is bench.clock:
                stopped += 1
            await Timer(clock.period // 2, clock.unit)
            clk.value = 0
            await Timer(clock.period // 2, clock.unit)

    clocks = [(dut.clk, bench.clock)] + ([(dut.engine_clk, bench.engine_clock)] if bench.engine_clock else [])
    for clk, clock in clocks:
        clock.stop()
        clk.value = 0
        cocotb.start_soon(gated(clk, clock))

    # The bus models need clock edges of their own for every access.
    async def access(action, *arguments):
        nonlocal accesses
        accesses += 1
        try:
            return await action(*arguments)
        finally:
            accesses -= 1

    await access(bench.enable)
    ring = await access(bench.ring, 0, 4, 8, 40)
    pages = lzo.sample_pages(6, random.getrandbits(32))
    raised = 0
    for _ in range(sampled(6, 3)):
        jobs = mixed_jobs(bench, random.choices(pages, k=random.randint(1, 5))) + [bench.nop()]
        await access(ring.submit, jobs)
        # Wait as a host does, for the interrupt: fewer than COUNT completions, so only the age can raise it.
        for _ in range(40000):
            if bench.interrupt(FIRST_QUEUE_VECTOR) and not ring.open:
                break
            await Timer(CLOCK_NS, "ns")
            ring.poll()
        assert bench.interrupt(FIRST_QUEUE_VECTOR), "no interrupt: the clock stopped with work to do"
        raised += 1
        assert not ring.open
        check_ended(bench, jobs)
        await access(ring.acknowledge)
        before = stopped
        await Timer(100 * CLOCK_NS, "ns")
        assert stopped > before + 40, "the core stays busy with nothing to do"
    assert (await access(bench.counters))["interrupts"] >= raised
    bench.finish()


@cocotb.test()
async def time_outside_the_engine(dut):
    """One page alone, and a full ring: what rings and DMA add to the engine's time. The pages are recorded ones, and a compressed
    page's bytes leave after the engine's time has ended, so each page is judged by its own length."""
    bench = await CoreBench.start(dut, stalls=0)
    await bench.enable()
    ring = await bench.ring(0, 6)
    pages = lzo.fixed_pages(30)

    async def measured(jobs):
        before = (await bench.counters())
        start = bench.cycle
        await ring.submit(jobs)
        while ring.open:
            ring.poll()
            await RisingEdge(dut.clk)
        spent = bench.cycle - start
        await ring.acknowledge()
        after = await bench.counters()
        return spent, {name: after[name] - before[name] for name in after}

    for kind, make in (("compress", lambda page: bench.compress(page)),
                       ("decompress", lambda page: bench.decompress(lzo.compress(page, "lzo1x_1"), page))):
        added = []
        for page in pages[:9]:
            job = make(page)
            spent, _ = await measured([job])
            leaving = -(-job.completion.produced_length // ENGINE_BYTES) if kind == "compress" else 0
            added.append(spent - job.completion.engine_cycles - leaving)
        spent, grown = await measured([make(page) for page in pages])
        cocotb.log.info("%s: %d to %d cycles of a lone page outside its unit and its stream's way out, %d cycles a page in a full "
                        "ring, unit busy %d%%", kind, min(added), max(added), spent // len(pages),
                        100 * grown[f"{kind}_busy_cycles"] // spent)
        assert max(added) <= MOST_ADDED, added
        # The engine never waits for rings: they may add what one page needs at the ends, no more.
        assert grown[f"{kind}_busy_cycles"] > 0.95 * spent
    bench.finish()


def test_core_stop():
    run("core", module=__name__, environment=QUIET)


@pytest.mark.night("test-whole")
def test_core_stop_with_two_clocks():
    run("core_tampered", module=__name__, environment={**QUIET, "ROUNDS": "4"},
        testcase=["card_disabled_in_mid_flight", "clock_only_while_busy"])
