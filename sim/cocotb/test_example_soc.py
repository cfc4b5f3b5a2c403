# SPDX-License-Identifier: Apache-2.0
"""example_soc: what an integrator's first test looks like. One page is compressed and decompressed; nothing of Scala is needed,
only the core.v of the release's `soc`, and the registers' names from the generated interface.
"""
import logging
import random
import subprocess
from pathlib import Path

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer, with_timeout
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiRam

import lzo
from configured import released
from pagepress_interface import *  # noqa: F403 (registers, statuses, entries)
from runner import run

REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLE = Path(__file__).with_name("example_soc.v")
WINDOW = 0x4000_0000
ADDRESS_BITS = 40
SUBMISSIONS, COMPLETIONS, PAGE, STREAM, BACK = 0x10000, 0x20000, 0x30000, 0x40000, 0x50000
PAGE_BYTES = 4096


@cocotb.test()
async def one_page_there_and_back(dut):
    for name in ("bus", "mem"):
        logging.getLogger(f"cocotb.{dut._name}.{name}").setLevel(logging.ERROR)
    Clock(dut.clk, 4, "ns").start()
    dut.reset_n.value = 0
    registers = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "bus"), dut.clk, dut.reset_n, reset_active_level=False)
    memory = AxiRam(AxiBus.from_prefix(dut, "mem"), dut.clk, dut.reset_n, reset_active_level=False, size=1 << 20)
    await Timer(30, "ns")
    dut.reset_n.value = 1
    await Timer(50, "ns")

    async def write(register, value):
        await registers.write_dword(WINDOW + register, value)

    assert await registers.read_dword(WINDOW + REGISTER_MAGIC) == MAGIC_VALUE
    await write(REGISTER_CONTROL, CONTROL_ENABLE_MASK)
    while not await registers.read_dword(WINDOW + REGISTER_STATUS) & STATUS_READY_MASK:
        pass
    for register, value in ((REGISTER_SUBMISSION_BASE_LOW, SUBMISSIONS), (REGISTER_COMPLETION_BASE_LOW, COMPLETIONS),
                            (REGISTER_DEPTH_LOG2, 3), (REGISTER_QUEUE_CONTROL, QUEUE_CONTROL_ENABLE_MASK)):
        await write(QUEUE_BASE + register, value)

    async def command(index, entry, status=STATUS_SUCCESS):
        """Put it into the ring, ring the doorbell, wait for the interrupt, take the completion."""
        memory.write(SUBMISSIONS + index * SUBMISSION_ENTRY_BYTES, entry.pack())
        await write(DOORBELL_BASE + REGISTER_SUBMISSION_TAIL, index + 1)
        if not dut.interrupt.value:
            await with_timeout(RisingEdge(dut.interrupt), 100, "us")
        completion = CompletionEntry.unpack(memory.read(COMPLETIONS + index * COMPLETION_ENTRY_BYTES, COMPLETION_ENTRY_BYTES))
        await write(DOORBELL_BASE + REGISTER_COMPLETION_HEAD, index + 1)
        await Timer(100, "ns")
        assert completion.phase == 1 and completion.tag == entry.tag and completion.status == status, completion
        return completion

    page, = lzo.compressible_pages(1, random.getrandbits(32))
    memory.write(PAGE, page)
    compressed = await command(0, SubmissionEntry(
        opcode=OPCODE_COMPRESS, format=FORMAT_LZO1X, tag=1, source_address=PAGE, source_length=PAGE_BYTES,
        destination_address=STREAM, destination_capacity=PAGE_BYTES))
    assert lzo.kernel_decompress(memory.read(STREAM, compressed.produced_length), PAGE_BYTES) == page
    await command(1, SubmissionEntry(
        opcode=OPCODE_DECOMPRESS, format=FORMAT_LZO1X, flags=FLAG_CHECK_CRC, tag=2, expected_crc32c=compressed.crc32c,
        source_address=STREAM, source_length=compressed.produced_length, destination_address=BACK, destination_capacity=PAGE_BYTES))
    assert memory.read(BACK, PAGE_BYTES) == page
    # An address that the system has not is another's without its upper bits: nothing is read or written there.
    memory.write(STREAM, bytes(PAGE_BYTES))
    beyond = 1 << random.randrange(ADDRESS_BITS, 64)
    for index, source, destination in ((2, PAGE | beyond, STREAM), (3, PAGE, STREAM | beyond)):
        await command(index, SubmissionEntry(
            opcode=OPCODE_COMPRESS, format=FORMAT_LZO1X, tag=index, source_address=source, source_length=PAGE_BYTES,
            destination_address=destination, destination_capacity=PAGE_BYTES), STATUS_INVALID_ADDRESS)
    assert memory.read(STREAM, PAGE_BYTES) == bytes(PAGE_BYTES)


@pytest.mark.night("test-parameters")
def test_example_soc():
    run("core", module=__name__, wrapper=EXAMPLE, verilog=released("soc"), environment={"PYTHONWARNINGS": "ignore::DeprecationWarning"})


@pytest.mark.night("test-parameters")
def test_example_soc_lint():
    """With its core: clean under -Wall, but for what lint.vlt explains."""
    done = subprocess.run(["verilator", "--lint-only", "-Wall", "--top-module", "example_soc", REPOSITORY / "rtl/top/lint.vlt", EXAMPLE, released("soc") / "core.v"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "%Warning" not in done.stderr, done.stderr[:4000]
