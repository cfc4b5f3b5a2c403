# SPDX-License-Identifier: Apache-2.0
"""core_cold: commands of both formats through rings, answered as the model of the whole card answers them; every stream is judged by the codecs
that users run."""
import copy
import random

import cocotb
import pytest
from cocotb.triggers import gather

import lzo
from sampled import sampled
from cold import cold_compress
from core_bench import PAGE, QUIET, CoreBench
from core_checks import check
from crc32c import crc32c
from host_memory import HostMemory
from model import CardModel, page_compress
from pagepress_cold import COLD_TABLES_VERSION
from pagepress_interface import *  # noqa: F403 (registers, statuses, entries)
from runner import run
from test_core_pages import random_pages

FORMATS = (FORMAT_LZO1X, FORMAT_COLD)
DEPTH_LOG2 = 3


class Twin:
    """The model of the whole card, in a host of its own whose memory is what `memory` held."""

    def __init__(self, memory):
        self.memory, self.tail = HostMemory(), 0
        self.memory.pages, self.memory.placed = copy.deepcopy(memory.pages), list(memory.placed)
        self.card = CardModel(self, cold_format=True)
        self.submissions, self.completions = (self.memory.place(entry << DEPTH_LOG2, RING_ALIGNMENT) for entry in (SUBMISSION_ENTRY_BYTES, COMPLETION_ENTRY_BYTES))
        self.card.write(REGISTER_CONTROL, CONTROL_ENABLE_MASK)
        for offset, base in ((REGISTER_SUBMISSION_BASE_LOW, self.submissions), (REGISTER_COMPLETION_BASE_LOW, self.completions)):
            self.card.write(QUEUE_BASE + offset, base & 0xFFFFFFFF)
            self.card.write(QUEUE_BASE + offset + 4, base >> 32)
        self.card.write(QUEUE_BASE + REGISTER_DEPTH_LOG2, DEPTH_LOG2)
        self.card.write(QUEUE_BASE + REGISTER_QUEUE_CONTROL, QUEUE_CONTROL_ENABLE_MASK)

    def read(self, address, size):
        return self.memory.peek(address, size)

    def write(self, address, data):
        self.memory.poke(address, data)

    def run(self, entry):
        at, self.tail = self.tail, (self.tail + 1) % (1 << DEPTH_LOG2)
        self.memory.poke(self.submissions + at * SUBMISSION_ENTRY_BYTES, entry.pack())
        self.card.write(DOORBELL_BASE + REGISTER_SUBMISSION_TAIL, self.tail)
        self.card.write(DOORBELL_BASE + REGISTER_COMPLETION_HEAD, self.tail)
        return CompletionEntry.unpack(self.memory.peek(self.completions + at * COMPLETION_ENTRY_BYTES, COMPLETION_ENTRY_BYTES))

    def check(self, bench, jobs):
        """Each job's completion is the model's but for times, heads and phases, and so is every byte of its destination."""
        for job in jobs:
            wanted = self.run(job.entry)
            for name in ("tag", "status", "produced_length", "crc32c", "detail"):
                assert getattr(job.completion, name) == getattr(wanted, name), f"{name} of {job}, not {wanted}"
            assert bench.memory.peek(*job.destination) == self.memory.peek(*job.destination), job


def stream_of(page, format_):
    return page_compress(page, 2 * PAGE)[1] if format_ == FORMAT_LZO1X else cold_compress(page, PAGE + 9)[1]


def mixed_jobs(bench, pages):
    """A command either way and of either format for each page."""
    jobs = []
    for page in pages:
        format_ = random.choice(FORMATS)
        if random.random() < 0.5:
            jobs.append(bench.compress(page, capacity=random.choice((PAGE, PAGE, 3 * PAGE // 4, random.randint(1, PAGE))), format=format_,
                                       flags=random.choice((0, 0, FLAG_SKIP_VERIFY))))
        else:
            jobs.append(bench.decompress(stream_of(page, format_), page, crc=random.choice((None, crc32c(page))), format=format_))
    return jobs


@cocotb.test()
async def says_so(dut):
    """CAPABILITIES tells the tables' version; other formats are refused as ever."""
    bench = await CoreBench.start(dut)
    capabilities = await bench.read(REGISTER_CAPABILITIES)
    assert (capabilities & CAPABILITIES_COLD_TABLES_MASK) >> CAPABILITIES_COLD_TABLES_SHIFT == COLD_TABLES_VERSION
    await bench.enable()
    ring = await bench.ring(0, 4)
    page, jobs = random.randbytes(PAGE), []
    for format_ in (0, 3, 4, FORMAT_LZO1X | 128, FORMAT_COLD | 128, 255):
        jobs += [bench.compress(page, format=format_), bench.decompress(page[:99], None, format=format_)]
    await ring.run(jobs)
    for job in jobs:
        assert job.completion.status == STATUS_INVALID_FORMAT, job
        bench.untouched(job)
    bench.finish()


@cocotb.test()
async def both_formats(dut):
    """Pages both ways, in both queues at once."""
    bench = await CoreBench.start(dut)
    await bench.enable()
    rings = [await bench.ring(index, random.randint(2, 5)) for index in range(2)]
    for _ in range(sampled(8, 2)):
        lots = [mixed_jobs(bench, random_pages(14)) for _ in rings]
        twin = Twin(bench.memory)
        await gather(*(ring.run(lot) for ring, lot in zip(rings, lots)))
        for job in sum(lots, []):
            check(bench, job)
        twin.check(bench, sum(lots, []))
    found = await bench.counters()
    assert found["verify_failures"] == found["commands_failed"] == found["commands_refused"] == 0 < found["pages_compressed"]
    bench.finish()


@cocotb.test()
async def broken_streams(dut):
    """Cold streams that are cut or changed, are LZO's, or have another CRC than the page, among good ones."""
    bench = await CoreBench.start(dut)
    await bench.enable()
    ring = await bench.ring(1, 4)
    jobs = []
    for page in lzo.sample_pages(sampled(40, 6), random.getrandbits(32)):
        stream = stream_of(page, FORMAT_COLD)
        at = random.randrange(len(stream))
        for taken in (stream[:at] + bytes([stream[at] ^ 1 << random.randrange(8)]) + stream[at + 1:], stream[:at] or b"\0",
                      stream_of(page, FORMAT_LZO1X), stream):
            jobs.append(bench.decompress(taken, page, crc=crc32c(page) ^ random.getrandbits(1), format=FORMAT_COLD))
        jobs.append(bench.decompress(stream_of(page, FORMAT_LZO1X), page, crc=crc32c(page)))
    random.shuffle(jobs)
    twin = Twin(bench.memory)
    await ring.run(jobs)
    twin.check(bench, jobs)
    assert {STATUS_SUCCESS, STATUS_MALFORMED_STREAM} <= {job.completion.status for job in jobs}
    bench.finish()


@pytest.mark.night("test-whole")
def test_core_cold():
    run("core_cold", module=__name__, environment=QUIET)
