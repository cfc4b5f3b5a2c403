# SPDX-License-Identifier: Apache-2.0
"""page_compressor: both decoders give every page back, whatever it holds and however its streams stall; the streams
of the default configuration are those of its model, byte for byte."""
import os
import random

import cocotb
import pytest
from sampled import sampled
from engine_bench import EngineBench
from lzo_verdict import interface
from lzo import compress, edge_pages, fixed_pages, kernel_decompress, liblzo2_decompress, sample_pages
from model import page_compress
from runner import run

WIDTH = 16
PAGE_BYTES = int(os.environ.get("COMPRESSOR_PAGE_BYTES", "4096"))
WINDOW_BYTES = int(os.environ.get("COMPRESSOR_WINDOW_BYTES", "16"))
# What the recorded pages must at least come through with, bytes a cycle, and their size over lzo1x_1's: near what they do.
LEAST_RATE = float(os.environ.get("COMPRESSOR_LEAST_RATE", "15.55"))
MOST_SIZE = float(os.environ.get("COMPRESSOR_MOST_SIZE", "0.935"))
NO_LIMIT = 2 * PAGE_BYTES  # no page's stream is as long
IS_MODELLED = os.environ.get("COMPRESSOR_IS_MODELLED") == "1"
GENERATIONS = 4095  # pages after which the match table uses a generation number again


class Compressor(EngineBench):
    """The block, its bench, and what every page must pass."""

    def __init__(self, dut):
        super().__init__(dut, WIDTH, NO_LIMIT)

    def most_cycles(self, taken, limit):
        return 40 * (len(taken) + 64)

    async def check(self, pages, limit=NO_LIMIT):
        """Every page must come back from both decoders; return the streams."""
        answers = await self.run(pages, limit)
        for page, (status, stream) in zip(pages, answers):
            assert status == interface.STATUS_SUCCESS, f"status {status} for {page.hex()}"
            check_stream(page, stream)
            if IS_MODELLED:
                expected = page_compress(page, NO_LIMIT)[1]
                assert stream == expected, f"page {page.hex()} stream {stream.hex()} is to be {expected.hex()}"
        return [stream for _, stream in answers]


def check_stream(page, stream):
    shown = f"page {page.hex()} stream {stream.hex()}"
    assert kernel_decompress(stream, len(page)) == page, shown
    assert liblzo2_decompress(stream, len(page)) == page, shown
    # To the kernel, 17 in front announces another stream version; only the end mark alone is too short for that.
    assert stream[0] != 17 or not page, shown


def without_repeats(length):
    """Noise in which no three bytes come twice, so that nothing can match."""
    page, seen = bytearray(random.randbytes(2)), set()
    while len(page) < length:
        byte = random.randrange(256)
        word = bytes(page[-2:]) + bytes([byte])
        if word not in seen:
            seen.add(word)
            page.append(byte)
    return bytes(page)


def stalls():
    return random.choice([(0, 0), (0.5, 0), (0, 0.5), (0.3, 0.3), (0.05, 0.8), (0.9, 0.05)])


def real_pages(count):
    return sample_pages(count, seed=random.getrandbits(32), page_bytes=PAGE_BYTES)


LITERALS = [0, 1, 2, 3, 4, 5, 17, 18, 19, 20, 237, 238, 239, 240, 272, 273, 274, 275, 527, 528, 529]
LENGTHS = [3, 4, 5, 7, 8, 9, 10, 15, 16, 17, 32, 33, 34, 35, 287, 288, 289, 542, 543, 544]
DISTANCES = [*range(1, 20), 31, 32, 33, 63, 64, 65, 255, 256, 257, 1023, 1024, 1025, *range(2040, 2060), 3071, 3072,
             3073, 4095, 16383, 16384, 16385, 16386, 32768, 49151, 49152]


def scripted_page(length, steps=None):
    """A page of random bytes and repetitions, their numbers at the edges of what tokens can say."""
    page = bytearray(random.randbytes(random.choice(LITERALS[1:])))
    for literals, match, distance in steps or iter(random_step, None):
        page += random.randbytes(literals)
        if distance <= len(page):
            for _ in range(match):
                page.append(page[-distance])
        if len(page) >= length:
            break
    # Cut anywhere, so pages end in matches, between tokens and in literals of any number.
    return bytes(page[:length])


