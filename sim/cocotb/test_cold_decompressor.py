# SPDX-License-Identifier: Apache-2.0
"""cold_decompressor: gives what the C model gives of every stream, sound or broken: the same status, length and bytes."""
import os
import random
import statistics

import cocotb
import pytest
import pagepress_interface as interface
from sampled import sampled
from cold import cold_compress, cold_decompress
from cold_writer import (coded, load, number, raw_literals, sequence_section, stream_of, treeless_body, treeless_literals)
from engine_bench import EngineBench
from lzo import edge_pages, fixed_pages, sample_pages
from runner import run

# The configuration under test: cold_decompressor unless the environment says otherwise.
WIDTH, PAGE_BYTES = 16, 4096
START = number("FRAME_START_BYTES") + number("BLOCK_START_BYTES")
# Plain bytes a cycle that the recorded pages come through with at least, back to back; a hundredth below what they do.
LEAST_RATE = float(os.environ.get("BLOCK_LEAST_RATE", "9.9"))


class Decompressor(EngineBench):
    """The block, its bench, and the check that every page must pass."""

    is_lzo = False

    def __init__(self, dut):
        super().__init__(dut, WIDTH, PAGE_BYTES)

    async def check(self, streams, limit=PAGE_BYTES):
        """Every stream must be judged as the model does; return the statuses seen."""
        answers = await self.run(streams, limit)
        for stream, answer in zip(streams, answers, strict=True):
            wanted = cold_decompress(stream, limit)
            assert answer == wanted, f"{stream.hex()} limit {limit}: status {answer[0]}, {len(answer[1])} bytes; wanted {wanted[0]}, {len(wanted[1])}"
        return [status for status, _ in answers]


def whole(page):
    """The stream of a page."""
    status, stream = cold_compress(page, len(page) + START)
    assert status == interface.STATUS_SUCCESS
    return stream


def drawn(count):
    return sample_pages(count, seed=random.getrandbits(32))


def stalls():
    return random.choice([(0, 0), (0.5, 0), (0, 0.5), (0.3, 0.3), (0.05, 0.8), (0.9, 0.05)])


def likely(count):
    """Bytes as likely as their codes are short."""
    return bytes(random.choices(range(256), [2.0 ** -bits for bits in load().literals.bits], k=count))


def block(literals, sequences):
    return stream_of(raw_literals(literals) + sequence_section(load(), sequences))


@cocotb.test()
async def real_pages(dut):
    """Recorded pages, stalls of every kind, both ways to end a stream of full words."""
    engine = await Decompressor(dut).start()
    for _ in range(6):
        engine.bench.stall(*stalls())
        engine.source.empty_last = random.random() < 0.5
        assert set(await engine.check([whole(page) for page in drawn(6)])) == {interface.STATUS_SUCCESS}


@cocotb.test()
async def made_pages(dut):
    """Pages at the format's edges: periods, gaps, noise, zeros, and literals that are all coded."""
    engine = await Decompressor(dut).start(0.1, 0.1)
    pages = [*edge_pages(random.getrandbits(32), PAGE_BYTES).values(), likely(PAGE_BYTES), likely(600) * 6 + bytes(496)]
    assert set(await engine.check([whole(page) for page in pages])) == {interface.STATUS_SUCCESS}


@cocotb.test()
async def every_length(dut):
    """Pages of other lengths than a page's, and each of them against other limits than its own."""
    engine = await Decompressor(dut).start(0.1, 0.1)
    source = drawn(1)[0] + likely(300)
    for length in [*range(1, 20), *random.sample(range(20, PAGE_BYTES), 25)]:
        at = random.randrange(len(source) - length + 1)
        stream = whole(source[at:at + length])
        assert await engine.check([stream], length) == [interface.STATUS_SUCCESS]
        await engine.check([stream], random.randrange(1, length + 1))
        await engine.check([stream], min(PAGE_BYTES, length + random.randrange(1, 40)))


