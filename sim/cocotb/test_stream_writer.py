# SPDX-License-Identifier: Apache-2.0
"""stream_writer, as narrow as the bus and narrower: exactly the stream's bytes arrive, from any byte on, none at or past
the limit, and the result waits for all of them."""
import random

import cocotb

from port_bench import BURST_BYTES, WriteSide
from runner import run
from stream_bench import Bench, Sink, Source

WIDTH = 16


def setup(dut):
    memory = {}
    port = WriteSide(dut, "io_port", len(dut.io_port_data_payload_data) // 8, memory)
    jobs = Source(dut, "io_job", ["address", "length"])
    source = Source(dut, "io_source", ["last", "fragment_data", "fragment_count", "fragment_fault"])
    result = Sink(dut, "io_result", ["fault", "overrun"])
    return Bench(dut, [jobs, source, port], [result]), memory, port, jobs, source, result


def send(source, data, empty_last):
    words = [data[at:at + WIDTH] for at in range(0, len(data), WIDTH)] or [b""]
    if empty_last and len(words[-1]) == WIDTH:
        words.append(b"")
    for at, word in enumerate(words):
        padded = word + random.randbytes(WIDTH - len(word))
        source.send(fragment_data=int.from_bytes(padded, "little"), fragment_count=len(word),
                    fragment_fault=0, last=int(at == len(words) - 1))


@cocotb.test()
async def random_streams(dut):
    bench, memory, port, jobs, source, result = setup(dut)
    await bench.reset()
    for stall in ((0, 0), (0.3, 0.3), (0.8, 0), (0, 0.8)):
        bench.stall(*stall)
        memory.clear()
        result.received.clear()
        expected = []
        base = random.randrange(1 << 50) << 12
        for _ in range(30):
            length = random.choice((0, 1, 15, 16, 17, 512, 4096, random.randint(0, 4096)))
            limit = random.choice((4096, 4096, max(length, 1), random.randint(1, 4096)))
            address = base + random.randrange(0, 4096, random.choice((1, WIDTH, port.width)))
            base += 3 * 4096
            data = random.randbytes(length)
            fault = random.random() < 0.3 and min(length, limit) > 0
            if fault:
                port.faults.add((address + random.randrange(min(length, limit))) // port.width * port.width)
            expected.append((address, data[:limit], fault, length > limit))
            jobs.send(address=address, length=limit)
            send(source, data, empty_last=random.random() < 0.3)
        await bench.until(lambda: len(result.received) == len(expected), 80000)
        wanted = {}
        for address, data, _, _ in expected:
            wanted.update(enumerate(data, address))
        assert memory == wanted, "bytes missing, wrong or outside"
        assert [(word["fault"], word["overrun"]) for word in result.received] == [
            (int(fault), int(overrun)) for _, _, fault, overrun in expected]
        await bench.step()
        assert dut.io_idle.value == 1


@cocotb.test()
async def result_waits_for_the_last_response(dut):
    bench, memory, port, jobs, source, result = setup(dut)
    await bench.reset()
    jobs.send(address=0x1000, length=4096)
    send(source, random.randbytes(4096), empty_last=False)
    held = port.answers
    port.answers = []
    while len(memory) < 4096:
        await bench.step()
        held += port.answers
        port.answers.clear()
    for _ in range(50):
        await bench.step()
        held += port.answers
        port.answers.clear()
    assert not result.received and dut.io_idle.value == 0 and len(held) == 8
    while held:
        assert not result.received, "a result before the last response"
        port.answers.append(held.pop(0))
        await bench.step()
    await bench.until(lambda: result.received, 20)


@cocotb.test()
async def keeps_up(dut):
    """With nobody stalling, streams leave as fast as they come, whatever their bursts."""
    bench, memory, port, jobs, source, result = setup(dut)
    await bench.reset()
    for index in range(6):
        jobs.send(address=((1 + index) << 16) + random.randrange(64), length=4096)
        send(source, random.randbytes(4096), empty_last=False)
    start = bench.cycle
    await bench.until(lambda: len(result.received) == 6, 5000)
    assert bench.cycle - start < 6 * (4096 // WIDTH + 10) + 60


@cocotb.test()
async def bus_that_stands_still(dut):
    """However long nothing leaves, what has been taken is kept: the source waits while the buffers are full."""
    bench, memory, port, jobs, source, result = setup(dut)
    await bench.reset()
    for _ in range(8):
        memory.clear()
        result.received.clear()
        wanted, count = {}, random.choice((3, 3, 12))
        for index in range(count):
            address, data = (1 + index << 16) + random.randrange(64), random.randbytes(4096 if count == 3 else random.randint(1, 700))
            wanted.update(enumerate(data, address))
            jobs.send(address=address, length=4096)
            send(source, data, empty_last=False)
        port.stall = 1
        for _ in range(400):
            await bench.step()
        assert source.queue and not memory
        port.stall = 0
        await bench.until(lambda: len(result.received) == count, 5000)
        assert memory == wanted


@cocotb.test()
async def ends_where_the_room_does(dut):
    """A stream whose last word, and the beat that is left over of it, come just when the buffer is full: nothing is lost."""
    bench, memory, port, jobs, source, result = setup(dut)
    await bench.reset()
    for words in range(-10, 4):
        memory.clear()
        result.received.clear()
        wanted = {}
        for index, length in enumerate((max(2 * BURST_BYTES, 32 * port.width) + words * WIDTH, 64)):
            address, data = (1 + index << 16) + random.randrange(1, port.width), random.randbytes(length)
            wanted.update(enumerate(data, address))
            jobs.send(address=address, length=4096)
            send(source, data, empty_last=False)
        port.stall = 1
        for _ in range(2 * BURST_BYTES // WIDTH + 200):
            await bench.step()
        port.stall = 0
        await bench.until(lambda: len(result.received) == 2, 1000)
        assert memory == wanted, words


def test_stream_writer():
    run("stream_writer", module=__name__)
    run("stream_writer_wide", module=__name__)
