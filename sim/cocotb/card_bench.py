# SPDX-License-Identifier: Apache-2.0
"""The software side of a card under test: CoreBench with the PCIe hard block and root complex of cocotbext-pcie between.

    bench = await CardBench.start(dut, payload=256, read_request=512)
    ring = await bench.ring(0, depth_log2=4)
    await ring.run(jobs)

`bench.host` is the root complex (pcie_host.py), `bench.block` the hard block's model, `bench.device` what enumeration
found, `bench.interrupts` counts the messages of each vector. `bench.function_reset()` plays the parts of host and block
in a function-level reset, which the model does not know.
"""
import logging
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, Event, RisingEdge, Timer
from cocotbext.axi import AxiStreamBus
from cocotbext.pcie.xilinx.us import UltraScalePlusPcieDevice
from cocotbext.pcie.xilinx.us.usp_model import LocalError

import pagepress_interface as interface
from core_bench import CoreBench, start_engine_clock
from host_memory import HostMemory
from pcie_host import Host
from stalls import Stalls

BLOCK_STREAMS = ("m_axis_cq", "s_axis_cc", "s_axis_rq", "m_axis_rc")
BLOCK_SIGNALS = (
    "pcie_cq_np_req", "pcie_rq_seq_num0", "pcie_rq_seq_num_vld0", "pcie_rq_seq_num1", "pcie_rq_seq_num_vld1",
    "cfg_max_payload", "cfg_max_read_req", "cfg_function_status", "cfg_interrupt_msix_enable",
    "cfg_interrupt_msix_mask", "cfg_mgmt_addr", "cfg_mgmt_function_number", "cfg_mgmt_write", "cfg_mgmt_write_data",
    "cfg_mgmt_byte_enable", "cfg_mgmt_read", "cfg_mgmt_read_data", "cfg_mgmt_read_write_done", "cfg_mgmt_debug_access")
QUEUES = 4
MANAGEMENT_CLOCK_PS = (10000, 10000, 4000, 2900, 37000)
# By the bits of a beat: lanes of the link, Gen3 at 250 MHz.
LANES = {512: 16, 128: 4}
# By the width of a straddled tuser: whose, and the bits of is_sop, is_sop0_ptr, is_eop and is_eop0_ptr.
MARKS = {137: ("requests", 20, 22, 26, 28), 161: ("completions", 64, 68, 76, 80)}


def marks(user, width):
    """What a straddled `tuser` of this width says: whose it is, and each start and end of a TLP as (dword, is start)."""
    kind, sop, sop_pointer, eop, eop_pointer = MARKS[width]
    starts = [(4 * (user >> sop_pointer + 2 * one & 3), True) for one in range(2) if user >> sop + one & 1]
    ends = [(user >> eop_pointer + 4 * one & 15, False) for one in range(2) if user >> eop + one & 1]
    return kind, sorted(starts + ends)


def start_management(dut):
    """Start the clock of the card's management part at a speed drawn anew, its sensor and flash silent, if it has one; return it."""
    if not hasattr(dut, "management_clk"):
        return None
    dut.management_sensor_valid.value = 0
    dut.management_flash_dataIn.value = 1
    clock = Clock(dut.management_clk, random.choice(MANAGEMENT_CLOCK_PS), "ps")
    clock.start()
    return clock


async def forget(dut):
    """Nothing of the test before is on its way any more: half a TLP of its would be the first half of this test's first one."""
    dut.reset.value = 1
    for level in (0, 1, 0, 1, 0):
        dut.clk.value = level
        await Timer(2, "ns")
    dut.reset.value = 0
    await Timer(2, "ns")