@cocotb.test()
async def every_count_of_literals(dut):
    """Every form of the literals' header at its ends, raw and coded, with matches behind some of them."""
    engine = await Decompressor(dut).start()
    counts = [*range(18), 31, 32, 33, 254, 255, 256, 257, 258, 259, 260, 1022, 1023, 1024, 1025, 1026, 1027, 2047, 4093, 4094, 4095, 4096]
    for count in counts:
        literals = likely(count)
        sections = [raw_literals(literals)] + [treeless_literals(treeless_body(load(), literals), count)] * (count > 0)
        room = PAGE_BYTES - count
        streams = [stream_of(section + b"\0") for section in sections]
        if count and room >= 6:
            sequences = [(min(count, 2), 3, 1 + 3), (count - min(count, 2), room - 3, 2 + 3)]
            streams += [stream_of(section + sequence_section(load(), sequences)) for section in sections]
        statuses = await engine.check(streams)
        assert set(statuses) <= {interface.STATUS_SUCCESS, interface.STATUS_OUTPUT_UNDERRUN}
        await engine.check(streams, max(1, count))


@cocotb.test()
async def every_value(dut):
    """Every code of the three tables, with its smallest and largest values, legal or not; and every repeat value."""
    engine = await Decompressor(dut).start(0.05, 0.05)
    tables, streams = load().tables, []
    for name, place in (("literal_length", 0), ("match_length", 1), ("offset", 2)):
        for code in tables[name].codes:
            for value in {code.base, code.base + (1 << code.extra) - 1}:
                sequence = [random.randrange(1, 40), random.randrange(3, 40), random.randrange(4, 40)]
                sequence[place] = value
                literals = likely(min(PAGE_BYTES, 400 + sequence[0]))
                streams.append(block(literals, [(50, 5, 4 + 3), tuple(sequence), (1, 4, 9 + 3)]))
    for _ in range(sampled(200, 60)):
        sequences = [(random.choice((0, 0, 1, 5)), random.randrange(3, 9), random.choice((1, 2, 3, random.randrange(4, 60)))) for _ in range(40)]
        streams.append(block(likely(300), [(60, 4, 30 + 3), *sequences]))
    statuses = set(await engine.check(streams))
    assert statuses == {interface.STATUS_OUTPUT_UNDERRUN, interface.STATUS_MALFORMED_STREAM, interface.STATUS_OUTPUT_OVERRUN}
    # All three as wide as one sequence of a page can have them; what follows decides at which bit of a byte they begin.
    wide = []
    for length in (3, 4, 35, 47, 60, 100, 140, 260):
        literals = random.randrange(2048, 2800)
        wide.append(block(likely(literals), [(literals, PAGE_BYTES - length - literals, random.randrange(2048, literals + 4)), (0, length, 1)]))
    assert set(await engine.check(wide)) == {interface.STATUS_SUCCESS}


