# SPDX-License-Identifier: Apache-2.0
"""One engine under test, compressor or decompressor: pages in, pages out, a result each.

    block = await EngineBench(dut, width=16, limit=4096).start(sources=0.1, sinks=0.3)
    answers = await block.run([page, other])   # [(status, bytes)]
"""
import pagepress_interface as interface
from functional import points
from stream_bench import Bench, ByteSink, ByteSource, Sink


class EngineBench:
    """The block's ports and what every answer must keep; `limit` holds where a run names none."""

    is_lzo = True  # its streams are, and their tokens are counted

    def __init__(self, dut, width, limit):
        self.dut, self.limit = dut, limit
        self.source = ByteSource(dut, "io_source", width)
        self.sink = ByteSink(dut, "io_sink", width)
        self.result = Sink(dut, "io_result", ["status", "length"])
        self.bench = Bench(dut, [self.source], [self.sink, self.result])

    async def start(self, sources=0.0, sinks=0.0):
        self.dut.io_limit.value = self.limit
        await self.bench.reset()
        self.bench.stall(sources, sinks)
        return self

    def most_cycles(self, taken, limit):
        """Cycles after which an engine that was given `taken` hangs, whatever the stalls."""
        return 20 * (len(taken) + limit)

    async def run(self, inputs, limit=None):
        """Send all inputs back to back; return [(status, bytes)] and check the order of results and words."""
        limit = self.limit if limit is None else limit
        self.dut.io_limit.value = limit
        first = len(self.result.received)
        for taken in inputs:
            self.source.send(taken)
        most = 2000 + sum(self.most_cycles(taken, limit) for taken in inputs)
        await self.bench.until(lambda: self.answered(first) == len(inputs), most)
        results, outputs = self.result.received[first:], self.sink.pages[first:]
        assert len(outputs) == len(results) and not self.sink.page
        for output, result in zip(outputs, results):
            assert len(output) == result["length"] <= limit
        for taken, output, result in zip(inputs, outputs, results):
            if self.is_lzo and result["status"] == interface.STATUS_SUCCESS:
                points.stream(self.dut._name, taken if "decompress" in self.dut._name else output)
        return [(result["status"], output) for output, result in zip(outputs, results)]

    def answered(self, first):
        assert len(self.result.received) <= len(self.sink.pages), "a result came before its output's end"
        return len(self.result.received) - first
