# SPDX-License-Identifier: Apache-2.0
"""One module of a netlist that yosys wrote as JSON: its cells, its ports and the names its bits have in the
Verilog, which are the Scala names. A bit is an int; constants are left out."""
import json
import re
from collections import Counter, defaultdict
from dataclasses import fields

from primitives import Cost, cost, is_clock


# What yosys calls signals that have no name of their own, after the cells around them.
MADE_UP = re.compile(r"_(LUT[1-6]|INV|CARRY[48]|MUXF[789]|PFUMX|L6MUX21|CCU2C|TRELLIS_FF|TRELLIS_DPR16X4|DP16KD|FD[RSCP]E)_|\.\d+_[A-Z]+(_\d+)?$")

RUNS_SHOWN = 4


class Netlist:
    """Cells by name, each {type, connections: {port: [bit]}, port_directions}; names and drivers of bits."""

    def __init__(self, module):
        self.ports = module["ports"]
        self.cells = {name: cell for name, cell in module["cells"].items() if cell["type"] != "$scopeinfo"}
        self.names = best_names(module["netnames"])
        self.driver, self.fan_out = {}, Counter()
        for name, cell in self.cells.items():
            for port, index, bit in pins(cell, "output"):
                self.driver[bit] = (name, port, index)
            for _, _, bit in pins(cell, "input"):
                self.fan_out[bit] += 1

    @classmethod
    def load(cls, path, top):
        with open(path) as file:
            return cls(json.load(file)["modules"][top])

    def loads(self):
        """(pins it goes to, name, whether a LUT drives it) of each signal that drives more than one, most first; clocks are left out."""
        counts = Counter(bit for cell in self.cells.values() for port, _, bit in pins(cell, "input") if not is_clock(port))
        for bit, count in counts.most_common():
            driver = self.driver.get(bit)
            yield count, self.name(bit), bool(driver) and self.cells[driver[0]]["type"].startswith("LUT")

    def name(self, bit):
        """`instance.signal[index]`, or "" for a bit that only the mapping knows."""
        return self.names.get(bit, "")

    def area(self):
        """Total of every field of Cost, as a dict."""
        total = defaultdict(float)
        for kind, count in Counter(cell["type"] for cell in self.cells.values()).items():
            for field in fields(Cost):
                total[field.name] += count * getattr(cost(kind), field.name)
        return {field.name: total[field.name] for field in fields(Cost)}


def pins(cell, direction):
    """Every (port, index, bit) of a cell in that direction, without constants."""
    for port, bits in cell["connections"].items():
        if cell["port_directions"][port] == direction:
            for index, bit in enumerate(bits):
                if isinstance(bit, int):
                    yield port, index, bit


def best_names(netnames):
    """The most telling name of each bit: a signal somebody named, no port of an inner block, the shortest."""
    found = {}
    for name, net in netnames.items():
        if net.get("hide_name") or MADE_UP.search(name):
            continue
        signal = name.rsplit(".", 1)[-1]
        rank = ("_zz_" in signal, "." in name and signal.startswith("io_"), len(name), name)
        offset, width = net.get("offset", 0), len(net["bits"])
        for index, bit in enumerate(net["bits"]):
            if isinstance(bit, int) and (bit not in found or rank < found[bit][0]):
                found[bit] = (rank, f"{name}[{index + offset}]" if width > 1 else name)
    return {bit: name for bit, (_, name) in found.items()}


def without_index(name):
    """The signal of a bit's name: `a.b[3]` gives `a.b`."""
    return re.sub(r"\[\d+\]$", "", name)


def collapse(names):
    """Bits as signals: a[0], a[1], a[3], b gives `a[3,1:0] b`; names of the mapping ("") are left out."""
    bits = defaultdict(set)
    for name in names:
        if name:
            index = re.search(r"\[(\d+)\]$", name)
            bits[without_index(name)].add(int(index[1]) if index else None)
    return " ".join(name if None in indices else f"{name}[{ranges(indices)}]" for name, indices in sorted(bits.items()))


def ranges(indices):
    """{0, 1, 3} as `3,1:0`; of many runs only the ends, as `90..2`."""
    runs = []
    for index in sorted(indices, reverse=True):
        if runs and runs[-1][1] == index + 1:
            runs[-1][1] = index
        else:
            runs.append([index, index])
    if len(runs) > RUNS_SHOWN:
        return f"{runs[0][0]}..{runs[-1][1]}"       # some of them
    return ",".join(str(high) if high == low else f"{high}:{low}" for high, low in runs)