class CardBench(CoreBench):
    prefix = ""  # of the names of the hard block's ports

    @classmethod
    async def start(cls, dut, stalls=None, payload=512, read_request=512, extended_tags=True, boundary=64):
        """Bring the link up, enumerate, enable interrupts; `stalls` as in CoreBench, sizes in bytes."""
        self = cls()
        self.dut, self.memory, self.tags, self.rings = dut, HostMemory(), set(), []
        self.cycle, self.interrupts = 0, [0] * (QUEUES + 1)
        await forget(dut)
        start_engine_clock(dut)
        self.management_clock = start_management(dut)
        self.shared_beats = {"requests": 0, "completions": 0}  # that two TLPs had a part of
        for name in ("cocotb.pcie", f"cocotb.{dut._name}"):
            logging.getLogger(name).setLevel(logging.WARNING)
        self.port("cfg_flr_in_process").value = self.port("pcie_tfc_nph_av").value = 0
        width = len(self.port("s_axis_rq_tdata"))
        self.straddles = width == 512
        self.block = UltraScalePlusPcieDevice(
            pcie_generation=3, pcie_link_width=LANES[width], user_clk_frequency=250e6, alignment="dword",
            max_payload_size=1024, rq_straddle=self.straddles, rc_straddle=self.straddles, enable_client_tag=True, enable_extended_tag=extended_tags,
            pf0_msix_enable=True, pf0_msix_table_size=QUEUES, pf0_msix_table_offset=interface.MSIX_TABLE_OFFSET,
            pf0_msix_pba_offset=interface.MSIX_PENDING_OFFSET, user_clk=dut.clk, user_reset=dut.reset,
            **{f"{name[-2:]}_bus": AxiStreamBus.from_prefix(dut, self.prefix + name) for name in BLOCK_STREAMS},
            **{name: self.port(name) for name in BLOCK_SIGNALS})
        self.function = self.block.functions[0]
        self.function.vendor_id, self.function.device_id = interface.PCI_VENDOR_ID, interface.PCI_DEVICE_ID
        self.function.class_code = interface.PCI_CLASS_CODE
        self.function.configure_bar(0, interface.BAR0_BYTES, ext=True)
        self.function.configure_bar(2, 4096)  # nobody's: its reads are refused
        self.host = Host(self.memory)
        self.host.max_payload_size = (payload // 128).bit_length() - 1
        self.host.max_read_request_size = self.host.card_read_request = (read_request // 128).bit_length() - 1
        self.host.read_completion_boundary = boundary == 128
        self.host.make_port().connect(self.block)
        self.void_completions()
        self.count_drops()
        self.channels = Stalls(dut.clk, (self.block.rq_sink, self.block.cc_sink, self.block.rc_source, self.block.cq_source))
        self.set_stalls(random.choice((0, 0, 0.1, 0.4)) if stalls is None else stalls)
        cocotb.start_soon(self.give_credit())
        await RisingEdge(dut.reset)
        self.watching = cocotb.start_soon(self.watch())
        while dut.reset.value:
            await RisingEdge(dut.clk)
        await self.host.enumerate()
        self.device = self.host.find_device(self.function.pcie_id)
        await self.device.set_readrq(self.host.card_read_request)
        await self.device.enable_device()
        await self.device.set_master()
        await self.device.alloc_irq_vectors(1, QUEUES + 1)
        for vector in range(QUEUES + 1):
            self.device.request_irq(vector, self.counting(vector))
        return self

    def port(self, name):
        return getattr(self.dut, self.prefix + name)

    def counting(self, vector):
        async def count():
            self.interrupts[vector] += 1
        return count

    def set_stalls(self, probability):
        self.channels.set(probability)
        self.stalls = probability

    async def give_credit(self):
        """The link's room for reads, which the model leaves out: now and then there is none."""
        while True:
            self.port("pcie_tfc_nph_av").value = 0 if random.random() < self.stalls else random.choice((1, 3, 15))
            await ClockCycles(self.dut.clk, random.randint(1, 60))

    async def watch(self):
        """Count cycles; the hard block takes a TLP only whole: valid never falls within, nothing changes unaccepted."""
        dut = self.dut
        names = ("tvalid", "tready", "tlast", "tdata", "tkeep", "tuser")
        request, completion, answer = ({name: self.port(f"{port}_{name}") for name in names}
                                       for port in ("s_axis_rq", "m_axis_rc", "s_axis_cc"))
        inside, waiting, coming = [False, False], [None, None], False
        while True:
            await RisingEdge(dut.clk)
            self.cycle += 1
            if dut.reset.value:
                continue  # until then registers hold anything
            if self.straddles and completion["tvalid"].value and completion["tready"].value:
                coming = self.straddled(completion, coming)
            for index, port in enumerate((request, answer)):
                if not port["tvalid"].value:
                    assert not inside[index] and waiting[index] is None, "valid fell within a TLP"
                    continue
                if port["tready"].value:
                    waiting[index] = None
                    inside[index] = self.straddled(port, inside[index]) if self.straddles and port is request else not port["tlast"].value
                    continue
                offer = tuple(port[name].value for name in ("tdata", "tkeep", "tlast", "tuser"))
                assert waiting[index] in (None, offer), "a beat changed before it was taken"
                waiting[index] = offer

    def straddled(self, port, inside):
        """Whether a TLP goes on behind this beat of RQ or RC; its marks are checked against each other."""
        kind, found = marks(int(port["tuser"].value), len(port["tuser"]))
        for _, is_start in found:
            assert inside != is_start, f"{kind}: a beat with TLPs that start and end (dword, is start): {found}"
            inside = is_start
        self.shared_beats[kind] += len(found) > 2 or [is_start for _, is_start in found] == [False, True]
        return inside

    def count_drops(self):
        """The hard block's receive buffer is finite: completions that do not fit are lost, which `finish` forbids."""
        self.dropped_completions = self.most_completions = 0
        errors, buffered = self.block.local_error, self.block.rc_queue
        report, put = errors.put_nowait, buffered.put_nowait

        def count(error):
            self.dropped_completions += error == LocalError.RX_CPL_BUF_OVF_ERR
            report(error)

        def keep(tlp):
            self.most_completions = max(self.most_completions, self.block.rx_buf_cplh_fc_count)
            put(tlp)

        errors.put_nowait, buffered.put_nowait = count, keep

    def finish(self):
        super().finish()
        assert not self.dropped_completions, f"{self.dropped_completions} completions did not fit the block's receive buffer"

    def void_completions(self):
        """The hard block meets errors of its own, as `host.void` says: "discontinue" in a TLP's last beat, which begins no other."""
        source = self.block.rc_source
        send, drive, over = source.send, source._drive, Event()

        async def void(frame):
            frame.discontinue = bool(frame.data[0] >> 30 & 1) and frame.data[2] & 0xff in self.host.void
            over.clear()
            await send(frame)
            if frame.discontinue:
                await over.wait()

        mark = 1 << (96 if self.straddles else 42)

        def ends(beat):
            if not self.straddles:
                return beat.tlast
            _, found = marks(beat.tuser, 161)
            return found and not found[-1][1]

        async def in_the_end(beat):
            if not ends(beat):
                beat.tuser &= ~mark
            await drive(beat)
            if beat.tuser & mark:
                over.set()

        source.send, source._drive = void, in_the_end

    # Registers.

    @property
    def window(self):
        return self.device.bar_window[0]

    async def read(self, offset):
        return await self.window.read_dword(offset)

    async def write(self, offset, value):
        await self.window.write_dword(offset, value)

    async def disable(self, most=20000):
        """Disable the card; when READY has fallen the host may take all its memory back."""
        await self.write(interface.REGISTER_CONTROL, 0)
        await self.until(lambda value: not value & interface.STATUS_READY_MASK, interface.REGISTER_STATUS, most)
        assert not self.host.open, f"READY fell with reads outstanding: {self.host.open}"
        self.memory.windows.clear()

    # Resets.

    async def function_reset(self, most=20000):
        """A function-level reset as the host starts it and the hard block runs it; then set up anew as after enumeration."""
        self.function.bus_master_enable = False
        self.function.msix_cap.msix_enable = False
        self.port("cfg_flr_in_process").value = 1
        start = self.cycle
        while not int(self.port("cfg_flr_done").value) & 1:
            await RisingEdge(self.dut.clk)
            assert self.cycle - start < most, "the function-level reset does not end"
        self.port("cfg_flr_in_process").value = 0
        self.memory.windows.clear()
        # The block forgets its open requests; what the host never answered, it never will.
        self.block.active_request = [None] * 256
        self.host.open = {tag: tlp for tag, tlp in self.host.open.items() if not self.host.kind_of(tlp)}
        await Timer(200, "ns")
        self.device.msix_enabled = False
        await self.device.set_master()
        await self.device.alloc_irq_vectors(1, QUEUES + 1)
