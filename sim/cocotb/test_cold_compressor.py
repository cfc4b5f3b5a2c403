# SPDX-License-Identifier: Apache-2.0
"""cold_compressor: its frames are those of the C model, byte for byte, whatever a page holds and however its streams stall; zstd gives the
pages back."""
import random
import statistics

import cocotb
import pagepress_interface as interface
from sampled import sampled
from cold import cold_compress, zstd_decompress
from cold_writer import literal_section, load, number, sequence_section, sequences_of, stream_of
from engine_bench import EngineBench
from lzo import compress, edge_pages, fixed_pages, sample_pages
from runner import run

WIDTH, PAGE_BYTES = 16, 4096
START = number("FRAME_START_BYTES") + number("BLOCK_START_BYTES")
# What the recorded pages must at least come through with, bytes a cycle, and their size over lzo1x_1's: near what they do.
LEAST_RATE, MOST_SIZE = 9.9, 0.81


def modelled(page, limit):
    """(status, frame) of the model; where it writes a raw block, which no page of full length gets, a compressed one."""
    status, stream = cold_compress(page, limit)
    if status != interface.STATUS_SUCCESS or stream[START - 3] & 7 != number("BLOCK_RAW"):
        return status, stream
    literals, sequences = sequences_of(page)
    stream = stream_of(literal_section(load(), literals) + sequence_section(load(), sequences))
    return (status, stream) if len(stream) <= limit else (interface.STATUS_INCOMPRESSIBLE, b"")


class Compressor(EngineBench):
    """The block, its bench, and what every page must pass."""

    is_lzo = False

    def __init__(self, dut):
        super().__init__(dut, WIDTH, PAGE_BYTES)

    async def check(self, pages, limit=PAGE_BYTES):
        answers = await self.run(pages, limit)
        for page, answer in zip(pages, answers, strict=True):
            assert answer == modelled(page, limit), f"page {page.hex()} limit {limit}: {answer[0]} {answer[1].hex()}, not {modelled(page, limit)}"
            if answer[0] == interface.STATUS_SUCCESS:
                assert zstd_decompress(answer[1], len(page)) == page
        return answers


def drawn(count):
    return sample_pages(count, seed=random.getrandbits(32))


def stalls():
    return random.choice([(0, 0), (0.5, 0), (0, 0.5), (0.3, 0.3), (0.05, 0.8), (0.9, 0.05)])


@cocotb.test()
async def real_pages(dut):
    """Recorded pages, stalls of every kind, both ways to end a page of full words."""
    block = await Compressor(dut).start()
    for _ in range(sampled(12, 6)):
        block.bench.stall(*stalls())
        block.source.empty_last = random.random() < 0.5
        await block.check(drawn(6))


@cocotb.test()
async def made_pages(dut):
    """Pages at the format's edges: periods, gaps, noise, zeros."""
    block = await Compressor(dut).start(0.05, 0.05)
    await block.check(list(edge_pages(random.getrandbits(32), PAGE_BYTES).values()))


@cocotb.test()
async def every_length(dut):
    """Pages shorter than a page."""
    block = await Compressor(dut).start(0.05, 0.05)
    source = drawn(1)[0]
    lengths = [*range(1, 40), *random.sample(range(40, PAGE_BYTES), 30)]
    await block.check([source[:length] for length in lengths])
    await block.check([bytes(length) for length in lengths])
    assert await block.run([b"", source]) == [(interface.STATUS_SUCCESS, bytes.fromhex("28b52ffd0030150000") + b"\0\0"), modelled(source, PAGE_BYTES)]


@cocotb.test()
async def limits(dut):
    """The exact length passes, one byte less does not."""
    block = await Compressor(dut).start(0.1, 0.1)
    for page in drawn(sampled(20, 8)):
        stream = cold_compress(page, 2 * PAGE_BYTES)[1]
        for limit in {len(stream), len(stream) - 1, len(stream) // 2, 12, 9, 8, 1} & set(range(PAGE_BYTES + 1)):
            await block.check([page], limit)


@cocotb.test()
async def bounded_and_fast(dut):
    """Cycles of recorded pages, the same for every seed, and their size beside lzo1x_1's; the slowest pages are bounded."""
    block = await Compressor(dut).start()
    pages, cycles = fixed_pages(60, PAGE_BYTES), []
    for page in pages[:sampled(60, 20)]:
        first = len(block.source.first_cycles)
        await block.check([page])
        cycles.append(block.result.cycles[-1] - block.source.first_cycles[first] + 1)
    mean, quantiles = statistics.mean(cycles), statistics.quantiles(cycles, n=100)
    dut._log.info("%d pages, one by one, mean %.0f cycles, p50 %.0f, p99 %.0f, max %d", len(cycles), mean, quantiles[49], quantiles[98], max(cycles))
    start = block.bench.cycle
    streams = [stream or page for page, (_, stream) in zip(pages, await block.run(pages))]
    back_to_back = (block.bench.cycle - start) / len(pages)
    size = sum(map(len, streams)) / sum(min(len(compress(page, "lzo1x_1")), PAGE_BYTES) for page in pages)
    dut._log.info("back to back, mean %.0f cycles (%.2f bytes/cycle), %.3f of lzo1x_1's size", back_to_back, PAGE_BYTES / back_to_back, size)
    assert PAGE_BYTES / back_to_back >= LEAST_RATE and size <= MOST_SIZE
    words = [bytes(random.choices(range(97, 123), k=3)) for _ in range(40)]
    for page in (random.randbytes(PAGE_BYTES), bytes(PAGE_BYTES), b"".join(random.choice(words) for _ in range(1366))[:PAGE_BYTES]):
        first = len(block.source.first_cycles)
        await block.run([page])
        spent = block.result.cycles[-1] - block.source.first_cycles[first] + 1
        assert spent <= 256 + 3 * 1366 + PAGE_BYTES // 8 + 300, f"{spent} cycles"


def test_cold_compressor():
    run("cold_compressor", module=__name__)
