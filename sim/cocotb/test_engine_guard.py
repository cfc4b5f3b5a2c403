# SPDX-License-Identifier: Apache-2.0
"""engine_guard: invisible before a good engine, an answer for every page behind a bad one."""
import random

import cocotb
from lzo_verdict import interface
from runner import run
from stream_bench import Bench, ByteSink, ByteSource, Sink, Source

WIDTH = 16
LENGTH_BITS = 14  # of a result
WATCHDOG = 50  # cycles, as EngineBlocks builds it
EQUAL, NARROW = 1, 4  # parts in which an engine takes a word
SUCCESS = {"status": interface.STATUS_SUCCESS}


class Words(ByteSource):
    """Also words that claim more bytes than a word has."""

    def next_transfer(self):
        values = super().next_transfer()
        return {**values, "fragment_data": values["fragment_data"] % (1 << 8 * WIDTH)}


class Echo(ByteSink):
    """An engine that gives every page back, with any length in its result, until it hangs: then it neither takes nor gives.

    It works on a word in `parts`, a cycle each, and takes it with the last: one of several is not `ready` for a word that it does not see.
    """

    def __init__(self, dut, parts=1):
        super().__init__(dut, "io_engineSource", WIDTH)
        self.parts, self.seen = parts, 0  # cycles that it has seen the word
        self.words, self.results = Words(dut, "io_engineSink", WIDTH), Source(dut, "io_engineResult", ["status", "length"])
        self.lengths = []
        self.out_of_service = dut.io_outOfService

    def take(self, values, cycle):
        super().take(values, cycle)
        word = values["fragment_data"].to_bytes(WIDTH, "little")[:values["fragment_count"]]
        self.words.queue.append((word, bool(values["last"])))
        if values["last"]:
            self.lengths.append(random.getrandbits(LENGTH_BITS))
            self.results.send(length=self.lengths[-1], **SUCCESS)

    def before_edge(self):
        self.blocked = self.seen < self.parts - 1
        super().before_edge()

    def at_edge(self, cycle):
        if self.out_of_service.value == 1:  # an engine is owed no manners then
            self.waiting = None
        if self.stall == 1:
            return False
        self.seen = (self.seen + 1) * (self.valid.value == 1)
        fired = super().at_edge(cycle)
        self.seen *= not fired
        return fired

    def stall_all(self, probability):
        for port in (self, self.words, self.results):
            port.stall = probability


class Guarded:
    def __init__(self, dut, parts=1):
        self.source, self.sink = ByteSource(dut, "io_source", WIDTH), ByteSink(dut, "io_sink", WIDTH)
        self.result = Sink(dut, "io_result", ["status", "length"])
        self.engine = Echo(dut, parts)
        self.out_of_service = dut.io_outOfService
        self.bench = Bench(dut, [self.source, self.engine.words, self.engine.results],
                           [self.sink, self.result, self.engine])

    async def pause(self, page, words):
        """The source stands after so many words of `page`, the last that is there, for far longer than the guard's patience."""
        left = len(page) // WIDTH - words
        await self.bench.until(lambda: len(self.source.queue) == left, 2000)
        self.source.stall = 1
        for _ in range(3 * WATCHDOG):
            await self.bench.step()
        assert len(self.source.queue) == left

    async def finish(self, pages, most=20000):
        await self.bench.until(lambda: len(self.result.received) == len(pages), most)
        assert len(self.sink.pages) == len(pages) and not self.sink.page
        assert not self.source.queue, "the source must be taken to its end before the result"
        for sunk, told in zip(self.sink.cycles, self.result.cycles):
            assert sunk <= told


def some_pages(count):
    return [random.randbytes(random.choice((0, 5, 16, 32, random.randrange(300)))) for _ in range(count)]


@cocotb.test()
async def good_engine(dut):
    """Nothing is changed, whoever stalls; waiting for the outside, however long, is no fault."""
    guarded = Guarded(dut)
    await guarded.bench.reset()
    pages = some_pages(60)
    for page in pages:
        guarded.source.send(page)
    for stalls in ((0, 0), (0.4, 0.4), (0.97, 0.1), (0.1, 0.97)):
        guarded.source.stall, guarded.sink.stall = stalls
        guarded.result.stall = stalls[1]
        guarded.engine.stall_all(0.2)
        await guarded.bench.until(lambda: random.random() < 0.003, 20000)
    guarded.bench.stall(0, 0)
    for blocked in (guarded.sink, guarded.result):
        blocked.blocked = True
        for _ in range(3 * WATCHDOG):
            await guarded.bench.step()
        blocked.blocked = False
    await guarded.finish(pages)
    assert guarded.sink.pages == pages
    assert [result["length"] for result in guarded.result.received] == guarded.engine.lengths
    assert {result["status"] for result in guarded.result.received} == {interface.STATUS_SUCCESS}
    assert guarded.out_of_service.value == 0


