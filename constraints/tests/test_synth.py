# SPDX-License-Identifier: Apache-2.0
"""Area and levels as `make synth` counts them: on small Verilog whose figures follow from what it says, and on
a block of the card against the committed table."""
import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

CONSTRAINTS = Path(__file__).resolve().parents[1]
REPOSITORY = CONSTRAINTS.parent
sys.path.insert(0, str(CONSTRAINTS))
sys.path.append(str(REPOSITORY / ".tools"))

from command_line import Trouble
from harness import TOP, harness, replace_by_shell
from levels import Levels, family
from measure import AREA_SCRIPT, BLOCKS, area, module, too_large, verilog
from netlist import Netlist, collapse
from primitives import UnknownPrimitive, cost
import measure
import results
from results import drift, recorded
from tool import run, versions
from verilog_identity import identity

# Its figures follow from what it says, whatever the mapping does to save LUTs.
EXAMPLE = """module example (input clk, input [31:0] a, b, input write, load, output reg [31:0] sum,
                output reg [7:0] small_read, output reg [7:0] large_read);
  reg [31:0] x, y;
  reg [7:0] small [0:31];
  reg [7:0] large [0:4095];
  reg [4:0] small_address;
  always @(posedge clk) begin
    x <= a; y <= b; if (load) sum <= x + y;
    small_address <= a[20:16] ^ b[4:0]; if (write) small[a[4:0]] <= b[15:8]; small_read <= small[small_address];
    if (load) large[a[11:0]] <= b[23:16]; large_read <= large[b[11:0]];
  end
endmodule
"""


