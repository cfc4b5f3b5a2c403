# SPDX-License-Identifier: Apache-2.0
"""pcie_adapter, as wide as the link and narrower: AXI bursts of many ids to a host's memory and back, byte for byte."""
import random

import cocotb
from cocotb.triggers import RisingEdge, gather
from cocotbext.axi import AxiResp

from adapter_bench import BURST, TIMEOUT, AdapterBench
from sampled import sampled
from core_bench import QUIET
from pagepress_interface import MSIX_TABLE_OFFSET
from runner import run


async def traffic(dut, count, delay=300, **link):
    bench = await AdapterBench.start(dut, **link)
    bench.host.delay = delay
    tasks = [cocotb.start_soon(random.choice((bench.read_back, bench.write_out))()) for _ in range(count)]
    await bench.written([written for written in await gather(*tasks) if written])
    assert not bench.straddles or all(bench.shared_beats.values()), bench.shared_beats
    return bench.host


@cocotb.test()
async def small_packets(dut):
    host = await traffic(dut, 150, payload=128, read_request=128)
    assert host.largest_read == host.largest_write == 128


@cocotb.test()
async def large_packets(dut):
    """Reads stay within a tag's buffer, whatever the host allows."""
    host = await traffic(dut, 150, payload=512, read_request=2048, boundary=128)
    assert host.largest_read == 256 and host.largest_write == 512


@cocotb.test()
async def every_tag(dut):
    host = await traffic(dut, 400, delay=8000, payload=256, read_request=128, stalls=0)
    # At four lanes the writes between the reads take four times as long.
    assert host.most_open > (128 if len(dut.block_s_axis_rq_tdata) == 512 else 64)


@cocotb.test()
async def answered_before_its_turn(dut):
    """Reads of one id, whose answers leave in order, completed in any: each tag's completion comes while others are waited for."""
    bench = await AdapterBench.start(dut, payload=256, read_request=128, stalls=0)
    bench.host.delay = 3000
    for _ in range(4):  # of 240 tags, and the checkers' 64 bursts of an id at most
        await gather(*[cocotb.start_soon(bench.read_back(whole=True, arid=0)) for _ in range(60)])
    bench.finish()