def random_step():
    return random.choice(LITERALS), random.choice(LENGTHS), random.choice(DISTANCES)


def first_runs():
    """Pages that begin with a literal run of every length around its encodings' edges."""
    for literals in [*range(1, 26), *range(235, 243), *range(252, 260), *range(270, 278), 491, 492, 493, 494]:
        yield random.randbytes(literals) + b"\xaa" * random.randrange(8, 40)
        yield b"\x11" * literals + random.randbytes(random.randrange(4))


def endings():
    """Pages that end `tail` literals after a match, or inside one, at every place in a word."""
    for length in range(40, 40 + WIDTH):
        for tail in (0, 1, 2, 3, 4, 5, 18, 19):
            head = random.randbytes(12)
            yield (head * 9)[:length] + random.randbytes(tail)


def periods():
    for period in range(1, 71):
        yield (random.randbytes(random.randrange(20)) + random.randbytes(period) * 1100)[:random.randrange(200, 1000)]


def repeats_at_every_distance():
    """Two equal phrases in noise, at distances around every token's reach and up to the page's size."""
    for distance in DISTANCES:
        length = min(random.choice(LENGTHS), max(PAGE_BYTES - distance, 1))
        if distance + length <= PAGE_BYTES:
            page = bytearray(random.randbytes(min(PAGE_BYTES, distance + length + random.randrange(30))))
            start = random.randrange(len(page) - distance - length + 1)
            for at in range(start, start + length):
                page[at + distance] = page[at]
            yield bytes(page)


