# SPDX-License-Identifier: Apache-2.0
"""core_tampered: engines that break in mid-work, seen through AXI alone; a page's first bytes say what breaks.

The block has two engines of each kind, and a keeper of its lanes that nobody asks anything. rtl/engine/ObedientFaults.scala lists the orders.
"""
import random

import cocotb
import pytest
from cocotb.triggers import gather

import lzo
from sampled import sampled
from core_bench import PAGE, QUIET, CoreBench
from core_checks import check, check_compressed
from crc32c import crc32c
from host_memory import FILL
from pagepress_interface import *  # noqa: F403 (registers, statuses, entries)
from runner import run

WORD_BITS = 128
INSIDE = 4  # commands an engine's unit holds
KINDS = ("compress", "decompress")


def real_pages(count):
    """Pages that are neither same-filled nor near incompressible."""
    return lzo.compressible_pages(count, random.getrandbits(32))


def ordering(letter, number=0):
    """A page that orders a fault. It begins twice alike: the order stands in a literal run of 64 bytes."""
    head = b"tamper" + letter + bytes([number]) + random.randbytes(56)
    return (head + head + real_pages(1)[0])[:PAGE]


def make(bench, kind, page, **changes):
    if kind == "compress":
        return bench.compress(page, **changes)
    return bench.decompress(lzo.compress(page, "lzo1x_1"), page, crc=crc32c(page), **changes)


def fault(bench, kind):
    """A command that puts an engine out of service: it hangs somewhere, or hands out a word that is not full."""
    # A stream has the five words of its first literal run at least, a page 256.
    letter, most = random.choice(((b"h", 4 if kind == "compress" else 255), (b"c", 15)))
    return make(bench, kind, ordering(letter, random.randint(1, most)))


def check_fault(bench, job):
    assert job.completion.status == STATUS_ENGINE_FAULT, job
    assert job.completion.produced_length == 0, job
    if job.entry.opcode == OPCODE_COMPRESS:
        bench.untouched(job)
    else:
        # Pages are written as they come: what came before the fault is there, and nothing behind it.
        written = bench.memory.peek(*job.destination)
        kept = next((at for at in range(PAGE, 0, -1) if written[at - 1] != FILL), 0)
        assert written[:kept] == job.plain[:kept], job


async def fatal(bench):
    """Whether the card says FATAL; then the cause and the event vector must agree."""
    stopped = bool(await bench.read(REGISTER_STATUS) & STATUS_FATAL_MASK)
    assert await bench.read(REGISTER_FATAL_CAUSE) == (FATAL_ENGINE_STUCK if stopped else FATAL_NONE)
    assert bench.interrupt(EVENT_VECTOR) == stopped
    return stopped


async def start(bench):
    await bench.enable()
    return [await bench.ring(index, random.randint(3, 5)) for index in range(2)]


@cocotb.test()
async def broken_streams(dut):
    """A stream that changed behind its compressor fails alone: nothing of it is written, and it is counted."""
    bench = await CoreBench.start(dut)
    rings = await start(bench)
    lots, pairs = [], sampled(8, 4)
    for _ in rings:
        lot = []
        for page in real_pages(pairs):
            good = bench.compress(page)
            broken = bench.compress(ordering(b"x", random.randrange(WORD_BITS)))
            lot += [good, broken]
            good.broken, broken.broken = False, True
        random.shuffle(lot)
        lots.append(lot)
    await gather(*(ring.run(lot) for ring, lot in zip(rings, lots)))
    for job in sum(lots, []):
        if job.broken:
            assert job.completion.status == STATUS_VERIFY_FAILED, job
            assert job.completion.produced_length == job.completion.detail == 0
            bench.untouched(job)
        else:
            check_compressed(bench, job)
    found = await bench.counters()
    assert found["verify_failures"] == found["commands_failed"] == found["pages_compressed"] == 2 * pairs
    assert not await fatal(bench)
    bench.finish()


@cocotb.test()
async def broken_where_nobody_looks(dut):
    """What the checks are for: without them the very same faults reach memory as SUCCESS."""
    bench = await CoreBench.start(dut)
    rings = await start(bench)
    for _ in range(4):
        bit = random.randrange(WORD_BITS)
        page = ordering(b"x", bit)
        flipped = (int.from_bytes(page, "little") ^ 1 << bit).to_bytes(PAGE, "little")
        unverified = bench.compress(page, flags=FLAG_SKIP_VERIFY)
        unchecked = bench.decompress(lzo.compress(page, "lzo1x_1"), page)
        checked = bench.decompress(lzo.compress(page, "lzo1x_1"), page, crc=crc32c(page))
        await rings[0].run([unverified, unchecked, checked])
        assert unverified.completion.status == unchecked.completion.status == STATUS_SUCCESS
        try:
            assert lzo.kernel_decompress(bench.output(unverified), PAGE) != page
        except lzo.LzoError:
            pass
        assert bench.output(unchecked) == flipped
        assert checked.completion.status == STATUS_CRC_MISMATCH and checked.completion.crc32c == crc32c(flipped)
    assert (await bench.counters())["verify_failures"] == 0
    assert not await fatal(bench)
    bench.finish()


