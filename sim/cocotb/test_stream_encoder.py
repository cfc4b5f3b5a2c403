# SPDX-License-Identifier: Apache-2.0
"""stream_encoder: windows of literals and matches become the one stream their sequences have, whatever they hold.

A page is made up together with its sequences, cut into windows as MatchCarry hands them out, and its stream must be,
byte for byte, what the format says of the sequences; both decoders must give the page back.
"""
import random

import cocotb
import pytest
from sampled import sampled
from lzo import kernel_decompress, liblzo2_decompress
from lzo_verdict import interface
from runner import run
from window_bench import LENGTHS, LITERALS, OFFSETS, PAGE_BYTES, SHARE, WINDOW_BYTES, Page, WindowBench, random_page, stalls

ROUNDS = max(3, int(sampled(8, 2) * SHARE))


def places():
    """Some places in a window, at night each."""
    return random.sample(range(WINDOW_BYTES), min(WINDOW_BYTES, sampled(WINDOW_BYTES, 5)))


def stream_of(page):
    """The stream, by the format alone."""
    stream, at, tokens = bytearray(), 0, [*page.matches, (len(page.data), 0, 0)]
    for start, length, offset in tokens:
        literals = start - at
        if at == 0 and 0 < literals <= 238:
            stream.append(17 + literals)
        elif 0 < literals <= 3 and at:
            stream[-2] |= literals
        elif literals > 18:
            stream += extended(0, literals - 18)
        elif literals:
            stream.append(literals - 3)
        stream += page.data[at:start]
        back = offset - 1
        if length and length <= 8 and offset <= 2048:
            stream += bytes([(length - 1) << 5 | (back & 7) << 2, back >> 3])
        elif length:
            stream += extended(32, length - 33) if length > 33 else bytes([32 | length - 2])
            stream += bytes([back << 2 & 255, back >> 6])
        at = start + length
    return bytes(stream) + b"\x11\0\0"


def extended(mark, rest):
    zeros = (rest - 1) // 255
    return bytes([mark, *[0] * zeros, rest - 255 * zeros])


class Encoder(WindowBench):
    """The block, its bench, and the check that every page must pass."""

    async def check(self, pages, **how):
        for page, (status, stream) in zip(pages, await self.run(pages, **how)):
            shown = f"page {bytes(page.data).hex()} matches {page.matches} stream {stream.hex()}"
            assert status == interface.STATUS_SUCCESS
            assert stream == stream_of(page), f"{shown} expected {stream_of(page).hex()}"
            assert kernel_decompress(stream, len(page.data)) == page.data, shown
            assert liblzo2_decompress(stream, len(page.data)) == page.data, shown


@cocotb.test()
async def random_pages(dut):
    """Pages full, short and empty, with stalls of every kind."""
    block = await Encoder(dut).start()
    for _ in range(ROUNDS):
        block.bench.stall(*stalls())
        await block.check([random_page() for _ in range(6)], empty_last=random.random() < 0.5)


@cocotb.test()
async def edges(dut):
    """Every first run, run and match length around its encodings' edges, at some places in a window, at night at each."""
    block = await Encoder(dut).start()
    pages = []
    for literals in [*range(1, 26), *range(235, 243), *range(270, 278), 528, 529, 783, 784, 1038, 1039, 4095, 4096]:
        pages += [Page().literals(literals), Page().literals(literals).match(9, 1).literals(random.randrange(5))]
    for literals in LITERALS:
        for place in places():
            length = random.choice(LENGTHS)
            pages.append(Page().literals(20 + place).match(length, 7).literals(literals).match(3, 3))
    for length in [*LENGTHS, 798, 799, 2000, 4076]:
        for place in places():
            pages.append(Page().literals(20 + place).match(length, 20).literals(random.choice(LITERALS[:12])))
    random.shuffle(pages)
    for at in range(0, len(pages), 100):
        block.bench.stall(*stalls())
        await block.check(pages[at:at + 100], empty_last=random.random() < 0.5)


@cocotb.test()
async def everything_waits(dut):
    """Long matches and runs, with rests of all kinds, behind a sink that hardly takes anything: what is known of them waits in full queues."""
    block = await Encoder(dut).start(0, 0.95)
    pages = [Page().literals(20) for _ in range(3)]
    for page in pages:
        while len(page.data) < PAGE_BYTES:
            page.match(random.randrange(34, 120), random.choice(OFFSETS)).literals(random.randrange(20, 60))
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
    """The exact length passes, one byte less does not; every page has its own limit, back to back."""
    block = await Encoder(dut).start()
    for _ in range(ROUNDS):
        block.bench.stall(*stalls())
        pages = [random.choice([random_page, lambda: random_page().cut(random.randrange(200)),
                                lambda: Page().literals(random.randrange(PAGE_BYTES))])() for _ in range(12)]
        lengths = [len(stream_of(page)) for page in pages]
        allowed = [max(0, length - random.choice([-1, 0, 0, 1, 1, 2, 16, length // 2, length])) for length in lengths]
        for page, limit, (status, stream) in zip(pages, allowed, await block.run(pages, allowed)):
            assert len(stream) <= limit
            if len(stream_of(page)) <= limit:
                assert (status, stream) == (interface.STATUS_SUCCESS, stream_of(page))
            else:
                assert status == interface.STATUS_INCOMPRESSIBLE and stream_of(page).startswith(stream)


@cocotb.test()
async def full_rate(dut):
    """A window a cycle, as long as the streams are no longer than the pages."""
    block = await Encoder(dut).start()
    pages = []
    while len(pages) < 20 * SHARE:
        page = random_page()
        if len(page.data) == PAGE_BYTES and len(stream_of(page)) <= PAGE_BYTES:
            pages.append(page)
    before = block.bench.cycle
    await block.check(pages)
    cycles = block.sink.cycles[-1] - before
    windows = PAGE_BYTES // WINDOW_BYTES
    dut._log.info(f"{cycles / len(pages):.1f} cycles a page of {windows} windows")
    assert cycles <= 1.02 * windows * len(pages), "the encoder holds its windows up"


def test_stream_encoder():
    run("stream_encoder", module=__name__)


@pytest.mark.night("test-whole")
def test_stream_encoder_w4():
    run("stream_encoder_w4", module=__name__, environment={"ENCODER_WINDOW_BYTES": "4"})
