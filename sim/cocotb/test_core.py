# SPDX-License-Identifier: Apache-2.0
"""core: rings, refusals, faults, the reset contract and interrupts, through AXI alone."""
import random

import cocotb
import pytest
from cocotb.triggers import gather

import lzo
from core_bench import PAGE, QUIET, CoreBench
from pagepress_interface import *  # noqa: F403 (registers, statuses, entries)
from runner import run


def queue_pairs(dut):
    return len(dut.interrupt) - 1


@cocotb.test()
async def identity(dut):
    bench = await CoreBench.start(dut)
    assert await bench.read(REGISTER_MAGIC) == MAGIC_VALUE
    assert await bench.read(REGISTER_VERSION) == VERSION_VALUE
    assert await bench.read(REGISTER_HASH_LOW) == HASH_LOW_VALUE
    assert await bench.read(REGISTER_HASH_HIGH) == HASH_HIGH_VALUE
    capabilities = await bench.read(REGISTER_CAPABILITIES)
    assert 1 << (capabilities & CAPABILITIES_PAGE_SHIFT_MASK) == PAGE
    assert (capabilities & CAPABILITIES_QUEUE_PAIRS_MASK) >> CAPABILITIES_QUEUE_PAIRS_SHIFT == queue_pairs(dut)
    engines = await bench.read(REGISTER_ENGINES)
    assert (engines & ENGINES_STREAM_BYTES_MASK) >> ENGINES_STREAM_BYTES_SHIFT == len(dut.m_axi_wdata) // 8
    assert await bench.read(REGISTER_STATUS) == 0
    for offset in (0x2C, 0xFC, COUNTER_BASE + 8 * COUNTER_COUNT, QUEUE_BASE + QUEUE_STRIDE * queue_pairs(dut), 0xFFFC):
        await bench.write(offset, 0xFFFFFFFF)
        assert await bench.read(offset) == 0


@cocotb.test()
async def queue_registers(dut):
    """Every set-up register keeps what was written, in every queue, and is frozen while the queue is active."""
    bench = await CoreBench.start(dut)
    await bench.enable()
    written = {}
    for index in range(queue_pairs(dut)):
        for offset in (REGISTER_SUBMISSION_BASE_LOW, REGISTER_SUBMISSION_BASE_HIGH, REGISTER_COMPLETION_BASE_LOW,
                       REGISTER_COMPLETION_BASE_HIGH, REGISTER_MODERATION):
            where = bench.queue_register(index, offset)
            written[where] = random.getrandbits(32)
            await bench.write(where, written[where])
    for where, value in written.items():
        assert await bench.read(where) == value
    ring = await bench.ring(random.randrange(queue_pairs(dut)))
    for offset, value in ((REGISTER_SUBMISSION_BASE_LOW, ring.submission & 0xFFFFFFFF), (REGISTER_DEPTH_LOG2, ring.depth_log2)):
        await ring.write(offset, 0)
        assert await ring.read(offset) == value
    assert await ring.read(REGISTER_QUEUE_STATUS) == QUEUE_STATUS_ACTIVE_MASK


@cocotb.test()
async def nops_in_every_ring(dut):
    """Random ring sizes, many wraps, all queues at once: each tag comes back exactly once, with the right phase."""
    bench = await CoreBench.start(dut)
    await bench.enable()
    rings = [await bench.ring(index, random.randint(MIN_DEPTH_LOG2, 5)) for index in range(queue_pairs(dut))]
    counts = [random.randint(3, 5) * ring.depth + 1 for ring in rings]
    await gather(*(ring.run([bench.nop() for _ in range(count)]) for ring, count in zip(rings, counts)))
    for ring, count in zip(rings, counts):
        assert ring.done == count
        assert await ring.read(REGISTER_SUBMISSION_HEAD) == count % ring.depth
        assert await ring.read(REGISTER_COMPLETION_TAIL) == count % ring.depth
    found = await bench.counters()
    assert found["commands"] == found["completions"] == sum(counts)
    assert found["pages_compressed"] == found["commands_refused"] == found["commands_failed"] == 0
    bench.finish()


