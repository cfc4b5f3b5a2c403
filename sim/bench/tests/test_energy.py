# SPDX-License-Identifier: Apache-2.0
"""What `make bench-energy` counts, on a netlist whose activity follows from what it says, and what it makes of the counts."""
import io
import json
import re
import subprocess
from pathlib import Path

import pytest
from bench import Trouble, energy, energy_main, gates
from bench.command import Progress
from bench.energy import Range

CYCLES = 64
CLK, RUN, Q0, Q1, NOT_Q0, NEXT_Q1, BOTH, LATE, SUM, CHAIN, WIDE, LOW, HIGH = range(2, 15)
WORD = list(range(20, 56))  # of the block RAM


def cell(kind, inputs, outputs, **parameters):
    connections = {port: bits if isinstance(bits, list) else [bits] for port, bits in {**inputs, **outputs}.items()}
    return {"type": kind, "connections": connections, "parameters": parameters,
            "port_directions": {**dict.fromkeys(inputs, "input"), **dict.fromkeys(outputs, "output")}}


def flip_flop(kind, taken, given):
    return cell(kind, {"C": CLK, "CE": RUN, "D": taken, "R" if kind == "FDRE" else "S": "0"}, {"Q": given})


def block_ram():
    """512 words of 36 bits, read in every cycle, written in those in which q0 is 1, always at the same place."""
    widths = {"READ_WIDTH_A": 36, "WRITE_WIDTH_B": 36, "READ_WIDTH_B": 0, "WRITE_WIDTH_A": 0, "DOA_REG": 0, "DOB_REG": 0}
    zeros = ["0"] * 14
    inputs = {"CLKARDCLK": CLK, "CLKBWRCLK": CLK, "ENARDEN": "1", "ENBWREN": "1", "RSTRAMARSTRAM": "0", "RSTRAMB": "0", "ADDRARDADDR": zeros, "ADDRBWRADDR": zeros,
              "WEA": ["0"] * 2, "WEBWE": [Q0] * 4, "DINADIN": [Q1] * 16, "DINBDIN": [Q1] * 16, "DINPADINP": [Q1] * 2, "DINPBDINP": [Q1] * 2}
    outputs = {"DOUTADOUT": WORD[:16], "DOUTBDOUT": WORD[16:32], "DOUTPADOUTP": WORD[32:34], "DOUTPBDOUTP": WORD[34:]}
    return cell("RAMB18E2", inputs, outputs, WRITE_MODE_A="READ_FIRST", WRITE_MODE_B="READ_FIRST", **{name: f"{width:032b}" for name, width in widths.items()})


