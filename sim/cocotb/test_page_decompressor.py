# SPDX-License-Identifier: Apache-2.0
"""page_decompressor: gives what the kernel's decoder gives, and says why when it does not."""
import itertools
import os
import random
import statistics

import cocotb
import pytest
from sampled import sampled
from engine_bench import EngineBench
from lzo_verdict import interface, verdict
import lzo
from lzo import compress, fixed_pages, kernel_decompress
from runner import run

# The configuration under test: page_decompressor unless the environment says otherwise.
WIDTH = int(os.environ.get("BLOCK_WIDTH", 32))
PAGE_BYTES = int(os.environ.get("BLOCK_PAGE_BYTES", 4096))
CODECS = ("lzo1x_1", "lzo1x_999", "lzo-rle")
END = bytes.fromhex("110000")
# Plain bytes a cycle that the recorded pages come through with at least, back to back, by codec in their order; a hundredth below
# what they do.
LEAST_RATES = dict(zip(CODECS, map(float, os.environ.get("BLOCK_LEAST_RATES", "17.6 17.6 14.6").split())))


class Decompressor(EngineBench):
    """The block, its bench, and the checks every page must pass."""

    def __init__(self, dut):
        super().__init__(dut, WIDTH, PAGE_BYTES)

    async def check(self, streams, limit=PAGE_BYTES):
        """Every stream must be judged as the kernel's decoder does; return the statuses seen."""
        answers = await self.run(streams, limit)
        for stream, (status, page) in zip(streams, answers):
            statuses, expected = verdict(stream, limit)
            shown = f"{stream.hex()} limit {limit}: status {status}, wanted {statuses}"
            assert status in statuses, shown
            if status in (interface.STATUS_SUCCESS, interface.STATUS_OUTPUT_UNDERRUN):
                assert page == expected, shown
            else:
                assert expected.startswith(page), f"{shown}: {len(page)} bytes, clear are {len(expected)}"
        return [status for status, _ in answers]


def real_streams(count):
    pages = sample_pages(count, seed=random.getrandbits(32))
    return [(page, compress(page, codec)) for page in pages for codec in CODECS]


def sample_pages(count, seed):
    return lzo.sample_pages(count, seed, PAGE_BYTES)


def stalls():
    return random.choice([(0, 0), (0.5, 0), (0, 0.5), (0.3, 0.3), (0.05, 0.8), (0.9, 0.05)])


@cocotb.test()
async def real_pages(dut):
    """Streams of all three compressors, stalls of every kind, both ways to end a stream of full words."""
    block = await Decompressor(dut).start()
    for _ in range(6):
        block.bench.stall(*stalls())
        block.source.empty_last = random.random() < 0.5
        pairs = real_streams(3)
        answers = await block.run([stream for _, stream in pairs])
        for (page, stream), (status, output) in zip(pairs, answers):
            assert (status, output) == (interface.STATUS_SUCCESS, page), stream.hex()


@cocotb.test()
async def made_pages(dut):
    """Pages at the format's edges: periods, run lengths, noise, zeros."""
    block = await Decompressor(dut).start(0.1, 0.1)
    pages = list(lzo.edge_pages(random.getrandbits(32), PAGE_BYTES).values())
    codecs = CODECS if PAGE_BYTES == 4096 else [random.choice(CODECS)]
    streams = [compress(page, codec) for page in pages for codec in codecs]
    assert set(await block.check(streams)) == {interface.STATUS_SUCCESS}


@cocotb.test()
async def every_instruction(dut):
    """Hand-made streams: each instruction in each state, its lengths and distances at their edges."""
    block = await Decompressor(dut).start(0.05, 0.05)
    streams = list(instruction_streams())
    by_limit = {}
    for stream in streams:
        try:
            length = len(kernel_decompress(stream, PAGE_BYTES))
        except Exception:
            length = PAGE_BYTES
        by_limit.setdefault(length, []).append(stream)
    statuses = []
    for limit, group in by_limit.items():
        if limit:
            statuses += await block.check(group, limit)
    # A page's header and state end with it.
    zeros = b"\x18\xfc\xff\x02"
    pair = [b"\x11\x01" + run_of(8) + zeros + END, run_of(8) + zeros + END]
    assert await block.check(pair, 28) == [interface.STATUS_SUCCESS, interface.STATUS_MALFORMED_STREAM]
    # A version nobody has written yet is refused, whatever follows; the shortest stream has no room for a version.
    unknown = [bytes([17, version]) + rest for version in range(2, 256) for rest in (run_of(8) + END, END)]
    assert set(await block.check([*unknown, b"\x11" + END])) == {interface.STATUS_MALFORMED_STREAM}
    # Hand-made streams are meant to be legal, but for those that reach too far: about a fifth.
    assert statuses.count(interface.STATUS_SUCCESS) > 0.75 * len(statuses)


