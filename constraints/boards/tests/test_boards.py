# SPDX-License-Identifier: Apache-2.0
"""The boards' files hold together, and a file broken in any way is refused with one line that says which and how."""
import copy
import re
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest

BOARDS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(BOARDS), str(BOARDS.parent)]

import board
import check
import generate
from board import Board, BoardError, boards
from cells import cells, modules
from results import recorded

NAME = "alveo-u50"
NO_DESIGN = types.SimpleNamespace(cells={}, kinds={}, crossings=[])
# A crossing's Verilog in small: two clocks, a vector, an instance, an attribute with brackets.
SMALL = """\
module inner (
  input  wire          from,
  input  wire          c
);

  (* async_reg = "true" , some = "x [1]" *) reg        [1:0]    held;
  reg                 single;
  reg [7:0] memory [0:3];

  always @(posedge c) begin
    if(from) begin
      held <= 2'b00;
    end
    held[0] <= from;
    memory[0] <= 8'h0;
  end

endmodule

module outer (
  input  wire          one,
  input  wire          two
);

  wire                unused;
  reg                 first;

  (* keep_hierarchy = "TRUE" *) inner there (
    .from (first), //i
    .c    (two  )  //i
  );
  always @(posedge one) begin
    first <= 1'b1;
  end

endmodule
"""


def test_boards_cells_of_a_design():
    found = list(cells(modules(SMALL), "outer", "top", {"one": "fast", "two": "slow"}))
    assert found == [("top/first_reg", "", "fast"), ("top/there", "inner", ""), ("top/there/held_reg[0]", "", "slow"),
                     ("top/there/held_reg[1]", "", "slow")]


@pytest.fixture(scope="module")
def designs(built):
    """Cards that `make verilog` writes anyway, by the bytes of their block: one with a clock of the engines' own, so with two crossings, and
    one for four lanes. `make boards` takes each board's.
    """
    built("boards-tools")
    return {bytes_: check.Design(BOARDS.parents[1] / f"build/verilog/{name}.v", name) for bytes_, name in ((64, "card_impatient"), (16, "card_narrow"))}


@pytest.fixture
def tree(tmp_path, designs):
    """A copy of the boards' files: change(file, old, new) and then run() one board's checks."""
    folder = tmp_path / "constraints/boards"
    shutil.copytree(BOARDS, folder, ignore=shutil.ignore_patterns("tests", "__pycache__"))

    class Tree:
        def change(self, file, old, new):
            text = (folder / file).read_text()
            assert re.search(old, text, re.M), f"{old} does not stand in {file}"
            (folder / file).write_text(re.sub(old, new, text, count=1, flags=re.M))

        def run(self, name=NAME):
            checked = check.Check(name, folder, designs[Board(name, folder).bytes])
            checked.run()
            return checked.summary()

        def regenerate(self):
            for file, text in generate.files(folder).items():
                (folder / file).write_text(text)
    Tree.folder = folder
    return Tree()


@pytest.mark.parametrize("name", boards())
def test_boards_hold(tree, name):
    """The same copies as those that are broken below."""
    crossings = ", 2 crossings, [1-9]\\d\\d+ registers in and around them"
    assert re.fullmatch(rf"{name}: xc\S+, (6[78] ports placed{crossings}|19 ports placed)", tree.run(name))


@pytest.mark.parametrize("name", [NAME, "zcu106"])
def test_boards_leave_an_owner_s_build_alone(tree, name):
    """Vivado may be at work there, and what it has made is to be flashed."""
    made = tree.folder.parents[1] / "build/boards" / name
    (made / "vivado").mkdir(parents=True)
    files = [made / "vivado/block", *(made / f"{Board(name).top}.{kind}" for kind in ("bit", "mcs", "bif"))]
    for file in files:
        file.write_text("the owner's")
    tree.run(name)
    assert sorted(path for path in made.rglob("*") if path.is_file()) == sorted(files) and {file.read_text() for file in files} == {"the owner's"}


def test_boards_share_no_card_that_was_not_made_to_its_end(tmp_path, monkeypatch):
    """Whoever made it was stopped before it had noted the options: another board's is taken."""
    monkeypatch.setattr(check, "OUTPUT", tmp_path)
    wanted = Board(NAME)
    others = [name for name in boards() if name != NAME][:2]
    for name in others:
        (tmp_path / name).mkdir()
        (tmp_path / name / "card.v").write_text(name)
    (tmp_path / others[1] / "options").write_text(" ".join(wanted.options))
    assert check.card_verilog(wanted) == tmp_path / NAME / "card.v" and (tmp_path / NAME / "card.v").read_text() == others[1]
    (tmp_path / others[1] / "card.v").unlink()
    assert check.card_verilog(wanted).read_text() == others[1]


