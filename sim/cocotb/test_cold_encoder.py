# SPDX-License-Identifier: Apache-2.0
"""cold_encoder: windows of literals and matches become the one frame their sequences have, whatever they hold.

A page is made up together with its sequences, cut into windows as MatchCarry hands them out, and its frame must be, byte for byte, what
the plain writer makes of the sequences; zstd must give the page back.
"""
import random

import cocotb
import pytest
import pagepress_interface as interface
from sampled import sampled
from cold import zstd_decompress
from cold_writer import REPEAT_OFFSETS, literal_section, load, number, offset_value, sequence_section, stream_of
from runner import run
from window_bench import LENGTHS, LITERALS, PAGE_BYTES, Page, WindowBench, random_page, stalls


def frame_of(page):
    """The frame, by the format alone."""
    literals, sequences, at, recent = bytearray(), [], 0, list(REPEAT_OFFSETS)
    for start, length, offset in page.matches:
        literals += page.data[at:start]
        sequences.append((start - at, length, offset_value(recent, offset, start - at)))
        at = start + length
    return stream_of(literal_section(load(), bytes(literals + page.data[at:])) + sequence_section(load(), sequences))


def answer_of(page, limit):
    """(status, frame)"""
    frame = frame_of(page)
    return (interface.STATUS_SUCCESS, frame) if len(frame) <= limit else (interface.STATUS_INCOMPRESSIBLE, b"")


class Encoder(WindowBench):
    """The block, its bench, and the check that every page must pass."""

    async def check(self, pages, **how):
        """Every page's frame must be right, or refused where it is longer than any page's limit."""
        for page, answer in zip(pages, await self.run(pages, [PAGE_BYTES] * len(pages), **how), strict=True):
            wanted = answer_of(page, PAGE_BYTES)
            assert answer == wanted, f"page {bytes(page.data).hex()} matches {page.matches}: {answer[0]} {answer[1].hex()}, not {wanted[0]} {wanted[1].hex()}"
            if page.data and answer[1]:
                assert zstd_decompress(answer[1], len(page.data)) == page.data


@cocotb.test()
async def random_pages(dut):
    """Pages full, short and empty, with stalls of every kind."""
    block = await Encoder(dut).start()
    for _ in range(sampled(8, 2)):
        block.bench.stall(*stalls())
        await block.check([random_page() for _ in range(6)], empty_last=random.random() < 0.5)


@cocotb.test()
async def edges(dut):
    """Literals and match lengths around the edges of codes, headers and rows, at every place in a window."""
    block = await Encoder(dut).start()
    pages = []
    for literals in [*range(1, 35), *range(252, 262), 511, 512, 513, 1022, 1023, 1024, 1025, 1026, 2047, 2048, 2049, 4095, 4096, PAGE_BYTES - 1, PAGE_BYTES]:
        pages += [Page().literals(literals), Page().literals(literals).match(9, 1).literals(random.randrange(5))]
    for literals in LITERALS:
        pages.append(Page().literals(20 + random.randrange(16)).match(random.choice(LENGTHS), 7).literals(literals).match(3, 3))
    for length in [*LENGTHS, *range(34, 70), 130, 131, 258, 259, 514, 515, 1026, 1027, 2050, 2051, 2052, PAGE_BYTES - 20]:
        pages.append(Page().literals(20 + random.randrange(16)).match(length, 20).literals(random.choice(LITERALS[:12])))
    random.shuffle(pages)
    for at in range(0, len(pages), 60):
        block.bench.stall(*stalls())
        await block.check(pages[at:at + 60], empty_last=random.random() < 0.5)


@cocotb.test()
async def repeated_distances(dut):
    """Every way to name one of the last distances, with and without literals before the match."""
    block = await Encoder(dut).start()
    for _ in range(sampled(12, 6)):
        page, offsets = Page().literals(60), random.sample(range(1, 50), 4)
        while len(page.data) < 2500:
            choice = random.choice((*offsets, offsets[0] - 1 or 1, random.randrange(1, 50)))
            page.match(random.randrange(3, 7), choice).literals(random.choice((0, 0, 1, 2)))
            if random.random() < 0.05:
                offsets[random.randrange(4)] = random.randrange(1, 50)
        await block.check([page])


