#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A LiteX system: VexRiscv with caches, ROM with a program, RAM in the part's memories, a core, a serial line that it writes to. Writes its Verilog.

usage: system.py BOARD CORE.v PROGRAM.bin FOLDER      FOLDER/soc.v, and the files it reads; FOLDER/sources: what else its reader wants

BOARD is a folder of constraints/boards/open, or `none`: a core with the usual engines in a system for simulation alone.
"""
import os
import sys
import tomllib
from pathlib import Path

from litex.build.generic_platform import GenericPlatform, Pins
from litex.gen import LiteXModule
from litex.soc.cores.uart import RS232PHYTX
from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCCore
from litex.soc.interconnect.csr import CSRStatus, CSRStorage
from migen import ClockDomain, ClockSignal, If, Record, Signal
from migen.genlib.cdc import MultiReg
from pagepress_litex import Pagepress

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.append(str(REPOSITORY / "rtl/interface"))

from generator.model import parameters_of  # noqa: E402

# What the program is compiled for (firmware/soc/example/page.c).
ROM, RAM, CORE, CONSOLE = 0x0000_0000, 0x4000_0000, 0x9000_0000, 0xF000_0000
ROM_BYTES, RAM_BYTES = 16 << 10, 64 << 10
SIMULATED = {"part": "none", "core": "small", "megahertz": 250, "baud": 62_500_000, "high": {}}  # four cycles a bit


class Console(LiteXModule):
    """A character written leaves by the serial line; `busy` while it does."""

    def __init__(self, line, hertz, baud):
        self.character = CSRStorage(8)
        self.busy = CSRStatus()
        pads, leaving = Record([("tx", 1)]), Signal()
        self.line = RS232PHYTX(pads, (baud << 32) // hertz)
        self.sync += If(self.character.re, leaving.eq(1)).Elif(self.line.sink.ready, leaving.eq(0))
        self.comb += [line.eq(pads.tx), self.line.sink.valid.eq(leaving), self.line.sink.data.eq(self.character.storage), self.busy.status.eq(leaving | self.character.re)]


class Start(LiteXModule):
    """Clock and reset, for some cycles once the part has its configuration, and whenever the button is pressed."""

    def __init__(self, clock, restart):
        self.cd_sys = ClockDomain()
        self.cd_start = ClockDomain(reset_less=True)
        self.comb += [self.cd_sys.clk.eq(clock), self.cd_start.clk.eq(ClockSignal("sys"))]
        pressed, left, reset = Signal(), Signal(5, reset=31), Signal(reset=1)
        self.specials += MultiReg(restart, pressed, "start")
        self.sync.start += [If(pressed, left.eq(31)).Elif(left != 0, left.eq(left - 1)), reset.eq(left != 0)]
        self.comb += self.cd_sys.rst.eq(reset)


class System(SoCCore):
    def __init__(self, platform, board, verilog, program):
        hertz = board["megahertz"] * 1_000_000
        self.start = Start(platform.request("clock"), platform.request("restart"))
        self.csr_map = {"console": 0, "pagepress": 1, **self.csr_map}
        words = program.read_bytes()
        words += bytes(-len(words) % 4)
        SoCCore.__init__(self, platform, hertz, cpu_type="vexriscv", cpu_variant="standard", with_uart=False, with_timer=False,
                         integrated_rom_size=ROM_BYTES, integrated_sram_size=0x400, integrated_main_ram_size=RAM_BYTES,
                         integrated_rom_init=[int.from_bytes(words[at:at + 4], "little") for at in range(0, len(words), 4)], ident="")
        self.console = Console(platform.request("transmit"), hertz, board["baud"])
        self.pagepress = Pagepress(platform, str(verilog), **parameters(board["core"]))
        self.bus.add_slave("pagepress", self.pagepress.registers, SoCRegion(origin=CORE, size=Pagepress.WINDOW, cached=False))
        self.bus.add_master("pagepress", self.pagepress.memory)
        self.irq.add("pagepress")
        self.comb += [platform.request(port).eq(1) for port in board["high"]]


def parameters(core):
    """Of the module, for a core of rtl/top/configurations.toml."""
    given = parameters_of(REPOSITORY / "rtl/interface", tomllib.loads((REPOSITORY / "rtl/top/configurations.toml").read_text())[core]["options"])
    names = {"BUS_BYTES": "bus_bytes", "QUEUE_PAIRS": "queue_pairs"}
    return {name: given[parameter] for parameter, name in names.items() if parameter in given} | {
        "engines": given.get("COMPRESSORS", 1) + given.get("DECOMPRESSORS", 1), "one_interrupt": bool(given.get("ONE_INTERRUPT"))}


def main(name, verilog, program, folder):
    board = SIMULATED if name == "none" else tomllib.loads((REPOSITORY / "constraints/boards/open" / name / "board.toml").read_text())
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    platform = GenericPlatform(board["part"], [(port, 0, Pins(1)) for port in ("clock", "restart", "transmit", *board["high"])])
    system = System(platform, board, Path(verilog).resolve(), Path(program))
    system.finalize()
    for region, origin in (("rom", ROM), ("main_ram", RAM), ("csr", CONSOLE)):
        assert system.bus.regions[region].origin == origin, f"{region} is at {system.bus.regions[region].origin:#x}"
    assert (system.csr.locs["console"], system.csr.locs["pagepress"]) == (0, 1)
    output = platform.get_verilog(system, name="soc")
    os.chdir(folder)  # where the memories' contents go as well
    output.write("soc.v")
    Path("sources").write_text("".join(f"{source[0]}\n" for source in platform.sources))


if __name__ == "__main__":
    main(*sys.argv[1:])
