# SPDX-License-Identifier: Apache-2.0
"""stream_verifier: passes exactly the streams that give their page back, of those that hold our own compressor's tokens alone."""
import random

import cocotb
import lzo_tokens
from lzo_verdict import interface
from lzo import COMPRESSORS, PAGE_BYTES, LzoError, compress, fixed_pages, kernel_decompress, sample_pages
from runner import run
from stream_bench import Bench, ByteSource, Sink, Source

STREAM_WIDTH, PAGE_WIDTH = 16, 32
FAILED, SUCCESS = interface.STATUS_VERIFY_FAILED, interface.STATUS_SUCCESS


class Verifier:
    def __init__(self, dut):
        self.dut = dut
        self.skip = Source(dut, "io_skip", [""])
        self.stream, self.page = ByteSource(dut, "io_stream_page", STREAM_WIDTH), ByteSource(dut, "io_page_page", PAGE_WIDTH)
        self.rings = [Sink(dut, "io_stream_skip", [""]), Sink(dut, "io_page_skip", [""])]
        self.verdict = Sink(dut, "io_verdict", [""])
        self.bench = Bench(dut, [self.skip, self.stream, self.page], [*self.rings, self.verdict])

    async def start(self, sources=0.0, sinks=0.0):
        self.tamper()
        await self.bench.reset()
        self.bench.stall(sources, sinks)
        return self

    def tamper(self, word=0, mask=0, count=0, halt=0):
        self.dut.tamper_word.value, self.dut.tamper_mask.value = word, mask
        self.dut.tamper_count.value, self.dut.tamper_halt.value = count, halt

    async def verdicts(self, jobs):
        """Run (page, stream, skip) jobs; return their verdicts."""
        first = len(self.verdict.received)
        for page, stream, skip in jobs:
            self.skip.send(**{"": int(skip)})
            if not skip:
                self.page.send(page)
                self.stream.send(stream)
        done = first + len(jobs)
        # A stalled sink may take a skip after the verdict it belongs to.
        outputs = [self.verdict, *self.rings]
        await self.bench.until(lambda: all(len(output.received) == done for output in outputs), 20000 * (1 + len(jobs)))
        for ring in self.rings:
            assert [values[""] for values in ring.received[first:]] == [int(skip) for _, _, skip in jobs]
        assert not self.page.queue and not self.stream.queue
        return [values[""] for values in self.verdict.received[first:]]


def one_page():
    page = sample_pages(1, seed=random.getrandbits(32))[0]
    stream = compress(page, "lzo1x_1")
    assert own(stream)
    return page, stream


def own(stream):
    """All of its tokens are such as our compressor writes."""
    return stream[:1] != b"\x11" and set(lzo_tokens.classes(stream)) <= set(lzo_tokens.WRITTEN)


