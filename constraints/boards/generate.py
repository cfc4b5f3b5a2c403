#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write what follows from the tables: lane_crossing.tcl, and of each board top.v, pins.xdc, pcie_block.tcl and board.tcl; pins.lpf of a board in open/.

usage: generate.py [--check]     --check: write nothing; exit 1 and name each file that differs
"""
import sys

from board import HERE, QUEUES, Board, BoardError, boards, interface, parameters, ports, table
from open_board import OpenBoard, open_boards

import command_line  # by the path that `board` has set

MADE = "Made by constraints/boards/generate.py. Do not edit: change the TOML files there and run it again. Not run in Vivado."

TOP = """\
// SPDX-License-Identifier: Apache-2.0
// {made}
// {name}: the card behind the part's PCIe block, alone in its device.
`default_nettype none

module {top} (
  input  wire        pcie_refclk_p, pcie_refclk_n, // 100 MHz of the slot
  input  wire        pcie_reset_n,
  input  wire [{last}:0] pcie_rx_p, pcie_rx_n,
  output wire [{last}:0] pcie_tx_p, pcie_tx_n{low_ports}
);
{low}
  wire pcie_clk, pcie_clk_gt, user_clk, user_reset;
  IBUFDS_GTE4 #(.REFCLK_HROW_CK_SEL(2'b00)) pcie_refclk (
    .I(pcie_refclk_p), .IB(pcie_refclk_n), .CEB(1'b0), .O(pcie_clk_gt), .ODIV2(pcie_clk)
  );
{clock}
{wires}

  {block}_0 pcie (
    .sys_clk(pcie_clk), .sys_clk_gt(pcie_clk_gt), .sys_reset(pcie_reset_n), // active-low, whatever its name
    .pci_exp_rxp(pcie_rx_p), .pci_exp_rxn(pcie_rx_n), .pci_exp_txp(pcie_tx_p), .pci_exp_txn(pcie_tx_n),
    .user_clk(user_clk), .user_reset(user_reset),
{ties}
{block_ports}
  );

  card card (
{card_ports},
    .clk(user_clk), .reset({reset}){engine_port}
  );
endmodule
`default_nettype wire
"""

ENGINE_CLOCK = """
  // The engines' clock, {multiplier:g} / {divider:g} of user_clk. The card waits until it is there.
  wire engine_clk, engine_clk_made, feedback, locked;
  MMCME4_BASE #(.CLKIN1_PERIOD(4.0), .CLKFBOUT_MULT_F({multiplier:.3f}), .CLKOUT0_DIVIDE_F({divider:.3f})) engine_clock (
    .CLKIN1(user_clk), .RST(user_reset), .PWRDWN(1'b0), .CLKFBIN(feedback), .CLKFBOUT(feedback), .CLKOUT0(engine_clk_made), .LOCKED(locked)
  );
  BUFG engine_clock_buffer (.I(engine_clk_made), .O(engine_clk));
  (* ASYNC_REG = "TRUE" *) reg [1:0] settled;
  reg card_reset;
  initial settled = 2'b00;
  initial card_reset = 1'b1;
  always @(posedge user_clk) begin
    settled <= {{settled[0], locked}};
    card_reset <= user_reset || !settled[1];
  end
"""

PINS = """\
# SPDX-License-Identifier: Apache-2.0
# {made}
# {name}
{pins}
create_clock -name pcie_refclk -period 10.000 [get_ports pcie_refclk_p]
set_false_path -from [get_ports pcie_reset_n]
{settled}{low}{region}
{configured}set_property BITSTREAM.GENERAL.COMPRESS TRUE [current_design]
set_property BITSTREAM.CONFIG.UNUSEDPIN PULLUP [current_design]
{power}"""

FROM_FLASH = """\
set_property CONFIG_MODE SPIx4 [current_design]
set_property CONFIG_VOLTAGE 1.8 [current_design]
set_property CFGBVS GND [current_design]
set_property BITSTREAM.CONFIG.SPI_BUSWIDTH 4 [current_design]
set_property BITSTREAM.CONFIG.SPI_32BIT_ADDR YES [current_design]
set_property BITSTREAM.CONFIG.SPI_FALL_EDGE YES [current_design]
set_property BITSTREAM.CONFIG.CONFIGRATE {megahertz} [current_design]
set_property BITSTREAM.CONFIG.CONFIGFALLBACK ENABLE [current_design]
"""

BLOCK = """\
# SPDX-License-Identifier: Apache-2.0
# {made}
create_ip -name {block} -vendor xilinx.com -library ip -module_name {block}_0
set_property -dict [list \\
{properties}
] [get_ips {block}_0]
"""

BOARD = """\
# SPDX-License-Identifier: Apache-2.0
# {made}
# What build.tcl and flash.tcl want to know of this board.
set board [dict create \\
{entries}
]
"""

CROSSING = """\
# SPDX-License-Identifier: Apache-2.0
# {made}
# Constrains the crossing between clk and engine_clk in every instance of lane_crossing, also of cores with names of their own; for the synthesised design (build.tcl).
# Source it in a project that takes core.v or card.v in, too: it finds the instances wherever they are.

