# SPDX-License-Identifier: Apache-2.0
"""card: what goes wrong on the link fails the commands it hits and nothing else; resets in mid-flight leave a sound card."""
import random

import cocotb
from cocotb.triggers import Timer, gather

import lzo
from sampled import sampled
from card_bench import QUEUES, CardBench
from core_bench import QUIET
from core_checks import check
from pagepress_interface import *  # noqa: F403 (registers, statuses, entries)
from runner import run

PATIENCE = 5000  # cycles within which an overdue completion is given up by card_impatient


def make(bench, count):
    """Commands of both kinds in turn on real pages, in random order."""
    jobs = []
    for index, page in enumerate(lzo.sample_pages(count, random.getrandbits(32))):
        jobs.append(bench.decompress(lzo.compress(page, "lzo1x_1"), page) if index % 2 else bench.compress(page))
    random.shuffle(jobs)
    return jobs


def check_unread(bench, job):
    assert job.completion.status == STATUS_READ_FAULT and job.completion.produced_length == 0, job
    if job.entry.opcode == OPCODE_COMPRESS:
        bench.untouched(job)


def spoil(bench, job, kind):
    """Have the host answer a read of some of the job's source in a bad way."""
    size = job.entry.source_length
    start = random.randrange(0, size, 64)
    bench.host.spoil(job.entry.source_address + start, random.randint(1, size - start), kind)


async def works(bench, count=4):
    """From a disabled card: every queue runs pages; then the card is disabled again."""
    await bench.enable()
    rings = [await bench.ring(queue, 4) for queue in range(QUEUES)]
    lots = [make(bench, count) for _ in rings]
    await gather(*[ring.run(lot) for ring, lot in zip(rings, lots)])
    for job in sum(lots, []):
        check(bench, job)
    await bench.disable()


@cocotb.test()
async def bad_completions(dut):
    """Poisoned, refused, aborted and missing completions: READ_FAULT for their command, the neighbours are right."""
    bench = await CardBench.start(dut, read_request=256)
    await bench.enable()
    rings = [await bench.ring(queue, 4) for queue in range(2)]
    lots = [make(bench, 7) for _ in rings]
    victims = []
    for lot in lots:
        for kind, job in zip(("poison", "ur", "ca", "drop"), random.sample(lot, 4)):
            spoil(bench, job, kind)
            victims.append(job)
    await gather(*[ring.run(lot) for ring, lot in zip(rings, lots)])
    for job in sum(lots, []):
        (check_unread if job in victims else check)(bench, job)
    assert not await bench.read(REGISTER_STATUS) & STATUS_FATAL_MASK
    bench.finish()


@cocotb.test()
async def ring_that_cannot_be_read(dut):
    """Its queue stops with RING_FETCH and interrupts; the others go on, and it starts again when all is well."""
    bench = await CardBench.start(dut)
    await bench.enable()
    for kind in ("poison", "ur", "ca", "drop"):
        broken, sound = await bench.ring(0, 3), await bench.ring(1, 3)
        before = bench.interrupts[EVENT_VECTOR]
        bench.host.spoil(broken.submission, 4096, kind)
        await broken.submit([bench.nop()])
        jobs = make(bench, 2)
        await sound.run(jobs)
        for job in jobs:
            check(bench, job)
        status = bench.queue_register(0, REGISTER_QUEUE_STATUS)
        found = await bench.until(lambda value: value & QUEUE_STATUS_ERROR_MASK, status)
        assert (found & QUEUE_STATUS_CAUSE_MASK) >> QUEUE_STATUS_CAUSE_SHIFT == FATAL_RING_FETCH
        await Timer(1000, "ns")
        assert bench.interrupts[EVENT_VECTOR] == before + 1 and not broken.poll()
        bench.host.mend()
        await broken.disable()
        await sound.disable()
    bench.finish()


@cocotb.test()
async def overdue_completions(dut):
    """Data that comes after its command was given up lands nowhere, and the tags come back into use."""
    bench = await CardBench.start(dut, read_request=128)
    await bench.enable()
    ring = await bench.ring(0, 4)
    for _ in range(sampled(3, 2)):
        victims = make(bench, 4)
        for job in victims:
            bench.host.spoil(job.entry.source_address, job.entry.source_length, "late")
        await ring.run(victims)
        for job in victims:
            check_unread(bench, job)
        bench.host.mend()
        late, bench.host.late = bench.host.late, []
        assert len(late) > 10
        random.shuffle(late)
        tasks = [cocotb.start_soon(completion) for completion in late]
        jobs = make(bench, 4)
        await ring.run(jobs)
        for job in jobs:
            check(bench, job)
        for task in tasks:
            await task
    await bench.disable()
    bench.finish()