class Writer:
    """A stream of chosen tokens, and the page that it makes."""

    def __init__(self, literals):
        """The page begins with so many, 1 to 238 or more than 255."""
        self.page = random.randbytes(literals)
        self.stream = (bytes([17 + literals]) if literals < 239 else self.run_token(literals)) + self.page

    @staticmethod
    def run_token(count):
        if count <= 18:
            return bytes([count - 3])
        zeros, rest = divmod(count - 19, 255)
        return bytes(1 + zeros) + bytes([rest + 1])

    def literals(self, token, count):
        """`token`, and the literals behind it."""
        more = random.randbytes(count)
        self.page += more
        self.stream += token + more

    def match(self, token, length, distance, state=0):
        """`token` copies; `state` literals follow, of which it tells."""
        for _ in range(length):
            self.page += self.page[-distance:][:1]
        self.literals(token, state)

    def m1(self, distance, state=0):
        self.match(bytes([(distance - 1 & 3) << 2 | state, distance - 1 >> 2]), 2, distance, state)

    def m1_long(self, distance, state=0):
        self.match(bytes([(distance - 2049 & 3) << 2 | state, distance - 2049 >> 2]), 3, distance, state)

    def m2(self, length, distance, state=0):
        self.match(bytes([length - 1 << 5 | (distance - 1 & 7) << 2 | state, distance - 1 >> 3]), length, distance, state)

    def m3(self, length, distance, state=0):
        more = b"" if length <= 33 else bytes((length - 34) // 255) + bytes([(length - 34) % 255 + 1])
        self.match(bytes([32 | (0 if more else length - 2)]) + more + (distance - 1 << 2 | state).to_bytes(2, "little"), length, distance, state)

    def end(self):
        """Fill the page with literals; only behind a match without any."""
        rest = PAGE_BYTES - len(self.page)
        self.literals(self.run_token(rest), rest)
        self.stream += b"\x11\0\0"
        return self.page, self.stream


def foreign_pages():
    """Yield (kind, (page, stream)) of sound streams, each with one token that is not ours, all else being alike; and of such as have none."""
    for kind in ("none", "M1", "M1 behind a match", "long M1", "version 0", "long M3"):
        for state in range(4) if kind != "version 0" else [0]:
            writer = Writer(random.choice((5, 16, 17, 18, 33, 34, 100, 238)) if kind != "long M1" else random.randrange(2049 + 20, 3000))
            if kind not in ("M1", "long M1"):
                writer.m3(random.choice((3, 33, 34, 289)), random.randrange(1, 6), 2 if kind == "M1 behind a match" else 0)
            if kind in ("M1", "M1 behind a match"):
                if kind == "M1":
                    writer.m2(5, 3, random.randrange(1, 4))
                writer.m1(random.randrange(1, len(writer.page)) if len(writer.page) < 1024 else 1024, state)
            elif kind == "long M1":
                writer.m1_long(random.randrange(2049, min(len(writer.page), 3072)), state)
            if kind == "long M3":
                writer.m3(1200, len(writer.page), state)
            if state:
                writer.m2(3, 1)
            page, stream = writer.end()
            yield kind, (page, b"\x11\0" + stream if kind == "version 0" else stream)


@cocotb.test()
async def differences(dut):
    """Other bytes, other lengths, broken streams, and pages to skip, in any order."""
    verifier = await Verifier(dut).start()
    for _ in range(5):
        verifier.bench.stall(*random.choice([(0, 0), (0.4, 0.1), (0.1, 0.5)]))
        jobs, expected = [], []
        for _ in range(4):
            page, stream = one_page()
            at = random.choice((0, PAGE_BYTES - 1, random.randrange(PAGE_BYTES)))
            other = page[:at] + bytes([page[at] ^ 1 << random.randrange(8)]) + page[at + 1:]
            cut = random.randrange(1, PAGE_BYTES)
            jobs += [(page, stream, False), (other, stream, False), (page[:cut], stream, False),
                     (page, compress(page[:cut], "lzo1x_1"), False),
                     (page, stream[:random.randrange(len(stream))], False),
                     (page, stream + b"\0", False), (page, b"", False), (page, stream, True)]
            expected += [SUCCESS] + [FAILED] * 6 + [SUCCESS]
        order = random.sample(range(len(jobs)), len(jobs))
        assert await verifier.verdicts([jobs[i] for i in order]) == [expected[i] for i in order]


@cocotb.test()
async def foreign_tokens(dut):
    """What another compressor might write is refused, though it gives the page; the pages around it are well."""
    verifier = await Verifier(dut).start()
    good = one_page()
    judged = set()
    for _ in range(4):
        verifier.bench.stall(*random.choice([(0, 0), (0.4, 0.1), (0.1, 0.5)]))
        planted = list(foreign_pages())
        for page in fixed_pages(4) + sample_pages(4, seed=random.getrandbits(32)):
            planted += [(codec, (page, compress(page, codec))) for codec in COMPRESSORS]
        random.shuffle(planted)
        for kind, (page, stream) in planted:
            assert kernel_decompress(stream, PAGE_BYTES) == page
            sound = own(stream)
            judged.add((kind, sound))
            assert await verifier.verdicts([(page, stream, False), (*good, False)]) == [SUCCESS if sound else FAILED, SUCCESS], (kind, stream.hex())
    assert judged >= {(kind, False) for kind in ("M1", "M1 behind a match", "long M1", "version 0", "lzo1x_999", "lzo-rle")}
    assert judged >= {(kind, True) for kind in ("none", "long M3", "lzo1x_1", "kernel-lzo1x_1")}


@cocotb.test()
async def runs_behind_literals(dut):
    """What would give the page if a run were read where M1 has to be: behind literals of a match, and behind a run."""
    verifier = await Verifier(dut).start()
    good = one_page()
    for behind in ("a match", "a run", "the page's first"):
        for count in (*range(4, 19), 19, 273, 274, 529, 1000):
            writer = Writer(random.randrange(1, 40))
            if behind != "the page's first":
                writer.m2(4, 1, random.randrange(1, 4) if behind == "a match" else 0)
            if behind == "a run":
                more = random.choice((4, 14, 15, 16, 17, 18, 30, 300, 600))
                writer.literals(writer.run_token(more), more)
            writer.literals(writer.run_token(count), count)
            writer.m2(3, 1)
            page, stream = writer.end()
            assert await verifier.verdicts([(page, stream, False), (*good, False)]) == [FAILED, SUCCESS], (behind, count, stream.hex())


@cocotb.test()
async def other_steps(dut):
    """One token of a stream changed so that it stays of our tokens: a length, a distance, a literal, an end. What the kernel makes of it decides."""
    verifier = await Verifier(dut).start()
    outcomes = []
    for _ in range(60):
        page, stream = one_page()
        broken = bytearray(stream)
        for _ in range(random.choice((1, 1, 2))):
            broken[random.randrange(len(broken))] ^= 1 << random.randrange(8)
        try:
            same = kernel_decompress(bytes(broken), PAGE_BYTES) == page
        except LzoError:
            same = False
        outcomes.append(same)
        verdicts = await verifier.verdicts([(page, bytes(broken), False), (page, stream, False)])
        assert verdicts == [SUCCESS if same and own(bytes(broken)) else FAILED, SUCCESS], bytes(broken).hex()
    assert False in outcomes


@cocotb.test()
async def broken_decompressor(dut):
    """A decompressor that sees a wrong bit of the page says so; one that hangs costs the verified pages, not the skipped ones."""
    verifier = await Verifier(dut).start(0.05, 0.05)
    page, stream = one_page()
    for _ in range(20):
        verifier.tamper(random.randrange(PAGE_BYTES // PAGE_WIDTH), 1 << random.randrange(8 * PAGE_WIDTH))
        assert await verifier.verdicts([(page, stream, False)]) == [FAILED]
    verifier.tamper()
    assert await verifier.verdicts([(page, stream, False)]) == [SUCCESS]
    verifier.tamper(halt=1)
    jobs = [(page, stream, False), (page, stream, True), (page, stream, False)]
    fault = interface.STATUS_ENGINE_FAULT
    assert await verifier.verdicts(jobs) == [fault, SUCCESS, fault]
    verifier.tamper()
    assert await verifier.verdicts(jobs) == [fault, SUCCESS, fault], "out of service until reset"
    await verifier.bench.reset()
    assert await verifier.verdicts(jobs) == [SUCCESS] * 3


def test_stream_verifier():
    run("stream_verifier_tampered", module=__name__)