def counter():
    """A counter of two bits, what follows from it by each kind of cell, and the ports."""
    return {
        "ports": {"clk": {"direction": "input", "bits": [CLK]}, "run": {"direction": "input", "bits": [RUN]},
                  "out": {"direction": "output", "bits": [BOTH, LATE, SUM, WIDE, LOW, HIGH, *WORD]}},
        "cells": {
            "q0": flip_flop("FDRE", NOT_Q0, Q0), "q1": flip_flop("FDSE", NEXT_Q1, Q1),
            "inverted": cell("INV", {"I": Q0}, {"O": NOT_Q0}), "next": cell("LUT2", {"I0": Q0, "I1": Q1}, {"O": NEXT_Q1}, INIT="0110"),
            "both": cell("LUT3", {"I0": Q0, "I1": Q1, "I2": RUN}, {"O": BOTH}, INIT="10000000"),
            "late": cell("SRL16E", {"CLK": CLK, "CE": Q1, "D": Q0, "A0": "1", "A1": "0", "A2": "0", "A3": "0"}, {"Q": LATE}, INIT="0" * 16),
            # q1 q0 + 0 1, of which the first sum is not q0 and the carry q0.
            "sum": cell("CARRY4", {"CI": "0", "CYINIT": "1", "S": [Q0, Q1, "0", "0"], "DI": ["0"] * 4}, {"CO": [CHAIN, "x", "x", "x"], "O": ["x", SUM, "x", "x"]}),
            "wide": cell("MUXF7", {"I0": Q0, "I1": Q1, "S": Q0}, {"O": WIDE}),
            # Each word holds its own address, and that of q1 and not q0 is read.
            "words": cell("RAM32M16", {"WCLK": CLK, "WE": "1", "ADDRH": [Q0, Q1, "0", "0", "0"], "DIA": [Q0, Q1], "ADDRA": [NOT_Q0, Q1, "0", "0", "0"]}, {"DOA": [LOW, HIGH]}),
            "ram": block_ram(),
        }}


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    """(Gates, and what was counted of them in CYCLES)."""
    folder = tmp_path_factory.mktemp("gates")
    tiny = gates.Gates(counter())
    (folder / "netlist").write_text(tiny.program())
    made = subprocess.run(["g++", "-std=c++20", "-Wall", "-Werror", "-I", energy_main.HARNESS, Path(__file__).with_name("tiny.cpp"), "-o", folder / "gates"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr[-3000:]
    subprocess.run([folder / "gates", folder / "netlist", folder / "activity", str(CYCLES)], check=True)
    return tiny, gates.read_activity(folder / "activity")


def test_energy_counts_known_activity(watched):
    tiny, (transitions, high, cycles) = watched
    assert cycles == CYCLES
    found = gates.counted(tiny, transitions, high, cycles)
    # In four cycles q0 has four transitions, q1 two: so the inverter four, the exclusive or two, the and two, and the multiplexer, which is another, two.
    quarter = CYCLES // 4
    assert found["flip_flop"] == quarter * (4 + 2)
    assert found["lut"] == quarter * (4 + 2 + 2 + 2)
    # The second sum is the exclusive or; its carry has no load of its own.
    assert found["carry"] == quarter * 2
    # q0 is 0 and then 1 in the cycles in which q1 is 1, so the shift register, seen two deep, gives its transitions. The word read has those of its address.
    assert found["memory"] == quarter * (2 + 4 + 2)
    # A LUT in the cycles in which q1 is 1, eight in all of them.
    assert found["memory_writes"] == quarter * 2 + 8 * CYCLES
    # q1 is 0 in one of the two cycles in which the word is written, 1 in the other.
    assert found["block_ram"] == quarter * 2 * len(WORD)
    # A read each cycle and a write every other, in half a block RAM.
    assert found["block_ram_accesses"] == 0.5 * (CYCLES + CYCLES / 2)
    # Two flip-flops, two LUT memories, both ports of the block RAM.
    assert tiny.clock_pins == 6 and found["clock_pins"] == 2 * 6 * CYCLES
    assert found["port"] == 0
    assert found["wires_after_logic"] == found["lut"] + found["carry"] + found["memory"]
    assert found["wires_after_clocked"] == found["flip_flop"] + found["block_ram"]


@pytest.mark.parametrize("kind, pins", [("flip_flop", 2), ("memory", 2), ("block_ram", 2)])
def test_energy_notices_clock_pins_left_out(monkeypatch, kind, pins):
    monkeypatch.setattr(gates, "CLOCK_PINS", {**gates.CLOCK_PINS, kind: set()})
    with pytest.raises(Trouble, match=f"^{pins} of the 6 pins that the clock drives are not counted as clock pins$"):
        gates.Gates(counter())


def test_energy_notices_nets_left_out(watched):
    tiny, (transitions, high, cycles) = watched
    with pytest.raises(Trouble, match=f"1 of {len(tiny.driver)} nets were not watched, net {WORD[-1]} first"):
        gates.counted(tiny, transitions[:max(tiny.driver)], high, cycles)
    undriven = counter()
    del undriven["cells"]["inverted"]
    with pytest.raises(Trouble, match=f"1 nets have no class, net {NOT_Q0} first"):
        gates.Gates(undriven)


def test_energy_refuses_what_it_does_not_know(tmp_path):
    unknown = counter()
    unknown["cells"]["both"]["type"] = "DSP48E2"
    with pytest.raises(Trouble, match="cell both is a DSP48E2"):
        gates.Gates(unknown)
    gated = counter()
    gated["cells"]["q0"]["connections"]["C"] = [Q1]
    with pytest.raises(Trouble, match="cell q0 has another clock"):
        gates.Gates(gated).program()
    looped = counter()
    looped["cells"]["both"]["connections"]["I2"] = [BOTH]
    with pytest.raises(Trouble, match="loop of logic"):
        gates.Gates(looped).program()
    with pytest.raises(Trouble, match="cannot read .*: No such file"):
        gates.Gates.load(tmp_path / "none.json", "none")
    (tmp_path / "bad.json").write_text(json.dumps({"modules": {}}))
    with pytest.raises(Trouble, match="is no netlist of page_compressor"):
        gates.Gates.load(tmp_path / "bad.json", "page_compressor")


def figures():
    """Round ones: each line of the report is 1 W of a million, at 1 MHz and 1 V."""
    lines = {line for line, _ in energy.EVENTS.values()}
    return {"report": {"source": "", "volts": 1.0, "megahertz": 1, **{line: {"watts": 1.0, "count": 1_000_000} for line in lines}},
            "uses_a_cycle": {"source": "", "signal": [0.5, 0.25, 0.125], "memory_write": 1.0, "block_ram": [2.0, 1.0, 0.5]},
            "glitches": {"source": "", "factor": [1.0, 1.5, 2.0]}, "supply": {"source": "", "volts": 1.0}, "static": {"source": "", "watts": 2.0}, "link": {"source": "", "watts": 1.0},
            "processor": {"source": "", "nanojoules_a_cycle": 2.0, "instructions_a_cycle": {"source": "", "range": [2.0, 1.0, 0.5]}},
            "measured": {"source": "", "out_software": 1000, "out_card_all": 500, "out_card_card": 200, "out_card_sampled": 100, "in_software": 300, "in_card": 30,
                         "pages_a_second_out": 1e6, "pages_a_second_in": 2e6}}


def events(**others):
    return dict.fromkeys([*energy.EVENTS, *energy.WITHIN], 0) | others


def test_energy_of_an_event():
    # A watt of a million resources at a million cycles a second is a picojoule a cycle of each.
    each = energy.event_joules(figures())
    assert each["flip_flop"] == pytest.approx([2e-12, 4e-12, 8e-12])
    assert each["wires_after_clocked"] == pytest.approx([2e-12, 4e-12, 8e-12])
    assert each["lut"] == pytest.approx([2e-12, 6e-12, 16e-12])
    assert each["clock_pins"] == pytest.approx([0.5e-12] * 3)
    assert each["block_ram_accesses"] == pytest.approx([0.5e-12, 1e-12, 2e-12])
    assert each["memory_writes"] == pytest.approx([1e-12] * 3)
    # With the square of the voltage.
    assert energy.event_joules(figures() | {"supply": {"volts": 2.0}})["clock_pins"] == pytest.approx([2e-12] * 3)
    assert energy.farads(2e-12, 2.0) == pytest.approx(1e-12)


def test_energy_of_a_page():
    compress = {"events": events(flip_flop=10, clock_pins=4), "cycles": 100.0, "clock_pins_a_cycle": 4}
    decompress = {"events": events(memory_writes=5), "cycles": 60.0, "clock_pins_a_cycle": 6}
    rows = energy.budget(compress, decompress, figures())["rows"]
    assert rows["compress"] == pytest.approx([22e-12, 42e-12, 82e-12])
    assert rows["in_engines"] == pytest.approx([5e-12] * 3)
    # The verifier waits 40 cycles, in each of which its clock has six transitions.
    assert rows["verify"] == pytest.approx([5e-12 + 40 * 6 * 0.5e-12] * 3)
    assert rows["out_engines"] == pytest.approx([147e-12, 167e-12, 207e-12])
    # 2 W and 1 W over a million pages a second.
    assert rows["out_card"] == pytest.approx([3e-6 + 147e-12, 3e-6 + 167e-12, 3e-6 + 207e-12])
    assert rows["in_static"] == pytest.approx([1e-6] * 3)
    # 2 nJ a cycle, two to half an instruction in each.
    assert rows["out_software"] == pytest.approx([1e-6, 2e-6, 4e-6])
    assert rows["out_by_card_all"] == pytest.approx(rows["out_card"] + Range(0.5e-6, 1e-6, 2e-6))
    assert rows["out_by_card_card"] == pytest.approx(rows["out_card"] + rows["in_engines"] + Range(0.2e-6, 0.4e-6, 0.8e-6))
    assert rows["in_by_card"] == pytest.approx(rows["in_card"] + Range(0.03e-6, 0.06e-6, 0.12e-6))


@pytest.mark.parametrize("event", energy.EVENTS)
def test_energy_notices_an_event_left_out(event):
    counted = events()
    del counted[event]
    with pytest.raises(Trouble, match=f"^not counted: {event}$"):
        energy.page_joules(counted, figures())


def test_energy_notices_an_unknown_event():
    with pytest.raises(Trouble, match="no energy is known of magic"):
        energy.page_joules(events(magic=1), figures())


def test_energy_figures_stand_once():
    assert energy.load()["report"]["megahertz"] == 180
    code = "".join(path.read_text() for path in Path(energy.__file__).parent.glob("energy*.py"))
    for number in re.findall(r"\b\d[\d_]*\.\d{2,}\b|\b\d\d[\d_]{4,}\b", energy.FIGURES.read_text()):
        assert number not in code, f"{number} stands in energy.toml and in the program"


@pytest.mark.parametrize("find, put, says", [
    ("watts = 3.132", "watts = -1", "report.wires.watts is -1"), ("megahertz = 180", "", "report.megahertz is None"),
    ("signal = [0.20, 0.125, 0.08]", "signal = [0.08, 0.125, 0.20]", "the one that gives the lowest energy comes first"),
    ("factor = [1.0, 1.5, 2.0]", "factor = [1.0, 2.0]", "has to be a number above 0, or three of them"),
    ("out_software = 46_986", 'out_software = "many"', "measured.out_software is 'many'"), ("[link]\nsource = ", "[link]\nwhere = ", r"\[link\] says no source"),
    ("[supply]", "[supply", "Expected"),
])
def test_energy_figures_are_checked(tmp_path, find, put, says):
    text = energy.FIGURES.read_text()
    assert find in text
    (tmp_path / "other.toml").write_text(text.replace(find, put))
    with pytest.raises(Trouble, match=says):
        energy.load(tmp_path / "other.toml")


@pytest.mark.parametrize("words, says", [(["--pages", "1"], "two pages are needed"), (["--pages", "many"], "'many' is no number of pages"), (["--seed", "-"], "'-' is no seed")])
def test_energy_command_refuses(capsys, words, says):
    with pytest.raises(SystemExit):
        energy_main.arguments(words)
    assert says in capsys.readouterr().err.splitlines()[-1]


def test_energy_command_without_netlists(monkeypatch, tmp_path):
    monkeypatch.setattr(energy_main, "NETLISTS", tmp_path)
    with pytest.raises(Trouble, match="cannot read .*make bench-energy` maps the engines first"):
        energy_main.bench(energy_main.arguments([]), Progress(io.StringIO()))


def test_counts_of_instructions_are_those_that_documents_quote():
    measured, root = energy.load()["measured"], energy.FIGURES.parents[2]
    for document in (".docs/pages/placement.md", "driver/docs/how-answers-are-proven.md"):
        text = (root / document).read_text()
        for name in ("out_software", "out_card_all", "out_card_card", "out_card_sampled"):
            assert f"{measured[name]:,}" in text, f"{document} has other figures than {name}"