# The registers of one name in a cell.
proc registers_of {{cell name}} {{
    set found [get_cells -quiet $cell/${{name}}_reg*]
    if {{[llength $found] == 0}} {{ error "lane_crossing.tcl: no register $name in $cell" }}
    return $found
}}

proc clock_of {{cell name}} {{ return [get_clocks -of_objects [registers_of $cell $name]] }}
proc period_of {{cell name}} {{ return [get_property -min PERIOD [clock_of $cell $name]] }}

# Limits a path by the period of the reader's clock, or of the faster one.
proc constrain_path {{cell from to skew faster}} {{
    set limit [period_of $cell $to]
    if {{$faster}} {{ set limit [expr {{min($limit, [period_of $cell $from])}}] }}
    if {{$skew}} {{ set_bus_skew -from [registers_of $cell $from] -to [registers_of $cell $to] $limit }}
    set_max_delay -datapath_only -from [registers_of $cell $from] -to [registers_of $cell $to] $limit
}}

# Limits all that comes from the clock of `writer` to the registers `to`.
proc constrain_read {{cell writer to}} {{
    set_max_delay -datapath_only -from [clock_of $cell $writer] -to [registers_of $cell $to] [period_of $cell $to]
}}

# Has the placer copy a register for each clock region, and again for every `loads` of what is left.
proc replicate {{cell name loads}} {{
    set net [get_nets -of_objects [get_pins $cell/${{name}}_reg/Q]]
    set_property MAX_FANOUT_MODE CLOCK_REGION $net
    set_property FORCE_MAX_FANOUT $loads $net
}}

proc constrain_crossing {{crossing}} {{
    foreach fifo [get_cells $crossing/{fifo}] {{
{of_fifo}
    }}
{of_crossing}
{replicated}
}}

