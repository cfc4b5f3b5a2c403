# SPDX-License-Identifier: Apache-2.0
"""Ports, registers and their clocks in Verilog as SpinalHDL writes it, by the names that Vivado gives them."""
import re
from dataclasses import dataclass, field

MODULE = re.compile(r"^module (\w+) \((.*?)^\);(.*?)^endmodule", re.S | re.M)
PORT = re.compile(r"(input|output)\s+(?:wire|reg)?\s*(?:\[(\d+):0\])?\s*(\w+)")
INSTANCE_BEGINS = re.compile(r"^  (?:\(\* .*? \*\) )?(\w+) (?:#\(.*\) )?(\w+) \($")
ALIAS = re.compile(r"^  assign (\w+) = (\w+);$")
WIRED = re.compile(r"^    \.(\w+)\s*\(\s*(\w+)")
REGISTER = re.compile(r"^  (?:\(\*.*?\*\) )?reg\s+(?:\[(\d+):0\])?\s*(\w+)\b[^\[]*;")
ALWAYS_BEGINS = re.compile(r"^  always @\(posedge (\w+)\) begin$")
ASSIGNED = re.compile(r"^\s+(\w+)(?:\[.*\])? <=")


@dataclass
class Module:
    ports: dict = field(default_factory=dict)      # name → (direction, bits)
    registers: dict = field(default_factory=dict)  # name → (bits or None, clock)
    instances: list = field(default_factory=list)  # (module, name, {port: signal})
    aliases: dict = field(default_factory=dict)    # signal → the one whose other name it is


def modules(text):
    return {name: module(heading, body) for name, heading, body in MODULE.findall(text)}


def module(heading, body):
    widths, clocks, instances, aliases, clock, wires = {}, {}, [], {}, None, None
    for line in body.splitlines():
        if wires is not None:
            if match := WIRED.match(line):
                wires[match[1]] = match[2]
            elif line == "  );":
                wires = None
        elif clock:
            if match := ASSIGNED.match(line):
                clocks[match[1]] = clock
            elif line == "  end":
                clock = None
        elif match := ALWAYS_BEGINS.match(line):
            clock = match[1]
        elif match := REGISTER.match(line):
            widths[match[2]] = int(match[1]) + 1 if match[1] else None
        elif match := ALIAS.match(line):
            aliases[match[1]] = match[2]
        elif match := INSTANCE_BEGINS.match(line):
            wires = {}
            instances.append((match[1], match[2], wires))
    return Module({port: (direction, int(high or 0) + 1) for direction, high, port in PORT.findall(heading)},
                  {name: (bits, clocks[name]) for name, bits in widths.items() if name in clocks}, instances, aliases)


def cells(known, kind, path, clocks):
    """(name, module's name or "" of a register, its clock) of all below an instance; `clocks`: signal of its module → clock."""
    for register, (bits, clock) in known[kind].registers.items():
        if clock in clocks:
            for index in range(bits) if bits else [None]:
                yield f"{path}/{register}_reg" + ("" if index is None else f"[{index}]"), "", clocks[clock]
    for inner, name, wires in known[kind].instances:
        yield f"{path}/{name}", inner, ""
        if inner in known:
            yield from cells(known, inner, f"{path}/{name}", {port: clocks[signal] for port, signal in wires.items() if signal in clocks})


def sampled_from(known, kind, path):
    """(synchroniser, the register that it samples) of each below an instance, both by name."""
    for inner, name, wires in known[kind].instances:
        if name.endswith("_buffercc") and "io_dataIn" in wires:
            source = wires["io_dataIn"]
            while source in known[kind].aliases:
                source = known[kind].aliases[source]
            yield f"{path}/{name}", f"{path}/{source}_reg"
        if inner in known:
            yield from sampled_from(known, inner, f"{path}/{name}")