@cocotb.test()
async def receive_buffer(dut):
    """The block keeps completions back while the host answers in the smallest pieces: it can hold all that was asked for."""
    bench = await AdapterBench.start(dut, payload=128, read_request=256, stalls=0)
    bench.host.delay, bench.host.split = 1, "everywhere"
    for _ in range(sampled(3, 1)):
        bench.block.rc_source.pause = True
        tasks = [cocotb.start_soon(bench.read_back(whole=True)) for _ in range(100)]
        await bench.cycles(TIMEOUT // 2)
        bench.block.rc_source.pause = False
        await gather(*tasks)
    assert bench.most_completions > 240, "no use is made of the buffer"
    bench.finish()


@cocotb.test()
async def without_extended_tags(dut):
    host = await traffic(dut, 150, delay=2000, read_request=128, extended_tags=False)
    assert 16 < host.most_open <= 32


@cocotb.test()
async def bad_neighbours(dut):
    """Completions of all kinds close together: what is wrong with one does not reach those that it shares a beat with."""
    bench = await AdapterBench.start(dut, payload=random.choice((128, 256)), read_request=256)
    bench.host.delay = 1
    for _ in range(3):
        tasks = []
        for kind in random.choices((None, "poison", "ur", "ca", "void"), (4, 1, 2, 1, 1), k=80):
            expected = AxiResp.SLVERR if kind else AxiResp.OKAY
            tasks.append(cocotb.start_soon(bench.read_back(expected, kind)))
        await gather(*tasks)
        bench.set_stalls(random.choice((0, 0.3)))
    assert not bench.straddles or bench.shared_beats["completions"] > 50, bench.shared_beats
    bench.finish()


@cocotb.test()
async def refusals(dut):
    """Everything while bus mastering is off; afterwards all is well."""
    bench = await AdapterBench.start(dut)
    await bench.device.clear_master()
    await bench.cycles(20)
    before = bench.host.reads, bench.host.writes
    tasks = [cocotb.start_soon(kind(AxiResp.SLVERR)) for _ in range(20) for kind in (bench.read_back, bench.write_out)]
    await bench.written([written for written in await gather(*tasks) if written], done=False)
    assert (bench.host.reads, bench.host.writes) == before
    await bench.device.set_master()
    await bench.cycles(20)
    tasks = [cocotb.start_soon(kind()) for _ in range(20) for kind in (bench.read_back, bench.write_out)]
    await bench.written([written for written in await gather(*tasks) if written])


@cocotb.test()
async def accesses_of_any_length(dut):
    """The host's writes and reads of any number of bytes, from any byte on, reach the core's registers dword by dword."""
    bench = await AdapterBench.start(dut)
    image = bytearray(MSIX_TABLE_OFFSET)
    for _ in range(sampled(120, 50)):
        length = random.choice((1, 4, 8, 64, random.randint(1, 256)))
        at = random.randrange(0, len(image) - length + 1, random.choice((1, 4)))
        if random.random() < 0.7:
            image[at:at + length] = random.randbytes(length)
            await bench.window.write(at, image[at:at + length])
        assert await bench.window.read(at, length) == image[at:at + length], (at, length)
    bench.finish()


@cocotb.test()
async def messages_behind_a_standing_link(dut):
    """Interrupts that wait behind a link that stands still go out only if the host still wants them then; none is lost."""
    bench = await AdapterBench.start(dut, stalls=0)
    every = (1 << len(dut.interrupt)) - 1
    for _ in range(3):
        before = sum(bench.interrupts)
        bench.block.rq_sink.pause = True
        dut.interrupt.value = every
        await bench.cycles(random.randint(100, 300))
        bench.function.msix_cap.msix_function_mask = True
        await bench.cycles(20)
        bench.block.rq_sink.pause = False
        await bench.cycles(500)
        # What has been offered to the block cannot be taken back.
        assert sum(bench.interrupts) - before <= 2, "messages went out though the function was masked"
        bench.function.msix_cap.msix_function_mask = False
        await bench.cycles(1000)
        assert sum(bench.interrupts) - before == len(dut.interrupt)
        dut.interrupt.value = 0
        await bench.cycles(20)
    bench.finish()


@cocotb.test()
async def message_before_a_function_reset(dut):
    """The reset ends only when what has been offered to the block has left; from then on the card says nothing."""
    bench = await AdapterBench.start(dut, stalls=0)
    bench.block.rq_sink.pause = True
    dut.interrupt.value = 0b11
    await bench.cycles(100)
    bench.port("cfg_flr_in_process").value = 1
    for _ in range(1000):
        await RisingEdge(dut.clk)
        assert not int(bench.port("cfg_flr_done").value) & 1, "the reset ended with a message under way"
    bench.block.rq_sink.pause = False
    for _ in range(200):
        await RisingEdge(dut.clk)
        if int(bench.port("cfg_flr_done").value) & 1:
            break
    else:
        raise AssertionError("the reset does not end")
    bench.port("cfg_flr_in_process").value = 0
    for _ in range(500):
        await RisingEdge(dut.clk)
        assert not bench.port("s_axis_rq_tvalid").value, "a request behind a function-level reset"
    bench.finish()


@cocotb.test()
async def access_before_a_function_reset(dut):
    """A register access that the core has not answered yet: core and adapter are taken back when it has been, and the host has its answer."""
    bench = await AdapterBench.start(dut, stalls=0)
    for offset in random.sample(range(0, MSIX_TABLE_OFFSET, 4), 3):
        value = random.getrandbits(32)
        await bench.write(offset, value)
        bench.core.read_if.r_channel.pause = True
        read = cocotb.start_soon(bench.read(offset))
        await bench.cycles(100)
        reset = cocotb.start_soon(bench.function_reset())
        for _ in range(500):
            await RisingEdge(dut.clk)
            assert not dut.restart.value, "the core was reset with an access under way"
        bench.core.read_if.r_channel.pause = False
        await reset
        assert await read == value
    bench.finish()


@cocotb.test()
async def reads_behind_a_function_reset(dut):
    """What the core asks for when a function-level reset has begun never reaches the link, even if `restart`, which takes core and
    adapter back together, comes in the middle of its answer; reads behind that get their own data."""
    bench = await AdapterBench.start(dut, stalls=0)
    cut = 0
    for wait in random.sample(range(5, 25), 12):
        reset = cocotb.start_soon(bench.function_reset())
        await bench.cycles(wait)
        before, owed = bench.host.reads, 0
        asked = cocotb.start_soon(bench.axi.read(bench.memory.place(BURST, BURST), BURST))
        while not dut.restart.value and not reset.done():
            await RisingEdge(dut.clk)
            assert not bench.port("s_axis_rq_tvalid").value, "a request behind the begin of a function-level reset"
            owed += bool(dut.m_axi_arvalid.value and dut.m_axi_arready.value) - bool(dut.m_axi_rvalid.value and dut.m_axi_rlast.value)
        bench.axi.read_if.assert_reset(True)
        cut += owed
        await reset
        asked.cancel()
        bench.axi.read_if.assert_reset(False)
        assert bench.host.reads == before and not bench.host.open
        await gather(*[cocotb.start_soon(bench.read_back()) for _ in range(3)])
    assert cut, "no read was open when the reset came"
    bench.finish()


@cocotb.test()
async def lost_numbers(dut):
    """Writes whose numbers never come back are answered SLVERR together, not one timeout after the other."""
    bench = await AdapterBench.start(dut)
    returned = bench.block.rq_seq_num
    returned.put_nowait = lambda number: None
    start = bench.cycle
    await gather(*[cocotb.start_soon(bench.write_out(AxiResp.SLVERR)) for _ in range(20)])
    assert TIMEOUT < bench.cycle - start < 2 * TIMEOUT
    del returned.put_nowait
    await bench.written(await gather(*[cocotb.start_soon(bench.write_out()) for _ in range(20)]))


def test_pcie_adapter():
    run("pcie_adapter_wide", module=__name__, environment=QUIET)
    run("pcie_adapter", module=__name__, environment=QUIET, testcase="small_packets")


def test_pcie_adapter_narrow():
    """At a block of 16 bytes a cycle."""
    run("pcie_adapter_narrow", module=__name__, environment=QUIET)