@cocotb.test()
async def shortest_streams(dut):
    """A version stands in streams of five bytes and more; nothing at all is put out of them, and what is wrong with them is told."""
    block = await Decompressor(dut).start(0.1, 0.1)
    known, unknown = [b"\x11" + bytes([version]) + END for version in range(2)], [b"\x11" + bytes([version]) + END for version in range(2, 256)]
    assert await block.check(known) == [interface.STATUS_OUTPUT_UNDERRUN] * len(known)
    assert set(await block.check(unknown)) == {interface.STATUS_MALFORMED_STREAM}
    # Of four bytes the second is part of an instruction: two of them, behind a first of 0x11, are no end mark.
    streams = [END, END + b"\0", b"\x11\0\0\0\0", b"\x11\0", b"\x11", b"\x11\x01", *(b"\x11" + bytes([version]) + b"\x11\0" for version in range(3))]
    streams += [bytes([first]) + random.randbytes(size) for first in (17, 17, 17, 18, 20, 22) for size in range(5) for _ in range(4)]
    streams += [header + END for header in (b"\x12a", b"\x13ab", b"\x14abc", b"\x11\x01\x12a", b"\x11\0\x13ab")]
    streams += [b"\x11" + version + b"\x11" + random.choice((b"\0\1", b"\4\0", b"\1\0")) for version in (b"\0", b"\1")]
    await block.check(streams)


@cocotb.test()
async def endless_lengths(dut):
    """A length that exceeds every page stays too long, though its low bits would fit: no page comes of it."""
    block = await Decompressor(dut).start()
    streams = []
    for length in (2 * PAGE_BYTES, 4 * PAGE_BYTES, *(1 << bits for bits in range(15, 20))):
        rest = random.randrange(600, PAGE_BYTES - 600)  # of a page that would be whole if the length's upper bits were lost
        run = run_of(PAGE_BYTES - rest)
        for base, bits in ((32, 5), (16, 3)):
            streams.append(run + long_copy(base, bits, length + rest, random.randrange(1, 500), 0) + END)
        zeros, last = divmod(length + rest - 3 - 19, 255)
        streams.append(run + b"\x40\0" + bytes(1 + zeros) + bytes([1 + last]) + random.randbytes(rest - 3) + END)
    streams = [stream for stream in streams if len(stream) <= 2 * PAGE_BYTES]
    statuses = await block.check(streams)
    assert len(statuses) > 12 and interface.STATUS_SUCCESS not in statuses and interface.STATUS_OUTPUT_UNDERRUN not in statuses


def run_of(count):
    """A literal run of 4 or more, as an instruction and its bytes."""
    body = random.randbytes(count)
    if count <= 18:
        return bytes([count - 3]) + body
    zeros, rest = divmod(count - 18 - 1, 255)
    return bytes([0]) + bytes(zeros) + bytes([rest + 1]) + body


def long_copy(base, field_bits, length, distance_field, literals):
    """An M3 or M4 instruction of any length with `literals` behind it."""
    word = (distance_field << 2 | literals).to_bytes(2, "little")
    largest = (1 << field_bits) - 1 + 2
    if length <= largest:
        return bytes([base | length - 2]) + word
    zeros, rest = divmod(length - largest - 1, 255)
    return bytes([base]) + bytes(zeros) + bytes([rest + 1]) + word


