# SPDX-License-Identifier: Apache-2.0
"""compress_lane: verified streams or an honest reason why not, in order, result before stream."""
import random

import cocotb
import pytest
from sampled import sampled
from lzo_verdict import interface
from lzo import PAGE_BYTES, compress, compressible_pages, crc32c, edge_pages, fixed_pages, kernel_decompress, \
    liblzo2_decompress, sample_pages
from model import page_compress
from runner import run
from stream_bench import Bench, ByteSink, ByteSource, Sink, Source

WIDTH = 16
PATIENCE = 2000  # cycles, of the lanes whose engines can be broken (Tampered.scala)


class Lane:
    """compress_lane, or compress_lane_tampered, whose compressor can be broken."""

    commands = ["limit", "skipVerify"]

    def __init__(self, dut):
        self.dut = dut
        self.command = Source(dut, "io_command", self.commands)
        self.source = ByteSource(dut, "io_source", WIDTH)
        self.sink = ByteSink(dut, "io_sink", WIDTH)
        self.result = Sink(dut, "io_result", ["status", "length", "crc32c", "detail"])
        self.bench = Bench(dut, [self.command, self.source], [self.sink, self.result])

    async def start(self, sources=0.0, sinks=0.0):
        if hasattr(self.dut, "tamper_halt"):
            self.tamper(0, 0)
            self.halt(0)
        await self.bench.reset()
        self.bench.stall(sources, sinks)
        return self

    def tamper(self, word, mask, count=0):
        self.dut.tamper_word.value, self.dut.tamper_mask.value = word, mask
        self.dut.tamper_count.value = count

    def halt(self, on):
        self.dut.tamper_halt.value = on

    async def run(self, jobs):
        """Run (page, limit, skip verify) jobs; return [(result, stream or None)] and check the order of things."""
        first, first_stream = len(self.result.received), len(self.sink.pages)
        for page, *command in jobs:
            self.command.send(**dict(zip(self.commands, map(int, command), strict=True)))
            self.source.send(page)
        done = first + len(jobs)
        await self.bench.until(lambda: len(self.result.received) == done, 20000 * (1 + len(jobs)))
        answers, streams = self.result.received[first:], first_stream
        streams += sum(answer["status"] == interface.STATUS_SUCCESS for answer in answers)
        await self.bench.until(lambda: len(self.sink.pages) == streams and not self.sink.page, 20000)
        for _ in range(600):  # nothing more may come
            await self.bench.step()
        assert len(self.result.received) == done and len(self.sink.pages) == streams and not self.sink.page
        remaining = iter(zip(self.sink.pages[first_stream:], self.sink.cycles[first_stream:]))
        pairs = []
        for answer, told in zip(answers, self.result.cycles[first:]):
            stream = None
            if answer["status"] == interface.STATUS_SUCCESS:
                stream, sunk = next(remaining)
                assert told < sunk and len(stream) == answer["length"]
                assert answer["detail"] == crc32c(stream)
            else:
                assert answer["length"] == 0
                assert answer["detail"] == 0 or answer["status"] == interface.STATUS_SAME_FILLED
            pairs.append((answer, stream))
        for (page, limit, *_), (answer, stream) in zip(jobs, pairs):
            assert answer["crc32c"] == crc32c(page[:PAGE_BYTES])
            if stream is not None:
                assert len(stream) <= limit
        return pairs


