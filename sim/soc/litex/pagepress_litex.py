# SPDX-License-Identifier: Apache-2.0
"""The core as a LiteX module: registers as an AXI4-Lite subordinate, memory as an AXI4 manager, its interrupts as one event.

    self.pagepress = Pagepress(platform, "folder/core.v")
    self.bus.add_slave("pagepress", self.pagepress.registers, SoCRegion(origin=0x9000_0000, size=Pagepress.WINDOW, cached=False))
    self.bus.add_master("pagepress", self.pagepress.memory)
    self.irq.add("pagepress")

It takes a core with addresses of 32 bits (`--address-width 32`; the release's `small` and `tiny`), as LiteX's bus has them: such a core refuses what
is beyond, where a wider one would reach other memory by addresses cut off. It may have another bus, other queues or engines, or one
interrupt (rtl/README.md): what differs from `make verilog`'s is given by name, and compared with the Verilog. A core with AxUSER leaves it open; one with a clock
of its engines' own, a clock enable, an active-low reset or memories of the chip's is refused, as it has inputs that this module does not drive.
"""
import re
from pathlib import Path

from litex.gen import LiteXModule
from litex.soc.interconnect import axi
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourceLevel
from migen import ClockSignal, Instance, ResetSignal, Signal

BUS_ADDRESS = 32
PORT = re.compile(r"^ *(input|output) +(?:wire|reg) *(?:\[(\d+):0\])? *(\w+)", re.M)  # as SpinalHDL writes it


def ports_of(text):
    """Of the first module, which is the core: port → (direction, bits)."""
    return {name: (direction, int(high or 0) + 1) for direction, high, name in PORT.findall(text.partition(");")[0])}


class Pagepress(LiteXModule):
    WINDOW = 0x10000  # bytes of registers

    def __init__(self, platform, verilog, bus_bytes=16, queue_pairs=4, engines=2, one_interrupt=False):
        text = Path(verilog).read_text()
        module = re.search(r"^module (\w+)", text, re.M)[1]  # `core`, or the core's own name: its parts follow
        there = ports_of(text)
        width = there["m_axi_araddr"][1]
        if width != BUS_ADDRESS:
            raise ValueError(f"{verilog} has addresses of {width} bits, the bus of {BUS_ADDRESS}: make it with --address-width {BUS_ADDRESS}")
        id_width = engines.bit_length()  # of 1 + engines ids
        self.registers = axi.AXILiteInterface(data_width=32, address_width=BUS_ADDRESS)
        self.memory = axi.AXIInterface(data_width=8 * bus_bytes, address_width=BUS_ADDRESS, id_width=id_width)
        self.busy = Signal()
        self.ev = EventManager()
        self.ev.interrupt = EventSourceLevel(description="a queue has completions, or the core an error")
        self.ev.finalize()

        vectors = Signal(1 if one_interrupt else 1 + queue_pairs)
        self.comb += self.ev.interrupt.trigger.eq(vectors != 0)
        ports = {"i_clk": ClockSignal(), "i_reset": ResetSignal(), "o_interrupt": vectors, "o_busy": self.busy}
        for channel in ("aw", "ar"):
            lite, full = getattr(self.registers, channel), getattr(self.memory, channel)
            ports |= {f"i_s_axi_{channel}valid": lite.valid, f"o_s_axi_{channel}ready": lite.ready, f"i_s_axi_{channel}addr": lite.addr[:16],
                      f"i_s_axi_{channel}prot": 0, f"o_m_axi_{channel}valid": full.valid, f"i_m_axi_{channel}ready": full.ready}
            ports |= {f"o_m_axi_{channel}{name}": getattr(full, name) for name in ("addr", "id", "len", "size", "burst", "cache", "prot")}
        lite, full = self.registers, self.memory
        ports |= {"i_s_axi_wvalid": lite.w.valid, "o_s_axi_wready": lite.w.ready, "i_s_axi_wdata": lite.w.data, "i_s_axi_wstrb": lite.w.strb,
                  "o_s_axi_bvalid": lite.b.valid, "i_s_axi_bready": lite.b.ready, "o_s_axi_bresp": lite.b.resp,
                  "o_s_axi_rvalid": lite.r.valid, "i_s_axi_rready": lite.r.ready, "o_s_axi_rdata": lite.r.data, "o_s_axi_rresp": lite.r.resp,
                  "o_m_axi_wvalid": full.w.valid, "i_m_axi_wready": full.w.ready, "o_m_axi_wdata": full.w.data, "o_m_axi_wstrb": full.w.strb,
                  "o_m_axi_wlast": full.w.last,
                  "i_m_axi_bvalid": full.b.valid, "o_m_axi_bready": full.b.ready, "i_m_axi_bid": full.b.id, "i_m_axi_bresp": full.b.resp,
                  "i_m_axi_rvalid": full.r.valid, "o_m_axi_rready": full.r.ready, "i_m_axi_rdata": full.r.data, "i_m_axi_rid": full.r.id,
                  "i_m_axi_rresp": full.r.resp, "i_m_axi_rlast": full.r.last}
        for name, wanted, said in (("m_axi_wdata", 8 * bus_bytes, f"bus_bytes={bus_bytes}"), ("m_axi_arid", id_width, f"engines={engines}"),
                                   ("interrupt", len(vectors), f"queue_pairs={queue_pairs}, one_interrupt={one_interrupt}")):
            if there[name][1] != wanted:
                raise ValueError(f"{verilog}: {name} has {there[name][1]} bits, not the {wanted} of {said}")
        if open_ := [name for name, (direction, _) in there.items() if direction == "input" and f"i_{name}" not in ports]:
            raise ValueError(f"{verilog} has inputs that this module does not drive: {', '.join(open_)}")
        self.specials += Instance(module, name="pagepress", **ports)
        platform.add_source(verilog)
