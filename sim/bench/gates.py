# SPDX-License-Identifier: Apache-2.0
"""A netlist that `make synth` mapped to UltraScale+: what each net and pin of it is, and the same for verilator/gate_bench, which runs it.

A bit of the netlist is an int, as yosys numbers it, from 2 on, or a constant, a string.
"""
import json
import re
from collections import Counter
from graphlib import TopologicalSorter

from . import Trouble

CLOCK = "clk"  # the port; its net is the only clock there may be
# What drives a net → the class in which its transitions are counted.
CLASSES = {
    "lut": r"LUT[1-6]|INV|MUXF[789]", "carry": r"CARRY4", "flip_flop": r"FD[RS]E", "memory": r"RAM(32M|64M|32M16|64M8)|SRL(16E|C32E)",
    "block_ram": r"RAMB(18|36)E2",
}
CLOCK_PINS = {"flip_flop": {"C"}, "memory": {"WCLK", "CLK"}, "block_ram": {"CLKARDCLK", "CLKBWRCLK"}}
# LUT memory → its words' bits for each of its LUTs, a letter each, of which the last one's address is that of writing.
LUT_MEMORIES = {"RAM32M": (2, "ABCD"), "RAM64M": (1, "ABCD"), "RAM32M16": (2, "ABCDEFGH"), "RAM64M8": (1, "ABCDEFGH")}
SHIFTS = {"SRL16E": (16, [f"A{index}" for index in range(4)]), "SRLC32E": (32, ["A"])}
DATA_BITS = {1: 1, 2: 2, 4: 4, 9: 8, 18: 16, 36: 32, 72: 64}  # width of a block RAM's port → without parity


