#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check what a board's owner would run in Vivado, without Vivado, on the card that is generated for it, and the tables of boards that open tools
reach (`make boards`).

usage: check.py [BOARD...]     all boards unless some are named

Files against the tables, top.v by Verilator against card.v and a shell of the PCIe block, constraints and scripts in tclsh on the real
ports, cells and clocks, the block's configuration against what the card wants. Prints what nobody has confirmed. Exit 1 and a line for
each board that is not right.
"""
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from board import FILLED, HERE, QUEUES, REPOSITORY, USER_CLOCK, Board, BoardError, boards, parameters, ports, require, table
from cells import cells, modules, sampled_from
from generate import drift, vectors
from open_board import OpenBoard, open_boards
from wanted import TIED, settings

import command_line  # by the path that `board` has set
from generator.emit_verilog import released_ports

OUTPUT = REPOSITORY / "build/boards"
REFERENCE_PERIOD = 10.0                    # ns, of the slot's clock
RECORDED = {"--queues": 4, "--bus": 16}      # of core_without_engines in results.toml
QUEUE_LUTS = 65                            # of each queue pair beyond the four that are recorded: 64 take 3,895 more (rtl/README.md)
# Options of a card that change its area by what nothing has recorded.
NOT_COUNTED = ("--pages", "--bus", "--depth", "--burst", "--compressor-bytes", "--decompressor-tokens")
BRIEF = {"IBUFDS_GTE4": ("parameter REFCLK_HROW_CK_SEL = 0", "input I, IB, CEB, output O, ODIV2"),
         "BUFG": ("parameter X = 0", "input I, output O"),
         "MMCME4_BASE": ("parameter CLKIN1_PERIOD = 0.0, CLKFBOUT_MULT_F = 0.0, CLKOUT0_DIVIDE_F = 0.0",
                         "input CLKIN1, RST, PWRDWN, CLKFBIN, output CLKFBOUT, CLKOUT0, LOCKED")}


def card_verilog(board):
    """The card of this board, generated when a source or its options are newer: a path."""
    made, stamp = OUTPUT / board.name / "card.v", OUTPUT / board.name / "options"
    newest = max(path.stat().st_mtime for path in (REPOSITORY / "rtl/pom.xml", *REPOSITORY.glob("rtl/**/*.scala")))
    for other in (board.name, *boards()):  # boards with the same card share the work
        there, options = OUTPUT / other / "card.v", OUTPUT / other / "options"  # the latter last, of a card that was made to its end
        if there.exists() and there.stat().st_mtime >= newest and options.exists() and options.read_text() == " ".join(board.options):
            if there != made:
                made.parent.mkdir(parents=True, exist_ok=True)
                stamp.unlink(missing_ok=True)
                made.write_bytes(there.read_bytes())
                stamp.write_text(" ".join(board.options))
            return made
    made.parent.mkdir(parents=True, exist_ok=True)
    stamp.unlink(missing_ok=True)
    print(f"[boards] {board.name}: SpinalHDL to Verilog with Maven (half a minute)", flush=True)
    done = subprocess.run(["mvn", "-q", "-f", "rtl/pom.xml", "compile", "exec:java", f"-Dexec.args=--only card {' '.join(board.options)} {made.parent}"],
                          cwd=REPOSITORY, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    said = [line for line in done.stdout.splitlines() if re.match(r"Generate: |\[ERROR\]", line)] or ["Maven failed: make verilog says more"]
    require(not done.returncode, f"{board.where}: {said[0]}")
    stamp.write_text(" ".join(board.options))
    return made


class Design:
    """A card's ports, and the cells in and of its crossings; all the rest of it is on one clock."""

    def __init__(self, verilog, top="card"):
        known = modules(verilog.read_text())
        self.ports = known[top].ports
        every = list(cells(known, top, "card", {"clk": "user_clk", "engine_clk": "engine_clk"}))
        self.crossings = [path for path, kind, _ in every if kind.startswith("lane_crossing")]
        inside = tuple(f"{path}/" for path in self.crossings)
        self.kinds = {path: kind for path, kind, _ in every if kind and (path in self.crossings or path.startswith(inside))}
        self.cells = {path: clock for path, kind, clock in every if not kind and path.startswith(inside)}
        self.sampled_from = {synchroniser: source for synchroniser, source in sampled_from(known, top, "card") if synchroniser.startswith(inside)}