set crossings [get_cells -quiet -hierarchical -filter {{REF_NAME =~ *lane_crossing* || ORIG_REF_NAME =~ *lane_crossing*}}]
if {{[llength $crossings] == 0}} {{ error "lane_crossing.tcl: there is no instance of lane_crossing: was the hierarchy flattened?" }}
foreach crossing $crossings {{ constrain_crossing $crossing }}
"""


def columns(words, indent, width=140):
    """`words` separated by commas, in lines of at most `width`."""
    lines = [" " * indent]
    for index, word in enumerate(words):
        text = word + ("," if index + 1 < len(words) else "")
        if len(lines[-1]) + len(text) > width:
            lines.append(" " * indent)
        lines[-1] += (" " if lines[-1].strip() else "") + text
    return "\n".join(lines)


def top(board, shared):
    low = board.entry["low"]
    wired = ports(shared, board.bytes)
    names = list(wired)
    clock, reset, engine = "", "user_reset", ""
    if board.engine_clock:
        multiplier, divider = board.clock_ratio()
        clock, reset, engine = ENGINE_CLOCK.format(multiplier=multiplier, divider=divider), "card_reset", ", .engine_clk(engine_clk)"
    return TOP.format(
        made=MADE, name=board.entry["name"], top=board.top, last=board.lanes - 1, block=board.entry["block"], clock=clock, reset=reset, engine_port=engine,
        low_ports="".join(f",\n  output wire        {port}" for port in low),
        low="".join(f"\n  assign {port} = 1'b0; // {output['why']}\n" for port, output in low.items()),
        wires="\n".join(f"  wire {f'[{bits - 1}:0] ' if bits > 1 else ''}{name};" for name, bits in wired.items()),
        ties="\n".join(f"    .{name}({port['bits']}'d{port['value']}), // {port['why']}" for name, port in shared["tied"].items()),
        block_ports=columns([f".{name}({name})" for name in names], 4), card_ports=columns([f".{name}({name})" for name in names], 4))


def pins(board):
    lines = []
    for port, (pin, standard) in board.pins.items():
        pull = " PULLUP true" if port == "pcie_reset_n" else ""
        lines.append(f"set_property -dict {{PACKAGE_PIN {pin}{f' IOSTANDARD {standard}' if standard else ''}{pull}}} [get_ports {{{port}}}]")
    watts = board.entry.get("watts")
    return PINS.format(
        made=MADE, name=board.entry["name"], pins="\n".join(lines),
        configured="" if board.boots else FROM_FLASH.format(megahertz=f"{board.entry['flash']['megahertz']:.1f}"),
        region=f"set_property USER_SLR_ASSIGNMENT {board.entry['region']} [get_cells {{card}}]\n" if "region" in board.entry else "",
        settled="set_false_path -to [get_cells {settled_reg[0]}]\n" if board.engine_clock else "",
        low="".join(f"set_false_path -to [get_ports {port}]\n" for port in board.entry["low"]),
        power=f"set_operating_conditions -design_power_budget {watts}\n" if watts else "")


def vectors(board):
    return 1 + board.option("--queues", QUEUES)


def block(board, folder):
    wanted = parameters(vectors(board), board.bytes, folder)
    return BLOCK.format(made=MADE, block=board.entry["block"],
                        properties="\n".join(f"    CONFIG.{name} {{{value}}} \\" for name, value in wanted.items()))


def described(board):
    flash = board.entry["flash"]
    entries = {"name": board.name, "part": board.entry["part"], "on_cable": board.entry["on_cable"], "top": board.top, "block": f"{board.entry['block']}_0",
               "options": " ".join(board.options), "crossings": int(board.engine_clock != 0), "memory": flash["memory"], "boot": board.boots}
    if not board.boots:
        entries |= {"megabytes": flash["megabytes"], "interface": flash["interface"], "start": f"0x{flash['start']:08x}"}
    return BOARD.format(made=MADE, entries="\n".join(f"    {name} {{{value}}} \\" for name, value in entries.items()))


def crossing(folder):
    shared = table("lane_crossing", folder)

    def line(path, cell):
        if "from_clock_of" in path:
            return f"constrain_read ${cell} {path['from_clock_of']} {path['to']} ;# {path['why']}"
        return f"constrain_path ${cell} {path['from']} {path['to']} {int(path.get('skew', False))} {int(path['period'] == 'faster')} ;# {path['why']}"
    return CROSSING.format(
        made=MADE, fifo=shared["fifo"],
        of_fifo="\n".join("        " + line(path, "fifo") for path in shared["path"] if path.get("fifo")),
        of_crossing="\n".join("    " + line(path, "crossing") for path in shared["path"] if not path.get("fifo")),
        replicated="\n".join(f"    replicate $crossing {one['register']} {one['loads']} ;# {one['why']}" for one in shared["replicated"]))


def files(folder=HERE):
    """All that follows from the tables: path below `folder` → text."""
    shared = table("pcie_block", folder)
    made = {"lane_crossing.tcl": crossing(folder)}
    for name in boards(folder):
        board = Board(name, folder)
        made |= {f"{name}/top.v": top(board, shared), f"{name}/pins.xdc": pins(board), f"{name}/pcie_block.tcl": block(board, folder),
                 f"{name}/board.tcl": described(board)}
    return made | {f"open/{name}/pins.lpf": OpenBoard(name, folder).constraints() for name in open_boards(folder)}


def drift(folder=HERE):
    """Files that are not as the tables say."""
    return [name for name, text in files(folder).items() if not (folder / name).exists() or (folder / name).read_text() != text]


def main(words):
    command_line.only(words, ["--check"])
    try:
        different = drift()
        if words and different:
            print(f"generate.py: {', '.join(different)} differ from the tables; run: constraints/boards/generate.py", file=sys.stderr)
            return 1
        for name in different:
            (HERE / name).write_text(files()[name])
    except BoardError as error:
        print(f"generate.py: {error}", file=sys.stderr)
        return 1
    print(f"boards: interface {interface.VERSION_MAJOR}.{interface.VERSION_MINOR}: {len(different)} files {'differ' if words else 'written'}")
    return 0


if __name__ == "__main__":
    command_line.main("generate.py", main, sys.argv[1:], __doc__)
