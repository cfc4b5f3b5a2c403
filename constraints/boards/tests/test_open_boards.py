# SPDX-License-Identifier: Apache-2.0
"""Boards of open tools: their tables hold together and fit their systems, and one broken in any way is refused with one line. Nothing is synthesised."""
import json
import re
import runpy
import shutil
import sys
from pathlib import Path

import pytest

BOARDS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(BOARDS))

import check
import generate
from board import BoardError
from open_board import OpenBoard, open_boards
from verilog_identity import identity

NAME = "ulx3s-85f"
PORTS = {"clock": "input  wire", "restart": "input  wire", "transmit": "output wire", "wifi_boot": "output reg "}
BROKEN = {  # what: what stands in board.toml, what instead, what is said
    "pin twice": ('"L4"', '"R1"', "pin R1 is given to restart and to transmit"),
    "no pin": ('"G2"', '"25"', "clock: 25 is no name of a package pin"),
    "port lost": ("^restart .*\n", "", "pins: restart is missing"),
    "port of no system": ("^restart ", "reset ", "pins: restart is missing"),
    "no standard": ('LVCMOS33", pull = "DOWN"', 'LVCMOS34", pull = "DOWN"', "restart: there is no LVCMOS34"),
    "no pull": ('"DOWN"', '"LOW"', "restart: pull LOW is none of NONE, UP, DOWN"),
    "too strong": ("drive = 4 }", "drive = 400 }", "transmit: drive: no output has 400 mA"),
    "input that drives": ('pull = "DOWN"', 'pull = "DOWN", drive = 4', "restart: no such field: drive"),
    "no reason": (', why = "[^"]*"', "", "wifi_boot: why is missing"),
    "high port of another": ("^wifi_boot", "clock", "high: clock is no name for an output of its own"),
    "no part": ("LFE5U-85F-6BG381C", "iCE40UP5K", "part iCE40UP5K is no name of an ECP5 part"),
    "device unknown": ("LFE5U-85F-", "LFE5U-45F-", "of the device LFE5U-45F nothing is known"),
    "no core": ('"tiny"', '"tinier"', "core tinier is none of rtl/top/configurations.toml"),
    "no rate": ("1_000_000", "115_200", "baud: 115200 is no whole part of the clock"),
    "rate too fast": ("1_000_000", "12_500_000", "baud: 12500000 is no whole part of the clock, a 4th of it at most"),
    "no clock": ("^megahertz = 25 ", "megahertz = 0 ", "megahertz: 0 is no clock"),
    "field misspelt": ("^seed", "sead", "seed is missing"),
    "no toml": (r"^\[pins\]", "[pins", r"line \d+"),
}


@pytest.fixture
def tree(tmp_path):
    """A copy of the boards' files: change(old, new) in NAME's table."""
    shutil.copytree(BOARDS / "open", tmp_path / "open")
    path = tmp_path / "open" / NAME / "board.toml"

    def change(old, new):
        text = path.read_text()
        assert re.search(old, text, re.M), f"{old} does not stand in {path.name}"
        path.write_text(re.sub(old, new, text, count=1, flags=re.M))
        return tmp_path
    return change


@pytest.mark.parametrize("what", BROKEN)
def test_open_boards_broken(tree, what):
    old, new, said = BROKEN[what]
    with pytest.raises(BoardError, match=f"^open/{NAME}/board.toml: .*{said}") as refused:
        OpenBoard(NAME, tree(old, new))
    assert "\n" not in str(refused.value)


def test_open_boards_unknown():
    with pytest.raises(BoardError, match=f"no board ulx4s .there are .*{NAME}"):
        OpenBoard("ulx4s")


def test_open_boards_constraints(tree, monkeypatch):
    """Each port has its pin, and the clock its rate; a table that says otherwise than pins.lpf is told."""
    text = OpenBoard(NAME).constraints()
    assert sorted(re.findall(r'^LOCATE COMP "(\w+)" SITE "(\w+)";$', text, re.M)) == [("clock", "G2"), ("restart", "R1"), ("transmit", "L4"), ("wifi_boot", "L2")]
    assert 'FREQUENCY PORT "clock" 25 MHZ;' in text and text.count("IOBUF") == 4
    assert not [name for name in generate.drift() if name.startswith("open/")]
    changed = tree('"L4"', '"M1"')
    monkeypatch.setattr(generate, "table", lambda *_: {})
    monkeypatch.setattr(generate, "crossing", lambda *_: "")
    assert f"open/{NAME}/pins.lpf" in generate.drift(changed)


def system(ports):
    declared = ",\n".join(f"    {way}          {port}" for port, way in ports.items())
    return f"module soc (\n{declared}\n);\nendmodule\n"


