# SPDX-License-Identifier: Apache-2.0
"""Verilog around a block that has more ports than a chip has pins: every input comes from a register of a shift
chain, every output goes to a register, and those are folded into one pin. All of its clocks are one. So each path of the block runs from
register to register, the harness's own paths are one LUT deep, and no logic of the block can be removed."""
import re

CLOCK = "clk"
OTHER_CLOCK = re.compile(r"\w+_clk")  # ticks with it: what passes between the two counts, too
TOP = "synth_harness"


def harness(block, ports):
    """`ports` as yosys writes them: {name: {"direction", "bits"}}."""
    clocks = [name for name in ports if name == CLOCK or OTHER_CLOCK.fullmatch(name)]
    inputs = [(name, len(port["bits"])) for name, port in ports.items() if port["direction"] == "input" and name not in clocks]
    outputs = [(name, len(port["bits"])) for name, port in ports.items() if port["direction"] == "output"]
    drive, drive_width = connect("drive", inputs)
    seen, seen_width = connect("seen", outputs)
    connections = ",\n".join([*(f"    .{name}({CLOCK})" for name in clocks), *drive, *seen])
    return f"""module {TOP} (input {CLOCK}, input serial_in, output reg serial_out);
  reg [{drive_width}:0] drive;
  reg [{seen_width - 1}:0] captured;
  reg [{seen_width}:0] folded;
  wire [{seen_width - 1}:0] seen;

  always @(posedge {CLOCK}) begin
    drive <= {{drive[{drive_width - 1}:0], serial_in}};
    captured <= seen;
    folded <= {{folded[{seen_width - 1}:0], 1'b0}} ^ {{1'b0, captured}};
    serial_out <= folded[{seen_width}];
  end

  {block} block (
{connections}
  );
endmodule
"""


def connect(vector, ports):
    """Give each port its slice of `vector`; return the connections and the bits used."""
    lines, low = [], 0
    for name, width in ports:
        lines.append(f"    .{name}({vector}[{low + width - 1}:{low}])")
        low += width
    return lines, low


def replace_by_shell(module, verilog):
    """The text `verilog` with a stand-in for one module: its inputs end in registers and its outputs come from registers, as
    in the harness. What surrounds the module keeps all of its logic; the module's own is left out."""
    found = re.search(rf"^module {module} \(\n(.*?)^\);$.*?^endmodule$", verilog, re.MULTILINE | re.DOTALL)
    if not found:
        raise ValueError(f"no module {module} to leave out")
    return verilog[:found.start()] + shell(module, found[1]) + verilog[found.end():]


def shell(module, header):
    """A module with the ports that `header` declares, one a line."""
    ports = {"input": [], "output": []}
    for way, high, name in re.findall(r"^ *(input|output) +(?:wire|reg) +(?:\[(\d+):0\])? *(\w+),?$", header, re.MULTILINE):
        if name != CLOCK:
            ports[way].append((name, int(high or 0) + 1))
    taken, given = (sum(width for _, width in ports[way]) for way in ("input", "output"))
    names = ", ".join(name for name, _ in reversed(ports["input"]))
    assigns, low = [], 0
    for name, width in ports["output"]:
        assigns.append(f"  assign {name} = drive[{low + width - 1}:{low}];")
        low += width
    declared = [f"  {way} [{width - 1}:0] {name}" for way, entries in ports.items() for name, width in entries]
    header, body = ",\n".join([f"  input {CLOCK}", *declared]), "\n".join(assigns)
    return f"""module {module} (
{header}
);
  reg [{taken - 1}:0] captured;
  reg [{taken}:0] folded;
  reg [{given}:0] drive;

  always @(posedge {CLOCK}) begin
    captured <= {{{names}}};
    folded <= {{folded[{taken - 1}:0], 1'b0}} ^ {{1'b0, captured}};
    drive <= {{drive[{given - 1}:0], folded[{taken}]}};
  end

{body}
endmodule
"""