def test_boards_forget_a_card_that_is_made_anew(tmp_path, monkeypatch):
    """Stopped when the card of other options stood there, and before these were noted: it is not taken for the one of before."""
    monkeypatch.setattr(check, "OUTPUT", tmp_path)
    board = Board(NAME)
    (tmp_path / NAME).mkdir()
    (tmp_path / NAME / "options").write_text("--queues 2")

    def stopped(*_, **__):
        (tmp_path / NAME / "card.v").write_text("the new one")
        raise KeyboardInterrupt
    monkeypatch.setattr(check.subprocess, "run", stopped)
    with pytest.raises(KeyboardInterrupt):
        check.card_verilog(board)
    assert not (tmp_path / NAME / "options").exists()


@pytest.mark.parametrize("name", [NAME, "open/ulx3s-85f"])
def test_boards_without_a_table(tmp_path, name):
    """A board whose board.toml is lost is told by the command itself; folders that are no board's have none."""
    folder = tmp_path / "constraints/boards"
    shutil.copytree(BOARDS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    for room in (".tools", "rtl"):
        (tmp_path / room).symlink_to(BOARDS.parents[1] / room)
    (folder / "__pycache__").mkdir()
    assert generate.drift(folder) == []
    (folder / name / "board.toml").unlink()
    done = subprocess.run([folder / "check.py"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"boards: {name}/board.toml is missing\n")


@pytest.mark.parametrize("ports", ["receive", "transmit"])
def test_boards_pin_that_is_a_number(tmp_path, ports):
    (tmp_path / NAME).mkdir()
    text = (BOARDS / NAME / "board.toml").read_text()
    (tmp_path / NAME / "board.toml").write_text(re.sub(rf'^{ports}( *)= \["\w+"', rf"{ports}\1= [2", text, flags=re.M))
    with pytest.raises(BoardError, match=f"^{NAME}/board.toml: link.{ports}: 2 is no name of a package pin$"):
        Board(NAME, tmp_path)


def test_boards_crossings_of_a_core_with_a_name(tree, designs):
    """Its modules are called by it; lane_crossing.tcl finds the crossings all the same."""
    design = copy.copy(designs[Board(NAME, tree.folder).bytes])
    design.kinds = {path: f"mine_{kind}" if path in design.crossings else kind for path, kind in design.kinds.items()}
    check.Check(NAME, tree.folder, design).run()


def test_boards_other_cards(tree):
    """A board without a clock of the engines' own, and one with more queues, follow from board.toml alone."""
    tree.change(f"{NAME}/board.toml", r'options = .*', 'options = ["--queues", 15]')
    tree.regenerate()
    top, block = ((tree.folder / NAME / name).read_text() for name in ("top.v", "pcie_block.tcl"))
    assert "engine_clk" not in top and "PF0_MSIX_CAP_TABLE_SIZE {00F}" in block
    assert "crossings {0}" in (tree.folder / NAME / "board.tcl").read_text()


@pytest.mark.parametrize("options, said", [
    ('"--clock", 300000', r"--clock is no option of a board's card"), ('"--gate-lanes"', r"--gate-lanes is no option of a board's card"),
    ('"--only", "core"', r"--only is no option"), ('"--queues", 5, "there"', r"there is no option"), ('"--queues"', r"--queues nothing: that is no whole number"),
    ('"--queues", 5, "--queues", 6', r"--queues stands there twice"), ('"--engine-clock", "--link", 64', r"--engine-clock --link: that is no whole number")])
def test_boards_options(tmp_path, options, said):
    """What a card's generator would take otherwise than the board's files do, or not at all."""
    (tmp_path / NAME).mkdir()
    text = (BOARDS / NAME / "board.toml").read_text()
    (tmp_path / NAME / "board.toml").write_text(re.sub("^options = .*", f"options = [{options}]", text, flags=re.M))
    with pytest.raises(BoardError, match=f"^{NAME}/board.toml: (card: )?{said}"):
        Board(NAME, tmp_path)


def test_boards_area(tmp_path):
    """Of a card with other options: what is recorded is counted, and of the rest it is said that it is not."""
    shutil.copytree(BOARDS, tmp_path / "constraints/boards", ignore=shutil.ignore_patterns("tests", "__pycache__"))
    path = tmp_path / "constraints/boards" / NAME / "board.toml"
    text = path.read_text()

    def checked(options):
        path.write_text(re.sub("^options = .*", f"options = [{options}]", text, flags=re.M))
        return check.Check(NAME, path.parents[1], NO_DESIGN)
    usual = checked("")
    assert checked('"--queues", 64').luts() == usual.luts() + 60 * check.QUEUE_LUTS and checked('"--queues", 1').luts() == usual.luts()
    assert checked('"--engine-clock", 300000').luts() == usual.luts() + 2 * recorded()["lane_crossing"]["luts"]
    assert not [text for text in usual.unconfirmed() if text.startswith("area")]
    assert [text for text in checked('"--pages", 16384, "--queues", 8').unconfirmed() if text.startswith("area")] == [
        "area: what --pages changes of the card's area is not recorded, and not counted"]


@pytest.mark.parametrize("name", boards())
def test_boards_name_the_device_on_the_cable(tree, name):
    """flash.tcl takes the device that Vivado shows for the board's part (the U50's is no beginning of it), and none that board.toml names otherwise."""
    shown = Board(name).entry["on_cable"]
    tree.change(f"{name}/board.toml", '^on_cable = ".*?"', 'on_cable = "xcvu9p"')
    tree.regenerate()
    with pytest.raises(BoardError, match=rf"flash.tcl:\d+: flash.tcl: on the cable is a {shown}, not a xcvu9p"):
        tree.run(name)


BROKEN = {  # what: file, what stands there, what instead, what is said; of which board, if the file is of all
    "pin twice": (f"{NAME}/board.toml", '"AM4"', '"AL2"', r"board.toml: pin AL2 is given to pcie_rx_p\[0\] and to pcie_rx_p\[1\]"),
    "lane lost": (f"{NAME}/board.toml", '"AL2", ', "", r"board.toml: pcie_rx has 15 lanes: the card's 64-byte interface is for 16"),
    "no pin": (f"{NAME}/board.toml", '"AM4"', '"ZZZ4"', r"board.toml: ZZZ4 is not the first pin of a pair"),
    "engines too many": (f"{NAME}/board.toml", '"--compressors", 3', '"--compressors", 8', r"board.toml: the card has some \d+ LUTs, SLR0 takes 261600"),
    "verifiers too many": (f"{NAME}/board.toml", '"--compressors", 3, "--decompressors", 3', '"--compressors", 4, "--decompressors", 4', r"board.toml: the card has some 2[78]\d{4} LUTs, SLR0 takes 261600"),
    "cold formats too many": (f"{NAME}/board.toml", '"--engine-clock"', '"--cold-format", "--engine-clock"', r"board.toml: the card has some (29|30)\d{4} LUTs, SLR0 takes 261600"),
    "engines too many for a part": ("zcu106/board.toml", '"--bus", 16', '"--bus", 16, "--compressors", 3', r"board.toml: the card has some \d+ LUTs, xczu7ev-ffvc1156-2-e takes 138240"),
    "size of a region": (f"{NAME}/board.toml", '^region = "SLR0"', 'region = { name = "SLR0", luts = 999_000 }', r"board.toml: region is missing, or not a str"),
    "size of a part": ("zcu106/board.toml", "^block", "luts = 999_000\nblock", r"board.toml: no such field: luts"),
    "region of one die": ("zcu106/board.toml", "^block", 'region = "SLR0"\nblock', r"board.toml: region: xczu7ev has 1 die"),
    "lanes of another link": ("zcu106/board.toml", '"--link", 16, ', "", r"board.toml: pcie_rx has 4 lanes: the card's 64-byte interface is for 16"),
    "no link": ("zcu106/board.toml", '"--link", 16, ', '"--link", 32, ', r"board.toml: --link 32 is none of 64, 16"),
    "no part": (f"{NAME}/board.toml", "xcu50-fsvh2104-2-e", "xc7a35t", r"board.toml: part xc7a35t is no name of an UltraScale\+ part"),
    "field misspelt": (f"{NAME}/board.toml", "^watts", "wats", r"board.toml: no such field: wats"),
    "no toml": (f"{NAME}/board.toml", r"^\[card\]", "[card", r"board.toml: .*line \d+"),
    "width of a port": ("pcie_block.toml", "^s_axis_rq_tuser = 137", "s_axis_rq_tuser = 62", r"s_axis_rq_tuser has 62 bits, the card's 137"),
    "port left out": ("pcie_block.toml", "^cfg_flr_done = 4\n", "", r"the card has ports that are wired to nothing: cfg_flr_done"),
    "tie-off lost": (f"{NAME}/top.v", r"^    \.cfg_hot_reset_in.*\n", "", r"top.v: .*cfg_hot_reset_in"),
    "tie-off misspelt": (f"{NAME}/top.v", r"\.cfg_config_space_enable", ".cfg_config_space_enabled", r"top.v: .*cfg_config_space_enabled"),
    "signal misspelt": (f"{NAME}/top.v", r"\.reset\(card_reset\)", ".reset(cardreset)", r"top.v: .*cardreset"),
    "no Verilog": (f"{NAME}/top.v", "^endmodule", "endmodul", r"top.v: .*"),
    "port of no top": (f"{NAME}/pins.xdc", r"pcie_rx_p\[3\]", "pcie_rx_p[33]", r"pins.xdc:\d+: get_ports: nothing is called pcie_rx_p\[33\]"),
    "pin of two ports": (f"{NAME}/pins.xdc", "PACKAGE_PIN AM4", "PACKAGE_PIN AL2", r"pins.xdc: pin AL2 is given to pcie_rx_p\[0\] and to pcie_rx_p\[1\]"),
    "port without pin": (f"{NAME}/pins.xdc", r"^set_property -dict \{PACKAGE_PIN AM4\}.*\n", "", r"pins.xdc: port pcie_rx_p\[1\] has no pin"),
    "voltage": (f"{NAME}/pins.xdc", "LVCMOS18", "LVCMOS33", r"pins.xdc: pcie_reset_n is not LVCMOS18"),
    "command": (f"{NAME}/pins.xdc", "^create_clock", "creat_clock", r"pins.xdc:\d+: Vivado has no command creat_clock"),
    "option": (f"{NAME}/pins.xdc", "-period", "-perod", r"pins.xdc:\d+: create_clock: no option -perod"),
    "period": (f"{NAME}/pins.xdc", "-period 10.000", "-period 8.000", r"pins.xdc: clocks .*8.0.*: the slot's is 100 MHz"),
    "cell": (f"{NAME}/pins.xdc", r"settled_reg", "setled_reg", r"pins.xdc:\d+: get_cells: nothing is called setled_reg\[0\]"),
    "region": (f"{NAME}/pins.xdc", "USER_SLR_ASSIGNMENT SLR0", "USER_SLR_ASSIGNMENT SLR1", r"pins.xdc: the card is not kept in SLR0"),
    "region of no cell": (f"{NAME}/pins.xdc", r"\[get_cells \{card\}\]", "[get_cells {cards}]", r"pins.xdc:\d+: get_cells: nothing is called cards"),
    "narrow block too wide": ("zcu106/pcie_block.tcl", "128_bit", "256_bit", r"pcie_block.tcl: axisten_if_width is 256_bit, the card wants 128_bit"),
    "narrow block too many lanes": ("zcu106/pcie_block.tcl", r"\{X4\}", "{X8}", r"pcie_block.tcl: PL_LINK_CAP_MAX_LINK_WIDTH is X8, the card wants X4"),
    "narrow straddling": ("zcu106/pcie_block.tcl", r"RC_STRADDLE \{false\}", "RC_STRADDLE {true}", r"RC_STRADDLE is true, the card wants false"),
    "narrow stream": ("pcie_block.toml", "^s_axis_rq_tuser = 62", "s_axis_rq_tuser = 60", r"s_axis_rq_tuser has 60 bits, the card's 62", "zcu106"),
    "narrow lanes": ("zcu106/top.v", r"\[3:0\] pcie_rx_p", "[7:0] pcie_rx_p", r"top.v: .*pcie_rx_p"),
    "narrow pin": ("zcu106/pins.xdc", "PACKAGE_PIN AE2", "PACKAGE_PIN AE4", r"pins.xdc: pcie_rx_p\[0\] is at AE4, in board.toml at AE2"),
    "narrow voltage": ("zcu106/pins.xdc", "LVCMOS33", "LVCMOS18", r"pins.xdc: pcie_reset_n is not LVCMOS33"),
    "narrow tie-off": ("zcu106/top.v", r"^    \.cfg_power_state_change_ack.*\n", "", r"top.v: .*cfg_power_state_change_ack"),
    "another block": (f"{NAME}/pcie_block.tcl", "-name pcie4c_uscale_plus", "-name pcie4_uscale_plus", r"pcie_block.tcl: creates no pcie4c_uscale_plus"),
    "width of the block": (f"{NAME}/pcie_block.tcl", "512_bit", "256_bit", r"pcie_block.tcl: axisten_if_width is 256_bit, the card wants 512_bit"),
    "straddling": (f"{NAME}/pcie_block.tcl", r"RQ_STRADDLE \{true\}", "RQ_STRADDLE {false}", r"RQ_STRADDLE is false, the card wants true"),
    "table of vectors": (f"{NAME}/pcie_block.tcl", "00008000", "00004000", r"PF0_MSIX_CAP_TABLE_OFFSET is 00004000, the card wants 00008000"),
    "size of BAR0": (f"{NAME}/pcie_block.tcl", r"^ *CONFIG.pf0_bar0_size.*\n", "", r"pf0_bar0_size is not set, the card wants 64"),
    "one too many": (f"{NAME}/pcie_block.tcl", r"(CONFIG.pf0_bar0_size)", r"CONFIG.pf1_bar0_size {4} \1", r"sets what the card does not ask for: pf1_bar0_size"),
    "register renamed": ("lane_crossing.tcl", "popCC_ptrToPush", "popCC_pointer", r"lane_crossing.tcl:\d+: lane_crossing.tcl: no register popCC_pointer in card/"),
    "skew lost": ("lane_crossing.tcl", r"buffers_0 1 1", "buffers_0 0 1", r"samples a pointer and has no set_bus_skew"),
    "path lost": ("lane_crossing.tcl", r"^ *constrain_read .*\n", "", r"ram_spinal_port1_reg\[\d+\] is read from another clock and has no set_max_delay"),
    "single bit lost": ("lane_crossing.tcl", r"^ *constrain_path \$crossing handshake_asked.*\n", "", r"handshake_asked_buffercc/buffers_0_reg is read from another clock"),
    "clock counted": ("lane_crossing.tcl", r" -datapath_only", "", r"set_max_delay: without -datapath_only"),
    "limit": ("lane_crossing.tcl", r"min\(", "max(", r"is limited to 4 ns, not 3.333"),
    "own clock": ("lane_crossing.tcl", r"pushCC_pushPtrGray ram_spinal_port1", "popCC_popPtr ram_spinal_port1", r"ram_spinal_port1_reg\[\d+\] is limited from \w+, its own clock"),
    "too much": ("lane_crossing.tcl", r"handshake_asked_buffercc/buffers_0 0 1", "handshake_asked_buffercc/buffers_* 0 1", r"crosses no clock|no register"),
    "reset not replicated": ("lane_crossing.tcl", r"^    replicate .*\n", "", r"handshake_laneReset_reg/Q drives a whole lane, and its MAX_FANOUT_MODE is not CLOCK_REGION"),
    "too few replicas": ("lane_crossing.tcl", r"handshake_laneReset 500", "handshake_laneReset 5000", r"its FORCE_MAX_FANOUT is not 500"),
    "reset renamed": ("lane_crossing.tcl", r"replicate \$crossing handshake_laneReset", "replicate $crossing handshake_reset", r"get_pins: nothing is called card/.*handshake_reset_reg/Q"),
    "image without its part": ("flash.tcl", r"^    exec bootgen .*\n", "", r"flash.tcl: makes no image that the processors start from", "zcu106"),
    "image without a bitstream": ("flash.tcl", r"\$made\.bit\\n", r"\\n", r"flash.tcl: the image is not boot loader, then bitstream", "zcu106"),
    "image of another kind": ("build.tcl", r"^if \{\[dict get \$board boot\].*\n", "", r"build.tcl:\d+: key \"megabytes\" not known", "zcu106"),
    "step left out": ("build.tcl", "^route_design\n", "", r"build.tcl: does 'write_checkpoint .*' where 'route_design' belongs"),
    "timing not looked at": ("build.tcl", r"\$slack < 0", "$slack < -9", r"build.tcl: it comes to write_bitstream before it refuses to"),
    "hold not looked at": ("build.tcl", " min hold", "", r"build.tcl: does 'report_bus_skew .*' where 'get_timing_paths -delay_type min"),
    "skew not looked at": ("build.tcl", r"^if .*Slack \(VIOLATED\).*\n", "", r"build.tcl: it comes to write_bitstream before it refuses to"),
    "skew not reported": ("build.tcl", r"!\[string match \"\*Slack \(MET", '[string match "*Slack (METT', r"build.tcl: it comes to write_bitstream before it refuses to"),
    "timing before it is routed": ("build.tcl", r"^(route_design\n)((?:.|\n)*?)(^foreach(?:.|\n)*?^\}\n)", r"\3\1\2", r"build.tcl: does 'get_timing_paths .*' where 'route_design'"),
    "crossing not limited": ("build.tcl", r"^if \{\[dict get \$board crossings.*\n", "", r"build.tcl:\d+: build.tcl: of the crossings' bus skew nothing is reported"),
    "hierarchy lost": ("build.tcl", "hierarchy none", "hierarchy full", r"build.tcl: does 'synth_design .* full' where"),
    "another top": ("build.tcl", r"-top \$top", "-top card", r"build.tcl: does 'synth_design -top card"),
    "flash image at its beginning": ("build.tcl", r"up \[dict get \$board start\]", "up 0", r"build.tcl: does 'write_cfgmem .* up 0 .*' where 'write_cfgmem .* up 0x01002000"),
    "any part on the cable": ("flash.tcl", r"^if \{\$wired ne .*\n", "", r"flash.tcl: it comes to program_hw_devices before it refuses to"),
    "flash not compared": ("flash.tcl", r"^.*PROGRAM.VERIFY.*\n", "", r"flash.tcl: PROGRAM.VERIFY is not set, not 1"),
    "flash not reached": ("flash.tcl", r"^ +create_hw_bitstream .*\n", "", r"flash.tcl: the device is not made to reach its flash"),
    "bitstream not missed": ("flash.tcl", r"^    if \{!\[file exists \$made.*\n", "", r"flash.tcl: it comes to program_hw_devices|flash.tcl: misses no bitstream"),
    "device of another block": (f"{NAME}/board.toml", '"pcie4c_uscale_plus"', '"pcie4_uscale_plus"', r"board.toml: block pcie4_uscale_plus: xcu50 has pcie4c_uscale_plus"),
    "device unknown": (f"{NAME}/board.toml", "xcu50-", "xcvu9p-", r"board.toml: of the device xcvu9p nothing is known"),
    "region of no die": (f"{NAME}/board.toml", '"SLR0"', '"SLR2"', r"board.toml: region SLR2: xcu50 has SLR0 to SLR1"),
    "region left out": (f"{NAME}/board.toml", "^region.*\n", "", r"board.toml: region: xcu50 has 2 dice"),
    "power of none": (f"{NAME}/board.toml", "^watts = 63", "watts = -63", r"board.toml: watts: -63 is no power"),
    "memory's heat": (f"{NAME}/board.toml", "^hbm_cattrip.*\n", "", r"board.toml: low: hbm_cattrip is missing"),
    "output called as another": (f"{NAME}/board.toml", "^hbm_cattrip", "pcie_reset_n", r"board.toml: low: pcie_reset_n is no name|low: hbm_cattrip is missing"),
    "no reason": (f"{NAME}/board.toml", ', why = "1 tells[^"]*"', "", r"board.toml: low.hbm_cattrip: why is missing"),
    "no voltage": (f"{NAME}/board.toml", '"AW27", standard = "LVCMOS18"', '"AW27", standard = "LVCMOS81"', r"board.toml: AW27: there is no LVCMOS81"),
    "link's field misspelt": (f"{NAME}/board.toml", "^receive", "recieve", r"board.toml: link: receive is missing"),
    "flash's field left out": (f"{NAME}/board.toml", "^megabytes.*\n", "", r"board.toml: flash: megabytes is missing"),
    "flash too small": (f"{NAME}/board.toml", "0x01002000", "0x09002000", r"board.toml: flash.start: 0x09002000 is no sector of 128 MB"),
    "flash of another width": (f"{NAME}/board.toml", '"SPIx4"', '"SPIx8"', r"board.toml: flash.interface: pins.xdc sets the part to SPIx4"),
    "flash of another voltage": (f"{NAME}/board.toml", '"mt25qu01g', '"mt25ql01g', r"board.toml: flash.memory: pins.xdc sets 1.8 V"),
    "flash of another size": (f"{NAME}/board.toml", "^megabytes = 128", "megabytes = 256", r"board.toml: flash.megabytes: mt25qu01g-spi-x1_x2_x4 holds 128, not 256"),
    "flash of another kind": (f"{NAME}/board.toml", "-spi-x1_x2_x4", "-qspi-x4-single", r"board.toml: flash.memory: mt25qu01g-qspi-x4-single is none that a part starts from by SPIx4"),
    "processors' flash of another kind": ("zcu106/board.toml", "-qspi-x8-dual_parallel", "-spi-x1_x2_x4", r"board.toml: flash.memory: mt25qu512-spi-x1_x2_x4 is none that processors start from"),
    "flash at no rate": (f"{NAME}/board.toml", "megahertz = 85.0", "megahertz = 84.0", r"board.toml: flash.megahertz: Vivado has no rate 84.0"),
    "processors that start it": ("zcu106/board.toml", '"zynqmp"', '"zynq"', r"board.toml: flash.boot: xczu7ev starts from zynqmp"),
    "clock in words": (f"{NAME}/board.toml", "300000", '"fast"', r"board.toml: --engine-clock fast: that is no whole number"),
    "number that there is not": ("pcie_block.toml", r"\{BAR0_KILOBYTES\}", "{BAR1_KILOBYTES}", r"pcie_block.toml: parameters: .*BAR1_KILOBYTES"),
    "tied too wide": ("pcie_block.toml", "bits = 3, value = 0", "bits = 3, value = 9", r"pcie_block.toml: cfg_fc_sel: 9 has more than 3 bits"),
    "tied and wired": ("pcie_block.toml", r"^\[tied\].*", "[tied]\\ncfg_flr_done = { bits = 4, value = 0, why = \"\" }", r"pcie_block.toml: cfg_flr_done is wired to the card, and tied"),
    "period of nobody": ("lane_crossing.toml", '"faster"', '"fastest"', r"lane_crossing.toml: the path to \S+: its period is fastest"),
    "path from nowhere": ("lane_crossing.toml", "^from = ", "form = ", r"lane_crossing.toml: the path to \S+: from is missing"),
    "copies for nothing": ("lane_crossing.toml", "loads = 500", "loads = 50000", r"lane_crossing.toml: handshake_laneReset: a copy for each 50000 loads is none"),
    "another register's path": ("lane_crossing.tcl", "fifo pushCC_pushPtrGray pushTo", "fifo pushCC_pushPtr pushTo", r"samples card/\S+/pushCC_pushPtrGray_reg, and is limited from card/\S+/pushCC_pushPtr_reg"),
    "card not reset": (f"{NAME}/top.v", r"!settled\[1\]", "settled[1]", r"top.v: the card does not wait for its clocks"),
    "flip-flop that settles": (f"{NAME}/top.v", r"\(\* ASYNC_REG = \"TRUE\" \*\) ", "", r"top.v: the card does not wait for its clocks"),
    "block's reset": (f"{NAME}/top.v", r"sys_reset\(pcie", "sys_reset(!pcie", r"top.v: pcie: sys_reset is on !pcie_reset_n, not on pcie_reset_n"),
    "clocks exchanged": (f"{NAME}/top.v", r"O\(pcie_clk_gt\), .ODIV2\(pcie_clk\)", "O(pcie_clk), .ODIV2(pcie_clk_gt)", r"top.v: pcie_refclk: O is on pcie_clk, not"),
    "pair exchanged": (f"{NAME}/top.v", r"rxp\(pcie_rx_p\), .pci_exp_rxn\(pcie_rx_n\)", "rxp(pcie_rx_n), .pci_exp_rxn(pcie_rx_p)", r"top.v: pcie: pci_exp_rxn is on pcie_rx_p"),
    "streams exchanged": (f"{NAME}/top.v", r"\.m_axis_cq_tlast\(m_axis_cq_tlast\)", ".m_axis_cq_tlast(m_axis_rc_tlast)", r"top.v: .*m_axis_(cq|rc)_tlast"),
    "tied to another value": (f"{NAME}/top.v", r"cfg_hot_reset_in\(1'd0\)", "cfg_hot_reset_in(1'd1)", r"top.v: pcie: cfg_hot_reset_in is on 1'd1, not on 1'd0"),
    "clock of another rate": (f"{NAME}/top.v", r"MULT_F\(3.750\)", "MULT_F(3.250)", r"top.v: engine_clk has 260000 kHz, the card is made for 300000"),
    "period of the clock's source": (f"{NAME}/top.v", r"PERIOD\(4.0\)", "PERIOD(8.0)", r"top.v: CLKIN1_PERIOD is 8 ns, user_clk's is 4"),
    "not held low": (f"{NAME}/top.v", r"hbm_cattrip = 1'b0", "hbm_cattrip = 1'b1", r"top.v: hbm_cattrip is not held low"),
    "no pull-up": (f"{NAME}/pins.xdc", " PULLUP true", "", r"pins.xdc: pcie_reset_n has no pull-up"),
    "property misspelt": (f"{NAME}/pins.xdc", "SPI_FALL_EDGE", "SPI_FALLING_EDGE", r"pins.xdc: BITSTREAM.CONFIG.SPI_FALLING_EDGE is YES, not to be set"),
    "voltage of the flash": (f"{NAME}/pins.xdc", "CONFIG_VOLTAGE 1.8", "CONFIG_VOLTAGE 3.3", r"pins.xdc: CONFIG_VOLTAGE is 3.3, not 1.8"),
    "no time at all": (f"{NAME}/pins.xdc", r"-from \[get_ports pcie_reset_n\]", "-from [get_clocks user_clk] -to [get_clocks engine_clk]", r"pins.xdc: paths without a time: .*user_clk"),
    "no power budget": (f"{NAME}/pins.xdc", r"^set_operating_conditions.*\n", "", r"pins.xdc: power budget \[\], in board.toml 63"),
    "option of a script": ("build.tcl", "-flatten_hierarchy", "-flatten", r"build.tcl:\d+: synth_design: no option -flatten"),
    "another build's block": ("build.tcl", r"^file delete .*\n", "", r"build.tcl: does not work in a folder of its own"),
    "card of other options": ("build.tcl", r"^if .* ne \[dict get \$board options\].*\n", "", r"build.tcl: it comes to write_bitstream before it refuses to"),
    "another build's folder": ("build.tcl", r"^cd .*\n", "", r"build.tcl: does not work in a folder of its own"),
    "flash not booted": ("flash.tcl", r"boot_hw_device \$device", "", r"flash.tcl: ends with program_hw_cfgmem, not boot_hw_device"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_boards_broken(tree, what):
    file, old, new, said, *board = BROKEN[what]
    tree.change(file, old, new)
    folder = file.partition("/")[0]
    with pytest.raises(BoardError, match=said) as refused:
        tree.run(*board or [folder if folder in boards() else NAME])
    assert "\n" not in str(refused.value)


TABLE = board.table("pcie_block")
SETTINGS = [(NAME, name) for name in (*TABLE["parameters"], *TABLE["64"]["parameters"])] + [("zcu106", name) for name in TABLE["16"]["parameters"]]


@pytest.mark.parametrize("name, what", SETTINGS + [(NAME, what) for what in TABLE["tied"]])
def test_boards_set_the_block(tree, name, what):
    """A table that is wrong makes files that agree with it: each line of it is held against what the card wants, its value and that it is there."""
    text = (tree.folder / "pcie_block.toml").read_text()
    begin = text.index("[16.parameters]") if name == "zcu106" else 0
    line = re.compile(rf"^{what} .*\n", re.M).search(text, begin)[0]
    wrong = re.sub(r"value = (\d)", lambda value: f"value = {1 - int(value[1])}", line) if "value = " in line else re.sub('= ".*?"', '= "other"', line)
    for instead in (wrong, ""):
        (tree.folder / "pcie_block.toml").write_text(text[:begin] + text[begin:].replace(line, instead, 1))
        with pytest.raises(BoardError, match=f"^pcie_block.toml: {what} is .*, the card wants "):
            check.Check(name, tree.folder, NO_DESIGN)


@pytest.mark.parametrize("text", ['[parameters]\npf1_bar0_size = "4"', '[tied]\ncfg_of_no_block = { bits = 1, value = 0, why = "" }'])
def test_boards_set_no_more_of_the_block(tree, text):
    tree.change("pcie_block.toml", "^" + re.escape(text.partition("\n")[0]), text)
    with pytest.raises(BoardError, match=r"^pcie_block.toml: (pf1_bar0_size|cfg_of_no_block) is .*, the card wants none$"):
        check.Check(NAME, tree.folder, NO_DESIGN)


def test_boards_drift(tree):
    """A generated file that was edited, and a table that was not followed."""
    assert generate.drift() == [] == generate.drift(tree.folder)
    tree.change(f"{NAME}/top.v", r"cfg_power_state_change_ack\(1'd1\)", "cfg_power_state_change_ack(1'd0)")
    tree.change("lane_crossing.toml", "skew = true\n", "")
    assert generate.drift(tree.folder) == ["lane_crossing.tcl", f"{NAME}/top.v"]
