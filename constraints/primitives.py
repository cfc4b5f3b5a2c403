# SPDX-License-Identifier: Apache-2.0
"""What the UltraScale+ primitives of a mapped netlist cost, and which of their inputs reach which outputs.

A level is what a signal pays for with general routing: one LUT, one look-up in a LUT used as memory or
shift register, one unregistered DSP, or one whole carry chain. MUXF7/8/9 and the steps from one CARRY cell to
the next use wires inside the slices and cost no level. Everything between two clocked elements counts:
flip-flops (data, enable and reset alike), block RAM, write ports of LUT memory, and the block's own ports.
"""
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Cost:
    """What one cell occupies: LUTs as logic and as memory, flip-flops, 36 Kib block RAMs and so on."""
    logic: int = 0
    memory: int = 0
    flip_flops: int = 0
    block_rams: float = 0
    carries: int = 0
    wide_muxes: int = 0
    dsps: int = 0
    ultra_rams: int = 0


# LUTs that one memory primitive takes.
MEMORY_LUTS = {
    "RAM32M": 4, "RAM64M": 4, "RAM32M16": 8, "RAM64M8": 8, "RAM32X16DR8": 8, "RAM64X8SW": 8,
    "RAM32X1S": 1, "RAM64X1S": 1, "RAM128X1S": 2, "RAM256X1S": 4, "RAM512X1S": 8, "RAM32X2S": 2,
    "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4, "RAM256X1D": 8, "SRL16E": 1, "SRLC32E": 1,
}

COSTS = (
    (r"LUT[1-6]|INV", Cost(logic=1)),
    (r"MUXF[789]", Cost(wide_muxes=1)),
    (r"CARRY[48]", Cost(carries=1)),
    (r"FD[RSCP]E", Cost(flip_flops=1)),
    (r"RAMB18E2", Cost(block_rams=0.5)),
    (r"RAMB36E2", Cost(block_rams=1)),
    (r"URAM288(_BASE)?", Cost(ultra_rams=1)),
    (r"DSP48E2", Cost(dsps=1)),
    (r"VCC|GND|\$scopeinfo", Cost()),
)


class UnknownPrimitive(Exception):
    """The mapping uses a cell that this file does not know."""


def cost(kind):
    """The Cost of a cell of this type."""
    if kind in MEMORY_LUTS:
        return Cost(memory=MEMORY_LUTS[kind])
    for pattern, known in COSTS:
        if re.fullmatch(pattern, kind):
            return known
    raise UnknownPrimitive(f"the mapping uses {kind}: say in constraints/primitives.py what it costs and how signals pass it")


def is_clocked(kind):
    """True when every input ends and every output starts a path."""
    return bool(re.fullmatch(r"FD[RSCP]E|RAMB\d+E2|URAM288.*", kind))


def is_memory(kind):
    """True for LUT memory: read addresses pass through, everything else ends a path."""
    return kind in MEMORY_LUTS


def is_clock(port):
    return bool(re.fullmatch(r"C|WCLK|CLK\w*", port))


def arcs(kind, connections):
    """The pairs (input, output) that a signal passes within one cell, each as (port, index)."""
    if is_clocked(kind):
        return
    if kind.startswith("CARRY"):
        yield from carry_arcs(connections)
        return
    for source in connections:
        for sink in connections:
            if passes(kind, source, sink):
                for i in range(len(connections[source])):
                    for j in range(len(connections[sink])):
                        yield (source, i), (sink, j)


def passes(kind, source, sink):
    """Whether a signal at input port `source` is seen at output port `sink` in the same cycle."""
    if kind.startswith("LUT") or kind == "INV":
        return source.startswith("I") and sink == "O"
    if kind.startswith("MUXF"):
        return source in ("I0", "I1", "S") and sink == "O"
    if kind == "DSP48E2":
        return not is_clock(source) and source != "P" and sink == "P"
    if re.fullmatch(r"RAM\d+M\d*", kind):           # a port for each letter: ADDRA gives DOA
        return source.startswith("ADDR") and sink == "DO" + source[4:]
    if re.fullmatch(r"RAM\d+X1D", kind):
        return (source.startswith("DPRA") and sink == "DPO") or (re.fullmatch(r"A\d*", source) and sink == "SPO")
    if is_memory(kind):
        return bool(re.fullmatch(r"A\d*|ADDR\w*", source)) and sink in ("O", "O0", "O1", "Q", "DO")
    return False


def carry_arcs(connections):
    """S and DI of one bit reach that bit and those above it; S alone reaches its own sum."""
    width = len(connections["S"])
    for output in ("O", "CO"):
        for j in range(len(connections.get(output, ()))):
            for port in ("CI", "CYINIT", "CI_TOP"):
                if port in connections and (port != "CI_TOP" or j >= 4):
                    yield (port, 0), (output, j)
            for i in range(min(j + 1, width)):
                yield ("S", i), (output, j)
                if output == "CO" or i < j:
                    yield ("DI", i), (output, j)
