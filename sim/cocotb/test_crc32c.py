# SPDX-License-Identifier: Apache-2.0
"""crc32c: the standard CRC-32C of pages of any length."""
import random

import cocotb
from lzo_verdict import interface  # noqa: F401  (puts the reference on the path)
from crc32c import crc32c
from runner import run
from stream_bench import Bench, ByteSource, Sink

WIDTH = 16


@cocotb.test()
async def any_length(dut):
    """The published check value, every length of the last word, and back-to-back pages under stalls."""
    source, result = ByteSource(dut, "io_source", WIDTH), Sink(dut, "io_result", [""])
    bench = Bench(dut, [source], [result])
    await bench.reset()
    pages = [b"123456789", b"", bytes(32), b"\xff" * 32, bytes(range(32))]
    pages += [random.randbytes(length) for length in range(70)]
    pages += [random.randbytes(random.choice((4096, random.randrange(200)))) for _ in range(60)]
    for stalls in ((0, 0), (0.5, 0.1), (0.1, 0.7)):
        bench.stall(*stalls)
        source.empty_last = not source.empty_last
        result.received.clear()
        for page in pages:
            source.send(page)
        await bench.until(lambda: len(result.received) == len(pages), 100000)
        values = [transfer[""] for transfer in result.received]
        assert values[0] == 0xE3069283
        assert values == [crc32c(page) for page in pages]


@cocotb.test()
async def full_rate(dut):
    """A word a cycle, pages back to back."""
    source, result = ByteSource(dut, "io_source", WIDTH), Sink(dut, "io_result", [""])
    bench = Bench(dut, [source], [result])
    await bench.reset()
    for _ in range(8):
        source.send(random.randbytes(4096))
    await bench.until(lambda: len(result.received) == 8, 8 * 4096 // WIDTH + 4)


def test_crc32c():
    run("crc32c", module=__name__)