@cocotb.test()
async def real_pages_at_full_rate(dut):
    """Recorded pages back to back, the same for every seed: their rate in cycles, and their size beside lzo1x_1's."""
    block = await Compressor(dut).start()
    pages = fixed_pages(max(4, 60 * 4096 // PAGE_BYTES), PAGE_BYTES)
    streams = await block.check(pages)
    cycles = block.sink.cycles[-1] - block.source.first_cycles[0] + 1
    # With streams beyond the page stored as the page.
    size = sum(min(len(stream), len(page)) for page, stream in zip(pages, streams))
    software = sum(min(len(compress(page, "lzo1x_1")), len(page)) for page in pages)
    rate = len(pages) * PAGE_BYTES / cycles
    latencies = [end - begin + 1 for begin, end in zip(block.source.first_cycles, block.sink.cycles)]
    dut._log.info(f"{len(pages)} pages: {rate:.2f} bytes a cycle, {cycles / len(pages):.0f} cycles a page, "
                  f"first byte to last {max(latencies)} at most, ratio {len(pages) * PAGE_BYTES / size:.3f}, "
                  f"{size / software:.3f} of lzo1x_1's size")
    assert rate >= LEAST_RATE, f"only {rate:.2f} bytes a cycle"
    assert size <= MOST_SIZE * software, f"{size / software:.3f} of lzo1x_1's size"


@cocotb.test()
async def real_pages_with_stalls(dut):
    """Stalls of every kind, and words that end a page empty: correct, and the same streams as without."""
    block = await Compressor(dut).start()
    pages = real_pages(max(1, 4 * 4096 // PAGE_BYTES))
    expected = await block.check(pages)
    for _ in range(6):
        block.bench.stall(*stalls())
        block.source.empty_last = random.random() < 0.5
        order = random.sample(range(len(pages)), len(pages))
        for page, stream in zip(order, await block.check([pages[page] for page in order])):
            assert stream == expected[page], "a page's stream depends on stalls or on pages before it"


@cocotb.test()
async def empty_last_word_harms_nothing(dut):
    """A full page's first bytes are still read when the empty word behind it comes: by its last windows, which look for
    matches there, and by literals, which a slow sink makes late."""
    block = await Compressor(dut).start(0.0, 0.95)
    block.source.empty_last = True
    noise = random.randbytes(PAGE_BYTES)
    ring = noise[:-40] + noise[:40]
    await block.check([noise[:300] + bytes(PAGE_BYTES - 300), ring, real_pages(1)[0], noise])


@cocotb.test()
async def made_pages(dut):
    """Pages that real memory seldom holds."""
    block = await Compressor(dut).start(*stalls())
    pages = list(edge_pages(random.getrandbits(32), PAGE_BYTES).values())
    if PAGE_BYTES > 4096:
        pages = random.sample(pages, 6)
    await block.check(pages)
    # Each ends within a match; where a match would go on, the third finds the last bytes of the first.
    await block.check([bytes(PAGE_BYTES)] * 3)


@cocotb.test()
async def noise_has_a_bounded_price(dut):
    """A page without a match is one literal run: its stream's length and cycles are known."""
    block = await Compressor(dut).start()
    await block.check([b""])  # after reset the first page waits until the match table is wiped
    page = without_repeats(PAGE_BYTES)
    stream, = await block.check([page])
    assert len(stream) == PAGE_BYTES + 1 + -(-(PAGE_BYTES - 18) // 255) + 3
    cycles = block.sink.cycles[-1] - block.source.first_cycles[-1]
    # In, and when the run's length is known, out.
    assert cycles <= 2 * PAGE_BYTES // WINDOW_BYTES + PAGE_BYTES // 255 + 64


@cocotb.test()
async def dense_matches_have_a_bounded_price(dut):
    """The most tokens a page can hold, words of three bytes: still a window a cycle."""
    block = await Compressor(dut).start()
    words = [random.randbytes(3) for _ in range(40)]
    page = b"".join(random.choices(words, k=PAGE_BYTES))[:PAGE_BYTES]
    await block.check([b""])  # after reset the first page waits until the match table is wiped
    await block.check([page])
    cycles = block.sink.cycles[-1] - block.source.first_cycles[-1]
    assert cycles <= PAGE_BYTES // WINDOW_BYTES + 100


@cocotb.test()
async def token_edges(dut):
    """Literal runs, match lengths and distances around every edge of their encodings, in every combination."""
    block = await Compressor(dut).start()
    for pages in (
        [*first_runs()],
        [*endings()],
        [*periods()],
        [*repeats_at_every_distance()],
        [scripted_page(PAGE_BYTES) for _ in range(max(2, sampled(20, 8) * 4096 // PAGE_BYTES))],
        [scripted_page(random.randrange(1, 900)) for _ in range(sampled(150, 60))],
    ):
        block.bench.stall(*stalls())
        await block.check(pages)


@cocotb.test()
async def short_pages(dut):
    """Every length from nothing on: the ends of windows, words and keys."""
    block = await Compressor(dut).start()
    for symbols in (b"\x00", b"\x11", b"ab", b"abcd", bytes(range(256))):
        block.bench.stall(*stalls())
        block.source.empty_last = random.random() < 0.5
        lengths = random.sample(range(70), 70)
        streams = await block.check([bytes(random.choices(symbols, k=length)) for length in lengths])
        assert streams[lengths.index(0)] == bytes.fromhex("110000")


@cocotb.test()
async def long_matches_are_one_token(dut):
    """A page of one byte costs what its length costs: matches are carried through all windows."""
    block = await Compressor(dut).start()
    for period in (1, 4, 8, 9, 64, 1000):
        page = (random.randbytes(period) * PAGE_BYTES)[:PAGE_BYTES]
        stream, = await block.check([page])
        # Two matches are allowed: the first may begin before its repetition is known.
        most = 5 + period + WINDOW_BYTES + 12 + 2 * (PAGE_BYTES // 255 + 5)
        assert len(stream) <= most, f"{len(stream)} bytes for period {period}, at most {most}"


@cocotb.test()
async def limits(dut):
    """The exact length passes, one byte less does not; the page after a refused one is undisturbed."""
    block = await Compressor(dut).start()
    pages = [*real_pages(2), random.randbytes(PAGE_BYTES), bytes(PAGE_BYTES), scripted_page(700), b"\x01"]
    for page in pages:
        block.bench.stall(*stalls())
        stream, = await block.check([page])
        for limit in {len(stream), len(stream) - 1, len(stream) - 2, len(stream) // 2, 17, 16, 15, 4, 1}:
            (status, answer), = await block.run([page], limit)
            if len(stream) <= limit:
                assert (status, answer) == (interface.STATUS_SUCCESS, stream)
            else:
                assert status == interface.STATUS_INCOMPRESSIBLE and stream.startswith(answer)
        again, = await block.check([page])
        assert again == stream


@cocotb.test()
async def limits_back_to_back(dut):
    """A limit holds for its own page, though the next page's is there before the first has ended."""
    block = await Compressor(dut).start(0.1, 0.3)
    pages = [scripted_page(random.randrange(100, 600)) for _ in range(20)]
    streams = await block.check(pages)
    wanted = [random.choice([len(stream), len(stream) - 1, len(stream) // 2]) for stream in streams]
    first, done = len(block.source.first_cycles), len(block.result.received)
    for page in pages:
        block.source.send(page)
    while len(block.result.received) < done + len(pages):
        begun = len(block.source.first_cycles) - first
        dut.io_limit.value = wanted[min(begun, len(wanted) - 1)]
        await block.bench.step()
    for stream, limit, answer, result in zip(streams, wanted, block.sink.pages[done:], block.result.received[done:]):
        if len(stream) <= limit:
            assert result["status"] == interface.STATUS_SUCCESS and answer == stream
        else:
            assert result["status"] == interface.STATUS_INCOMPRESSIBLE and stream.startswith(answer)
        assert result["length"] == len(answer) <= limit


@cocotb.test()
async def nothing_survives_a_page(dut):
    """Words that were in another page are new to this one, be it the page before or the last of its generation."""
    block = await Compressor(dut).start()
    for between in (0, 1, GENERATIONS - 1):
        # Three pages in a row, the last of them so many before the page that has the words of all. Empty pages pass the generations
        # without overwriting what the three left.
        words = [[random.randbytes(8) for _ in range(24)] for _ in range(3)]
        earlier = [b"".join(some) for some in words]
        later = b"".join(random.sample(sum(words, []), 3 * 24))
        pages = [*earlier, *[b""] * between, random.randbytes(9) + later]
        for page, stream in zip(pages, await block.check(pages)):
            # No word comes twice in a page, so nearly all of it is literals.
            assert len(stream) >= len(page), f"{page.hex()} became {stream.hex()}"


@cocotb.test()
async def reset_in_mid_page(dut):
    """After a reset at any moment, pages compress as on a fresh block."""
    block = await Compressor(dut).start()
    page = real_pages(1)[0]
    expected, = await block.check([page])
    for _ in range(3):
        block.source.send(page)
        for _ in range(random.randrange(1, PAGE_BYTES // WINDOW_BYTES)):
            await block.bench.step()
        dut.io_source_valid.value = 0
        block = await Compressor(dut).start(*stalls())
        assert await block.check([page]) == [expected]


def test_page_compressor():
    run("page_compressor", module=__name__, environment={"COMPRESSOR_IS_MODELLED": "1"})


@pytest.mark.night("test-whole")
def test_page_compressor_w4():
    """Few banks and rows, one channel, four bytes a cycle: for those who count gates."""
    run("page_compressor_w4", module=__name__,
        environment={"COMPRESSOR_WINDOW_BYTES": "4", "COMPRESSOR_LEAST_RATE": "3.98", "COMPRESSOR_MOST_SIZE": "1.07"},
        testcase=["real_pages_at_full_rate", "real_pages_with_stalls", "noise_has_a_bounded_price",
                  "dense_matches_have_a_bounded_price", "token_edges", "short_pages", "limits_back_to_back",
                  "nothing_survives_a_page"])


@pytest.mark.night("test-whole")
def test_page_compressor_w8():
    run("page_compressor_w8", module=__name__,
        environment={"COMPRESSOR_WINDOW_BYTES": "8", "COMPRESSOR_LEAST_RATE": "7.95", "COMPRESSOR_MOST_SIZE": "0.94"},
        testcase=["real_pages_at_full_rate", "real_pages_with_stalls", "token_edges", "short_pages", "limits"])


@pytest.mark.night("test-whole")
def test_page_compressor_64k():
    """Pages longer than a token reaches back."""
    run("page_compressor_64k", module=__name__,
        environment={"COMPRESSOR_PAGE_BYTES": "65536", "COMPRESSOR_WINDOW_BYTES": "8", "COMPRESSOR_LEAST_RATE": "7.8",
                     "COMPRESSOR_MOST_SIZE": "1.3"},
        testcase=["real_pages_at_full_rate", "made_pages", "noise_has_a_bounded_price", "token_edges",
                  "long_matches_are_one_token"])
