# SPDX-License-Identifier: Apache-2.0
"""The core's side of a PCIe adapter under test, between cocotbext-axi's models; the host's side is CardBench's.

    bench = await AdapterBench.start(dut, payload=128, read_request=256)
    await bench.read_back()                   # one burst, checked
    await bench.written([await bench.write_out()])
"""
import logging
import random

from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteRam, AxiMaster, AxiResp
from cocotbext.pcie.core.tlp import Tlp
from cocotbext.pcie.core.utils import PcieId
from cocotbext.pcie.xilinx.us.tlp import Tlp_us

from card_bench import CardBench
from host_memory import FILL
from pagepress_interface import MSIX_TABLE_OFFSET
from stalls import Stalls, axi_channels

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
        Stalls(dut.clk, axi_channels(self.axi)).set(self.stalls)
        return self

    async def read_back(self, expected=AxiResp.OKAY, kind=None, whole=False, arid=None):
        """Read a burst of some or all beats of a block that crosses no border; `kind` as host.spoil knows them. Any id unless one is given."""
        block = self.memory.place(BURST, BURST)
        if kind:
            self.host.spoil(block, BURST, kind)
        first = 0 if whole else random.randrange(0, BURST, self.bus_bytes)
        size = BURST if whole else random.randrange(self.bus_bytes, BURST - first + 1, self.bus_bytes)
        data = random.randbytes(size)
        self.memory.poke(block + first, data)
        answer = await self.axi.read(block + first, size, arid=random.randrange(self.ids) if arid is None else arid)
        assert answer.resp == expected, kind
        assert answer.data == (data if expected == AxiResp.OKAY else bytes(size))

    def give_up(self, kind, error_code):
        """The block gives up the reads of this kind that it still waits for; gives their tags. The host knows nothing of it."""
        tags = [tag for tag, read in self.host.open.items() if self.host.kind_of(read) == kind and self.block.active_request[tag]]
        for tag in tags:
            completion = Tlp_us(Tlp.create_completion_for_tlp(self.host.open[tag], PcieId(0, 0, 0)))
            completion.error_code, completion.request_completed = error_code, True
            self.block.active_request[tag] = None
            self.block.rx_buf_cplh_fc_count += 1
            self.block.rc_queue.put_nowait(completion)
        return tags

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
