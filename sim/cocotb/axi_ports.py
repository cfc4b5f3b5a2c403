# SPDX-License-Identifier: Apache-2.0
"""Every AXI port of a block's Verilog gets the assertions of axi_rules/: `bindings(text)` is the Verilog that binds them.

A port is what has a signal `<prefix>_awvalid`: with `_awlen` AXI4, without AXI4-Lite. A module whose `awvalid` is an output is the
manager, and held to its promises.
"""
import re
from pathlib import Path

RULES = sorted((Path(__file__).parent / "axi_rules").glob("*.sv"))
MODULE = re.compile(r"^module (\w+)\s*\(.*?^endmodule", re.M | re.S)
PORT = re.compile(r"^\s*(input|output)\s+(?:wire\s+|reg\s+)?(?:\[(\d+):0\]\s*)?(\w+)\s*[,;]?$", re.M)
ENGINE = re.compile(r"^\s+(?:Dec|C)ompressUnit\w* \w+ \(", re.M)
# A part of a module, its AXI ports with it, may begin anew by itself: SpinalHDL's name for the reset of a ResetArea, which yosys keeps.
RESET_OF_PART = re.compile(r"^\s+assign (\w+_newReset) = ", re.M)
CLOCK = re.compile(r"always @\(posedge (\w+)\)(?: begin)?\s+if ?\((!?\w+)\)")

# What rtl/README.md promises of the manager m_axi, in bytes; `dma/StreamWriter` remembers 16 bursts an id.
PROMISES = {"READ_BLOCK": 512, "WRITE_BLOCK": 256, "MOST_READ_BYTES": 8192, "MOST_WRITES": 16, "OWN_MANAGER": 1}
FIELDS = {"aw": ("addr", "id", "len", "size", "burst", "cache", "prot"), "w": ("data", "strb", "last"), "b": ("id", "resp"),
          "ar": ("addr", "id", "len", "size", "burst", "cache", "prot"), "r": ("data", "id", "resp", "last")}


def bindings(text):
    """Verilog that binds a checker to each AXI port of the modules in `text`; empty when there is none."""
    return "".join(bind_port(module, prefix, ports, clock)
                   for module in MODULE.finditer(text)
                   for ports in [{name: (kind, int(high or 0) + 1) for kind, high, name in PORT.findall(module[0])}]
                   for prefix in [name.removesuffix("_awvalid") for name in ports if name.endswith("_awvalid")]
                   # A module without registers passes on the clock and reset of those inside, by the same names.
                   for clock in [clock_of(module[0], ports) or clock_of(text, {})])


def clock_of(text, ports):
    """(clock, reset) of the registers in `text`, or None; `ports` are those of the module it is."""
    if "clk" in ports and {"reset", "resetn"} & set(ports):
        reset = "reset" if "reset" in ports else "!resetn"
        return "clk && clk_enable" if "clk_enable" in ports else "clk", found[1] if (found := RESET_OF_PART.search(text)) else reset
    return (found := CLOCK.search(text)) and found.groups()


def bind_port(module, prefix, ports, clock):
    """One `bind`. `ports`: {name: (direction, bits)} of the module; `module`: a match of MODULE, `clock`: names of clock and reset."""
    is_lite = f"{prefix}_awlen" not in ports
    parameters = {"DATA_BITS": ports[f"{prefix}_wdata"][1]}
    if is_lite:
        parameters["ADDRESS_BITS"] = ports[f"{prefix}_awaddr"][1]
    else:
        parameters["ID_BITS"] = ports[f"{prefix}_awid"][1]
        if ports[f"{prefix}_awvalid"][0] == "output":
            parameters |= PROMISES
        if engines := len(ENGINE.findall(module[0])):
            parameters["IDS"] = 1 + engines
    signals = [channel + field for channel, fields in FIELDS.items() for field in ("valid", "ready", *fields)]
    connections = [f".clk({clock[0]})", f".reset({clock[1]})"]
    connections += [f".{signal}({prefix}_{signal})" for signal in signals if f"{prefix}_{signal}" in ports]
    given = ", ".join(f".{name}({value})" for name, value in parameters.items())
    return f"bind {module[1]} axi4{'_lite' * is_lite}_rules #({given}) {prefix}_rules ({', '.join(connections)});\n"