@cocotb.test()
async def pushed_entries(dut):
    """Copies that are right, late, stale, torn or cut short, of one entry or the first of several, in all queues at once: each
    command runs once and as its ring says. A copy that is in time is used."""
    bench = await CoreBench.start(dut)
    await bench.enable()
    rings = [await bench.ring(index, random.randint(MIN_DEPTH_LOG2, 4)) for index in range(queue_pairs(dut))]

    def wrong(ring, job):
        """What no host should write."""
        writes, other = ring.push(job), ring.push(bench.nop(), ring.submitted + random.choice((-ring.depth, -1, 1)))
        cut = random.randrange(1, len(writes))
        return random.choice((other, writes[:cut], writes[cut:], writes[:cut] + writes[cut + 1:], writes[:cut] + other[cut:],
                              writes[:cut] + writes[cut - 1:], writes + other[:cut]))

    async def drive(ring):
        for _ in range(12):
            jobs = [bench.nop() for _ in range(random.choice((1, 1, 1, min(3, ring.room()))))]
            how = random.choice(("right", "right", "wrong", "late", "none"))
            pushes = ring.push(jobs[0])
            await ring.submit(jobs, {"right": pushes, "wrong": wrong(ring, jobs[0])}.get(how, ()))
            for offset, dword in pushes if how == "late" else ():
                await bench.write(offset, dword)
            while ring.open:
                if ring.poll():
                    await ring.acknowledge()
                await bench.cycles(random.randint(1, 20))

    await gather(*map(drive, rings))
    ring, page = rings[0], random.randbytes(PAGE // 4) * 4
    used = (await bench.counters())["commands_pushed"]
    job = bench.compress(page)
    await ring.submit([job], ring.push(job))
    while not ring.poll():
        await bench.cycles(20)
    await ring.acknowledge()
    stream = bench.output(job)
    back = bench.decompress(stream, page)
    await ring.submit([back], ring.push(back))
    while not ring.poll():
        await bench.cycles(20)
    await ring.acknowledge()
    assert bench.output(back) == page
    # A new life begins with the numbers of the last one, but not with its copies.
    copy = ring.push(bench.nop(), 0)
    await ring.disable()
    await ring.enable()
    for offset, dword in copy:
        await bench.write(offset, dword)
    await ring.disable()
    await ring.enable()
    await ring.run([bench.nop()])
    found = await bench.counters()
    assert found["commands_pushed"] == used + 2
    bench.finish()


@cocotb.test()
async def refused(dut):
    """Every objection has its status, the first in order wins, and nothing is read or written for it."""
    bench = await CoreBench.start(dut)
    await bench.enable()
    ring = await bench.ring(0, 4)
    page = random.randbytes(PAGE)
    jobs = []

    def add(status, make, **changes):
        job = make(**changes)
        job.expected = status
        jobs.append(job)

    def compress(**changes):
        return bench.compress(page, **changes)

    def decompress(**changes):
        return bench.decompress(page[:100], page, **changes)

    for make in (compress, decompress):
        for opcode in (3, random.randint(3, 255), 255):
            add(STATUS_INVALID_OPCODE, make, opcode=opcode)
        for format_ in (0, FORMAT_COLD, random.randint(2, 255)):  # this core has no cold format
            add(STATUS_INVALID_FORMAT, make, format=format_)
        for bit in (2, random.randint(2, 15), 15):
            add(STATUS_INVALID_FLAGS, make, flags=1 << bit)
        for byte in (0, random.randrange(28), 27):
            reserved = bytearray(28)
            reserved[byte] = 1 << random.randrange(8)
            add(STATUS_INVALID_FLAGS, make, reserved=bytes(reserved))
        for name in ("source_address", "destination_address"):
            add(STATUS_INVALID_ADDRESS, make, **{name: 0})
    for length in (0, 1, PAGE - 1, PAGE + 1, 2 * PAGE, 1 << 31, PAGE | 1 << 31):
        add(STATUS_INVALID_LENGTH, compress, source_length=length)
    for capacity in (0, PAGE + 1, 1 << 31, PAGE | 1 << 16):
        add(STATUS_INVALID_LENGTH, compress, destination_capacity=capacity)
    for length in (0, 2 * PAGE + 1, 1 << 31, 100 | 1 << 16):
        add(STATUS_INVALID_LENGTH, decompress, source_length=length)
    for capacity in (0, PAGE - 1, PAGE + 1, PAGE | 1 << 31):
        add(STATUS_INVALID_LENGTH, decompress, destination_capacity=capacity)
    add(STATUS_INVALID_OPCODE, compress, opcode=9, format=9, flags=0x8000, source_length=0, source_address=0)
    add(STATUS_INVALID_FORMAT, compress, format=9, flags=0x8000, source_length=0, source_address=0)
    add(STATUS_INVALID_FLAGS, compress, flags=0x8000, source_length=0, source_address=0)
    add(STATUS_INVALID_LENGTH, compress, source_length=0, source_address=0)
    add(STATUS_SUCCESS, bench.nop, format=77, source_length=5, source_address=3)
    add(STATUS_INVALID_FLAGS, bench.nop, flags=0x100)
    random.shuffle(jobs)
    await ring.run(jobs)
    for job in jobs:
        assert job.completion.status == job.expected, f"expected {STATUS_NAMES[job.expected]}: {job}"
        assert job.completion.produced_length == job.completion.crc32c == job.completion.detail == 0
        if job.destination:
            bench.untouched(job)
    found = await bench.counters()
    assert found["commands_refused"] == sum(job.expected != STATUS_SUCCESS for job in jobs)
    bench.finish()


@cocotb.test()
async def counters_carry(dut):
    """Every counter that grows goes past 2^32 as past any other number, and none carries that does not grow."""
    bench = await CoreBench.start(dut)
    await bench.enable()
    ring = await bench.ring(0, 4)
    pages = [random.randbytes(random.randint(40, 400)) * PAGE for _ in range(2)] + [random.randbytes(PAGE), bytes(PAGE)]
    pages = [page[:PAGE] for page in pages]
    streams = [lzo.compress(page, "lzo1x_1") for page in pages[:2]]

    async def traffic():
        """What each counter has grown by."""
        before = await bench.counters()
        await ring.run([bench.compress(page) for page in pages] + [bench.decompress(stream, page) for stream, page in zip(streams, pages)]
                       + [bench.decompress(streams[0][:-1], pages[0]), bench.compress(pages[0], format=9)])
        return before, await bench.counters()

    before, after = await traffic()
    growth = {name: after[name] - before[name] for name in after}
    timed = {"cycles", "interrupts", "doorbells", "compress_busy_cycles", "decompress_busy_cycles", "commands_pushed"}
    assert all(growth[name] for name in growth if name not in (*timed, "verify_failures"))
    counters = dut.queues.counters_1
    # What grows at other moments each time, and so by another number, carries with the first; cycles pass while counters are read.
    for index, name in enumerate(COUNTER_NAMES):
        getattr(counters, f"halves_{2 * index}").value = (1 << 32) - (1 if name in timed - {"cycles"} else max(1, growth[name] // 2))
        getattr(counters, f"halves_{2 * index + 1}").value = random.getrandbits(31)
    await bench.cycles(2)
    before, after = await traffic()
    for name in after:
        grown = after[name] - before[name]
        if name in timed:
            assert (name not in ("interrupts", "commands_pushed")) <= grown < 1 << 20, f"{name} grew by {grown}"
        else:
            assert grown == growth[name], name
            assert (after[name] >> 32) - (before[name] >> 32) == bool(growth[name]), name
    bench.finish()


@cocotb.test()
async def doorbells_out_of_range(dut):
    """A bad doorbell stops its queue only, with the cause, and disabling clears it."""
    bench = await CoreBench.start(dut)
    await bench.enable()
    other = await bench.ring(1, 3)
    for doorbell, value in ((REGISTER_SUBMISSION_TAIL, 8), (REGISTER_SUBMISSION_TAIL, 1 << 31), (REGISTER_COMPLETION_HEAD, 8),
                            (REGISTER_COMPLETION_HEAD, 1), (REGISTER_COMPLETION_HEAD, 0x10000)):
        ring = await bench.ring(0, 3)
        assert not bench.interrupt(EVENT_VECTOR)
        await bench.doorbell(0, doorbell, value)
        status = await ring.read(REGISTER_QUEUE_STATUS)
        assert status == QUEUE_STATUS_ACTIVE_MASK | QUEUE_STATUS_ERROR_MASK | FATAL_DOORBELL_RANGE << QUEUE_STATUS_CAUSE_SHIFT
        await bench.cycles(3)
        assert bench.interrupt(EVENT_VECTOR)
        before = bench.memory.reads
        await bench.doorbell(0, REGISTER_SUBMISSION_TAIL, 2)
        await bench.cycles(100)
        assert bench.memory.reads == before, "a stopped queue fetches"
        await other.run([bench.nop() for _ in range(10)])
        await ring.disable()
        assert await ring.read(REGISTER_QUEUE_STATUS) == 0
    # A queue that is not enabled has no doorbell. Only those that were accepted are counted, and of submissions only.
    before = (await bench.counters())["doorbells"]
    await bench.doorbell(0, REGISTER_SUBMISSION_TAIL, 1)
    assert await ring.read(REGISTER_QUEUE_STATUS) == QUEUE_STATUS_ERROR_MASK | FATAL_DOORBELL_RANGE << QUEUE_STATUS_CAUSE_SHIFT
    ring = await bench.ring(0, 3)
    await ring.run([bench.nop() for _ in range(20)], burst=1)
    assert (await bench.counters())["doorbells"] == before + 20
    bench.finish()


@cocotb.test()
async def bad_set_up(dut):
    bench = await CoreBench.start(dut)
    await bench.enable()
    top = (await bench.read(REGISTER_CAPABILITIES) & CAPABILITIES_MAX_DEPTH_LOG2_MASK) >> CAPABILITIES_MAX_DEPTH_LOG2_SHIFT
    for spoil in ({"depth_log2": 0}, {"depth_log2": top + 1}, {"depth_log2": 255}, {"submission": 0}, {"completion": 0},
                  {"submission": 0x12345800}, {"completion": (1 << 40) + 64},
                  {"submission": (1 << 64) - RING_ALIGNMENT, "depth_log2": 7}, {"completion": (1 << 64) - RING_ALIGNMENT, "depth_log2": 8}):
        ring = await bench.ring(2)
        await ring.disable()
        for name, value in spoil.items():
            setattr(ring, name, value)
        ring.depth = 16
        await ring.enable()
        assert await ring.read(REGISTER_QUEUE_STATUS) == (
            QUEUE_STATUS_ACTIVE_MASK | QUEUE_STATUS_ERROR_MASK | FATAL_RING_SETUP << QUEUE_STATUS_CAUSE_SHIFT), spoil
        await ring.disable()
    # A ring may end with the last byte that has an address.
    ring = await bench.ring(2, 7)
    await ring.disable()
    ring.submission = (1 << 64) - ring.depth * SUBMISSION_ENTRY_BYTES
    await ring.enable()
    assert await ring.read(REGISTER_QUEUE_STATUS) == QUEUE_STATUS_ACTIVE_MASK
    await ring.disable()
    ring = await bench.ring(2, top)
    await ring.run([bench.nop() for _ in range(5)])
    # A queue cannot be enabled while the card is not.
    await bench.disable()
    await ring.enable()
    assert await ring.read(REGISTER_QUEUE_STATUS) == 0
    bench.finish()


@cocotb.test()
async def full_completion_ring(dut):
    """Completions nobody takes stop their own queue and no other; draining lets it go on where it was."""
    bench = await CoreBench.start(dut)
    await bench.enable()
    full, other = await bench.ring(0, 3), await bench.ring(1, 3)
    jobs = [bench.nop() for _ in range(40)]
    await full.submit(jobs[:7])
    await bench.cycles(600)
    assert await full.read(REGISTER_COMPLETION_TAIL) == 7
    # Software takes the completions and reuses the submission entries, but does not say so.
    assert len(full.poll()) == 7
    await full.submit(jobs[7:14])
    await other.run([bench.nop() for _ in range(30)])
    await bench.cycles(500)
    assert await full.read(REGISTER_COMPLETION_TAIL) == 7, "the card overwrote completions"
    assert not full.poll()
    await full.acknowledge()
    await full.run(jobs[14:])
    assert all(job.completion for job in jobs)
    bench.finish()


@cocotb.test()
async def ring_faults(dut):
    """A ring that the bus refuses stops its own queue, names the cause, and leaves nothing behind. Entries that could not be used, and
    completions that were discarded, are not counted."""
    bench = await CoreBench.start(dut)
    await bench.enable()
    other = await bench.ring(1, 3)

    async def counts():
        found = await bench.counters()
        return found["commands"], found["completions"]

    ring = await bench.ring(0, 4)
    bench.memory.fail(ring.submission + 3 * SUBMISSION_ENTRY_BYTES, 1, reads=True)
    jobs = [bench.nop() for _ in range(6)]
    await ring.submit(jobs)
    await bench.until(lambda value: value & QUEUE_STATUS_ERROR_MASK, bench.queue_register(0, REGISTER_QUEUE_STATUS))
    await bench.cycles(300)
    assert (await ring.read(REGISTER_QUEUE_STATUS)) >> QUEUE_STATUS_CAUSE_SHIFT == FATAL_RING_FETCH
    ring.poll()
    assert [job.completion is not None for job in jobs] == [True] * 3 + [False] * 3
    assert await ring.read(REGISTER_SUBMISSION_HEAD) == 3
    assert await counts() == (3, 3)
    await other.run([bench.nop() for _ in range(20)])
    await ring.disable()
    bench.memory.mend()

    ring = await bench.ring(0, 4)
    bench.memory.fail(ring.completion + 2 * COMPLETION_ENTRY_BYTES, 1, writes=True)
    await ring.submit([bench.nop() for _ in range(15)])
    await bench.until(lambda value: value & QUEUE_STATUS_ERROR_MASK, bench.queue_register(0, REGISTER_QUEUE_STATUS))
    assert (await ring.read(REGISTER_QUEUE_STATUS)) >> QUEUE_STATUS_CAUSE_SHIFT == FATAL_RING_COMPLETE
    await other.run([bench.nop() for _ in range(20)])
    fetched = await ring.read(REGISTER_SUBMISSION_HEAD)
    await ring.disable()
    written = sum(bench.memory.peek(ring.completion + (index + 1) * COMPLETION_ENTRY_BYTES - 1, 1) == b"\1" for index in range(15))
    commands, completions = await counts()
    assert commands - 43 == fetched and completions - 43 in (written, written + 1), "the refused one may count, no discarded one"
    bench.memory.mend()
    ring = await bench.ring(0, 4)
    await ring.run([bench.nop() for _ in range(40)])
    await bench.disable()
    bench.finish()


@cocotb.test()
async def interrupts_are_moderated(dut):
    bench = await CoreBench.start(dut, stalls=0)
    await bench.enable()
    ring = await bench.ring(1, 5, count=4, cycles=0xFFFF)

    def level():
        return bench.interrupt(FIRST_QUEUE_VECTOR + 1)

    # Count: the fourth completion raises it, the acknowledgement drops it.
    await ring.submit([bench.nop() for _ in range(3)])
    await bench.cycles(400)
    assert not level()
    await ring.submit([bench.nop()])
    await bench.cycles(200)
    assert level()
    assert len(ring.poll()) == 4
    await ring.acknowledge()
    await bench.cycles(50)
    assert not level()
    assert (await bench.counters())["interrupts"] == 1

    # Acknowledging a part: those that still wait count again.
    await ring.submit([bench.nop() for _ in range(9)])
    await bench.cycles(400)
    assert level()
    ring.poll()
    await bench.doorbell(1, REGISTER_COMPLETION_HEAD, (ring.taken - 5) % ring.depth)
    await bench.cycles(50)
    assert level(), "five completions wait, four are enough"
    assert (await bench.counters())["interrupts"] == 3
    await bench.doorbell(1, REGISTER_COMPLETION_HEAD, (ring.taken - 2) % ring.depth)
    await bench.cycles(200)
    assert not level(), "two completions wait, four are wanted"
    await ring.disable()

    # Age: one completion is enough once it is old.
    ring = await bench.ring(1, 5, count=100, cycles=50)
    start = bench.cycle
    await ring.submit([bench.nop()])
    while not level():
        await bench.cycles(1)
        assert bench.cycle - start < 2000
    assert bench.cycle - start >= 50 * 16, "too early"
    ring.poll()
    await ring.acknowledge()
    await bench.cycles(1000)
    assert not level()

    # Neither: each completion at once.
    await ring.disable()
    ring = await bench.ring(1, 5, count=0, cycles=0)
    for _ in range(5):
        await ring.submit([bench.nop()])
        await bench.cycles(150)
        assert level() and len(ring.poll()) == 1
        await ring.acknowledge()
        await bench.cycles(10)
        assert not level()
    bench.finish()


def test_core():
    run("core", module=__name__, environment=QUIET)


@pytest.mark.night("test-parameters")
def test_core_many():
    run("core_many", module=__name__, environment=QUIET,
        testcase=["identity", "queue_registers", "nops_in_every_ring", "full_completion_ring", "ring_faults"])