@cocotb.test()
async def many_sequences(dut):
    """As many sequences as a page holds, and numbers of them around their header's edges."""
    block = await Encoder(dut).start()
    pages = []
    for count in (1, 2, 126, 127, 128, 129, 255, 256, 257, (PAGE_BYTES - 4) // 3):
        page = Page().literals(40 if count < 1000 else 1)
        for _ in range(count):
            page.match(3, random.randrange(1, 30) if count < 1000 else random.randrange(1, len(page.data) + 1))
        pages.append(page)
    await block.check(pages)


@cocotb.test()
async def widest_sequences(dut):
    """Literals, match and distance of the most bits that one page has room for, behind any number of bits; at 8 KiB a sequence of 61."""
    block = await Encoder(dut).start()
    pages = []
    for behind in range(1, sampled(24, 8)):
        literals = random.randrange(PAGE_BYTES // 2, PAGE_BYTES * 3 // 4 - 12 * behind)
        page = Page().literals(literals).match(PAGE_BYTES // 4 + 3 + random.randrange(4), random.randint(PAGE_BYTES // 2 - 3, literals))
        for _ in range(behind):
            page.literals(random.randrange(4)).match(random.randrange(3, 9), random.randrange(1, 2000))
        pages.append(page)
    await block.check(pages)


@cocotb.test()
async def short_pages(dut):
    """Every length from nothing on, as literals and as one match."""
    block = await Encoder(dut).start()
    for _ in range(2):
        block.bench.stall(*stalls())
        lengths = random.sample(range(70), 70)
        await block.check([Page().literals(length) for length in lengths])
        await block.check([Page().literals(1).match(length, 1) for length in lengths], empty_last=True)


@cocotb.test()
async def limits(dut):
    """The exact length passes, one byte less does not; every page has its own limit, back to back; nothing comes of a refused page."""
    block = await Encoder(dut).start()
    for _ in range(sampled(8, 2)):
        block.bench.stall(*stalls())
        pages = [random.choice([random_page, lambda: random_page().cut(random.randrange(1, 200)),
                                lambda: Page().literals(random.randrange(1, PAGE_BYTES))])() for _ in range(12)]
        lengths = [len(frame_of(page)) for page in pages]
        allowed = [min(PAGE_BYTES, max(0, length - random.choice([-1, 0, 0, 1, 1, 2, 16, length // 2, length]))) for length in lengths]
        for page, limit, answer in zip(pages, allowed, await block.run(pages, allowed), strict=True):
            assert answer == answer_of(page, limit)


@cocotb.test()
async def literals_that_pay_and_do_not(dut):
    """Literals whose codes are as long as they are, a byte longer or shorter, in one stream and in four, some of them long streams."""
    block = await Encoder(dut).start()
    bits = load().literals.bits
    longest, shortest = (bytes(byte for byte in range(256) if bits[byte] == edge(bits)) for edge in (max, min))
    pages = []
    for count in (1, 5, 40, 255, 256, 300, 1000, 4000):
        sizes = [0, count, *sorted(random.sample(range(count + 1), min(count, 6)))]
        for long in sizes:
            page = Page()
            page.data = bytearray(random.choices(longest, k=long) + random.choices(shortest, k=count - long))
            pages.append(page)
    await block.check(pages)
    kinds = {stream[9] & 3 for stream in map(frame_of, pages)}
    assert kinds == {number("LITERALS_RAW"), number("LITERALS_TREELESS")}


def test_cold_encoder():
    run("cold_encoder", module=__name__)


@pytest.mark.night("test-whole")
def test_cold_encoder_8k():
    """The largest pages that the format's hardware has."""
    run("cold_encoder_8k", module=__name__, environment={"ENCODER_PAGE_BYTES": "8192"})
