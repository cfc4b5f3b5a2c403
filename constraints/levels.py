# SPDX-License-Identifier: Apache-2.0
"""The deepest path between two clocked elements of a mapped netlist; primitives.py defines a level."""
import re
from collections import defaultdict
from dataclasses import dataclass

from netlist import pins, without_index
from primitives import arcs, is_clock, is_clocked, is_memory


@dataclass(frozen=True)
class Step:
    """One bit on a path: the level it arrives at, the cell that drives it, and the pin it came in by."""
    level: int
    bit: int
    cell: str
    kind: str
    pin: str


@dataclass(frozen=True)
class End:
    """Where paths end: a bit at a clocked pin or output port."""
    bit: int
    place: str      # a register's own name with its pin, or the port


class Levels:
    """Depth of every bit of a netlist, and the paths behind it."""

    def __init__(self, netlist):
        self.netlist = netlist
        self.sources = self._sources()
        self.level, self.best = {}, {}
        for bit in self._in_order():
            self.level[bit], self.best[bit] = 0, None
            for source, weight in self.sources.get(bit, ()):
                arrives = self.level[source] + weight
                if self.best[bit] is None or arrives > self.level[bit]:
                    self.level[bit], self.best[bit] = arrives, source
        self.ends = list(self._ends())

    def _sources(self):
        """bit -> [(bit before it in the same cycle, levels paid)]"""
        sources = defaultdict(list)
        for cell in self.netlist.cells.values():
            connections = cell["connections"]
            for (port, i), (output, j) in arcs(cell["type"], connections):
                before, after = connections[port][i], connections[output][j]
                if isinstance(before, int) and isinstance(after, int):
                    sources[after].append((before, self._weight(cell["type"], before)))
        return sources

    def _weight(self, kind, before):
        if kind.startswith("MUXF"):
            return 0
        driver = self.netlist.driver.get(before)
        if kind.startswith("CARRY") and driver and self.netlist.cells[driver[0]]["type"].startswith("CARRY"):
            return 0        # one chain, however many cells
        return 1

    def _in_order(self):
        """Every bit after all bits before it."""
        done, open_bits, order = set(), set(), []
        bits = {bit for cell in self.netlist.cells.values() for ends in cell["connections"].values() for bit in ends}
        bits |= {bit for port in self.netlist.ports.values() for bit in port["bits"]}
        for first in sorted(bit for bit in bits if isinstance(bit, int)):
            stack = [(first, False)]
            while stack:
                bit, complete = stack.pop()
                if complete:
                    open_bits.discard(bit)
                    done.add(bit)
                    order.append(bit)
                elif bit not in done:
                    if bit in open_bits:
                        raise ValueError(f"combinational loop through {self.netlist.name(bit) or 'an unnamed signal'}")
                    open_bits.add(bit)
                    stack.append((bit, True))
                    stack += [(before, False) for before, _ in self.sources.get(bit, ()) if before not in done]
        return order

    def _ends(self):
        for name, cell in self.netlist.cells.items():
            kind = cell["type"]
            if not (is_clocked(kind) or is_memory(kind)):
                continue
            for port, _, bit in pins(cell, "input"):
                if not is_clock(port):      # of a memory the read addresses too: some are its write address
                    yield End(bit, f"{self.register(name)}.{port}")
        for port, description in self.netlist.ports.items():
            if description["direction"] == "output":
                for index, bit in enumerate(description["bits"]):
                    if isinstance(bit, int):
                        yield End(bit, f"{port}[{index}]" if len(description["bits"]) > 1 else port)

    def register(self, cell):
        """What a clocked cell holds, by name: a flip-flop's output signal, a memory's own name."""
        outputs = self.netlist.cells[cell]["connections"].get("Q", ())
        named = [self.netlist.name(bit) for bit in outputs if self.netlist.name(bit)]
        return named[0] if named else "(unnamed)" if cell.startswith("$") else cell

    def worst(self):
        """The deepest level of the netlist."""
        return max((self.level[end.bit] for end in self.ends), default=0)

    def path(self, bit):
        """The deepest path to `bit`, as Steps from its start on."""
        steps = []
        while bit is not None:
            name, port, _ = self.netlist.driver.get(bit, ("", "", 0))
            kind = self.netlist.cells[name]["type"] if name else "port"
            steps.append(Step(self.level[bit], bit, name, kind, port))
            bit = self.best[bit]
        return steps[::-1]

    def start(self, bit):
        """The name of what starts the deepest path to `bit`."""
        first = self.path(bit)[0]
        if first.kind != "port" and (is_clocked(first.kind) or is_memory(first.kind)):
            return self.register(first.cell)
        return self.netlist.name(first.bit) or first.cell

    def groups(self):
        """Ends by signal, deepest first: (level, bits as deep as that, all bits, end signal, one such End)."""
        groups = defaultdict(list)
        for end in self.ends:
            groups[family(end.place)].append(end)
        rows = []
        for place, ends in groups.items():
            level = max(self.level[end.bit] for end in ends)
            deepest = [end for end in ends if self.level[end.bit] == level]
            rows.append((level, len(deepest), len(ends), place, deepest[0]))
        return sorted(rows, key=lambda row: (-row[0], row[3]))


def family(place):
    """Many of a kind under one name: `a_3[7].D` and `a_4[0].D` give `a_*.D`, the cells `m.0.2.WE` of a memory `m.WE`."""
    register, _, pin = place.rpartition(".")
    if not register:
        return without_index(pin)
    register = re.sub(r"\.\d+(\..*)?$", "", without_index(register))
    register = re.sub(r"_\d+(?=_|\.|$)", "_*", register)
    return f"{register}.{pin}"
