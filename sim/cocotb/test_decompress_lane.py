# SPDX-License-Identifier: Apache-2.0
"""decompress_lane: pages and results in order, CRC checked, broken streams contained."""
import random

import cocotb
import pytest
from sampled import sampled
from lzo_verdict import interface, verdict
from lzo import PAGE_BYTES, compress, compressible_pages, crc32c, fixed_pages, sample_pages
from runner import run
from stream_bench import Bench, ByteSink, ByteSource, Sink, Source

WIDTH = 16
PATIENCE = 2000  # cycles, of the lanes whose engines can be broken (Tampered.scala)


class Lane:
    """decompress_lane, or decompress_lane_tampered, whose engine can be broken and begins sound."""

    commands = ["expectedCrc32c", "checkCrc"]

    def __init__(self, dut):
        self.command = Source(dut, "io_command", self.commands)
        self.source = ByteSource(dut, "io_source", WIDTH)
        self.sink = ByteSink(dut, "io_sink", WIDTH)
        self.result = Sink(dut, "io_result", ["status", "length", "crc32c", "detail"])
        self.bench = Bench(dut, [self.command, self.source], [self.sink, self.result])
        if hasattr(dut, "tamper_halt"):
            tamper(dut)

    async def run(self, jobs):
        """Run (stream, expected CRC, check) jobs; return [(result, page)]."""
        first = len(self.result.received)
        for job in jobs:
            self.send(*job)
        done = first + len(jobs)
        await self.bench.until(lambda: len(self.result.received) == done, 20000 * (1 + len(jobs)))
        assert len(self.sink.pages) == done and not self.sink.page
        # A result tells of a page that has left.
        for sunk, told in zip(self.sink.cycles, self.result.cycles):
            assert sunk < told
        return list(zip(self.result.received[first:], self.sink.pages[first:]))

    def send(self, stream, *command):
        self.command.send(**dict(zip(self.commands, map(int, command), strict=True)))
        self.source.send(stream)


@cocotb.test()
async def mixed_jobs(dut):
    """Good streams of all compressors, wrong CRCs checked and not, broken, long and short streams."""
    lane = Lane(dut)
    await lane.bench.reset()
    for _ in range(sampled(8, 3)):
        lane.bench.stall(*random.choice([(0, 0), (0.5, 0.1), (0.1, 0.6), (0.3, 0.3)]))
        jobs = []
        for page in sample_pages(5, seed=random.getrandbits(32)):
            stream = compress(page, random.choice(("lzo1x_1", "lzo1x_999", "lzo-rle")))
            crc = crc32c(page)
            jobs += [(stream, crc, True), (stream, crc ^ 1 << random.randrange(32), random.random() < 0.5)]
            at = random.randrange(len(stream))
            jobs.append((stream[:at] + bytes([stream[at] ^ 1 << random.randrange(8)]) + stream[at + 1:], crc, True))
            jobs.append((stream[:at], crc, True))
            jobs.append((compress(page[:random.randrange(1, PAGE_BYTES)], "lzo1x_1"), crc, True))
            jobs.append((compress(page + b"more", "lzo1x_1"), crc, True))
        random.shuffle(jobs)
        for (stream, crc, check), (result, page) in zip(jobs, await lane.run(jobs)):
            statuses, expected = verdict(stream, PAGE_BYTES)
            if statuses == {interface.STATUS_SUCCESS}:
                assert page == expected
                if check and crc32c(page) != crc:
                    statuses = {interface.STATUS_CRC_MISMATCH}
            else:
                assert expected.startswith(page), stream.hex()
            assert result["status"] in statuses, f"{result} for {stream.hex()}, wanted {statuses}"
            assert result["length"] == len(page) <= PAGE_BYTES
            assert result["crc32c"] == crc32c(page) and result["detail"] == 0