@pytest.mark.parametrize("ports, said", [
    (PORTS | {"sense": "input  wire"}, "port sense has no pin"),
    ({port: way for port, way in PORTS.items() if port != "transmit"}, "transmit: no output of the system"),
    (PORTS | {"restart": "output wire"}, "restart: no input of the system"),
    (PORTS | {"transmit": "output wire [1:0]"}, r"transmit has more than one bit: \[1:0\]")])
def test_open_boards_other_ports(ports, said):
    board = OpenBoard(NAME)
    board.check_ports(system(PORTS))
    with pytest.raises(BoardError, match=said):
        board.check_ports(system(ports))


@pytest.mark.parametrize("name", open_boards())
def test_open_boards_fit_their_system(built, name):
    """As `make boards` has it: LiteX elaborates it."""
    built("litex-tools")
    checked = check.OpenCheck(name)
    checked.run()
    assert checked.summary() == f"{name}: LFE5U-85F-6BG381C, 4 ports placed" and checked.unconfirmed()


def test_open_boards_built_and_missed(monkeypatch, tmp_path, capsys):
    """The table says what is used; a clock that is missed leaves no bitstream and fails."""
    build = runpy.run_path(str(BOARDS / "open/build"))
    ran, clock = [], {"achieved": 31.26, "constraint": 25.0}
    report = {"fmax": {"clock": clock}, "utilization": {thing: {"used": 20, "available": 80} for thing in build["THINGS"]}}

    def run(what, program, arguments, folder):
        ran.append(program)
        (folder / "soc.bit").write_bytes(b"bits")
    words = build["main"].__globals__
    (tmp_path / "build/boards" / NAME).mkdir(parents=True)
    (tmp_path / "build/boards" / NAME / "core.v").write_text("// Git hash  : ab\n\nmodule pagepress_core_tiny; endmodule\n")
    for name, instead in (("REPOSITORY", tmp_path), ("run", run), ("routed", lambda *_: json.loads(json.dumps(report))), ("record", lambda measured: ran.append(measured))):
        monkeypatch.setitem(words, name, instead)
    assert build["main"]([NAME, "RECORD=1"]) == 0
    said = capsys.readouterr().out
    assert re.search(r"^LUT4 +20 +80 +25%$", said, re.M) and re.search(r"^clock, MHz +31.3 +25 asked for$", said, re.M), said
    assert "not run on a board" in said and f"build/boards/{NAME}/soc.bit" in said
    core = identity("module pagepress_core_tiny; endmodule\n", "pagepress_core_tiny")
    assert ran == ["ecppack", {f"board_{NAME}": {"megahertz": 31.3, "ecp5_luts": 20, "ecp5_flip_flops": 20, "ecp5_block_rams": 20, "verilog": core}}]
    ran.clear()
    assert build["main"]([NAME, "RECORD=0"]) == 0 and ran == ["ecppack"]
    with pytest.raises(build["command_line"].Trouble, match="RECORD=yes: write 0 or 1"):
        build["main"]([NAME, "RECORD=yes"])
    clock["achieved"] = 24.9
    ran.clear()
    capsys.readouterr()
    assert build["main"]([NAME]) == 1
    assert not ran and not (tmp_path / "build/boards" / NAME / "soc.bit").exists()
    assert "routed at 24.9 MHz, and the board's clock has 25" in capsys.readouterr().err
    assert build["main"](["ulx4s"]) == 1
    for given, said in (([], "say which board"), ([NAME, "SEED=1"], "unknown argument 'SEED'")):
        with pytest.raises(build["command_line"].Misuse, match=said):
            build["main"](given)


def test_open_boards_want_their_pins_first(tree, tmp_path):
    """Before the minutes that core and system take: a new board's are not there yet, or its table has changed."""
    build = runpy.run_path(str(BOARDS / "open/build"))
    folder = tree('"L4"', '"M1"')
    for _ in range(2):
        with pytest.raises(BoardError, match=f"^{NAME}: pins.lpf differs from board.toml; run: constraints/boards/generate.py$"):
            build["routed"](OpenBoard(NAME, folder), tmp_path)
        (folder / "open" / NAME / "pins.lpf").unlink(missing_ok=True)


def test_open_boards_mapped_once():
    """Two days' and two commits' Verilog of one system is the same, line for line."""
    undated = runpy.run_path(str(BOARDS / "open/build"))["undated"]
    texts = [f"// Git hash  : {commit}\n// Component : core\n//  Auto-Generated by LiteX on {day}.\nmodule core; // generated {day}\n" for commit, day in (("ab", "Monday"), ("cd", "Sunday"))]
    assert undated(texts[0]) == "//\n// Component : core\n//\nmodule core; // generated Monday\n"
    assert undated(texts[0].replace("module core; // generated Monday", "module core;")) == undated(texts[1].replace("module core; // generated Sunday", "module core;"))
