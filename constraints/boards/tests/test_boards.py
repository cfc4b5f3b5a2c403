# SPDX-License-Identifier: Apache-2.0
"""The boards' files hold together, and a file broken in any way is refused with one line that says which and how."""
import re
import shutil
import sys
from pathlib import Path

import pytest

BOARDS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(BOARDS))

import check
import generate
from board import Board, BoardError, boards
from cells import cells, modules

NAME = "alveo-u50"
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
    for name in boards():
        (tmp_path / "build/boards" / name).mkdir(parents=True)
        (tmp_path / "build/boards" / name / "card.v").touch()

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


def test_boards_other_cards(tree):
    """A board without a clock of the engines' own, and one with more queues, follow from board.toml alone."""
    tree.change(f"{NAME}/board.toml", r'options = .*', 'options = ["--queues", 15]')
    tree.regenerate()
    top, block = ((tree.folder / NAME / name).read_text() for name in ("top.v", "pcie_block.tcl"))
    assert "engine_clk" not in top and "PF0_MSIX_CAP_TABLE_SIZE {00F}" in block
    assert "crossings {0}" in (tree.folder / NAME / "board.tcl").read_text()


BROKEN = {  # what: file, what stands there, what instead, what is said; of which board, if the file is of all
    "pin twice": (f"{NAME}/board.toml", '"AM4"', '"AL2"', r"board.toml: pin AL2 is given to pcie_rx_p\[0\] and to pcie_rx_p\[1\]"),
    "lane lost": (f"{NAME}/board.toml", '"AL2", ', "", r"board.toml: pcie_rx has 15 lanes: the card's 64-byte interface is for 16"),
    "no pin": (f"{NAME}/board.toml", '"AM4"', '"ZZZ4"', r"board.toml: ZZZ4 is not the first pin of a pair"),
    "engines too many": (f"{NAME}/board.toml", '"--compressors", 3', '"--compressors", 8', r"board.toml: the card has some \d+ LUTs, SLR0 takes 261600"),
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
    "image without a bitstream": ("flash.tcl", r"\$made\.bit\\n", r"\\n", r"flash.tcl: the image lacks bitstream or boot loader", "zcu106"),
    "image of another kind": ("build.tcl", r"^if \{\[dict get \$board boot\].*\n", "", r"build.tcl:\d+: key \"megabytes\" not known", "zcu106"),
    "step left out": ("build.tcl", "^route_design\n", "", r"build.tcl: its steps are "),
    "timing not looked at": ("build.tcl", r"\$slack < 0", "$slack < -9", r"build.tcl: writes a bitstream that misses its timing"),
    "option of a script": ("build.tcl", "-flatten_hierarchy", "-flatten", r"build.tcl:\d+: synth_design: no option -flatten"),
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


def test_boards_drift(tree):
    """A generated file that was edited, and a table that was not followed."""
    assert generate.drift() == [] == generate.drift(tree.folder)
    tree.change(f"{NAME}/top.v", r"cfg_power_state_change_ack\(1'd1\)", "cfg_power_state_change_ack(1'd0)")
    tree.change("lane_crossing.toml", "skew = true\n", "")
    assert generate.drift(tree.folder) == ["lane_crossing.tcl", f"{NAME}/top.v"]