@cocotb.test()
async def pausing_source(dut):
    """However long a source pauses in mid-page, an engine that waits for it is not at fault: one that takes words whole, or in parts."""
    for parts in EQUAL, NARROW:
        guarded = Guarded(dut, parts)
        await guarded.bench.reset()
        pages = []
        for words in (1, 2, 7):
            pages += [random.randbytes(40), random.randbytes(8 * WIDTH)]
            for page in pages[-2:]:
                guarded.source.send(page)
            await guarded.pause(pages[-1], words)
            assert guarded.out_of_service.value == 0, f"{parts} parts, a pause after {words} words"
            guarded.source.stall = 0
        await guarded.finish(pages)
        assert guarded.sink.pages == pages and guarded.out_of_service.value == 0


@cocotb.test()
async def engine_that_stops_one_way(dut):
    """It takes no more, or gives no more words, or no result: noticed once it has all that it needs, also when it stopped in a pause of the source."""
    for parts in EQUAL, NARROW:
        for port in ("source", "sink", "result"):
            for pauses in (False, True):
                guarded = Guarded(dut, parts)
                await guarded.bench.reset()
                stopped = {"source": guarded.engine, "sink": guarded.engine.words, "result": guarded.engine.results}[port]
                pages = [random.randbytes(40), random.randbytes(12 * WIDTH)]
                for page in pages:
                    guarded.source.send(page)
                if pauses:
                    await guarded.pause(pages[-1], random.randrange(1, 12))
                else:
                    await guarded.bench.until(lambda: len(guarded.source.queue) == 6, 200)
                stopped.stall, guarded.source.stall = 1, 0
                await guarded.bench.until(lambda: guarded.out_of_service.value == 1, 12 * parts + 14 + WATCHDOG + 5)
                await guarded.finish(pages)
                assert guarded.result.received[-1] == {"status": interface.STATUS_ENGINE_FAULT, "length": 0}


@cocotb.test()
async def hanging_engine(dut):
    """At whatever moment it hangs: every page is answered, those before it rightly."""
    for _ in range(40):
        guarded = Guarded(dut)
        await guarded.bench.reset()
        guarded.bench.stall(random.choice((0, 0.2)), random.choice((0, 0.2)))
        pages = some_pages(12) + [bytes(2000)]
        for page in pages:
            guarded.source.send(page)
        for _ in range(random.randrange(80)):
            await guarded.bench.step()
        guarded.engine.stall_all(1)
        await guarded.finish(pages)
        good = sum(result["status"] == interface.STATUS_SUCCESS for result in guarded.result.received)
        assert guarded.sink.pages[:good] == pages[:good]
        for page, sunk in zip(pages[good:], guarded.sink.pages[good:]):
            assert page.startswith(sunk)
        faults = guarded.result.received[good:]
        assert faults and all(result == {"status": interface.STATUS_ENGINE_FAULT, "length": 0} for result in faults)
        assert guarded.out_of_service.value == 1


@cocotb.test()
async def unruly_engine(dut):
    """Words nobody asked for never reach the lane; one that is not full before the last, or is more than full, ends its page."""
    for turn in range(12):
        guarded = Guarded(dut)
        await guarded.bench.reset()
        guarded.engine.words.send(random.randbytes(20))
        await guarded.bench.until(lambda: guarded.out_of_service.value == 1, 10)
        assert not guarded.sink.received and not guarded.sink.page
        guarded = Guarded(dut)
        await guarded.bench.reset()
        guarded.bench.stall(0.2, 0.2)
        pages = [random.randbytes(100), random.randbytes(200)]
        guarded.source.send(pages[0])
        at = random.randrange(5)
        await guarded.bench.until(lambda: len(guarded.engine.words.queue) + len(guarded.sink.page) // WIDTH > at, 100)
        wrong = random.randbytes(5 if turn % 3 == 0 else random.randrange(WIDTH + 1, 2 * WIDTH))
        guarded.engine.words.queue.append((wrong, turn % 3 == 2))
        guarded.source.send(pages[1])
        await guarded.finish(pages)
        assert guarded.out_of_service.value == 1
        assert {result["status"] for result in guarded.result.received} == {interface.STATUS_ENGINE_FAULT}


def test_engine_guard():
    run("engine_guard", module=__name__)