def instruction_streams():
    # The start: every first byte, as a run or not, with and without version header.
    for header in (b"", b"\x11\x00", b"\x11\x01"):
        for first in range(18, 256, 1 if not header else 13):
            yield header + bytes([first]) + random.randbytes(first - 17) + END
        yield header + run_of(4) + END
        yield header + END
    # Runs of every length around the format's steps.
    for count in (*range(4, 40), *range(270, 278), 528, 529, 783, 784, 4096):
        yield run_of(count) + END
    # After 0 to 3 literals and after a run: each short instruction, each count of literals behind it.
    opening = run_of(3000)
    for literals in range(4):
        for next_literals in range(4):
            copy = bytes([0x40 | random.randrange(8) << 2 | literals, random.randrange(256)])
            copy += random.randbytes(literals)
            if literals:
                m1 = bytes([random.randrange(4) << 2 | next_literals, random.randrange(256)])
                yield opening + copy + m1 + random.randbytes(next_literals) + END
            else:
                yield opening + copy + run_of(random.randrange(4, 40)) + END
            m1b = bytes([random.randrange(4) << 2 | next_literals, random.randrange(200)])
            yield opening + m1b + random.randbytes(next_literals) + END
    # M2: every first byte.
    for first in range(64, 256):
        yield run_of(2100) + bytes([first, random.randrange(256)]) + random.randbytes(first & 3) + END
    # Overlaps: every distance up to 40 against lengths around the copy width and its multiples.
    for distance in range(1, 41):
        for length in (2, 15, 16, 17, 31, 32, 33, 34, 48, 100):
            yield (run_of(40 + random.randrange(20)) + long_copy(32, 5, length, distance - 1, 2) + b"ab" +
                   long_copy(32, 5, random.randrange(2, 40), distance - 1, 0) + END)
    # M3 lengths around the unary steps.
    for length in (*range(2, 40), 287, 288, 289, 542, 543, 544, 2000, 4080):
        literals = random.randrange(4)
        yield run_of(9) + long_copy(32, 5, length, random.randrange(9), literals) + random.randbytes(literals) + END
    # Zero runs of version 1 streams, and the same bytes in a version 0 stream.
    for length in (4, 5, 10, 11, 12, 15, 16, 17, 259, 260, 2043, 2050, 2051):
        for literals in range(4):
            zeros = bytes([0x18 | length - 4 & 7, 0xFC | literals, 0xFF, length - 4 >> 3]) + random.randbytes(literals)
            for header in (b"\x11\x01", b"\x11\x00"):
                yield header + run_of(5) + zeros + zeros + END
    # M4: reaches past 16 KiB and so before any page; every length field, and all that ends like a stream.
    for first in range(16, 32):
        for field in (0, 1, 0x3FFF):
            yield run_of(8) + bytes([first]) + (field << 2).to_bytes(2, "little") + END
            yield run_of(8) + bytes([first, 5]) + (field << 2 | 3).to_bytes(2, "little") + END
    for literals in range(4):
        yield run_of(8) + bytes([0x11, literals, 0])
    # Steps of every kind back to back, at random alignments.
    for opening_literals in (20, 2060) * 20:
        stream, produced, state = run_of(opening_literals), opening_literals, 4
        while produced < 3900:
            kind = random.randrange(4)
            literals = random.choice((0, 0, 1, 2, 3))
            distance = min(random.choice((1, 2, 3, 8, 16, 17, 64, 500, 2048)), produced)
            if kind == 0 and state == 0:
                count = random.randrange(4, 60)
                stream, produced, state = stream + run_of(count), produced + count, 4
                continue
            if kind == 1:
                length = random.randrange(3, 9)
                field = distance - 1
                stream += bytes([length - 1 << 5 | (field & 7) << 2 | literals, field >> 3])
            elif kind == 2 and 0 < state < 4:
                length, field = 2, min(distance, 1024) - 1
                stream += bytes([(field & 3) << 2 | literals, field >> 2])
            elif kind > 1 and state == 4 and produced > 2048:
                length, field = 3, random.randrange(min(1024, produced - 2048))
                stream += bytes([(field & 3) << 2 | literals, field >> 2])
            else:
                length = random.choice((2, 3, 16, 33, 34, 70))
                stream += long_copy(32, 5, length, distance - 1, literals)
            stream += random.randbytes(literals)
            produced, state = produced + length + literals, literals
        yield stream + END


@cocotb.test()
async def far_copies(dut):
    """M4 copies: each length and distance range, up to one byte before the page."""
    block = await Decompressor(dut).start(0.05, 0.05)
    reach = min(PAGE_BYTES, 0xBFFF)
    start = random.randbytes(PAGE_BYTES - 100)
    for header in (b"\x11\x00", b"\x11\x01"):
        statuses = []
        for distance in (0x4001, 0x4002, 0x7FFF, 0x8000, 0x8001, 0xBFFE, 0xBFFF):
            if distance == 0xBFFF and header[1]:
                continue  # written so, it is a zero run
            for length in random.sample((3, 9, 10, 50), 2):
                far, field = divmod(distance - 0x4000, 0x4000)
                copy = long_copy(16 | far << 3, 3, length, field, 0)
                stream = header + run_of(len(start)) + copy + run_of(100 - length) + END
                statuses += await block.check([stream])
                short = header + run_of(distance - 1) + copy + END
                if distance < PAGE_BYTES:
                    assert await block.check([short]) == [interface.STATUS_MALFORMED_STREAM]
        assert (set(statuses) == {interface.STATUS_SUCCESS}) is (reach == 0xBFFF)


