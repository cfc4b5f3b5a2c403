# SPDX-License-Identifier: Apache-2.0
"""core as a chip's flow asks for it: a reset that is active low and needs no clock, a clock enable, memories that the chip brings. Registers begin with
any value, as in a part whose power comes back; chip_core.sv is the chip.
"""
import random
from pathlib import Path

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge, Timer

import lzo
from configured import configured
from core_package import lint
from core_bench import PAGE, QUIET, CoreBench
from crc32c import crc32c
from pagepress_interface import *  # noqa: F403 (registers, statuses, entries)
from runner import run

CONTROL_BITS, MEMORIES_WORK = 3, 0b100
OPTIONS = ["--queues", 2, "--bus", 8, "--async-reset", "--reset-low", "--clock-enable", "--memory-control", CONTROL_BITS]
WRAPPER = Path(__file__).with_name("chip_core.sv")
# What must be idle while a reset holds.
OUTPUTS = ("m_axi_awvalid", "m_axi_wvalid", "m_axi_arvalid", "s_axi_bvalid", "s_axi_rvalid", "interrupt")


async def edges_between(dut):
    """Some edges of the core's clock while it is not enabled, between those that count."""
    while True:
        await FallingEdge(dut.clk)
        for _ in range(random.choice((0, 0, 1, 2))):
            dut.clk_enable.value = 0
            await Timer(200, "ps")
            dut.between.value = 1
            await Timer(200, "ps")
            dut.between.value = 0
            await Timer(200, "ps")
        dut.clk_enable.value = 1


async def start(dut):
    dut.memory_control.value = MEMORIES_WORK
    dut.between.value, dut.clk_enable.value = 0, 1
    bench = await CoreBench.start(dut)
    cocotb.start_soon(edges_between(dut))
    await bench.enable()
    return bench


def busy(dut):
    """The outputs that are not idle."""
    return [name for name in OUTPUTS if int(getattr(dut, name).value)]


def jobs(bench, count):
    pages = lzo.compressible_pages(count, random.getrandbits(32))
    return [random.choice((bench.compress(page), bench.decompress(lzo.compress(page, "lzo1x_1"), page, crc=crc32c(page)))) for page in pages]


def check(bench, job):
    assert job.completion.status == STATUS_SUCCESS, job
    if job.entry.opcode == OPCODE_DECOMPRESS:
        assert bench.output(job) == job.plain, job
    else:
        assert lzo.kernel_decompress(bench.output(job), PAGE) == job.plain, job


@cocotb.test()
async def pages(dut):
    """Both ways, by the edges that count alone, with memories that give anything where they may."""
    bench = await start(dut)
    for index in range(2):
        ring, some = await bench.ring(index, 3), jobs(bench, 4)
        await ring.run(some)
        for job in some:
            check(bench, job)
    assert not dut.memory_error.value
    bench.finish()


@cocotb.test()
async def reset_without_a_clock(dut):
    """In the middle of pages, with the clock standing still: every output is idle at once. Afterwards all goes as from the beginning."""
    bench = await start(dut)
    ring = await bench.ring(0, 3)
    await ring.submit(jobs(bench, 3))
    for _ in range(random.randrange(300)):
        await RisingEdge(dut.clk)
    while not busy(dut):
        await RisingEdge(dut.clk)
        await Timer(1, "ns")
    bench.clock.stop()
    dut.reset.value = 1
    await Timer(1, "ns")
    assert not busy(dut)


@cocotb.test()
async def errors_of_memories(dut):
    """One that finds an error says so at the core's own port."""
    bench = await start(dut)
    dut.memory_control.value = MEMORIES_WORK | 1
    ring = await bench.ring(1, 3)
    await ring.submit(jobs(bench, 1))
    await RisingEdge(dut.memory_error)
    dut.memory_control.value = MEMORIES_WORK


@pytest.mark.night("test-parameters")
def test_core_chip():
    core = configured("chip", OPTIONS)
    assert not lint(core, OPTIONS)
    run("core", module=__name__, wrapper=WRAPPER, verilog=core, environment=QUIET, plusargs=("+define+PAGEPRESS_MEMORY", "+verilator+rand+reset+2"))