def same_filled(page):
    return page[:8] * (len(page) // 8) == page


def check(jobs, pairs):
    """Every page right, whatever its status."""
    seen = set()
    for (page, limit, _), (answer, stream) in zip(jobs, pairs):
        status = answer["status"]
        seen.add(status)
        if same_filled(page):
            assert status == interface.STATUS_SAME_FILLED
            assert answer["detail"] == int.from_bytes(page[:8], "little")
            continue
        if status == interface.STATUS_SUCCESS:
            assert stream == page_compress(page, limit)[1]
            assert kernel_decompress(stream, PAGE_BYTES) == page
            assert liblzo2_decompress(stream, PAGE_BYTES) == page
        else:
            assert status == interface.STATUS_INCOMPRESSIBLE, f"{answer} for {page.hex()}"
            assert page_compress(page, limit)[0] == interface.STATUS_INCOMPRESSIBLE
    return seen


@cocotb.test()
async def real_pages(dut):
    """Real and made pages with all limits, verified and not, under stalls of every kind."""
    lane = await Lane(dut).start()
    made = list(edge_pages(random.getrandbits(32)).values())
    seen = set()
    for _ in range(4):
        lane.bench.stall(*random.choice([(0, 0), (0.5, 0), (0, 0.6), (0.3, 0.3), (0.05, 0.85)]))
        lane.source.empty_last = random.random() < 0.5
        pages = sample_pages(8, seed=random.getrandbits(32)) + random.sample(made, 10) + [random.randbytes(8) * (PAGE_BYTES // 8)]
        random.shuffle(pages)
        jobs = [(page, random.choice((PAGE_BYTES, PAGE_BYTES, PAGE_BYTES * 3 // 4, 100, 17, 1)), random.random() < 0.2)
                for page in pages]
        seen |= check(jobs, await lane.run(jobs))
    assert seen == {interface.STATUS_SUCCESS, interface.STATUS_SAME_FILLED, interface.STATUS_INCOMPRESSIBLE}


@cocotb.test()
async def fills(dut):
    """Same-filled pages of any value; one changed bit anywhere makes another page of them."""
    lane = await Lane(dut).start(0.1, 0.1)
    pages = []
    for _ in range(8):
        page = random.choice((bytes(8), b"\xff" * 8, random.randbytes(8), random.randbytes(1) * 8)) * (PAGE_BYTES // 8)
        at = random.choice((0, 7, 8, 15, 16, PAGE_BYTES - 1, random.randrange(PAGE_BYTES)))
        pages += [page, page[:at] + bytes([page[at] ^ 1 << random.randrange(8)]) + page[at + 1:]]
    pages.append(random.randbytes(16) * (PAGE_BYTES // 16))
    jobs = [(page, PAGE_BYTES, False) for page in pages]
    check(jobs, await lane.run(jobs))


@cocotb.test()
async def wrong_length(dut):
    """A source of another length is taken to its end and refused; its neighbours do not notice."""
    lane = await Lane(dut).start(0.1, 0.1)
    good = sample_pages(1, seed=random.getrandbits(32))[0]
    jobs = []
    lengths = [0, 1, 8, 15, 16, 17, *(PAGE_BYTES + more for more in (-16, -1, 1, 16, 2 * PAGE_BYTES))]
    for length in lengths:
        jobs += [((good * 3)[:length], PAGE_BYTES, random.random() < 0.3), (good, PAGE_BYTES, False)]
    pairs = await lane.run(jobs)
    assert {answer["status"] for answer, _ in pairs[::2]} == {interface.STATUS_INVALID_LENGTH}
    check(jobs[1::2], pairs[1::2])


@cocotb.test()
async def rate(dut):
    """Cycles on recorded pages, the same for every seed, back to back and one by one."""
    lane = await Lane(dut).start()
    pages = fixed_pages(40)
    jobs = [(page, PAGE_BYTES, False) for page in pages]
    start = lane.bench.cycle
    pairs = await lane.run(jobs)
    spent = (lane.result.cycles[-1] - start) / len(pages)
    check(jobs, pairs)
    latencies, alone = {}, pages[:sampled(20, 8)]
    for skip in (True, False):
        first = len(lane.source.first_cycles)
        for page in alone:
            await lane.run([(page, PAGE_BYTES, skip)])
        latencies[skip] = sum(told - began for told, began in
                              zip(lane.result.cycles[-len(alone):], lane.source.first_cycles[first:])) / len(alone)
    stream_bytes = sum(answer["length"] for answer, _ in pairs) / len(pairs)
    dut._log.info("%d pages back to back: %.0f cycles a page, %.1f bytes/cycle, streams %.0f bytes on the mean; first "
                  "byte to result %.0f cycles, %.0f with verify", len(pages), spent, PAGE_BYTES / spent, stream_bytes,
                  latencies[True], latencies[False])
    assert PAGE_BYTES / spent >= 14.9  # 15.0 they do


SOUND = ["real_pages", "fills", "wrong_length", "rate"]


def test_compress_lane():
    """On the lane whose compressor can be broken, and is not: one build for both."""
    run("compress_lane_tampered", module=__name__, testcase=SOUND)


@pytest.mark.night("test-whole")
def test_compress_lane_alone():
    run("compress_lane", module=__name__, testcase=SOUND)


@cocotb.test()
async def broken_streams(dut):
    """Any changed bit between compressor and verifier is found, and no byte of such a stream leaves."""
    lane, failures = await Lane(dut).start(0.1, 0.1), 0
    page, = compressible_pages(1, seed=random.getrandbits(32))
    stream, = [stream for _, stream in await lane.run([(page, PAGE_BYTES, False)])]
    words = (len(stream) + WIDTH - 1) // WIDTH
    for _ in range(changed := sampled(60, 24)):
        bit = random.randrange(8 * len(stream))
        lane.tamper(bit // (8 * WIDTH), 1 << bit % (8 * WIDTH))
        (answer, broken), = await lane.run([(page, PAGE_BYTES, False)])
        if answer["status"] == interface.STATUS_SUCCESS:
            # Some bits have no meaning: then the stream must still be that page.
            assert kernel_decompress(broken, PAGE_BYTES) == page
        else:
            assert answer["status"] == interface.STATUS_VERIFY_FAILED
            failures += 1
    assert failures > changed / 2
    lane.tamper(random.randrange(words), (1 << 8 * WIDTH) - 1)
    jobs = [(page, PAGE_BYTES, False), (bytes(PAGE_BYTES), PAGE_BYTES, False), (page, PAGE_BYTES, True)]
    answers = [answer["status"] for answer, _ in await lane.run(jobs)]
    assert answers[:2] == [interface.STATUS_VERIFY_FAILED, interface.STATUS_SAME_FILLED]
    assert answers[2] == interface.STATUS_SUCCESS, "not verified, as asked"
    lane.tamper(0, 0)
    assert [answer["status"] for answer, _ in await lane.run(jobs[:1])] == [interface.STATUS_SUCCESS]


@cocotb.test()
async def hanging_engine(dut):
    """An engine that stops, at any moment, costs its pages but never the lane."""
    for _ in range(4):
        lane = await Lane(dut).start(0.05, 0.05)
        pages = sample_pages(6, seed=random.getrandbits(32))
        pages = [page for page in pages if not same_filled(page)] + [bytes(PAGE_BYTES)]
        halt_at = lane.bench.cycle + random.randrange(20, 1500)
        lane.bench.sinks.append(At(halt_at, lambda: lane.halt(1)))
        lane.bench.ports.append(lane.bench.sinks[-1])
        pairs = await lane.run([(page, PAGE_BYTES, False) for page in pages])
        statuses = [answer["status"] for answer, _ in pairs]
        assert interface.STATUS_ENGINE_FAULT in statuses
        for page, (answer, stream) in zip(pages, pairs):
            if answer["status"] == interface.STATUS_SUCCESS:
                assert kernel_decompress(stream, PAGE_BYTES) == page
            else:
                assert answer["status"] in (interface.STATUS_ENGINE_FAULT, interface.STATUS_INCOMPRESSIBLE,
                                            interface.STATUS_SAME_FILLED)
        assert statuses[-1] == interface.STATUS_SAME_FILLED
        lane.halt(0)
        # Out of service means until reset.
        (answer, _), = await lane.run([(pages[0], PAGE_BYTES, False)])
        assert answer["status"] == interface.STATUS_ENGINE_FAULT


@cocotb.test()
async def broken_words(dut):
    """A word that is not full in mid-stream breaks the engines' contract: ENGINE_FAULT, at once and for good."""
    lane = await Lane(dut).start()
    # A long stream, but one that surely fits: an incompressible page has the right to say so.
    page = max(compressible_pages(20, seed=random.getrandbits(32)), key=lambda page: len(compress(page, "lzo1x_1")))
    lane.tamper(1, 0, count=random.randrange(1, WIDTH))
    for (answer, _) in await lane.run([(page, PAGE_BYTES, False), (page, PAGE_BYTES, True)]):
        assert answer["status"] == interface.STATUS_ENGINE_FAULT


@cocotb.test()
async def pausing_source(dut):
    """A page whose words stop coming for longer than a hang takes to be noticed is compressed as any other."""
    lane = await Lane(dut).start()
    pages = compressible_pages(5, seed=random.getrandbits(32))
    await lane.run([(pages.pop(), PAGE_BYTES, False)])
    for page in pages:
        pause = lane.bench.cycle + random.randrange(20, PAGE_BYTES // WIDTH)
        lane.bench.ports += [At(pause, lambda: setattr(lane.source, "stall", 1)), At(pause + 2 * PATIENCE, lambda: setattr(lane.source, "stall", 0))]
        (answer, stream), = await lane.run([(page, PAGE_BYTES, False)])
        assert lane.source.first_cycles[-1] < pause and lane.result.cycles[-1] > pause + 2 * PATIENCE, "the page did not pause"
        assert answer["status"] == interface.STATUS_SUCCESS and kernel_decompress(stream, PAGE_BYTES) == page


class At:
    """Calls something once, in one cycle of a bench."""

    def __init__(self, cycle, call):
        self.cycle, self.call, self.stall = cycle, call, 0

    def before_edge(self):
        pass

    def at_edge(self, cycle):
        if cycle == self.cycle:
            self.call()

    def after_edge(self, fired):
        pass


TAMPERED = ["broken_streams", "hanging_engine", "broken_words", "pausing_source"]


def test_compress_lane_tampered():
    run("compress_lane_tampered", module=__name__, testcase=TAMPERED)


@pytest.mark.night("test-whole")
def test_compress_lane_narrow():
    """A compressor of 4 bytes a cycle, which takes a word of the border in parts."""
    run("compress_lane_tampered_w4", module=__name__, testcase=TAMPERED)