class Gates:
    """One mapped module.

    driver      net → class of what drives it; "port" for inputs, the clock's net has none
    wired       nets that leave their slice: all but those that only go on in a carry chain or a wide multiplexer
    clock_pins  pins that the clock drives
    writes      (net, LUTs): so many are written in each cycle in which the net is 1
    accesses    (net, block RAMs): so many (of 36 Kib, so 0.5 for half a one) are used in such a cycle
    """

    def __init__(self, module):
        self.ports, self.cells = module["ports"], {name: cell for name, cell in module["cells"].items() if cell["type"] != "$scopeinfo"}
        self.driver, self.wired, self.clock_pins, self.writes, self.accesses = {}, set(), 0, [], []
        if CLOCK not in self.ports:
            raise Trouble(f"the netlist has no port {CLOCK}")
        self.clock, = self.ports[CLOCK]["bits"]
        for name, port in self.ports.items():
            for bit in nets(port["bits"]):
                if port["direction"] == "output":
                    self.wired.add(bit)
                elif name != CLOCK:
                    self.driver[bit] = "port"
        self.loads = Counter()
        for name, cell in self.cells.items():
            kind = class_of(name, cell)
            for port, bits in cell["connections"].items():
                if cell["port_directions"][port] == "output":
                    self.driver.update(dict.fromkeys(nets(bits), kind))
                    continue
                self.loads.update(nets(bits))
                if port in CLOCK_PINS.get(kind, ()):
                    self.clock_pins += sum(bit == self.clock for bit in bits)
                elif not within_slice(cell["type"], port):
                    self.wired.update(nets(bits))
        for bit in [bit for bit in self.driver if not self.loads[bit] and bit not in self.wired]:
            del self.driver[bit]  # leads nowhere
        self.check()

    @classmethod
    def load(cls, path, module):
        """From the JSON that yosys wrote."""
        try:
            with open(path) as file:
                return cls(json.load(file)["modules"][module])
        except OSError as error:
            raise Trouble(f"cannot read {path}: {error.strerror}; `make bench-energy` maps the engines first") from None
        except (KeyError, ValueError):
            raise Trouble(f"{path} is no netlist of {module}") from None

    def check(self):
        """Every pin is of something that is counted: of a net with a class, or a clock pin."""
        if left_out := self.loads[self.clock] - self.clock_pins:
            raise Trouble(f"{left_out} of the {self.loads[self.clock]} pins that the clock drives are not counted as clock pins")
        if undriven := sorted(bit for bit in self.loads if bit != self.clock and bit not in self.driver):
            raise Trouble(f"{len(undriven)} nets have no class, net {undriven[0]} first")

    def program(self):
        """The netlist as verilator/gate_bench/gates.hpp reads it; fills `writes` and `accesses`."""
        self.writes, self.accesses = [], []
        self.next = 1 + max(bit for cell in [{"connections": {name: port["bits"] for name, port in self.ports.items()}}, *self.cells.values()]
                            for bits in cell["connections"].values() for bit in nets(bits))
        self.memories, self.clocked, self.settling = [], [], {}  # settling: net → (line, nets that it follows), of a read the first net's alone
        for name, cell in self.cells.items():
            kind = class_of(name, cell)
            if kind in CLOCK_PINS:
                self.same_clock(name, cell)
            {"flip_flop": self.flip_flop, "memory": self.memory, "block_ram": self.block_ram}.get(kind, self.combinational)(name, cell)
        try:
            order = [*TopologicalSorter({net: followed for net, (_, followed) in self.settling.items()}).static_order()]
        except ValueError as error:
            raise Trouble(f"the netlist has a loop of logic: {error.args[1][:4]}") from None
        ports = [f"port {name} {words(port['bits'])}" for name, port in self.ports.items()]
        return "\n".join([f"nets {self.next}", *ports, *self.memories, *(self.settling[net][0] for net in order if net in self.settling and self.settling[net][0]),
                          *self.clocked, ""])

    def same_clock(self, name, cell):
        for port in CLOCK_PINS[class_of(name, cell)] & {*cell["connections"]}:
            bit, = cell["connections"][port]
            if isinstance(bit, int) and bit != self.clock or integer(cell, f"IS_{port}_INVERTED"):
                raise Trouble(f"cell {name} has another clock than {CLOCK}: such a netlist is not simulated")

    def lut(self, out, table, taken):
        """`table`: bit 0 is what it gives when all of `taken` are 0. Returns the net, a new one where `out` is none."""
        out = self.net(out)
        self.settling[out] = (f"lut {out} {table:x} {words(taken)}", [*nets(taken)])
        return out

    def net(self, bit):
        """The bit, or a new net where an output leads nowhere."""
        if isinstance(bit, int):
            return bit
        self.next += 1
        return self.next - 1

    def read(self, memory, given, address):
        if not given:
            return
        first, *others = given = [self.net(bit) for bit in given]
        self.settling[first] = (f"read {memory} {words(given)} : {words(address)}", [*nets(address)])
        self.settling.update({net: ("", [first]) for net in others})

    def new_memory(self, width, depth):
        self.memories.append(f"memory {len(self.memories)} {width} {depth}")
        return len(self.memories) - 1

    def flip_flop(self, _, cell):
        kind = cell["type"]
        taken, reset = (self.inverted(cell, port) for port in ("D", "R" if kind == "FDRE" else "S"))
        out, = cell["connections"]["Q"]
        self.clocked.append(f"register {out} {words([taken])} {words(cell['connections']['CE'])} {words([reset])} {int(kind == 'FDSE')} {integer(cell, 'INIT')}")

    def inverted(self, cell, port):
        """The bit at a pin, as the cell's IS_…_INVERTED says."""
        bit, = cell["connections"][port]
        return self.lut(None, 0b01, [bit]) if integer(cell, f"IS_{port}_INVERTED") else bit

    def memory(self, name, cell):
        kind, pins = cell["type"], cell["connections"]
        if any("1" in str(value) for key, value in cell["parameters"].items() if key.startswith("INIT")):
            raise Trouble(f"LUT memory {name}: contents to begin with are not simulated")
        if kind in SHIFTS:
            depth, address = SHIFTS[kind]
            memory = self.new_memory(1, depth)
            enable, = pins["CE"]
            self.clocked.append(f"shift {memory} {words([enable])} {words(pins['D'])}")
            self.read(memory, pins["Q"], [bit for port in address for bit in pins[port]])
            self.read(memory, pins.get("Q31", []), ["1"] * 5)
            self.writes.append((enable, 1))
            return
        width, letters = LUT_MEMORIES[kind]
        enable, = pins["WE"]
        for letter in letters:
            if not pins.get(f"DO{letter}"):
                continue  # never read
            memory = self.new_memory(width, 64 // width)
            self.read(memory, pins[f"DO{letter}"], pins[f"ADDR{letter}"])
            self.clocked.append(f"write {memory} {words([enable])} 0 {words(pins.get(f'DI{letter}', '0' * width))} : {words(pins[f'ADDR{letters[-1]}'])}")
        self.writes.append((enable, len(letters)))

    def block_ram(self, name, cell):
        """Its array of words, read before it is written in a cycle."""
        half, pins = cell["type"] == "RAMB18E2", cell["connections"]
        widths = {(way, port): integer(cell, f"{way}_WIDTH_{port}") for way in ("READ", "WRITE") for port in "AB"}
        used = {width for width in widths.values() if width}
        if len(used) != 1 or not used <= {*DATA_BITS} or any(integer(cell, key) for key in ("DOA_REG", "DOB_REG")) \
                or any("1" in str(value) for key, value in cell["parameters"].items() if re.match(r"INITP?_[0-9A-F]{2}$", key)):
            raise Trouble(f"block RAM {name}: only ports of one width, without output registers and contents, are simulated")
        width, = used
        step = DATA_BITS[width].bit_length() - 1
        size = (14 if half else 15) - step
        memory, lanes = self.new_memory(width, 1 << size), max(1, width // 9)
        for port, clock, reset, enable, address, strobes in (("A", "CLKARDCLK", "RSTRAMARSTRAM", "ENARDEN", "ADDRARDADDR", "WEA"),
                                                            ("B", "CLKBWRCLK", "RSTRAMB", "ENBWREN", "ADDRBWRADDR", "WEBWE")):
            reading, writing = bool(widths["READ", port]), bool(widths["WRITE", port])
            if not reading and not writing:
                continue
            if pins[clock] != [self.clock] or any(bit != "0" for bit in pins[reset]) or (reading and writing):
                raise Trouble(f"block RAM {name}: a port that is reset, has no clock, or reads and writes is not simulated")
            place, (enabled,) = words(pins[address][step:step + size]), pins[enable]
            if reading:
                given = [self.net(bit) for bit in data_bits(cell, "DOUT", port, width, half)]
                self.clocked.append(f"fetch {memory} {words([enabled])} {words(given)} : {place}")
                self.accesses.append((enabled, 0.5 if half else 1))
                continue
            strobe = pins[strobes][:lanes]
            data, lane_bits = data_bits(cell, "DIN", port, width, half), width // lanes
            written = []
            for one in dict.fromkeys(strobe):
                both = self.lut(None, 0b1000, [enabled, one])
                written.append(both)
                self.clocked += [f"write {memory} {both} {lane * lane_bits} {words(data[lane * lane_bits:][:lane_bits])} : {place}" for lane in range(lanes) if strobe[lane] == one]
            some = written[0]
            for one in written[1:]:
                some = self.lut(None, 0b1110, [some, one])
            self.accesses.append((some, 0.5 if half else 1))

    def combinational(self, _, cell):
        kind, pins = cell["type"], cell["connections"]
        if kind == "INV":
            self.lut(pins["O"][0], 0b01, pins["I"])
        elif kind.startswith("MUXF"):
            self.lut(pins["O"][0], 0b11001010, [*pins["I0"], *pins["I1"], *pins["S"]])
        elif kind.startswith("LUT"):
            self.lut(pins["O"][0], integer(cell, "INIT"), [pins[f"I{index}"][0] for index in range(int(kind[3:]))])
        else:
            carry = self.lut(None, 0b1110, [*pins["CI"], *pins["CYINIT"]])
            for index in range(4):
                select, other = pins["S"][index], pins["DI"][index]
                if index < len(pins.get("O", [])):
                    self.lut(pins["O"][index], 0b0110, [select, carry])
                out = pins["CO"][index] if index < len(pins.get("CO", [])) else "x"
                carry = self.lut(out, 0b11001010, [other, carry, select])


def class_of(name, cell):
    """The class of the nets that a cell drives."""
    for kind, pattern in CLASSES.items():
        if re.fullmatch(pattern, cell["type"]):
            return kind
    raise Trouble(f"cell {name} is a {cell['type']}: sim/bench/gates.py does not know what it does")


def within_slice(kind, port):
    """Whether what drives this pin stands in its slice: of a carry the one before and the LUTs beside it, of a wide multiplexer its LUTs."""
    return (kind.startswith("CARRY") and port in ("CI", "S", "DI")) or (kind.startswith("MUXF") and port in ("I0", "I1"))


def nets(bits):
    return (bit for bit in bits if isinstance(bit, int))


def words(bits):
    """The nets as gates.hpp numbers them; what is undefined is 0."""
    return " ".join(str(bit) if isinstance(bit, int) else "1" if bit == "1" else "0" for bit in bits)


def integer(cell, parameter, default=0):
    """Yosys writes numbers as strings of bits."""
    value = cell.get("parameters", {}).get(parameter, default)
    return int(re.sub("[^01]", "0", value), 2) if isinstance(value, str) else value


def data_bits(cell, way, port, width, half):
    """The bits of a block RAM's port, lane by lane, parity as each lane's highest. The widest port takes the other one's pins besides."""
    ports = "AB" if width == (36 if half else 72) else port
    names = {"DIN": {"A": ("DINADIN", "DINPADINP"), "B": ("DINBDIN", "DINPBDINP")}, "DOUT": {"A": ("DOUTADOUT", "DOUTPADOUTP"), "B": ("DOUTBDOUT", "DOUTPBDOUTP")}}[way]
    data = [bit for one in ports for bit in cell["connections"].get(names[one][0], ["x"] * (16 if half else 32))]
    parity = [bit for one in ports for bit in cell["connections"].get(names[one][1], ["x"] * (2 if half else 4))]
    if width < 9:
        return data[:width]
    return [bit for lane in range(width // 9) for bit in (*data[8 * lane:8 * lane + 8], parity[lane])]


def read_activity(path):
    """([transitions of each net], [cycles in which it was 1], cycles) of what verilator/gate_bench wrote."""
    cycles, *lines = path.read_text().splitlines()
    pairs = [tuple(map(int, line.split())) for line in lines]
    return [changes for changes, _ in pairs], [high for _, high in pairs], int(cycles)


def counted(gates, transitions, high, cycles):
    """{what: how often} in those cycles. Transitions of nets by class (`lut`, `carry`, `flip_flop`, `memory`, `block_ram`, `port`), of those of them that
    leave their slice (`wires_after_logic`, `wires_after_clocked`), of `clock_pins`; `block_ram_accesses`; `memory_writes`, in LUTs."""
    if missing := sorted(net for net in gates.driver if net >= len(transitions)):
        raise Trouble(f"{len(missing)} of {len(gates.driver)} nets were not watched, net {missing[0]} first")
    found = dict.fromkeys((*CLASSES, "port", "wires_after_logic", "wires_after_clocked"), 0)
    for net, kind in gates.driver.items():
        found[kind] += transitions[net]
        if net in gates.wired:
            found["wires_after_logic" if kind in ("lut", "carry", "memory") else "wires_after_clocked"] += transitions[net]

    def cycles_of(bit):
        return high[bit] if isinstance(bit, int) else cycles * (bit == "1")

    return found | {
        "clock_pins": 2 * gates.clock_pins * cycles,
        "block_ram_accesses": sum(weight * cycles_of(net) for net, weight in gates.accesses),
        "memory_writes": sum(weight * cycles_of(net) for net, weight in gates.writes),
    }