@cocotb.test()
async def rate(dut):
    """Recorded pages, the same for every seed, back to back without stalls."""
    lane = Lane(dut)
    await lane.bench.reset()
    pages = fixed_pages(40)
    start = lane.bench.cycle
    for result, page in await lane.run([(compress(page, "lzo1x_1"), crc32c(page), True) for page in pages]):
        assert result["status"] == interface.STATUS_SUCCESS
    cycles = (lane.bench.cycle - start) / len(pages)
    dut._log.info("%d lzo1x_1 pages back to back: %.0f cycles a page, %.1f bytes/cycle", len(pages), cycles,
                  PAGE_BYTES / cycles)
    assert PAGE_BYTES / cycles >= 15.3  # 15.4 they do


@cocotb.test()
async def hanging_engine(dut):
    """A decompressor that stops in mid-page: the page is ended, every command answered, until reset."""
    for _ in range(3):
        lane = Lane(dut)
        await lane.bench.reset()
        lane.bench.stall(0.1, 0.1)
        page = sample_pages(1, seed=random.getrandbits(32))[0]
        job = (compress(page, "lzo1x_1"), crc32c(page), True)
        assert (await lane.run([job]))[0][0]["status"] == interface.STATUS_SUCCESS
        lane.send(*job)
        # Mid-page for certain: not even the simplest page leaves in fewer cycles than it has words.
        for _ in range(random.randrange(PAGE_BYTES // WIDTH * 3 // 4)):
            await lane.bench.step()
        tamper(dut, halt=1)
        await lane.bench.until(lambda: len(lane.result.received) == 2, 10000)
        assert page.startswith(lane.sink.pages[1]) and len(lane.sink.pages) == 2
        tamper(dut)
        answers = [lane.result.received[1]] + [result for result, _ in await lane.run([job, job])]
        assert {answer["status"] for answer in answers} == {interface.STATUS_ENGINE_FAULT}


@cocotb.test()
async def broken_words(dut):
    """A wrong bit is a wrong CRC; a word that is not full is the end of the engine's service."""
    lane = Lane(dut)
    page = sample_pages(1, seed=random.getrandbits(32))[0]
    job = (compress(page, "lzo1x_1"), crc32c(page), True)
    tamper(dut, random.randrange(PAGE_BYTES // WIDTH), mask=1 << random.randrange(8 * WIDTH))
    await lane.bench.reset()
    (result, _), = await lane.run([job])
    assert result["status"] == interface.STATUS_CRC_MISMATCH
    tamper(dut, random.randrange(PAGE_BYTES // WIDTH - 1), count=1)
    for _ in range(2):
        lane.send(*job)
    await lane.bench.until(lambda: len(lane.result.received) == 3, 10000)
    assert [answer["status"] for answer in lane.result.received[1:]] == [interface.STATUS_ENGINE_FAULT] * 2


@cocotb.test()
async def pausing_source(dut):
    """A stream whose words stop coming for longer than a hang takes to be noticed is decompressed as any other."""
    lane = Lane(dut)
    await lane.bench.reset()
    for page in compressible_pages(4, seed=random.getrandbits(32)):
        stream = compress(page, "lzo1x_1")
        lane.send(stream, crc32c(page), True)
        left = random.randrange(1, len(stream) // WIDTH)
        await lane.bench.until(lambda: len(lane.source.queue) == left, 2000)
        lane.source.stall = 1
        for _ in range(2 * PATIENCE):
            await lane.bench.step()
        lane.source.stall, answered = 0, len(lane.result.received)
        await lane.bench.until(lambda: len(lane.result.received) > answered, 2000)
        assert lane.result.received[-1]["status"] == interface.STATUS_SUCCESS and lane.sink.pages[-1] == page


def tamper(dut, word=0, mask=0, count=0, halt=0):
    dut.tamper_word.value, dut.tamper_mask.value = word, mask
    dut.tamper_count.value, dut.tamper_halt.value = count, halt


def test_decompress_lane():
    """On the lane whose engine can be broken, and at first is not."""
    run("decompress_lane_tampered", module=__name__)


@pytest.mark.night("test-whole")
def test_decompress_lane_alone():
    run("decompress_lane", module=__name__, testcase=["mixed_jobs", "rate"])
