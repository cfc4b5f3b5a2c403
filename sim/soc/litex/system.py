# SPDX-License-Identifier: Apache-2.0
"""A LiteX system for simulation: VexRiscv with caches, ROM with a program, RAM, the core, a console. Writes its Verilog.

usage: system.py CORE.v PROGRAM.bin FOLDER      FOLDER/soc.v, and the files it reads; FOLDER/sources: what else Verilator wants
"""
import os
import sys
from pathlib import Path

from litex.build.generic_platform import Pins
from litex.build.sim import SimPlatform
from litex.gen import LiteXModule
from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCCore
from litex.soc.interconnect.csr import CSRStorage
from migen import ClockDomain
from pagepress_litex import Pagepress

IO = [("sys_clk", 0, Pins(1)), ("sys_rst", 0, Pins(1)), ("console_valid", 0, Pins(1)), ("console_character", 0, Pins(8)), ("ended", 0, Pins(1))]
# What the program is compiled for (firmware/soc/example/page.c).
ROM, RAM, CORE, CONSOLE = 0x0000_0000, 0x4000_0000, 0x9000_0000, 0xF000_0000
ROM_BYTES, RAM_BYTES = 16 << 10, 64 << 10


class Console(LiteXModule):
    """A character written is shown; 0 ends the simulation."""

    def __init__(self, platform):
        self.character = CSRStorage(8)
        shown = platform.request("console_character")
        self.comb += [shown.eq(self.character.storage), platform.request("console_valid").eq(self.character.re),
                      platform.request("ended").eq(self.character.re & (self.character.storage == 0))]


class System(SoCCore):
    def __init__(self, platform, verilog, program):
        self.cd_sys = ClockDomain()
        self.comb += [self.cd_sys.clk.eq(platform.request("sys_clk")), self.cd_sys.rst.eq(platform.request("sys_rst"))]
        self.csr_map = {"console": 0, "pagepress": 1, **self.csr_map}
        words = program.read_bytes()
        words += bytes(-len(words) % 4)
        SoCCore.__init__(self, platform, int(250e6), cpu_type="vexriscv", cpu_variant="standard", with_uart=False, with_timer=False,
                         integrated_rom_size=ROM_BYTES, integrated_sram_size=0x400, integrated_main_ram_size=RAM_BYTES,
                         integrated_rom_init=[int.from_bytes(words[at:at + 4], "little") for at in range(0, len(words), 4)], ident="")
        self.console = Console(platform)
        self.pagepress = Pagepress(platform, str(verilog))
        self.bus.add_slave("pagepress", self.pagepress.registers, SoCRegion(origin=CORE, size=Pagepress.WINDOW, cached=False))
        self.bus.add_master("pagepress", self.pagepress.memory)
        self.irq.add("pagepress")


def main(verilog, program, folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    platform = SimPlatform("SIM", IO)
    system = System(platform, Path(verilog).resolve(), Path(program))
    system.finalize()
    for name, origin in (("rom", ROM), ("main_ram", RAM), ("csr", CONSOLE)):
        assert system.bus.regions[name].origin == origin, f"{name} is at {system.bus.regions[name].origin:#x}"
    assert (system.csr.locs["console"], system.csr.locs["pagepress"]) == (0, 1)
    output = platform.get_verilog(system, name="soc")
    os.chdir(folder)  # where the memories' contents go as well
    output.write("soc.v")
    Path("sources").write_text("".join(f"{source[0]}\n" for source in platform.sources))


if __name__ == "__main__":
    main(*sys.argv[1:])