@cocotb.test()
async def silent_host(dut):
    """No data any more, for more reads than there are tags: all fail, registers answer, a function-level reset heals it."""
    bench = await CardBench.start(dut, read_request=128)
    await bench.enable()
    ring = await bench.ring(0, 4)
    jobs = make(bench, 10)
    for job in jobs:
        bench.host.spoil(job.entry.source_address, job.entry.source_length, "drop")
    await ring.submit(jobs)
    await bench.until(lambda value: value & STATUS_BUSY_MASK, REGISTER_STATUS)  # from the fetch on
    await bench.until(lambda value: not value & STATUS_BUSY_MASK, REGISTER_STATUS, 40 * PATIENCE)
    ring.poll()
    assert not ring.open
    for job in jobs:
        check_unread(bench, job)
    # Every tag waits for what will not come: a fetch fails at once instead of hanging.
    start = bench.cycle
    await ring.acknowledge()
    await ring.submit([bench.nop()])
    found = await bench.until(lambda value: value & QUEUE_STATUS_ERROR_MASK, bench.queue_register(0, REGISTER_QUEUE_STATUS))
    assert (found & QUEUE_STATUS_CAUSE_MASK) >> QUEUE_STATUS_CAUSE_SHIFT == FATAL_RING_FETCH
    assert bench.cycle - start < 1500
    await bench.function_reset()
    bench.host.mend()
    await works(bench, 2)
    bench.finish()


@cocotb.test()
async def bus_mastering_off(dut):
    """Turned off in mid-flight: the card is silent, stops by its ordinary rules, and works again afterwards."""
    bench = await CardBench.start(dut)
    for _ in range(sampled(4, 1)):
        await bench.enable()
        rings = [await bench.ring(queue, 4) for queue in range(2)]
        lots = [make(bench, 5) for _ in rings]
        for ring, lot in zip(rings, lots):
            await ring.submit(lot)
        await bench.cycles(random.randint(0, 3000))
        await bench.device.clear_master()
        before = bench.host.reads, bench.host.writes
        await bench.cycles(random.randint(100, 3000))
        assert (bench.host.reads, bench.host.writes) == before, "requests with bus mastering off"
        await bench.disable(most=4 * PATIENCE)
        await bench.device.set_master()
        for ring, lot in zip(rings, lots):
            ring.poll()
            for job in lot:
                if job.completion and job.completion.status == STATUS_SUCCESS:
                    check(bench, job)
    await works(bench, 2)
    bench.finish()


@cocotb.test()
async def function_level_reset(dut):
    """At any moment: it ends, not a byte is written afterwards, registers are as after power-on, and the card works."""
    bench = await CardBench.start(dut)
    for round in range(sampled(5, 2)):
        bench.set_stalls(random.choice((0, 0.3)))
        await bench.enable()
        rings = [await bench.ring(queue, 4) for queue in range(QUEUES)]
        for ring in rings:
            await ring.submit(make(bench, 4))
        await bench.cycles(random.choice((random.randint(0, 300), random.randint(0, 3000))))
        await bench.function_reset()
        assert not bench.host.open
        assert await bench.read(REGISTER_MAGIC) == MAGIC_VALUE
        assert await bench.read(REGISTER_CONTROL) == await bench.read(REGISTER_STATUS) == 0
        before = bench.host.reads, bench.host.writes
        await bench.cycles(500)
        assert (bench.host.reads, bench.host.writes) == before
        if round % 2:
            await works(bench, 1)
    bench.finish()


@cocotb.test(timeout_time=100, timeout_unit="us")  # several times what it takes: an access that is lost has no end
async def function_level_reset_among_accesses(dut):
    """Register accesses are under way when it begins, held up on their way out: it ends, and each is answered, before or behind it."""
    bench = await CardBench.start(dut, stalls=0)
    for accesses in (1, 2, 24):
        bench.block.cc_sink.pause = True
        reads = [cocotb.start_soon(bench.read(REGISTER_MAGIC)) for _ in range(accesses)]
        await bench.cycles(random.randint(0, 100))
        reset = cocotb.start_soon(bench.function_reset())
        await bench.cycles(random.randint(100, 400))
        bench.block.cc_sink.pause = False
        await reset
        assert [await read for read in reads] == [MAGIC_VALUE] * accesses
        assert await bench.read(REGISTER_CONTROL) == 0
    await works(bench, 1)
    bench.finish()


def test_card_link_faults():
    run("card_impatient", module=__name__, environment=QUIET)
