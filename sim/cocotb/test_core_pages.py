# SPDX-License-Identifier: Apache-2.0
"""core: pages through the engines; every stream is judged by the codecs that users run."""
import random

import cocotb
import pytest
from cocotb.triggers import gather

import lzo
from sampled import sampled
from core_bench import PAGE, QUIET, CoreBench
from core_checks import check_compressed, check_decompressed
from crc32c import crc32c
from pagepress_interface import *  # noqa: F403 (registers, statuses, entries)
from runner import run

CODECS = sorted(lzo.COMPRESSORS)


def random_pages(count):
    """Real pages and edge cases, mixed; a third of them of one word only or of noise."""
    edges = list(lzo.edge_pages(random.getrandbits(32)).values())
    pages = lzo.sample_pages(count // 3 + 1, random.getrandbits(32)) + random.sample(edges, min(len(edges), count // 2))
    while len(pages) < count:
        pages.append(random.choice((random.randbytes(PAGE), random.randbytes(8) * (PAGE // 8))))
    random.shuffle(pages)
    return pages[:count]


@cocotb.test()
async def compress(dut):
    bench = await CoreBench.start(dut)
    await bench.enable()
    ring = await bench.ring(0, random.randint(1, 5))
    jobs = [bench.compress(page, capacity=random.choice((PAGE, PAGE, 3 * PAGE // 4, random.randint(1, PAGE))),
                           flags=random.choice((0, 0, FLAG_SKIP_VERIFY))) for page in random_pages(sampled(60, 16))]
    await ring.run(jobs)
    for job in jobs:
        check_compressed(bench, job)
    done = [job for job in jobs if job.completion.status == STATUS_SUCCESS]
    found = await bench.counters()
    assert found["pages_compressed"] == len(done) > 0
    assert found["pages_same_filled"] == sum(job.completion.status == STATUS_SAME_FILLED for job in jobs)
    assert found["pages_incompressible"] == sum(job.completion.status == STATUS_INCOMPRESSIBLE for job in jobs)
    assert found["compress_bytes_in"] == PAGE * len(done)
    assert found["compress_bytes_out"] == sum(job.completion.produced_length for job in done)
    assert found["verify_failures"] == found["decompress_busy_cycles"] == 0
    assert 0 < found["compress_busy_cycles"] <= found["cycles"]
    bench.finish()


@cocotb.test()
async def decompress(dut):
    """Streams of every codec, with and without the check of the page's CRC."""
    bench = await CoreBench.start(dut)
    await bench.enable()
    ring = await bench.ring(1, random.randint(1, 5))
    jobs = []
    for index, page in enumerate(random_pages(sampled(40, 12))):
        stream = lzo.compress(page, CODECS[index % len(CODECS)])
        jobs.append(bench.decompress(stream, page, crc=random.choice((None, crc32c(page)))))
    await ring.run(jobs)
    for job in jobs:
        check_decompressed(bench, job)
    found = await bench.counters()
    assert found["pages_decompressed"] == len(jobs)
    assert found["decompress_bytes_in"] == sum(job.entry.source_length for job in jobs)
    assert found["decompress_bytes_out"] == PAGE * len(jobs)
    bench.finish()


@cocotb.test()
async def bad_streams(dut):
    """Whatever is wrong with a stream, its page gets a status, the neighbours are right, nothing else is written."""
    bench = await CoreBench.start(dut)
    await bench.enable()
    ring = await bench.ring(1, 4)
    jobs = []
    for page in random_pages(sampled(24, 10)):
        stream = lzo.compress(page, random.choice(CODECS))
        good = bench.decompress(stream, page, crc=crc32c(page))
        good.expected = {STATUS_SUCCESS}
        jobs.append(good)
        kind = random.choice(("crc", "cut", "tail", "noise", "flip", "short", "long"))
        if kind == "crc":
            bad = bench.decompress(stream, page, crc=crc32c(page) ^ 1 << random.randrange(32))
            bad.expected = {STATUS_CRC_MISMATCH}
        elif kind == "cut":
            bad = bench.decompress(stream[:random.randrange(1, len(stream))], None)
            bad.expected = {STATUS_MALFORMED_STREAM, STATUS_OUTPUT_UNDERRUN}
        elif kind == "tail":
            bad = bench.decompress(stream + random.randbytes(random.randint(1, 40)), None)
            bad.expected = {STATUS_MALFORMED_STREAM}
        elif kind == "noise":
            bad = bench.decompress(random.randbytes(random.randint(1, 2 * PAGE)), None)
            bad.expected = {STATUS_MALFORMED_STREAM, STATUS_OUTPUT_UNDERRUN, STATUS_OUTPUT_OVERRUN}
        elif kind == "flip":
            where = random.randrange(len(stream))
            flipped = stream[:where] + bytes([stream[where] ^ 1 << random.randrange(8)]) + stream[where + 1:]
            bad = bench.decompress(flipped, None, crc=crc32c(page))
            bad.expected = {STATUS_MALFORMED_STREAM, STATUS_OUTPUT_UNDERRUN, STATUS_OUTPUT_OVERRUN, STATUS_CRC_MISMATCH}
            try:
                if lzo.kernel_decompress(flipped, PAGE) == page:
                    bad.expected, bad.plain = {STATUS_SUCCESS}, page
            except lzo.LzoError:
                pass
        elif kind == "short":
            bad = bench.decompress(lzo.compress(page[:random.randrange(1, PAGE)], "lzo1x_1"), None)
            bad.expected = {STATUS_OUTPUT_UNDERRUN}
        else:
            bad = bench.decompress(lzo.compress(page + page[:random.randrange(1, PAGE)], "lzo1x_1"), None)
            bad.expected = {STATUS_OUTPUT_OVERRUN}
        bad.kind = kind
        jobs.append(bad)
    await ring.run(jobs)
    for job in jobs:
        assert job.completion.status in job.expected, f"{getattr(job, 'kind', 'good')}: {job}"
        assert job.completion.produced_length <= PAGE
        if job.completion.status == STATUS_SUCCESS:
            check_decompressed(bench, job)
    assert (await bench.counters())["commands_failed"] == sum(job.completion.status != STATUS_SUCCESS for job in jobs)
    bench.finish()


@cocotb.test()
async def everything_at_once(dut):
    """All queues, both kinds, refusals and NOPs between: each command ends once and right."""
    bench = await CoreBench.start(dut)
    await bench.enable()
    rings = [await bench.ring(index, random.randint(1, 6)) for index in range(len(dut.interrupt) - 1)]
    lots = []
    for _ in rings:
        lot = []
        for page in random_pages(sampled(24, 8)):
            kind = random.choice("ccdddnr")
            if kind == "c":
                job = bench.compress(page)
            elif kind == "d":
                job = bench.decompress(lzo.compress(page, random.choice(CODECS)), page, crc=crc32c(page))
            else:
                job = bench.nop(opcode=OPCODE_NOP if kind == "n" else 200)
            job.kind = kind
            lot.append(job)
        lots.append(lot)
    await gather(*(ring.run(lot) for ring, lot in zip(rings, lots)))
    for job in sum(lots, []):
        if job.kind == "c":
            check_compressed(bench, job)
        elif job.kind == "d":
            check_decompressed(bench, job)
        else:
            assert job.completion.status == (STATUS_SUCCESS if job.kind == "n" else STATUS_INVALID_OPCODE)
    found = await bench.counters()
    assert found["commands"] == found["completions"] == sum(map(len, lots))
    await bench.disable()
    bench.finish()


@cocotb.test()
async def bus_faults(dut):
    """SLVERR on a source or a destination fails that command alone."""
    bench = await CoreBench.start(dut)
    await bench.enable()
    ring = await bench.ring(0, 4)
    jobs = []
    for page in lzo.sample_pages(24, random.getrandbits(32)):
        stream = lzo.compress(page, "lzo1x_1")
        job = bench.compress(page) if random.random() < 0.5 else bench.decompress(stream, page, crc=crc32c(page))
        job.fault = random.choice((None, "read", "write"))
        entry = job.entry
        if job.fault == "read":
            at = random.randrange(entry.source_length)
            bench.memory.fail(entry.source_address + at, 1, reads=True)
        elif job.fault == "write":
            # The first bytes are always written; a compressed stream's length is not known here.
            at = 0 if entry.opcode == OPCODE_COMPRESS else random.randrange(PAGE)
            bench.memory.fail(entry.destination_address + at, 1, writes=True)
        jobs.append(job)
    await ring.run(jobs)
    for job in jobs:
        compresses = job.entry.opcode == OPCODE_COMPRESS
        if job.fault == "read":
            assert job.completion.status == STATUS_READ_FAULT, job
            assert job.completion.produced_length == job.completion.crc32c == job.completion.detail == 0
            if compresses:
                bench.untouched(job)
        elif job.fault == "write" and not (compresses and job.completion.status in (STATUS_INCOMPRESSIBLE, STATUS_SAME_FILLED)):
            assert job.completion.status == STATUS_WRITE_FAULT, job
            assert job.completion.produced_length == 0
        elif compresses:
            check_compressed(bench, job)
        else:
            check_decompressed(bench, job)
    faulted = sum(job.completion.status in (STATUS_READ_FAULT, STATUS_WRITE_FAULT) for job in jobs)
    assert (await bench.counters())["commands_failed"] == faulted > 0
    bench.finish()


@cocotb.test()
async def bad_streams_with_bus_faults(dut):
    """Where the page that a bad stream yields cannot be written, its completion counts no bytes at the destination."""
    bench = await CoreBench.start(dut)
    await bench.enable()
    ring = await bench.ring(0, 4)
    jobs = []
    for page in lzo.sample_pages(6, random.getrandbits(32)):
        stream = lzo.compress(page, "lzo1x_1")
        whole = random.random() < 0.5
        job = bench.decompress(stream, page, crc=crc32c(page) ^ 1) if whole else bench.decompress(stream + b"tail", None)
        job.expected = STATUS_CRC_MISMATCH if whole else STATUS_MALFORMED_STREAM
        bench.memory.fail(job.entry.destination_address + random.randrange(PAGE), 1, writes=True)
        jobs.append(job)
    await ring.run(jobs)
    for job in jobs:
        assert job.completion.status == job.expected, job
        assert job.completion.produced_length == job.completion.crc32c == job.completion.detail == 0, job
    bench.finish()


@cocotb.test()
async def read_faults_behind_slow_writes(dut):
    """A page that was read badly, judged while the stream before it is still being written, spoils nothing."""
    bench = await CoreBench.start(dut, stalls=0)
    await bench.enable()
    ring = await bench.ring(0, 4)
    half_noise = [random.randbytes(PAGE // 2) + bytes(PAGE // 2) for _ in range(8)]
    jobs = [bench.compress(page) for page in half_noise]
    bad = jobs[1::2]
    for job in bad:
        bench.memory.fail(job.entry.source_address + random.randrange(PAGE), 1, reads=True)
    bench.bus.write_if.w_channel.pause = True
    await ring.submit(jobs)
    await bench.cycles(6000)
    bench.bus.write_if.w_channel.pause = False
    await ring.run([])
    for job in jobs:
        if job in bad:
            assert job.completion.status == STATUS_READ_FAULT, job
            bench.untouched(job)
        else:
            assert job.completion.status == STATUS_SUCCESS, job
            check_compressed(bench, job)
    bench.finish()


@cocotb.test()
async def decompress_overtakes(dut):
    """A decompress command behind many compress commands of its own ring does not wait for them."""
    bench = await CoreBench.start(dut, stalls=0)
    await bench.enable()
    ring = await bench.ring(0, 5)
    pages = lzo.sample_pages(13, random.getrandbits(32))
    late = bench.decompress(lzo.compress(pages[-1], "lzo1x_1"), pages[-1])
    jobs = [bench.compress(page) for page in pages[:-1]] + [late]
    await ring.submit(jobs)
    order = []
    while len(order) < len(jobs):
        order += ring.poll()
        await bench.cycles(20)
    assert order.index(late) < 6, "decompress waited for compress"
    for job in jobs[:-1]:
        check_compressed(bench, job)
    check_decompressed(bench, late)
    bench.finish()


def test_core_pages():
    run("core", module=__name__, environment=QUIET)


@pytest.mark.night("test-parameters")
def test_core_many_pages():
    run("core_many", module=__name__, environment=QUIET, testcase=["everything_at_once", "bus_faults", "bad_streams"])