@cocotb.test()
async def one_engine_then_all(dut):
    """An engine that breaks is used no more; without the last of a kind the card stops; enabling it again mends all."""
    bench = await CoreBench.start(dut)
    for broken in random.sample(KINDS, 2):
        rings = await start(bench)
        await lose_one(bench, rings, broken)
        await lose_all(bench, rings, broken)
        await bench.disable()
        assert await bench.read(REGISTER_STATUS) == 0 and not await fatal(bench)
    # Both engines of both kinds are back: each kind can lose one again.
    rings = await start(bench)
    for kind in KINDS:
        await lose_one(bench, rings, kind)
    await bench.disable()
    bench.finish()


async def lose_one(bench, rings, broken):
    """Pages of both kinds while an engine of one breaks: only pages inside that engine go with it."""
    first = fault(bench, broken)
    beside = sampled(5, 3)
    lots = [[make(bench, kind, page) for page in real_pages(beside) for kind in KINDS] for _ in rings]
    lots[0].insert(random.randrange(beside), first)
    await gather(*(ring.run(lot) for ring, lot in zip(rings, lots)))
    check_fault(bench, first)
    opcode, others = first.entry.opcode, [job for job in sum(lots, []) if job is not first]
    lost = [job for job in others if job.completion.status == STATUS_ENGINE_FAULT]
    assert all(job.entry.opcode == opcode for job in lost) and len(lost) < INSIDE, lost
    for job in others:
        check_fault(bench, job) if job in lost else check(bench, job)
    # From now on the other engine does it all, however idle the broken one is.
    after = [make(bench, kind, page) for page in real_pages(sampled(4, 2)) for kind in KINDS]
    await rings[1].run(after)
    for job in after:
        check(bench, job)
    assert not await fatal(bench)


async def lose_all(bench, rings, broken):
    """The last engine of a kind breaks, with work of both kinds in flight."""
    last = fault(bench, broken)
    other, = set(KINDS) - {broken}
    jobs = [make(bench, other, page) for page in real_pages(3)]
    victims = [last, *(make(bench, broken, page) for page in real_pages(3))]
    await rings[0].submit(victims)
    await rings[1].submit(jobs)
    await bench.until(lambda value: value & STATUS_FATAL_MASK, REGISTER_STATUS)
    assert await fatal(bench)
    await bench.until(lambda value: not value & STATUS_BUSY_MASK, REGISTER_STATUS)
    for ring in rings:
        ring.poll()
    check_fault(bench, last)
    for job in victims + jobs:
        if job.completion is None:
            bench.untouched(job)  # not fetched any more
        elif job in jobs:
            check(bench, job)
        else:
            check_fault(bench, job)
    # A stopped card fetches nothing, whatever is asked of it.
    head = await rings[1].read(REGISTER_SUBMISSION_HEAD)
    await rings[1].submit([bench.nop()])
    await bench.cycles(300)
    assert not rings[1].poll() and await rings[1].read(REGISTER_SUBMISSION_HEAD) == head
    assert await fatal(bench)


@cocotb.test()
async def disabled_while_an_engine_hangs(dut):
    """At any moment of a hang: READY falls, only once nothing is outstanding, and the card starts afresh."""
    bench = await CoreBench.start(dut)
    for _ in range(sampled(4, 2)):
        bench.set_stalls(random.choice((0, 0.2)))
        rings = await start(bench)
        lots = [[make(bench, kind, page) for page in real_pages(2) for kind in KINDS] for _ in rings]
        for lot in lots:
            lot.insert(random.randrange(3), fault(bench, random.choice(KINDS)))
            lot.pop()
            random.shuffle(lot)
        for ring, lot in zip(rings, lots):
            await ring.submit(lot)
        await bench.cycles(random.choice((random.randint(0, 300), random.randint(0, 4000))))
        await bench.disable()
        for ring in rings:
            ring.poll()
        for job in sum(lots, []):
            if job.completion is None or job.completion.status == STATUS_ABORTED:
                bench.untouched(job)
            elif job.completion.status == STATUS_ENGINE_FAULT:
                check_fault(bench, job)
            else:
                check(bench, job)
        assert await bench.read(REGISTER_STATUS) == 0 and not await fatal(bench)
        before = bench.memory.reads, bench.memory.writes
        await bench.cycles(300)
        assert (bench.memory.reads, bench.memory.writes) == before, "the card touched memory after READY had fallen"
        rings = await start(bench)
        again = [make(bench, kind, page) for page in real_pages(3) for kind in KINDS]
        await rings[0].run(again)
        for job in again:
            check(bench, job)
        await bench.disable()
    bench.finish()


def test_core_faults():
    run("core_tampered", module=__name__, environment=QUIET)


@pytest.mark.night("test-whole")
def test_core_faults_without_a_keeper():
    run("core_untended", module=__name__, environment=QUIET)
