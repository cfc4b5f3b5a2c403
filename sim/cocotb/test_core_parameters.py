# SPDX-License-Identifier: Apache-2.0
"""core with parameters as nobody here uses them, and with those that systems on chip ask for: addresses of 36 bits, AxCACHE, AxPROT and AxUSER
of their own, one interrupt. The driver of firmware/soc runs on it, too.
"""
import random
import sys
from pathlib import Path

import cocotb
from cocotb.task import bridge, resume
from cocotb.triggers import ClockCycles, RisingEdge

import lzo
from sampled import sampled
from configured import configured
from core_bench import PAGE, QUIET, CoreBench
from core_checks import check_decompressed
from crc32c import crc32c
from pagepress_interface import *  # noqa: F403 (registers, statuses, entries)
from runner import run

QUEUES, BUS, DECOMPRESSORS, WIDTH, USER_WIDTH = 5, 8, 3, 36, 5
READ_CACHE, WRITE_CACHE, PROTECTION, USER = 15, 14, 3, 19
OPTIONS = ["--queues", QUEUES, "--bus", BUS, "--decompressors", DECOMPRESSORS, "--address-width", WIDTH, "--arcache", READ_CACHE,
           "--awcache", WRITE_CACHE, "--axprot", PROTECTION, "--user", USER, "--user-width", USER_WIDTH, "--one-interrupt"]
END = 1 << WIDTH


def pages(count):
    return lzo.sample_pages(count, random.getrandbits(32))


def check(bench, job):
    """As core_checks, but for the stream's bytes: a compressor of 8 bytes a cycle finds other matches than the reference, of 16."""
    if job.entry.opcode == OPCODE_DECOMPRESS:
        return check_decompressed(bench, job)
    completion, stream = job.completion, bench.output(job)
    assert completion.crc32c == crc32c(job.plain), job
    if completion.status == STATUS_SUCCESS:
        assert completion.detail == crc32c(stream), job
        assert lzo.liblzo2_decompress(stream, PAGE) == lzo.kernel_decompress(stream, PAGE) == job.plain
    else:
        assert completion.status in (STATUS_SAME_FILLED, STATUS_INCOMPRESSIBLE) and not stream, job


async def watch_attributes(dut):
    """What stands beside each address."""
    while True:
        await RisingEdge(dut.clk)
        for valid, cache, prot, user, wanted in ((dut.m_axi_arvalid, dut.m_axi_arcache, dut.m_axi_arprot, dut.m_axi_aruser, READ_CACHE),
                                                 (dut.m_axi_awvalid, dut.m_axi_awcache, dut.m_axi_awprot, dut.m_axi_awuser, WRITE_CACHE)):
            if valid.value:
                assert (int(cache.value), int(prot.value), int(user.value)) == (wanted, PROTECTION, USER)


@cocotb.test()
async def what_it_is(dut):
    bench = await CoreBench.start(dut)
    capabilities, engines = await bench.read(REGISTER_CAPABILITIES), await bench.read(REGISTER_ENGINES)
    assert (capabilities & CAPABILITIES_QUEUE_PAIRS_MASK) >> CAPABILITIES_QUEUE_PAIRS_SHIFT == QUEUES
    assert engines == (1 << ENGINES_COMPRESSORS_SHIFT | DECOMPRESSORS << ENGINES_DECOMPRESSORS_SHIFT | BUS << ENGINES_STREAM_BYTES_SHIFT)
    assert await bench.read(REGISTER_HASH_LOW) == HASH_LOW_VALUE
    assert (len(dut.m_axi_wdata), len(dut.m_axi_araddr), len(dut.m_axi_awid), len(dut.interrupt)) == (8 * BUS, WIDTH, 3, 1)


@cocotb.test()
async def pages_in_every_queue(dut):
    """Both ways, all engines; the one interrupt stands while any completion is not acknowledged."""
    bench = await CoreBench.start(dut)
    watching = cocotb.start_soon(watch_attributes(dut))
    await bench.enable()
    for index in range(QUEUES):
        ring = await bench.ring(index, 3)
        jobs = []
        for page in pages(sampled(6, 2)):
            jobs.append(random.choice((bench.compress(page), bench.decompress(lzo.compress(page, "lzo1x_1"), page, crc=crc32c(page)))))
        assert not dut.interrupt.value
        await ring.run(jobs)
        for job in jobs:
            check(bench, job)
        await bench.cycles(50)
        assert not dut.interrupt.value, f"queue {index} interrupts and has nothing to say"
        await ring.submit([bench.nop()])
        while not ring.poll():
            await bench.cycles(5)
        await bench.cycles(50)
        assert dut.interrupt.value == 1, f"queue {index} does not interrupt"
        await ring.acknowledge()
    watching.cancel()
    bench.finish()