@cocotb.test()
async def wrong_limit(dut):
    """Whole streams against other lengths: overrun and underrun, never a byte too many."""
    block = await Decompressor(dut).start(0.1, 0.1)
    for page, stream in real_streams(2):
        for limit in (1, 15, 16, 17, random.randrange(18, PAGE_BYTES), PAGE_BYTES - 1):
            assert await block.check([stream], limit) == [interface.STATUS_OUTPUT_OVERRUN]
        short = compress(page[:random.randrange(1, PAGE_BYTES)], "lzo1x_1")
        assert await block.check([short]) == [interface.STATUS_OUTPUT_UNDERRUN]


@cocotb.test()
async def truncated(dut):
    """Every truncation of several streams; some of a large one, a whole page after each."""
    block = await Decompressor(dut).start()
    _, good = real_streams(1)[0]
    for codec in CODECS:
        page = sample_pages(1, seed=random.getrandbits(32))[0][:400] + bytes(100)
        stream = compress(page, codec)
        cuts = [stream[:length] for length in range(len(stream))]
        statuses = await block.check(cuts, len(page))
        assert interface.STATUS_SUCCESS not in statuses
    _, stream = max(real_streams(3), key=lambda pair: -len(pair[1]))
    for at in random.sample(range(len(stream)), min(50, len(stream))):
        assert await block.check([stream[:at], good]) == [interface.STATUS_MALFORMED_STREAM, interface.STATUS_SUCCESS]


@cocotb.test()
async def cut_at_a_row(dut):
    """Streams whose last row does not hold all of a rare instruction and its literals: nothing is made of the bytes behind them, which
    are the next page's where that follows at once, else those of rows long gone. All of them would make something."""
    block = await Decompressor(dut).start()
    cuts = [bytes.fromhex("11011b") + random.randbytes(10) + b"\x18\xff\xff", *cut_instructions()]
    before = small_run(700) + END
    for stall in (0, 0.8):
        block.bench.stall(stall, 0)
        lot = []
        for stream in cuts:
            first = random.randrange(21, 40)
            lot += [stream, bytes([first]) + small_bytes(first - 17) + END]
        assert interface.STATUS_SUCCESS not in await block.check(lot)
    block.bench.stall(0, 0)
    for stream in cuts:
        await block.check([before])
        assert await block.check([stream]) == [interface.STATUS_MALFORMED_STREAM]


def cut_instructions():
    """Streams that end at a row's end, or up to three bytes before it, in an instruction which is read byte by byte and whose literals
    stand behind that row's end, if it has any."""
    for literals, behind, end in itertools.product((0, 3), range(4), range(13, 17)):
        zeros = bytes([0x18 | random.randrange(8), 0xFC | literals, 0xFF, 2])
        copies = [long_copy(base, bits, length, random.randrange(8), literals)
                  for base, bits, length in ((32, 5, 40), (32, 5, 300), (16, 3, 12), (24, 3, 12))]
        for code in (zeros, *copies):
            kept = code[:len(code) - behind - 16 + end]
            if kept and (literals or kept != code):
                rest = 16 * random.choice((0, 20, 40)) + end - len(kept) - 2
                yield b"\x11\x01" + small_run(rest - (1 if rest < 20 else 2 if rest < 276 else 3)) + kept


def small_bytes(count):
    """Bytes of which a length or a distance is made that a page has room for."""
    return bytes(random.choices(range(1, 4), k=count))


def small_run(count):
    """A literal run of such bytes."""
    run = run_of(count)
    return run[:len(run) - count] + small_bytes(count)


@cocotb.test()
async def changed_byte(dut):
    """Single-byte changes of a stream, 4000 at night, and random changes of large ones."""
    block = await Decompressor(dut).start()
    page = random.randbytes(9) + bytes(9) + random.randbytes(5) + b"ab" * 5
    page += page[3:12] + random.randbytes(2) + page[:20]
    for codec in ("lzo1x_999", "lzo-rle"):
        stream = compress(page, codec)
        changed = [stream[:at] + bytes([value]) + stream[at + 1:] for at in range(len(stream)) for value in range(256)]
        await block.check(random.sample(changed, sampled(4000, 1500)), len(page))
    for _, stream in real_streams(4):
        at = random.randrange(len(stream))
        await block.check([stream[:at] + random.randbytes(1) + stream[at + 1:], stream])