@pytest.fixture(scope="session")
def synthesis():
    """The tools of `make synth`, installed."""
    done = subprocess.run([REPOSITORY / ".tools/install-synth"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr


def circuit(*cells, inputs=(), outputs=()):
    """A Netlist of cells written `TYPE out <- in in …`; a signal is one word, `PORT=signal` names a pin that is not
    the LUT's next."""
    signals = {}

    def bit(name):
        return signals.setdefault(name, len(signals) + 2)

    made = {}
    for number, text in enumerate(cells):
        kind, given, _, *taken = text.split()
        pins_in = {f"I{i}": name for i, name in enumerate(taken)} if kind.startswith("LUT") else dict(pin.split("=") for pin in taken)
        out, _, name = given.rpartition("=")
        pins_out = {out or ("Q" if kind.startswith("FD") else "O"): name}
        made[f"cell_{number}"] = {
            "type": kind, "connections": {port: [bit(name) for name in names.split(",")] for port, names in {**pins_in, **pins_out}.items()},
            "port_directions": {**dict.fromkeys(pins_in, "input"), **dict.fromkeys(pins_out, "output")}}
    ports = {name: {"direction": way, "bits": [bit(name)]} for way, names in (("input", inputs), ("output", outputs)) for name in names}
    return Netlist({"ports": ports, "cells": made, "netnames": {name: {"bits": [number]} for name, number in signals.items()}})


def rows(netlist):
    """{end: (levels, start of the path)}"""
    levels = Levels(netlist)
    return {place: (level, levels.start(end.bit)) for level, _, _, place, end in levels.groups()}


def test_synth_counts_luts_between_registers():
    """A path stops at the register in its middle; data, enable and reset are ends; ports are like registers."""
    found = rows(circuit("LUT2 half <- in first", "FDRE middle <- C=clk D=half CE=wanted R=zero", "LUT2 wanted <- first zero",
                         "LUT3 next <- middle first in", "LUT1 more <- next", "LUT1 out <- more",
                         inputs=["in", "first", "zero", "clk"], outputs=["out"]))
    assert {end: level for end, (level, _) in found.items()} == {"middle.D": 1, "middle.CE": 1, "middle.R": 0, "out": 3}
    assert found["out"][1] == "middle"


def test_synth_counts_fan_out():
    """Pins of each signal but clocks, the widest first; what a LUT drives is told."""
    netlist = circuit("LUT2 reset <- a b", "FDRE first <- C=clk D=a CE=b R=reset", "FDRE second <- C=clk D=first CE=a R=reset", "FDRE third <- C=clk D=first CE=a R=reset",
                      inputs=["a", "b", "clk"], outputs=["third"])
    assert list(netlist.loads())[:2] == [(4, "a", False), (3, "reset", True)] and "clk" not in [name for _, name, _ in netlist.loads()]


def test_synth_knows_the_cores_of_the_release():
    assert verilog("core_small") == REPOSITORY / "build/release/verilog/small/core.v" and module("core_small") == "pagepress_core_small"
    assert verilog("crc32c") == REPOSITORY / "build/verilog/crc32c.v"


def test_synth_counts_a_carry_chain_once():
    """Into the chain is a level, along it none, out of it into a LUT one more; wide multiplexers are free."""
    found = rows(circuit("LUT2 propagate <- a b", "CARRY4 CO=c0 <- CI=zero S=propagate DI=a", "CARRY4 CO=c1 <- CI=c0 S=s1 DI=d1",
                         "CARRY4 O=sum <- CI=c1 S=s2 DI=d2", "LUT1 left <- sum", "MUXF7 out <- I0=left I1=a S=b",
                         inputs=["a", "b", "zero", "s1", "d1", "s2", "d2"], outputs=["out"]))
    assert found == {"out": (3, found["out"][1])}


def test_synth_keeps_the_bits_of_a_carry_chain_apart():
    """The upper bit of a sum does not reach the lower one."""
    found = rows(circuit("LUT2 late <- a b", "LUT2 later <- late b", "CARRY4 O=low,high <- CI=a S=a,later DI=a,a",
                         inputs=["a", "b"], outputs=["low", "high"]))
    assert (found["low"][0], found["high"][0]) == (1, 3)


def test_synth_passes_through_lut_memory():
    """The read address of a port reaches that port's output; data, write enable and write address end there."""
    found = rows(circuit("LUT2 address <- a b", "RAM64X1D DPO=read <- A0=a DPRA0=address D=late WE=a WCLK=clk",
                         "LUT1 late <- address", inputs=["a", "b", "clk"], outputs=["read"]))
    assert found["read"][0] == 2 and found["cell_*.D"][0] == 2 and found["cell_*.WE"][0] == 0


def test_synth_passes_through_a_dsp_without_registers():
    """Its operands reach the product, which is a level; the product does not reach itself."""
    found = rows(circuit("LUT2 operand <- a b", "DSP48E2 P=low,high <- A=operand B=b", "LUT1 out <- high", inputs=["a", "b"], outputs=["low", "out"]))
    assert (found["low"][0], found["out"][0]) == (2, 3)


def test_synth_maps_and_counts_what_verilog_says(synthesis, tmp_path):
    (tmp_path / "example.v").write_text(EXAMPLE)
    (tmp_path / "area.ys").write_text(AREA_SCRIPT.format(block="example", module="example"))
    run("example", "yosys", ["-s", "area.ys"], tmp_path)
    netlist = Netlist.load(tmp_path / "area.netlist.json", "example")
    area = netlist.area()
    assert area["flip_flops"] == 3 * 32 + 5 + 8      # the large memory's output register is its own
    assert area["carries"] >= 4 and area["memory"] >= 8 and area["block_rams"] == 1
    found = rows(netlist)
    assert found["sum.D"] == (2, found["sum.D"][1]) and found["sum.D"][1][:2] in ("x[", "y[")
    assert found["sum.CE"] == (0, "load")
    assert found["small_read.D"][0] == 1 and found["small_read.D"][1].startswith("small_address[")
    assert any(end.startswith("large.") and "ADDR" in end for end in found)
    assert found["small.WE"] == (0, "write")


def test_synth_names_the_loop():
    cell = {"type": "LUT1", "connections": {"I0": [2], "O": [2]}, "port_directions": {"I0": "input", "O": "output"}}
    netlist = Netlist({"ports": {}, "cells": {"loop": cell}, "netnames": {"ready": {"bits": [2]}}})
    with pytest.raises(ValueError, match="combinational loop through ready"):
        Levels(netlist)


def test_synth_rejects_a_primitive_it_does_not_know():
    with pytest.raises(UnknownPrimitive, match="FROBNICATOR"):
        cost("FROBNICATOR")


def test_synth_writes_bits_as_signals():
    assert collapse(["a[0]", "a[1]", "a[3]", "b", ""]) == "a[3,1:0] b"
    assert family("fifo.ram_1.0.12.WE") == "fifo.ram_*.WE"
    assert family("lane_0.held_3_1[7].D") == "lane_*.held_*_*.D"


def test_synth_harness_keeps_every_gate(synthesis, tmp_path):
    """Inside the harness a block keeps its registers and all of its logic: none is constant, none is unread."""
    (tmp_path / "block.v").write_text("""module block (input clk, input [7:0] a, input enable, output reg [7:0] q, output any);
        always @(posedge clk) if (enable) q <= q ^ a;
        assign any = |a;
    endmodule""")
    ports = {"clk": ("input", 1), "a": ("input", 8), "enable": ("input", 1), "q": ("output", 8), "any": ("output", 1)}
    (tmp_path / "harness.v").write_text(
        harness("block", {name: {"direction": way, "bits": list(range(width))} for name, (way, width) in ports.items()}))
    (tmp_path / "harness.ys").write_text(
        f"read_verilog block.v harness.v\nsynth_ecp5 -top {TOP} -json harness.json\n")
    run("harness", "yosys", ["-s", "harness.ys"], tmp_path)
    cells = json.loads((tmp_path / "harness.json").read_text())["modules"][TOP]["cells"]
    flip_flops = sum(cell["type"] == "TRELLIS_FF" for cell in cells.values())
    drive, seen = 8 + 1, 8 + 1
    assert flip_flops == drive + seen + (seen + 1) + 1 + 8


def test_synth_shell_keeps_what_surrounds_a_module(synthesis, tmp_path):
    """With its multiplier left out the block keeps the registers around it, and gains the shell's."""
    block = """module Engine (
  input  wire [7:0]    a,
  output wire [7:0]    b,
  input  wire          clk
);
  assign b = a * a;
endmodule

module block (
  input  wire [7:0]    x,
  output reg  [7:0]    y,
  input  wire          clk
);
  reg [7:0] held;
  wire [7:0] product;
  Engine engine (.a(held), .b(product), .clk(clk));
  always @(posedge clk) begin held <= x; y <= product ^ held; end
endmodule
"""
    (tmp_path / "block.v").write_text(replace_by_shell("Engine", block))
    (tmp_path / "clock.ys").write_text("read_verilog block.v\nsynth_ecp5 -top block -json clock.json\n")
    run("shell", "yosys", ["-s", "clock.ys"], tmp_path)
    cells = json.loads((tmp_path / "clock.json").read_text())["modules"]["block"]["cells"]
    captured, folded, driven = 8, 8 + 1, 8
    assert sum(cell["type"] == "TRELLIS_FF" for cell in cells.values()) == 8 + 8 + captured + folded + driven
    assert not any(cell["type"].startswith("MULT") for cell in cells.values())
    with pytest.raises(ValueError, match="no module Motor"):
        replace_by_shell("Motor", block)


def test_synth_tells_a_block_that_does_not_fit():
    log = "Info: Device utilisation:\nInfo: \t  TRELLIS_IO:       3/    365     0%\nInfo: \t  DP16KD:     224/    208   107%\n"
    assert too_large(log) == "DP16KD 224/208"
    assert too_large(log.replace("224", "208")) == ""


def test_synth_drift_is_told():
    before = {"luts": 1000, "flip_flops": 500, "block_rams": 0.0, "levels": 8, "fan_out": 20}
    assert drift("block", dict(before, luts=1040, flip_flops=480, levels=7), before) == []
    assert "luts 1060" in drift("block", dict(before, luts=1060), before)[0]
    assert "9 levels" in drift("block", dict(before, levels=9), before)[0]
    assert "block_rams" in drift("block", dict(before, block_rams=1.0), before)[0]
    assert drift("block", before, before) == [] and "luts 940" in drift("block", dict(before, luts=940), before)[0]


def test_synth_drift_of_the_fan_out_is_told():
    """Where it was recorded; what grew by no more than the area may, or shrank, is none."""
    before = {"luts": 1000, "flip_flops": 500, "block_rams": 0.0, "levels": 8, "fan_out": 200}
    assert drift("block", dict(before, fan_out=210), before) == [] == drift("block", dict(before, fan_out=20), before)
    assert drift("block", dict(before, fan_out=211), before) == ["block: fan_out 211, recorded 200 (tolerance 5%)"]
    old = {name: value for name, value in before.items() if name != "fan_out"}
    assert drift("block", dict(before, fan_out=999), old) == []


def test_synth_blocks_are_recorded():
    """`make synth AREA=1 CHECK=1` has something to compare each with."""
    assert BLOCKS.keys() <= recorded().keys()


def test_synth_measures_the_default_core_once():
    """The release's core `default` is the core that `make verilog` writes: one block, one file."""
    assert verilog("core_default") == REPOSITORY / "build/verilog/core.v" and module("core_default") == "core" and "core" not in BLOCKS


def test_synth_goals_and_records(tmp_path, monkeypatch):
    """More megahertz and fewer LUTs are better; what is recorded is read back, and what was not measured stays out."""
    monkeypatch.setattr(results, "BLOCKS", {"block": {"megahertz": 110, "luts": 1000}})
    assert [results.against("block", "megahertz", {"megahertz": value}) for value in (109.5, 110)] == ["109.5 (goal 110)", "110"]
    assert [results.against("block", "luts", {"luts": value}) for value in (1000, 1001)] == ["1000", "1001 (goal 1000)"]
    assert results.against("block", "levels", {"luts": 1}) == "-" and results.against("other", "luts", {"luts": 1}) == "1"
    monkeypatch.setattr(results, "RECORDED", tmp_path / "results.toml")
    figures = {"luts": 1, "flip_flops": 2, "block_rams": 0.5, "carries": 3, "levels": 4, "fan_out": 5, "megahertz": 6.5}
    results.record({"block": dict(figures, report="text", memory_luts=9)})
    assert results.recorded() == {"block": figures | {"tools": results.recorded()["block"]["tools"]}}


def test_synth_records_what_was_measured_and_with_what(tmp_path, monkeypatch):
    """Of the blocks that are measured alone: the others were measured of other Verilog, perhaps, and by other tools."""
    monkeypatch.setattr(results, "RECORDED", tmp_path / "results.toml")
    results.RECORDED.write_text("[blocks.old]\nluts = 1\n[blocks.other]\nluts = 2\nverilog = \"0a\"\ntools = \"yosys 1\"\n")
    others = results.recorded()
    results.record({"block": {"luts": 3, "verilog": "0b"}})
    assert results.recorded() == others | {"block": {"luts": 3, "verilog": "0b", "tools": ", ".join(f"{name} {version}" for name, version in sorted(versions().items()))}}
    assert all(version not in results.RECORDED.read_text().split("[blocks")[0] for version in versions().values())


def test_synth_maps_anew_for_other_contents_of_a_memory(tmp_path, monkeypatch):
    """The netlist of a block that reads a file is not kept when that has changed."""
    monkeypatch.setattr(measure, "SYNTH", tmp_path / "synth")
    monkeypatch.setattr(measure, "VERILOG", tmp_path)
    monkeypatch.setattr(measure, "REPOSITORY", tmp_path)
    ran = []
    monkeypatch.setattr(measure, "run", lambda what, program, arguments, folder: ran.append(program) or [
        (folder / made).write_text("{}") for made in ("area.netlist.json", "clock.netlist.json", "clock.report.json")])
    (tmp_path / "build/firmware").mkdir(parents=True)
    (tmp_path / "block.v").write_text('module block; Memory #(.FILE("it")) memory(); endmodule\nmodule Memory #(parameter FILE = "rom.hex") (); endmodule\n')
    for contents, needed in (("00", True), ("00", False), ("01", True)):
        (tmp_path / "build/firmware/rom.hex").write_text(contents)
        ran.clear()
        folder = measure.prepare("block")
        for name in ("harness.v", "harness.lpf", "clock.ys"):
            (folder / name).write_text("")
        measure.mapped("block", folder)
        measure.routed("block", folder)
        assert ran == (["yosys", "yosys"] if needed else []) + (["nextpnr-ecp5"] if contents == "00" and needed else []), (contents, ran)


def test_synth_knows_a_circuit_by_its_verilog():
    """Whatever commit its heading names, and whatever a released core's own name."""
    text = "// Component : core\n// Git hash  : {}\n\nmodule {} (input a);\n  {}StreamFifo_1 fifo (.a(a));\nendmodule\nmodule {}StreamFifo_1 (input a);\nendmodule\n"
    named = identity(text.format("ab", "core", "", ""), "core")
    assert named == identity(text.format("cd", "core", "", ""), "core") != identity(text.format("ab", "core", "", "").replace("fifo (", "other ("), "core")
    for module in ("pagepress_core", "pagepress_core_pages_16k"):
        assert identity(text.format("ef", module, f"{module}_", f"{module}_"), module) == named

def test_synth_words_say_1_or_0(monkeypatch, tmp_path, capsys):
    """0 asks for nothing, as no word does; another value is refused before anything runs."""
    synth = runpy.run_path(str(CONSTRAINTS / "synth"))
    figures, done = {"luts": 1, "memory_luts": 0, "flip_flops": 2, "block_rams": 0, "carries": 0, "levels": 3, "fan_out": 4, "report": ""}, []
    for name, instead in (("SYNTH", tmp_path), ("REPOSITORY", tmp_path), ("JSON", tmp_path / "json"), ("write_json", lambda measured: None), ("recorded", dict),
                          ("area", lambda block: done.append("area") or figures), ("clock", lambda block: done.append("clock") or {"report": ""}),
                          ("record", lambda measured: done.append("record"))):
        monkeypatch.setitem(synth["main"].__globals__, name, instead)
    for words, expected, status in (((), ["area", "clock"], 0), (("AREA=0", "CHECK=0", "RECORD=0"), ["area", "clock"], 0), (("AREA=1", "RECORD=1"), ["area", "record"], 0),
                                    (("AREA=1", "CHECK=1"), ["area"], 0), (("AREA=", "RECORD="), ["area", "clock"], 0)):
        done.clear()
        capsys.readouterr()
        assert (synth["main"](["BLOCK=block", *words]), done) == (status, expected), words
        assert ("block: not checked, nothing is recorded of it" in capsys.readouterr().err) == ("CHECK=1" in words)
    for old, said in ((dict(figures), False), ({name: value for name, value in figures.items() if name != "fan_out"}, True)):
        monkeypatch.setitem(synth["main"].__globals__, "recorded", lambda old=old: {"block": old})
        assert synth["main"](["BLOCK=block", "AREA=1", "CHECK=1"]) == 0
        assert ("block: fan-out not checked: not recorded" in capsys.readouterr().err) == said
    for recorded_luts, status in ((1, 0), (2, 1)):
        monkeypatch.setitem(synth["main"].__globals__, "recorded", lambda luts=recorded_luts: {"block": dict(figures, luts=luts)})
        assert synth["main"](["BLOCK=block", "AREA=1", "CHECK=1"]) == status
    assert [line for line in capsys.readouterr().err.splitlines() if not line.startswith("[synth] ")] == ["synth: block: luts 1, recorded 2 (tolerance 5%)"]
    for word in ("AREA=yes", "CHECK=true", "RECORD=2", "RECORDS=1", "RECORD"):
        done.clear()
        with pytest.raises(Trouble) as trouble:
            synth["main"](["BLOCK=block", word])
        assert word in str(trouble.value) and done == []


@pytest.mark.parametrize("block", [block for block, wishes in BLOCKS.items() if wishes.get("quick")])
def test_synth_area_of_a_small_block_is_as_recorded(synthesis, built, block):
    """The cheap half on blocks of seconds; `make synth AREA=1 CHECK=1` does it for all of blocks.toml."""
    built("verilog")
    assert drift(block, area(block), recorded().get(block)) == []
