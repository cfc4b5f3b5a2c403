# SPDX-License-Identifier: Apache-2.0
"""page_reader, as narrow as the bus and narrower: every byte once and in order, whatever the bus does and wherever a
transfer begins; faults stay with their transfer."""
import random

import cocotb

from sampled import sampled
from port_bench import ReadSide
from runner import run
from stream_bench import Bench, Sink, Source

BUFFER_BYTES = 8192


def setup(dut):
    memory = {}
    port = ReadSide(dut, "io_port", len(dut.io_port_data_payload_data) // 8, memory)
    jobs = Source(dut, "io_job", ["address", "length"])
    sink = Sink(dut, "io_sink", ["last", "fragment_data", "fragment_count", "fragment_fault"])
    return Bench(dut, [jobs, port], [sink]), memory, port, jobs, sink


def transfers(words):
    """Cut what the sink took at each `last`."""
    found = [[]]
    for word in words:
        found[-1].append(word)
        if word["last"]:
            found.append([])
    assert not found.pop(), "an unfinished transfer"
    return found


@cocotb.test()
async def random_transfers(dut):
    bench, memory, port, jobs, sink = setup(dut)
    width, bus = len(dut.io_sink_payload_fragment_data) // 8, port.width
    await bench.reset()
    for stall in ((0, 0), (0.3, 0.3), (0, 0.8), (0.8, 0)):
        bench.stall(*stall)
        sink.received.clear()
        expected = []
        base = random.randrange(1 << 50) << 12
        for _ in range(sampled(25, 14)):
            length = random.choice((1, 15, 16, 17, 4096, 8192, random.randint(1, 8192)))
            address = base + random.randrange(0, 4096, random.choice((1, width, bus)))
            base += 3 * 4096
            data = random.randbytes(length)
            memory.update(enumerate(data, address))
            fault = None
            if random.random() < 0.3:
                fault = (address + random.randrange(length)) // bus * bus  # a beat
                port.faults.add(fault)
                data = bytes(0 if at // bus * bus == fault else byte for at, byte in enumerate(data, address))
            expected.append((address, data, fault))
            jobs.send(address=address, length=length)
        await bench.until(lambda: sum(word["last"] for word in sink.received) == len(expected), 80000)
        for words, (address, data, fault) in zip(transfers(sink.received), expected):
            assert all(word["fragment_count"] == width for word in words[:-1])
            assert sum(word["fragment_count"] for word in words) == len(data)
            for at, word in enumerate(words):
                part = data[at * width:(at + 1) * width]
                assert word["fragment_fault"] == (fault is not None and address + at * width + len(part) > fault)
                mask = (1 << 8 * word["fragment_count"]) - 1
                assert word["fragment_data"] & mask == int.from_bytes(part, "little")
        for _ in range(5):
            await bench.step()
        assert dut.io_idle.value == 1
    assert port.bursts


@cocotb.test()
async def one_at_a_time(dut):
    """Each transfer ends before the next one comes, so that every buffer is empty at each of its places once."""
    bench, memory, port, jobs, sink = setup(dut)
    await bench.reset()
    for index in range(40):
        length = random.randint(1, 100)
        address = (1 + index << 16) + random.randrange(64)
        data = random.randbytes(length)
        memory.update(enumerate(data, address))
        sink.received.clear()
        jobs.send(address=address, length=length)
        await bench.until(lambda: sink.received and sink.received[-1]["last"], 1000)
        for _ in range(5):
            await bench.step()
        assert dut.io_idle.value == 1
        words, = transfers(sink.received)
        got = b"".join(word["fragment_data"].to_bytes(64, "little")[:word["fragment_count"]] for word in words)
        assert got == data and not any(word["fragment_fault"] for word in words)


@cocotb.test()
async def never_asks_for_more_than_fits(dut):
    """With a consumer that takes nothing, requests stop at the buffer's size; idle stays low; nothing is lost."""
    bench, memory, port, jobs, sink = setup(dut)
    await bench.reset()
    sink.blocked = True
    for index in range(3):
        jobs.send(address=(1 + index) << 16, length=8192)
    for _ in range(1500):
        await bench.step()
    assert sum(beats for _, beats in port.bursts) == BUFFER_BYTES // port.width
    assert dut.io_idle.value == 0
    sink.blocked = False
    await bench.until(lambda: sum(word["last"] for word in sink.received) == 3, 5000)
    assert sum(word["fragment_count"] for word in sink.received) == 3 * 8192


@cocotb.test()
async def keeps_the_bus_full(dut):
    """With nobody stalling, a page takes little more than its words."""
    bench, memory, port, jobs, sink = setup(dut)
    await bench.reset()
    for index in range(8):
        jobs.send(address=((1 + index) << 16) + random.randrange(64), length=4096)
    start = bench.cycle
    await bench.until(lambda: sum(word["last"] for word in sink.received) == 8, 5000)
    assert bench.cycle - start < 8 * 256 * 1.05 + 30


def test_page_reader():
    run("page_reader", module=__name__)
    run("page_reader_wide", module=__name__)