@cocotb.test()
async def addresses_past_the_bus(dut):
    """Up to the bus's last byte; beyond it a command is refused, and no lower address is taken for it."""
    bench = await CoreBench.start(dut)
    await bench.enable()
    ring = await bench.ring(random.randrange(QUEUES), 4)
    memory, (page,) = bench.memory, lzo.compressible_pages(1, random.getrandbits(32))
    stream = lzo.compress(page, "lzo1x_1")
    memory.open(END - PAGE, PAGE)
    memory.poke(END - PAGE, page)
    last = bench.compress(page, source_address=END - PAGE)
    await ring.run([last])
    check(bench, last)
    assert last.completion.status == STATUS_SUCCESS
    memory.poke(END - PAGE, bytes(PAGE - len(stream)) + stream)
    back = bench.decompress(stream, page, source_address=END - len(stream))
    await ring.run([back])
    check_decompressed(bench, back)
    upper = 1 << random.randrange(WIDTH, 64)
    wrong = [bench.compress(page, source_address=END - PAGE + random.randint(1, PAGE - 1)), bench.compress(page, source_address=END),
             bench.decompress(stream, page, source_address=END - len(stream) + 1), bench.decompress(stream, page, destination_address=END - PAGE + 1),
             bench.compress(page, capacity=100, destination_address=END - 99)]
    for job in (bench.compress(page), bench.decompress(stream, page)):
        job.entry.source_address |= upper
        wrong.append(job)
    for job in (bench.compress(page), bench.decompress(stream, page)):
        job.entry.destination_address |= upper
        wrong.append(job)
    await ring.run(wrong)
    for job in wrong:
        assert job.completion.status == STATUS_INVALID_ADDRESS, job
        bench.untouched(job)
    fits = bench.compress(page, capacity=100, destination_address=END - 100)
    await ring.run([fits])
    check(bench, fits)
    bench.finish()


@cocotb.test()
async def rings_past_the_bus(dut):
    """A ring may end with the bus, and not past it."""
    bench = await CoreBench.start(dut)
    await bench.enable()
    depth_log2 = random.randint(7, 9)
    for index in range(QUEUES):
        for name, entry_bytes in (("submission", SUBMISSION_ENTRY_BYTES), ("completion", COMPLETION_ENTRY_BYTES)):
            ring = await bench.ring(index, depth_log2)
            await ring.disable()
            good, bytes_ = getattr(ring, name), entry_bytes << depth_log2
            for base in (END - bytes_ + RING_ALIGNMENT, good | 1 << random.randrange(WIDTH, 64), END):
                setattr(ring, name, base)
                await ring.enable()
                status = await ring.read(REGISTER_QUEUE_STATUS)
                assert status & QUEUE_STATUS_ERROR_MASK and status >> QUEUE_STATUS_CAUSE_SHIFT == FATAL_RING_SETUP, f"{name} at {base:#x}: {status:#x}"
                await ring.disable()
            setattr(ring, name, END - bytes_)
            bench.memory.open(END - bytes_, bytes_)
            await ring.enable()
            assert await ring.read(REGISTER_QUEUE_STATUS) == QUEUE_STATUS_ACTIVE_MASK
            await ring.run([bench.nop() for _ in range(3)])
            await ring.disable()
    bench.finish()


@cocotb.test()
async def bare_metal_driver(dut):
    """firmware/soc on the hardware: pages both ways, a bad stream, a fatal error and a start after it."""
    from soc_driver import OK, STOPPED, Driver, SharedMemory
    bench = await CoreBench.start(dut)
    memory = SharedMemory(base=END - (1 << 18))

    class Target:
        async def read(self, address, size):
            if (found := memory.read(address, size)) is None:
                raise RuntimeError("the bus answers SLVERR")
            return found

        async def write(self, address, data):
            if not memory.write(address, data):
                raise RuntimeError("the bus answers SLVERR")

    bench.bus.write_if.target = bench.bus.read_if.target = Target()
    driver = Driver(memory, resume(bench.read), resume(bench.write), resume(lambda: ClockCycles(dut.clk, 20)), depth_log2=2, queue=QUEUES - 1)
    plain, stream, back = memory.place(PAGE, 1), memory.place(PAGE, 1), memory.place(PAGE, 1)

    @bridge
    def program():
        assert driver.start() == OK
        for page in [*pages(sampled(6, 2)), bytes(PAGE)]:
            memory.poke(plain, page)
            result, outcome = driver.compress(plain, stream, PAGE)
            assert result == OK and outcome.crc32c == crc32c(page)
            if outcome.status == STATUS_SUCCESS:
                assert lzo.kernel_decompress(memory.peek(stream, outcome.length), PAGE) == page
                length = outcome.length
                result, outcome = driver.decompress(stream, length, crc32c(page), back)
                assert (result, outcome.status) == (OK, STATUS_SUCCESS) and memory.peek(back, PAGE) == page
                assert driver.decompress(stream, length, crc32c(page) ^ 1, back)[1].status == STATUS_CRC_MISMATCH
            else:
                assert outcome.status in (STATUS_SAME_FILLED, STATUS_INCOMPRESSIBLE)
        memory.refuse = lambda address, size, write: not write
        assert driver.compress(plain, stream, PAGE)[0] == STOPPED and driver.cause() == FATAL_RING_FETCH
        memory.refuse = lambda *_: False
        assert driver.start() == OK
        memory.poke(plain, page)
        assert driver.compress(plain, stream, PAGE)[1].status == STATUS_SAME_FILLED
        assert driver.stop() == OK

    await program()
    assert bench.reads_out == bench.writes_out == 0


def soc_core():
    """The folder of this core."""
    return configured("soc", OPTIONS)


def test_core_parameters():
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "soc"))  # for the simulation as well
    from soc_driver import build
    build()
    run("core", module=__name__, verilog=soc_core(), environment=QUIET)