@cocotb.test()
async def random_bytes(dut):
    """Noise of every length, and noise behind a legal beginning; a good page after each lot."""
    block = await Decompressor(dut).start(0.1, 0.1)
    for limit in (64, 300, PAGE_BYTES):
        page = sample_pages(1, seed=random.getrandbits(32))[0][:limit]
        good = compress(page, "lzo1x_1")
        each = sampled(200, 20)
        lot = [random.randbytes(random.randrange(40)) for _ in range(each)]
        lot += [b"\x11\x01" + random.randbytes(random.randrange(3, 40)) for _ in range(each)]
        lot += [run_of(60) + random.randbytes(random.randrange(40)) + END for _ in range(each)]
        lot += [bytes(random.randrange(1, 3 * limit)), b"\x20" * 100, b"\x00" * 600 + b"\x01", b""]
        lot += [b"\x15" + b"abcd" + b"\x20" + bytes(5000) + b"\x07\x00\x00" + END]
        statuses = await block.check([stream for bad in lot for stream in (bad, good)], limit)
        assert set(statuses[1::2]) == {interface.STATUS_SUCCESS}


@cocotb.test()
async def bounded_and_fast(dut):
    """Cycle counts without stalls: bounded for any stream; on recorded pages, the same for every seed, as fast as stated."""
    block = await Decompressor(dut).start()
    cycles = {}
    for codec in CODECS:
        pages = fixed_pages(45, PAGE_BYTES)
        for page in pages[:sampled(45, 15)]:
            stream = compress(page, codec)
            first = len(block.source.first_cycles)
            (status, output), = await block.run([stream])
            assert (status, output) == (interface.STATUS_SUCCESS, page)
            cycles.setdefault(codec, []).append(block.result.cycles[-1] - block.source.first_cycles[first] + 1)
            assert cycles[codec][-1] <= len(stream) + len(page) + 40
        mean = statistics.mean(cycles[codec])
        quantiles = statistics.quantiles(cycles[codec], n=100)
        dut._log.info("%s: %d pages, one by one, mean %.0f cycles (%.1f bytes/cycle), p50 %.0f, p99 %.0f, max %d",
                      codec, len(cycles[codec]), mean, PAGE_BYTES / mean, quantiles[49], quantiles[98], max(cycles[codec]))
        start = block.bench.cycle
        await block.run([compress(page, codec) for page in pages])
        back_to_back = (block.bench.cycle - start) / len(pages)
        dut._log.info("%s: back to back, mean %.0f cycles (%.1f bytes/cycle)", codec, back_to_back,
                      PAGE_BYTES / back_to_back)
        assert PAGE_BYTES / back_to_back >= LEAST_RATES[codec]
    slowest = bytes.fromhex("20000000010400")     # a copy that takes five looks
    for stream in (bytes(8192), b"\x20" * 8192, slowest * 1170, random.randbytes(8192), b"\x15" + b"\xff" * 8191):
        first = len(block.source.first_cycles)
        await block.run([stream])
        spent = block.result.cycles[-1] - block.source.first_cycles[first] + 1
        assert spent <= len(stream) * 15 / 7 + PAGE_BYTES + 40, f"{spent} cycles for {stream[:16].hex()}…"


PAGE_TESTS = ["real_pages", "made_pages", "every_instruction", "shortest_streams", "endless_lengths", "wrong_limit", "truncated", "cut_at_a_row",
              "changed_byte", "random_bytes", "bounded_and_fast"]


def test_page_decompressor():
    run("page_decompressor", module=__name__, testcase=PAGE_TESTS)


@pytest.mark.night("test-whole")
def test_page_decompressor_d1x16():
    """One token and 16 bytes a cycle: the small configuration."""
    run("page_decompressor_d1x16", module=__name__, testcase=PAGE_TESTS,
        environment={"BLOCK_WIDTH": "16", "BLOCK_LEAST_RATES": "10.2 9.2 9.7"})


@pytest.mark.night("test-whole")
def test_page_decompressor_64k():
    """A border twice as wide, and pages large enough for matches from beyond 16 KiB and 32 KiB."""
    run("page_decompressor_64k", module=__name__, testcase=["far_copies", "made_pages", "cut_at_a_row"],
        environment={"BLOCK_WIDTH": "64", "BLOCK_PAGE_BYTES": "65536"})