class Check:
    """A board's files in `folder`, held against its card."""

    def __init__(self, name, folder=HERE, design=None):
        self.board, self.folder = Board(name, folder), folder
        self.shared = table("pcie_block", folder)
        self.table_of_the_block()  # before the card is made
        self.design = design or Design(card_verilog(self.board))
        self.cells, self.kinds, self.crossings = dict(self.design.cells), self.design.kinds, self.design.crossings
        if self.board.engine_clock:  # of the top itself
            self.cells |= {f"settled_reg[{index}]": "user_clk" for index in range(2)} | {"card_reset_reg": "user_clk"}
        self.cells["card"] = ""  # the card as a whole

    def run(self):
        """Every check, the cheapest first; raises BoardError."""
        self.ports_of_the_block()
        self.region()
        self.top()
        self.wiring()
        with tempfile.TemporaryDirectory() as work:
            self.work = Path(work).resolve()
            self.copy()
            self.pins()
            self.configuration()
            if self.board.engine_clock:
                self.crossing()
            self.scripts()

    def copy(self):
        """Scripts run on files of their own: they delete and write where an owner's build lies, or runs."""
        copied = self.work / "constraints/boards"
        shutil.copytree(self.folder, copied, ignore=shutil.ignore_patterns("tests", "__pycache__"))
        self.folder, self.made = copied, self.work / "build/boards" / self.board.name  # where build.tcl looks
        (self.made / "vivado/earlier").mkdir(parents=True)
        (self.made / "card.v").touch()
        (self.made / "options").write_text(" ".join(self.board.options))

    def region(self):
        """The card fits the region that it is to stay in, or the part."""
        luts, most = self.luts(), int(FILLED * self.board.luts)
        region = self.board.entry.get("region", self.board.entry["part"])
        require(luts <= most, f"{self.board.where}: the card has some {luts} LUTs, {region} takes {most}: fewer engines")

    def luts(self):
        """Of the card, by what `make synth` recorded of its parts."""
        blocks = tomllib.loads((REPOSITORY / "constraints/results.toml").read_text())["blocks"]
        recorded, cold = {name: figures["luts"] for name, figures in blocks.items() if "luts" in figures}, "--cold-format" in self.board.options
        compressor = recorded["page_compressor"] + cold * recorded["cold_encoder"]
        decompressor = recorded["page_decompressor"] + cold * recorded["cold_parsers"]
        compressors, decompressors = self.board.option("--compressors", 1), self.board.option("--decompressors", 1)
        # A compress lane verifies its streams by a decompressor of its own.
        luts = recorded["core_without_engines"] + recorded["pcie_adapter_wide"] + compressors * compressor + (compressors + decompressors) * decompressor
        crossings = (compressors + decompressors) * (self.board.engine_clock != 0)
        return luts + crossings * recorded["lane_crossing"] + max(0, self.board.option("--queues", QUEUES) - RECORDED["--queues"]) * QUEUE_LUTS

    def table_of_the_block(self):
        """What all files of the block are made from."""
        tied = {name: f"{port['bits']}'d{port['value']}" for name, port in self.shared["tied"].items()}
        for got, wanted in ((parameters(vectors(self.board), self.board.bytes, self.folder), settings(self.board.option("--queues", QUEUES), self.board.bytes)), (tied, TIED)):
            for name in sorted(got.keys() | wanted.keys()):
                require(got.get(name) == wanted.get(name), f"pcie_block.toml: {name} is {got.get(name, 'not there')}, the card wants {wanted.get(name, 'none')}")

    # ---- Verilog ----

    def ports_of_the_block(self):
        """The card's ports are the block's, all of them, with its widths."""
        mine = {name: bits for name, (_, bits) in self.design.ports.items() if name not in ("clk", "reset", "engine_clk")}
        wired = ports(self.shared, self.board.bytes)
        for name, bits in wired.items():
            require(mine.get(name) == bits, f"pcie_block.toml: {name} has {bits} bits, the card's {mine.get(name, 'none')}")
        missing = sorted(set(mine) - set(wired))
        require(not missing, f"pcie_block.toml: the card has ports that are wired to nothing: {', '.join(missing)}")

    def top(self):
        """top.v by Verilator with the card's ports and shells of what is AMD's."""
        def port(direction, bits, name):
            return f"{direction} wire {f'[{bits - 1}:0] ' if bits > 1 else ''}{name}"
        opposite = {"in": "output", "out": "input", "input": "output", "output": "input"}
        card = self.design.ports
        block = [port("input", 1, "sys_clk, sys_clk_gt, sys_reset"), port("input", self.board.lanes, "pci_exp_rxp, pci_exp_rxn"),
                 port("output", self.board.lanes, "pci_exp_txp, pci_exp_txn"), port("output", 1, "user_clk, user_reset"),
                 *(port("input", entry["bits"], name) for name, entry in self.shared["tied"].items()),
                 *(port(opposite[card[name][0]], bits, name) for name, bits in ports(self.shared, self.board.bytes).items())]
        shells = [f"module {name} #({parameters}) ({ports});\nendmodule" for name, (parameters, ports) in BRIEF.items()]
        shells.append(f"module {self.board.entry['block']}_0 (\n  {', '.join(block)}\n);\nendmodule")
        shells.append("module card (\n  " + ", ".join(port(direction, bits, name) for name, (direction, bits) in card.items()) + "\n);\nendmodule")
        with tempfile.NamedTemporaryFile("w", suffix=".v") as file:
            file.write("/* verilator lint_off UNUSEDPARAM */ /* verilator lint_off UNUSEDSIGNAL */ /* verilator lint_off UNDRIVEN */\n"
                       "/* verilator lint_off DECLFILENAME */\n`begin_keywords \"1800-2017\"\n" + "\n".join(shells) + "\n")
            file.flush()
            lint = subprocess.run(["verilator", "--lint-only", "-Wall", "-Wno-DECLFILENAME", "-Wno-MULTITOP", "--top-module", self.board.top,
                                   self.folder / self.board.name / "top.v", file.name], capture_output=True, text=True, check=False)
        said = [text for kind in ("Error", "Warning") for text in re.findall(rf"^%{kind}[^:]*: (?!Exiting)([^\n]*)", lint.stderr, re.M)]
        require(not lint.returncode and not said, f"{self.board.name}/top.v: {re.sub(r'^.*/(?=top[.]v)', '', said[0]) if said else lint.stderr[-200:]}")

    def wiring(self):
        """Which net each pin of top.v is on: what Verilator does not judge."""
        where, text = f"{self.board.name}/top.v", re.sub(r"//[^\n]*", "", (self.folder / self.board.name / "top.v").read_text())

        def pins_of(instance):
            found = re.search(rf"\b{instance} \((.*?)\);", text, re.S)
            require(found, f"{where}: there is no {instance}")
            return dict(re.findall(r"\.(\w+)\(([^()]*)\)", found[1]))
        shared = {name: name for name in ports(self.shared, self.board.bytes)}
        clocked = {"clk": "user_clk", "reset": "card_reset", "engine_clk": "engine_clk"} if self.board.engine_clock else {"clk": "user_clk", "reset": "user_reset"}
        wanted = {
            "pcie_refclk": {"I": "pcie_refclk_p", "IB": "pcie_refclk_n", "CEB": "1'b0", "O": "pcie_clk_gt", "ODIV2": "pcie_clk"},
            "pcie": {"sys_clk": "pcie_clk", "sys_clk_gt": "pcie_clk_gt", "sys_reset": "pcie_reset_n", "user_clk": "user_clk", "user_reset": "user_reset",
                     **{f"pci_exp_{way}x{sign}": f"pcie_{way}x_{sign}" for way in "rt" for sign in "pn"}, **shared,
                     **{name: f"{port['bits']}'d{port['value']}" for name, port in self.shared["tied"].items()}},
            "card": shared | clocked}
        if self.board.engine_clock:
            wanted |= {"engine_clock": {"CLKIN1": "user_clk", "RST": "user_reset", "PWRDWN": "1'b0", "CLKFBIN": "feedback", "CLKFBOUT": "feedback",
                                        "CLKOUT0": "engine_clk_made", "LOCKED": "locked"},
                       "engine_clock_buffer": {"I": "engine_clk_made", "O": "engine_clk"}}
            self.engine_clock(where, text)
        for instance, nets in wanted.items():
            found = pins_of(instance)
            for pin in sorted(nets.keys() | found.keys()):
                require(found.get(pin) == nets.get(pin), f"{where}: {instance}: {pin} is on {found.get(pin, 'nothing')}, not on {nets.get(pin, 'anything')}")
        for port in self.board.entry["low"]:
            require(f"assign {port} = 1'b0;" in text, f"{where}: {port} is not held low")

    def engine_clock(self, where, text):
        """The MMCM's figures, and what holds the card in reset until it is there."""
        figures = {name: float(value) for name, value in re.findall(r"\.(\w+)\(([\d.]+)\)", re.search(r"MMCME4_BASE #\((.*?)\) engine_clock", text)[1])}
        require(figures["CLKIN1_PERIOD"] == 1e6 / USER_CLOCK, f"{where}: CLKIN1_PERIOD is {figures['CLKIN1_PERIOD']:g} ns, user_clk's is {1e6 / USER_CLOCK:g}")
        made = USER_CLOCK * figures["CLKFBOUT_MULT_F"] / figures["CLKOUT0_DIVIDE_F"]
        require(made == self.board.engine_clock, f"{where}: engine_clk has {made:.0f} kHz, the card is made for {self.board.engine_clock}")
        for wanted in ('(* ASYNC_REG = "TRUE" *) reg [1:0] settled;', "initial settled = 2'b00;", "initial card_reset = 1'b1;",
                       "always @(posedge user_clk) begin settled <= {settled[0], locked}; card_reset <= user_reset || !settled[1]; end"):
            require(wanted in " ".join(text.split()), f"{where}: the card does not wait for its clocks: there is no '{wanted}'")

    # ---- Tcl ----

    def tcl(self, script, *words, slack=(0.1, 0.1), skew="MET", part=None, expect_failure=False):
        """Run a script under the stubs: the lines it noted, each a list of words."""
        top = (self.folder / self.board.name / "top.v").read_text().split(");")[0]
        ports = []
        for bits, names in re.findall(r"(?:input|output)\s+wire\s+(?:\[(\d+):0\])?\s*([\w, ]+?)\s*(?=,?\s*(?://[^\n]*)?\n)", top):
            for name in re.split(r",\s*", names.strip(" ,")):
                ports += [f"{name}[{index}]" for index in range(int(bits) + 1)] if bits else [name]
        below = {}
        for path in (*self.cells, *self.kinds):
            below.setdefault(path.rpartition("/")[0], []).append(path)
        periods = {"user_clk": 1e6 / USER_CLOCK} | ({"engine_clk": 1e6 / self.board.engine_clock} if self.board.engine_clock else {})

        def words_of(pairs):
            return " ".join("{" + str(word) + "}" for pair in pairs for word in pair)
        design = self.work / "design.tcl"
        design.write_text("\n".join((
            f"set ports [list {' '.join('{' + port + '}' for port in ports)}]", f"set cells [dict create {words_of(self.cells.items())}]",
            f"set kinds [dict create {words_of(self.kinds.items())}]", f"set clocks [dict create {words_of(periods.items())}]",
            f"set below [dict create {words_of((level, ' '.join('{' + path + '}' for path in paths)) for level, paths in below.items())}]",
            f"set part {part or self.board.entry['part']}", "set slacks [dict create max {} min {}]".format(*slack), f"set skew {{{skew}}}")))
        self.ports = ports
        done = subprocess.run(["tclsh", HERE / "stubs.tcl", design, script, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        if expect_failure:
            harm = re.search(r"^command\t(write_bitstream|write_cfgmem|program_\w+|exec)\t", done.stdout, re.M)
            require(not harm, f"{script.name}: it comes to {harm[1] if harm else ''} before it refuses to")
            return done.stderr.strip()
        require(not done.returncode, done.stderr.strip() or f"{script.name} failed")
        return [line.split("\t") for line in done.stdout.splitlines()]

    def pins(self):
        where = f"{self.board.name}/pins.xdc"
        noted = self.tcl(self.folder / self.board.name / "pins.xdc")
        placed = {port: pin for kind, port, *rest in noted if kind == "property" for name, pin in [rest] if name == "PACKAGE_PIN"}
        owners = {}
        for port, pin in placed.items():
            require(pin not in owners, f"{where}: pin {pin} is given to {owners.get(pin)} and to {port}")
            owners[pin] = port
            require(self.board.pins.get(port, (None,))[0] == pin, f"{where}: {port} is at {pin}, in board.toml at {self.board.pins.get(port, ('none',))[0]}")
        for port in self.ports:
            require(port in placed, f"{where}: port {port} has no pin")
            standard = self.board.pins[port][1]
            require(standard is None or ["property", port, "IOSTANDARD", standard] in noted, f"{where}: {port} is not {standard}")
        if "region" in self.board.entry:
            name = self.board.entry["region"]
            require(["property", "card", "USER_SLR_ASSIGNMENT", name] in noted, f"{where}: the card is not kept in {name}")
        self.properties(where, noted)
        clocks = {port: float(period) for kind, port, period in (line for line in noted if line[0] == "clock")}
        require(clocks == {"pcie_refclk_p": REFERENCE_PERIOD}, f"{where}: clocks {clocks}: the slot's is 100 MHz, on pcie_refclk_p, and there is no other")

    def properties(self, where, noted):
        """What is said of the design as a whole, and of paths that have no time."""
        flash = self.board.entry["flash"]
        wanted = {"BITSTREAM.GENERAL.COMPRESS": "TRUE", "BITSTREAM.CONFIG.UNUSEDPIN": "PULLUP"}
        if not self.board.boots:
            width = flash["interface"].removeprefix("SPIx")
            wanted |= {"CONFIG_MODE": flash["interface"], "CONFIG_VOLTAGE": "1.8", "CFGBVS": "GND", "BITSTREAM.CONFIG.SPI_BUSWIDTH": width,
                       "BITSTREAM.CONFIG.SPI_32BIT_ADDR": "YES" if flash["megabytes"] > 16 else "NO", "BITSTREAM.CONFIG.SPI_FALL_EDGE": "YES",
                       "BITSTREAM.CONFIG.CONFIGRATE": f"{flash['megahertz']:.1f}", "BITSTREAM.CONFIG.CONFIGFALLBACK": "ENABLE"}
        found = {line[2]: line[3] for line in noted if line[:2] == ["property", "design"]}
        for name in sorted(wanted.keys() | found.keys()):
            require(found.get(name) == wanted.get(name), f"{where}: {name} is {found.get(name, 'not set')}, not {wanted.get(name, 'to be set')}")
        require(["property", "pcie_reset_n", "PULLUP", "true"] in noted, f"{where}: pcie_reset_n has no pull-up")
        timeless = [["-from", "pcie_reset_n"], *([["-to", "settled_reg[0]"]] if self.board.engine_clock else []), *(["-to", port] for port in self.board.entry["low"])]
        found = [line[1:] for line in noted if line[0] == "false_path"]
        require(found == timeless, f"{where}: paths without a time: {found}, not {timeless}")
        budget = [line[3] for line in noted if line[:2] == ["command", "set_operating_conditions"]]
        watts = self.board.entry.get("watts")
        require(budget == ([] if watts is None else [str(watts)]), f"{where}: power budget {budget}, in board.toml {watts}")

    def configuration(self):
        """What the IP is set to, against what the card wants."""
        where = f"{self.board.name}/pcie_block.tcl"
        noted = self.tcl(self.folder / self.board.name / "pcie_block.tcl")
        made = [line for line in noted if line[:2] == ["command", "create_ip"]]
        require(len(made) == 1 and self.board.entry["block"] in made[0], f"{where}: creates no {self.board.entry['block']}")
        got = {name.removeprefix("CONFIG."): value for kind, _, *rest in noted if kind == "property" for name, value in [rest]}
        wanted = parameters(vectors(self.board), self.board.bytes, self.folder)
        for name, value in wanted.items():
            require(got.get(name) == value, f"{where}: {name} is {got.get(name, 'not set')}, the card wants {value}")
        require(set(got) == set(wanted), f"{where}: sets what the card does not ask for: {', '.join(sorted(set(got) - set(wanted)))}")
        width = f"{self.design.ports['s_axis_rq_tdata'][1]}_bit"
        require(got["axisten_if_width"] == width, f"{where}: axisten_if_width is {got['axisten_if_width']}, the card's streams are {width}")

    def crossing(self):
        """Each register that another clock writes to, in each instance, is limited; nothing else is."""
        noted = self.tcl(self.folder / "lane_crossing.tcl")
        require(len(self.crossings) > 0, f"{self.board.name}: the card has no lane_crossing")
        delayed = {to: (float(limit), sources.split(",")) for kind, to, limit, sources in noted if kind == "set_max_delay"}
        skewed = {to for kind, to, *_ in noted if kind == "set_bus_skew"}
        fifos = [path for path, kind in self.kinds.items() if kind.startswith("StreamFifoCC")]
        sampled = {path for path in self.cells if re.search(r"_buffercc/buffers_0_reg(\[\d+\])?$", path)}
        read = {path for path in self.cells if re.search(r"/ram_spinal_port1_reg\[\d+\]$", path)}
        for path in sorted(sampled | read):
            require(path in delayed, f"lane_crossing.tcl: {path} is read from another clock and has no set_max_delay")
        for path in sorted(sampled):
            if path.startswith(tuple(f"{fifo}/" for fifo in fifos)):
                require(path in skewed, f"lane_crossing.tcl: {path} samples a pointer and has no set_bus_skew")
        for path in self.crossings:
            for one in table("lane_crossing", self.folder)["replicated"]:
                for name, value in (("MAX_FANOUT_MODE", "CLOCK_REGION"), ("FORCE_MAX_FANOUT", str(one["loads"]))):
                    driver = f"{path}/{one['register']}_reg/Q"
                    require(["property", driver, name, value] in noted, f"lane_crossing.tcl: {driver} drives a whole lane, and its {name} is not {value}")
        extra = sorted(set(delayed) - sampled - read)
        require(not extra, f"lane_crossing.tcl: {extra[0] if extra else ''} crosses no clock")
        fastest = 1e6 / max(USER_CLOCK, self.board.engine_clock)
        for path, (limit, sources) in delayed.items():
            reader = 1e6 / (USER_CLOCK if self.cells[path] == "user_clk" else self.board.engine_clock)
            right = reader if path in read else fastest
            require(abs(limit - right) < 1e-3, f"lane_crossing.tcl: {path} is limited to {limit:g} ns, not {right:.3f}")
            from_clocks = {self.cells.get(source, source) for source in sources}
            synchroniser = path.rpartition("/")[0]
            source = self.design.sampled_from.get(synchroniser)
            require(path in read or {re.sub(r"\[\d+\]$", "", one) for one in sources} == {source}, f"lane_crossing.tcl: {path} samples {source}, and is limited from {sources[0]}")
            require(from_clocks == {"user_clk", "engine_clk"} - {self.cells[path]}, f"lane_crossing.tcl: {path} is limited from {', '.join(from_clocks)}, its own clock")

    def scripts(self):
        """build.tcl and flash.tcl from the first line to the last, and what they must refuse."""
        self.build()
        require("is missing: run build.tcl" in self.tcl(self.folder / "flash.tcl", self.board.name, expect_failure=True), "flash.tcl: misses no bitstream")
        loader = [self.made / "loader.elf"] if self.board.boots else []
        for path in (self.made / f"{self.board.top}.bit", self.made / f"{self.board.top}.mcs", *loader):
            path.touch()
        self.flash(*map(str, loader))

    def build(self):
        script, made, top = self.folder / "build.tcl", self.made, self.board.top
        entry, here = self.board.entry, self.folder / self.board.name
        noted = self.tcl(script, self.board.name)
        require(["folder", str(made / "vivado")] in noted and not list((made / "vivado").iterdir()), "build.tcl: does not work in a folder of its own, without an earlier build's block")
        order = [" ".join(line[1:]) if line[0] == "command" else line[0] for line in noted]
        image = [] if self.board.boots else [
            f"write_cfgmem -force 1 -format mcs -size {entry['flash']['megabytes']} -interface {entry['flash']['interface']} "
            f"-loadbit up 0x{entry['flash']['start']:08x} {made / top}.bit {made / top}.mcs"]
        reports = [f"report_{name} -file {made / file}.txt" for name, file in (("utilization", "utilization"), ("timing_summary", "timing"), ("bus_skew", "bus_skew"),
                                                                             ("cdc", "clock_crossings"), ("power", "power"))]
        steps = [f"create_project -in_memory 1 -part {entry['part']}", f"read_verilog {made / 'card.v'} {here / 'top.v'}",
                 f"create_ip -name {entry['block']} -vendor xilinx.com -library ip -module_name {entry['block']}_0", f"generate_target all {entry['block']}_0",
                 f"synth_ip {entry['block']}_0", f"read_xdc {here / 'pins.xdc'}", f"synth_design -top {top} -flatten_hierarchy none",
                 *(["set_max_delay"] if self.board.engine_clock else []), f"write_checkpoint -force 1 {made / 'synthesised.dcp'}", "opt_design", "place_design",
                 "phys_opt_design", "route_design", f"write_checkpoint -force 1 {made / 'routed.dcp'}", *reports,
                 *(f"get_timing_paths -delay_type {delay} -max_paths 1" for delay in ("max", "min")), "report_bus_skew -return_string 1", f"write_bitstream -force 1 {made / top}.bit", *image]
        kept = [step for step, before in zip(order, [None, *order]) if step != before and step.split()[0] in {one.split()[0] for one in (*steps, "write_cfgmem")}]
        kept = [step for index, step in enumerate(kept) if step != "set_max_delay" or step not in kept[:index]]
        for got, wanted in zip([*kept, *["nothing"] * len(steps)], [*steps, *["nothing more"] * (len(kept) - len(steps))]):
            require(got == wanted, f"build.tcl: does '{got}' where '{wanted}' belongs")
        missed = [({"slack": (-0.2, 0.1)}, "setup"), ({"slack": (0.1, -0.2)}, "hold")]
        if self.board.engine_clock:
            missed += [({"skew": "VIOLATED"}, "bus skew"), ({"skew": ""}, "bus skew")]  # missed, and not reported at all
        for given, kind in missed:
            refused = self.tcl(script, self.board.name, **given, expect_failure=True)
            require("no bitstream is written" in refused, f"build.tcl: writes a bitstream that misses its {kind}")
        for words in ((), ("no-such-board",), (self.board.name, "more")):
            require("build.tcl:" in self.tcl(script, *words, expect_failure=True), f"build.tcl: takes '{' '.join(words)}' for a board")
        (made / "options").write_text("--queues 64 --depth 12")
        require("run make boards" in self.tcl(script, self.board.name, expect_failure=True), "build.tcl: takes a card of other options than the board's")

    def flash(self, *loader):
        script, base = self.folder / "flash.tcl", self.made / self.board.top
        for words, last, wanted in (((), "program_hw_devices", {"PROGRAM.FILE": f"{base}.bit"}),
                                    (("keep", *loader), "program_hw_cfgmem" if loader else "boot_hw_device", self.kept(base, *loader))):
            noted = self.tcl(script, self.board.name, *words)
            done = [line[1] for line in noted if line[0] == "command"]
            require(done[-1] == last, f"flash.tcl: ends with {done[-1]}, not {last}")
            require("refresh_hw_device" in done[:done.index(last)], "flash.tcl: does not look at the device first")
            found = {line[2]: line[3] for line in noted if line[0] == "property"}
            for name in sorted(wanted.keys() | found.keys()):
                require(found.get(name) == wanted.get(name), f"flash.tcl: {name} is {found.get(name, 'not set')}, not {wanted.get(name, 'to be set')}")
            memory = [line[-1] for line in noted if line[:2] == ["command", "create_hw_cfgmem"]]
            require(memory == [self.board.entry["flash"]["memory"]] * bool(words), f"flash.tcl: writes to {memory}")
            if words and not loader:
                require("create_hw_bitstream" in done, "flash.tcl: the device is not made to reach its flash")
        if loader:
            made = [line[2:] for line in noted if line[:2] == ["command", "exec"]]
            require(made == [["bootgen", "-arch", self.board.boots, "-image", f"{base}.bif", "-w", "on", "-o", f"{base}.bin"]],
                    "flash.tcl: makes no image that the processors start from")
            described = "".join(f"  [{what}] {file}\n" for what, file in (("bootloader, destination_cpu=a53-0", loader[0]), ("destination_device=pl", f"{base}.bit")))
            require(Path(f"{base}.bif").read_text() == f"all: {{\n{described}}}\n", "flash.tcl: the image is not boot loader, then bitstream")
        refusals = {("keep",): "boot loader", ("keep", "/none.elf"): "there is no /none.elf"} if loader else {("keep", "/none.elf"): "boot loader"}
        for words, said in (refusals | {("sometimes",): "say which board"}).items():
            require(said in self.tcl(script, self.board.name, *words, expect_failure=True), f"flash.tcl: takes '{' '.join(words)}'")
        refused = self.tcl(script, self.board.name, part="xcvu9p-flga2104-2L-e", expect_failure=True)
        require("on the cable is a xcvu9p" in refused, "flash.tcl: programs whatever part is on the cable")

    def kept(self, base, *loader):
        """What the flash's properties are set to."""
        return {"PROGRAM.FILES": f"{base}.{'bin' if loader else 'mcs'}", "PROGRAM.ADDRESS_RANGE": "use_file", "PROGRAM.ERASE": "1", "PROGRAM.CFG_PROGRAM": "1",
                "PROGRAM.VERIFY": "1", "PROGRAM.UNUSED_PIN_TERMINATION": "pull-none", **({"PROGRAM.ZYNQ_FSBL": loader[0]} if loader else {})}

    def unconfirmed(self):
        uncounted = [name for name in NOT_COUNTED if self.board.option(name, None) not in (None, RECORDED.get(name))]
        return (*self.board.entry["unconfirmed"], *(f"{name}: {why}" for name, why in self.shared["unconfirmed"].items()),
                *(f"area: what {name} changes of the card's area is not recorded, and not counted" for name in uncounted))

    def summary(self):
        limits = f", {len(self.crossings)} crossings, {sum(clock != '' for clock in self.cells.values())} registers in and around them" if self.crossings else ""
        return f"{self.board.name}: {self.board.entry['part']}, {len(self.ports)} ports placed{limits}"


class OpenCheck:
    """A board of open/: its table, and its pins against the ports of its system."""

    def __init__(self, name, folder=HERE):
        self.board = OpenBoard(name, folder)

    def run(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "none.bin").touch()
            (Path(folder) / "core.v").write_text(released_ports(self.board.entry["core"]))
            done = subprocess.run([REPOSITORY / "build/tools/litex/venv/bin/python3", REPOSITORY / "sim/soc/litex/system.py", self.board.name, "core.v", "none.bin", "."],
                                  cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            require(not done.returncode, f"{self.board.name}: the system was not made: {(done.stdout.splitlines() or ['no message'])[-1]}")
            self.board.check_ports((Path(folder) / "soc.v").read_text())

    def unconfirmed(self):
        return self.board.entry["unconfirmed"]

    def summary(self):
        return f"{self.board.name}: {self.board.entry['part']}, {len(self.board.ports)} ports placed"


def main(words):
    if unknown := [word for word in words if word not in (*boards(), *open_boards())]:
        raise command_line.Misuse(f"no board {unknown[0]} (there are {', '.join([*boards(), *open_boards()])})")
    failed = False
    try:
        different = drift()
    except BoardError as error:
        print(f"boards: {error}", file=sys.stderr)
        return 1
    if different:
        print(f"boards: {', '.join(different)} differ from the tables; run: constraints/boards/generate.py", file=sys.stderr)
        failed = True
    for name in words or [*boards(), *open_boards()]:
        try:
            check = OpenCheck(name) if name in open_boards() else Check(name)
            check.run()
            print(check.summary())
            for text in check.unconfirmed():
                print(f"  not confirmed: {text}")
        except BoardError as error:
            print(f"boards: {error}", file=sys.stderr)
            failed = True
    print("Nothing of this was run in Vivado, or on a board.")
    return int(failed)


if __name__ == "__main__":
    command_line.main("boards", main, sys.argv[1:], __doc__)
