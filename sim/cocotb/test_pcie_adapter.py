# SPDX-License-Identifier: Apache-2.0
"""pcie_adapter, as wide as the link and narrower: AXI bursts of many ids to a host's memory and back, byte for byte."""
import logging
import random

import cocotb
from cocotb.triggers import gather
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteRam, AxiMaster, AxiResp

from card_bench import CardBench
from core_bench import QUIET, stalling
from host_memory import FILL
from pagepress_interface import MSIX_TABLE_OFFSET
from runner import run

BURST, LINE = 512, 64
TIMEOUT = 3000  # cycles, of pcie_adapter_wide


class AdapterBench(CardBench):
    prefix = "block_"

    @classmethod
    async def start(cls, dut, **link):
        dut.interrupt.value = 0
        self = await super().start(dut, **link)
        for name in ("m_axi", "s_axi"):
            logging.getLogger(f"cocotb.{dut._name}.{name}").setLevel(logging.ERROR)
        self.bus_bytes = len(dut.m_axi_rdata) // 8
        self.ids = 7 if self.bus_bytes == LINE else 3  # engines and rings
        self.axi = AxiMaster(AxiBus.from_prefix(dut, "m_axi"), dut.clk, dut.reset, max_burst_len=BURST // self.bus_bytes)
        self.core = AxiLiteRam(AxiLiteBus.from_prefix(dut, "s_axi"), dut.clk, dut.reset, size=1 << 16)
        if self.stalls:
            read, write = self.axi.read_if, self.axi.write_if
            for channel in (read.ar_channel, read.r_channel, write.aw_channel, write.w_channel, write.b_channel):
                channel.set_pause_generator(stalling(self.stalls))
        return self

    async def read_back(self, expected=AxiResp.OKAY, kind=None):
        """Read a burst of some beats of a block that crosses no border; `kind` as host.spoil knows them."""
        block = self.memory.place(BURST, BURST)
        if kind:
            self.host.spoil(block, BURST, kind)
        first = random.randrange(0, BURST, self.bus_bytes)
        size = random.randrange(self.bus_bytes, BURST - first + 1, self.bus_bytes)
        data = random.randbytes(size)
        self.memory.poke(block + first, data)
        answer = await self.axi.read(block + first, size, arid=random.randrange(self.ids))
        assert answer.resp == expected, kind
        assert answer.data == (data if expected == AxiResp.OKAY else bytes(size))

    async def write_out(self, expected=AxiResp.OKAY):
        """Write any number of bytes from any byte on, often whole lines or the half of one; gives address and data."""
        block = self.memory.place(BURST, BURST)
        first = random.randrange(BURST)
        size = random.randint(1, BURST - first)
        kind = random.random()
        if kind < 0.2:
            first, size = 0, BURST
        elif kind < 0.3:
            first, size = first // LINE * LINE + LINE // 2, LINE // 2
        elif kind < 0.4:
            size = min(size, random.randint(1, 9))
        data = random.randbytes(size)
        self.memory.open(block + first, size)
        answer = await self.axi.write(block + first, data, awid=random.randrange(self.ids))
        assert answer.resp == expected
        return block + first, data

    async def written(self, writes, done=True):
        """Check memory; a read of a register comes back behind all that was answered before."""
        await self.read(MSIX_TABLE_OFFSET)
        for address, data in writes:
            assert self.memory.peek(address, len(data)) == (data if done else bytes([FILL]) * len(data)), hex(address)
        self.finish()


async def traffic(dut, count, delay=300, **link):
    bench = await AdapterBench.start(dut, **link)
    bench.host.delay = delay
    tasks = [cocotb.start_soon(random.choice((bench.read_back, bench.write_out))()) for _ in range(count)]
    await bench.written([written for written in await gather(*tasks) if written])
    assert all(bench.shared_beats.values()), bench.shared_beats
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
    assert host.most_open > 128


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
    assert bench.shared_beats["completions"] > 50, bench.shared_beats
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
