# SPDX-License-Identifier: Apache-2.0
"""stream_verifier: passes exactly the streams that give their page back."""
import random

import cocotb
from lzo_verdict import interface
from lzo import PAGE_BYTES, compress, sample_pages
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
    return page, compress(page, random.choice(("lzo1x_1", "lzo1x_999")))


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
async def broken_decompressor(dut):
    """A decompressor with a wrong bit is caught; one that hangs costs the verified pages, not the skipped ones."""
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