@cocotb.test()
async def many_sequences(dut):
    """As many sequences as a page holds, and each way to say how many there are."""
    engine = await Decompressor(dut).start()
    for count in (1, 2, 126, 127, 128, 129, 255, 256, 257, (PAGE_BYTES - 4) // 3):
        for sequence in ((0, 3, 2), (0, 3, 300 + 3)):
            sequences = [(1, 3, 1 + 3)] + [sequence] * (count - 1)
            length = 1 + 3 * count
            statuses = await engine.check([block(b"x", sequences)], length)
            assert statuses == [interface.STATUS_SUCCESS] or sequence[2] > 3
            await engine.check([block(b"x", sequences)], length - 1)
            await engine.check([block(b"xy", sequences)], length + 1)


@cocotb.test()
async def streams_longer_than_pages(dut):
    """Streams that are right and longer than their page, up to two pages; longer ones are malformed."""
    engine = await Decompressor(dut).start()
    byte = max(range(256), key=lambda value: load().literals.bits[value])
    literals = bytes([byte]) * 2000
    sequences = [(1, 3, 1 << 11)] * 600 + [(0, 3, 1 << 11)] * 60
    long = stream_of(treeless_literals(treeless_body(load(), literals), 2000) + sequence_section(load(), [(1, 3, 4), *sequences]))
    statuses = await engine.check([long, whole(drawn(1)[0])])
    assert len(long) > 2800 and statuses[1] == interface.STATUS_SUCCESS
    page = drawn(1)[0]
    tail = block(b"", [])
    for length in (2 * PAGE_BYTES - 1, 2 * PAGE_BYTES):
        noise = stream_of(random.randbytes(length - START))
        assert await engine.check([noise, stream_of(noise[START:], number("BLOCK_RAW")), whole(page), tail]) \
            != [interface.STATUS_SUCCESS] * 4
    for length in (2 * PAGE_BYTES + 1, 2 * PAGE_BYTES + 16, 2 * PAGE_BYTES + 17, 3 * PAGE_BYTES):
        answers = await engine.run([stream_of(random.randbytes(length - START), number("BLOCK_RAW")), whole(page)])
        assert answers == [(interface.STATUS_MALFORMED_STREAM, b""), (interface.STATUS_SUCCESS, page)]


@cocotb.test()
async def truncated(dut):
    """Every truncation of small streams, as it is and with a block header that says so; some of a large one, a whole page after each."""
    engine = await Decompressor(dut).start()
    good = whole(drawn(1)[0])
    for page in victims():
        stream = whole(page)
        cuts = [stream[:length] for length in range(len(stream))]
        cuts += [stream_of(cut[START:], stream[6] & 7) for cut in cuts[START:]]
        await engine.check(random.sample(cuts, min(len(cuts), sampled(len(cuts), 150))), len(page))
    stream = whole(drawn(1)[0])
    for at in random.sample(range(START, len(stream)), 20):
        statuses = await engine.check([stream_of(stream[START:at], stream[6] & 7), good])
        assert statuses[1] == interface.STATUS_SUCCESS


def victims():
    """Small pages of every shape: one stream and four, raw literals, none, short and long distances."""
    words = [likely(length) for length in (3, 5, 9, 30)]
    return [likely(270), b"".join(random.choice(words) for _ in range(40)) + words[3] + bytes(90), random.randbytes(25) + bytes(60),
            random.randbytes(10), drawn(1)[0][:300], likely(20) * 20, bytes(100)]


@cocotb.test()
async def changed_byte(dut):
    """Changes of one byte of small streams, at night all of the smallest and 8,000 of each other, and of large ones."""
    engine = await Decompressor(dut).start()
    for page in victims():
        stream = whole(page)
        changed = [stream[:at] + bytes([value]) + stream[at + 1:] for at in range(len(stream)) for value in range(256)]
        await engine.check(random.sample(changed, min(len(changed), sampled(8000, 120))), len(page))
    for page in drawn(sampled(60, 6)):
        stream = whole(page)
        at = random.randrange(len(stream))
        await engine.check([stream[:at] + random.randbytes(1) + stream[at + 1:], stream])


@cocotb.test()
async def random_bytes(dut):
    """Bytes changed, cut, doubled and put in, the block header right again or not, and noise; a good page after each lot."""
    engine = await Decompressor(dut).start(0.1, 0.1)
    seen = set()
    for _ in range(sampled(60, 6)):
        page = random.choice(victims() + drawn(1))
        stream, lot = whole(page), []
        for _ in range(30):
            content = bytearray(stream[START:])
            for _ in range(random.choice((1, 1, 2, 5))):
                at, kind = random.randrange(len(content)), random.randrange(4)
                if kind == 0:
                    content[at] ^= 1 << random.randrange(8)
                elif kind == 1 and len(content) > 5:
                    del content[at:at + random.randrange(1, 4)]
                elif kind == 2:
                    content[at:at] = bytes(random.choice((0, 0, 1, 128, 252, 255)) for _ in range(random.randrange(1, 4)))
                else:
                    content[at:at] = content[at // 2:at // 2 + random.randrange(1, 9)]
                content = content or bytearray(b"\0")
            lot.append(stream_of(bytes(content), stream[6] & 7) if random.random() < 0.9 else stream[:START] + bytes(content))
        lot += [stream_of(random.randbytes(random.randrange(1, 200))) for _ in range(5)] + [random.randbytes(random.randrange(40)), b""]
        statuses = await engine.check([*lot, stream], len(page))
        assert statuses.pop() == interface.STATUS_SUCCESS
        seen |= set(statuses)
    assert interface.STATUS_MALFORMED_STREAM in seen


@cocotb.test()
async def rules(dut):
    """Each rule of what is refused, by a stream that breaks it alone."""
    engine = await Decompressor(dut).start()
    text = likely(280)
    body, four = treeless_body(load(), text[:200]), treeless_body(load(), text)
    section = sequence_section(load(), [(4, 8, 4 + 3)])
    one = block(b"abcd", [(4, 8, 4 + 3)])
    lengths = [int.from_bytes(four[at:at + 2], "little") for at in (0, 2, 4)]

    def jumps(*values):
        return treeless_literals(b"".join(value.to_bytes(2, "little") for value in values) + four[6:], len(text))

    streams = [
        one, *(one[:at] + bytes([one[at] ^ 1 << bit]) + one[at + 1:] for at in range(6) for bit in range(8)), one + b"\0", one[:-1],
        *(stream_of(one[START:], kind) for kind in range(8)), stream_of(b"", 1), stream_of(b"", 5), stream_of(bytes([1 | 4 << 3, 97]) + b"\0"),
        stream_of(bytes([2 | 4 << 3]) + b"abcd\0"),
        *(stream_of((form << 2 | count << 4).to_bytes(size, "little") + text[:count] + b"\0")
          for form, size in ((1, 2), (3, 3)) for count in (0, 4, 31, 32, 33, 200)),
        *(stream_of(treeless_literals(treeless_body(load(), text[:count], streams), count, size) + b"\0")
          for count in (200, 255, 256, 280) for streams in (1, 4) for size in range(4)),
        stream_of(treeless_literals(b"\x01", 0, 0) + b"\0"), stream_of(treeless_literals(b"", 4) + b"\0"),
        stream_of(treeless_literals(body[:-1] + b"\0", 200) + b"\0"), stream_of(treeless_literals(body + b"\0", 200) + b"\0"),
        stream_of(treeless_literals(coded(load(), text[:199]), 198) + b"\0"), stream_of(treeless_literals(coded(load(), text[:199]), 200) + b"\0"),
        stream_of(jumps(*lengths) + b"\0"), stream_of(jumps(lengths[0] + 1, lengths[1] - 1, lengths[2]) + b"\0"),
        stream_of(jumps(0, *lengths[1:]) + b"\0"), stream_of(jumps(lengths[0], 0, lengths[2]) + b"\0"), stream_of(jumps(*lengths[:2], 0) + b"\0"),
        stream_of(jumps(*lengths[:2], len(four) - 6 - sum(lengths[:2])) + b"\0"), stream_of(jumps(0xFFFF, *lengths[1:]) + b"\0"),
        stream_of(jumps(0xFFFF, 0xFFFF, 0xFFFF) + b"\0"), *(stream_of(treeless_literals(four[:size], len(text)) + b"\0") for size in range(8)),
        stream_of(bytes([5 << 3]) + b"abcd"), stream_of(raw_literals(b"abcd")), stream_of(raw_literals(b"abcd") + b"\0\0"),
        stream_of(raw_literals(b"abcd") + b"\x80" + section), stream_of(raw_literals(b"abcd") + b"\xff\0\0\xfc" + section[2:]),
        stream_of(raw_literals(b"abcd") + b"\x80\x7f\xfc" + section[2:]), stream_of(raw_literals(b"abcd") + b"\x80"),
        *(stream_of(raw_literals(b"abcd") + b"\x01" + bytes([0xFC ^ 1 << bit]) + section[2:]) for bit in range(8)),
        stream_of(raw_literals(b"abcd") + b"\x01"), stream_of(raw_literals(b"abcd") + b"\x01\xfc"),
        stream_of(raw_literals(b"abcd") + section + b"\0"), stream_of(raw_literals(b"abcd") + section[:2] + b"\0" + section[2:]),
        stream_of(raw_literals(b"abcd") + b"\x02" + section[1:]), stream_of(raw_literals(b"abcd") + b"\xfe\xff" + section[1:]),
        block(b"abc", [(4, 8, 4 + 3)]), block(b"abcd", [(4, 8, 5 + 3)]), block(b"abcd", [(4, 8, 50 + 3)]), block(b"", [(0, 8, 1)]),
        block(b"abcd", [(4, 4, 1), (0, 4, 3)]), block(b"abcde", [(4, 8, 4 + 3)]), block(b"abcd", [(4, 9, 4 + 3)]),
    ]
    for limit in (12, 4, 200, 280):
        await engine.check(streams, limit)
        engine.bench.stall(*stalls())


@cocotb.test()
async def bounded_and_fast(dut):
    """Cycles without stalls: bounded for any stream; on recorded pages, the same for every seed, as fast as stated."""
    engine = await Decompressor(dut).start()
    pages = fixed_pages(60, PAGE_BYTES)
    cycles = []
    for page in pages[:sampled(60, 20)]:
        first = len(engine.source.first_cycles)
        assert await engine.run([whole(page)]) == [(interface.STATUS_SUCCESS, page)]
        cycles.append(engine.result.cycles[-1] - engine.source.first_cycles[first] + 1)
    mean, quantiles = statistics.mean(cycles), statistics.quantiles(cycles, n=100)
    dut._log.info("%d pages, one by one, mean %.0f cycles (%.1f bytes/cycle), p50 %.0f, p99 %.0f, max %d",
                  len(cycles), mean, PAGE_BYTES / mean, quantiles[49], quantiles[98], max(cycles))
    start = engine.bench.cycle
    await engine.run([whole(page) for page in pages])
    back_to_back = (engine.bench.cycle - start) / len(pages)
    dut._log.info("back to back, mean %.0f cycles (%.1f bytes/cycle)", back_to_back, PAGE_BYTES / back_to_back)
    assert PAGE_BYTES / back_to_back >= LEAST_RATE
    slowest = [block(likely(4), [(4, 3, 4), *[(0, 3, 1 << 11)] * 1363]), stream_of(random.randbytes(8192 - START)), bytes(8192),
               stream_of(treeless_literals(treeless_body(load(), likely(PAGE_BYTES)), PAGE_BYTES) + b"\0")]
    for stream in slowest:
        first = len(engine.source.first_cycles)
        await engine.run([stream])
        spent = engine.result.cycles[-1] - engine.source.first_cycles[first] + 1
        assert spent <= len(stream) / 16 + PAGE_BYTES + 100, f"{spent} cycles for {stream[:16].hex()}…"


PAGE_TESTS = ["real_pages", "made_pages", "every_length", "every_count_of_literals", "every_value", "many_sequences", "streams_longer_than_pages",
              "truncated", "changed_byte", "random_bytes", "rules", "bounded_and_fast"]


def test_cold_decompressor():
    run("cold_decompressor", module=__name__, testcase=PAGE_TESTS)


@pytest.mark.night("test-whole")
def test_cold_decompressor_p1():
    """One parser: each page waits for the one before."""
    run("cold_decompressor_p1", module=__name__, testcase=["real_pages", "random_bytes", "bounded_and_fast"],
        environment={"BLOCK_LEAST_RATE": "5.8"})
