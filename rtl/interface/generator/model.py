# SPDX-License-Identifier: Apache-2.0
"""The interface as Python objects, read from the TOML files and checked.

Checks: every entry has its fields, of their kind, and no other; names unique, values in range, blocks apart, register offsets aligned
and inside their block, fields inside their register and not overlapping, descriptors without gaps and of their stated size, every field
naturally aligned, a core's parameters as Generate takes them.
"""

import ast
import dataclasses
import hashlib
import json
import operator
import re
import tomllib
from dataclasses import dataclass

from .names import constants as names_of

GENERATED_BY = "rtl/interface/generate.py"
KINDS = ("done", "refused", "failed")
LEAVES = {"produced_length": ("0", "output"), "crc32c": ("0", "page", "output", "any"), "detail": ("0", "fill", "stream")}  # statuses.toml explains
ACCESS = ("ro", "rw", "wo")
BUS_TYPES = ("AXI4", "AXI4Lite")
BUS_MODES = ("manager", "subordinate")
SIGNS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}
FUNCTIONS = {"min": min, "log2up": lambda number: (number - 1).bit_length()}


class InterfaceError(Exception):
    """A TOML file that does not describe a valid interface; the text names the entry."""


@dataclass(frozen=True)
class Named:
    """A named number. `kind` and `leaves` (field of the completion: a word of LEAVES) are set for statuses only, `unit` for counters only."""
    name: str
    value: int
    description: str
    kind: str = ""
    unit: str = ""
    leaves: dict = dataclasses.field(default_factory=dict)


@dataclass(frozen=True)
class BitField:
    """Bits low .. low + width - 1 of a register."""
    name: str
    low: int
    width: int
    description: str

    @property
    def mask(self):
        return ((1 << self.width) - 1) << self.low


@dataclass(frozen=True)
class Register:
    """A 32-bit register; `offset` counts bytes from its block's base; `reset` is None where the build decides."""
    name: str
    offset: int
    access: str
    reset: int | None
    description: str
    fields: tuple


@dataclass(frozen=True)
class Block:
    """`count` copies of the same registers, `stride` bytes apart, from `base` in BAR0."""
    name: str
    base: int
    stride: int
    count: int
    description: str
    registers: tuple


@dataclass(frozen=True)
class DescriptorField:
    """`bits` wide, `offset` bytes from the start of the entry."""
    name: str
    bits: int
    offset: int
    description: str

    @property
    def is_reserved(self):
        return self.name.startswith("reserved")


@dataclass(frozen=True)
class Descriptor:
    name: str
    bytes: int
    description: str
    fields: tuple


@dataclass(frozen=True)
class Argument:
    """An argument of the kernel: `offset` in bytes on its control port; a `buffer` is the address of memory."""
    name: str
    offset: int
    bits: int
    buffer: bool
    description: str


@dataclass(frozen=True)
class Kernel:
    """The kernel for XRT; `block` holds the registers of its control port."""
    name: str
    address_bytes: int
    core_window: int
    memory_bits: int
    block: Block
    arguments: tuple


@dataclass(frozen=True)
class Port:
    """A port of the core, `direction` in or out; the part of its name before the last underscore is its bus, if it is of one."""
    name: str
    direction: str
    bits: int
    description: str = ""


@dataclass(frozen=True)
class Bus:
    """Ports that belong together: AXI4 or AXI4Lite, as a manager or a subordinate."""
    name: str
    type: str
    mode: str
    description: str


@dataclass(frozen=True)
class Core:
    """The core as others wire it up: `parameters` name → value, and the ports that a core built with these has. `name` is its file's,
    `module` its Verilog's, `package` what tells it from cores of other parameters."""
    name: str
    module: str
    package: str
    description: str
    parameters: dict
    buses: tuple
    ports: tuple


@dataclass(frozen=True)
class Interface:
    major: int
    minor: int
    hash: int
    constants: tuple
    opcodes: tuple
    formats: tuple
    flags: tuple
    fatal_causes: tuple
    statuses: tuple
    counters: tuple
    counter_base: int
    blocks: tuple
    descriptors: tuple
    title: str = "Pagepress hardware interface"
    prefix: str = ""            # of what every interface has: version and hash
    module: str = "Interface"   # the Scala object
    guard: str = "PAGEPRESS_INTERFACE_H"
    groups: tuple = ()          # more named numbers: (title, prefix, numbers)
    kernel: Kernel | None = None
    core: Core | None = None
    release: str = ""           # whose the core is, and the kernel

    @property
    def version_text(self):
        return f"{self.major}.{self.minor}"


def require(condition, message):
    if not condition:
        raise InterfaceError(message)


NUMBER = {"value": int, "description": str}
FIELD = {"name": str, "low": int, "width": int, "description": str}
REGISTER = {"name": str, "offset": int, "access": str, "reset": (int, str), "description": str, "fields": list}
BLOCK = {"name": str, "base": int, "stride": int, "count": (int, str), "description": str, "registers": list}
ARGUMENT = {"name": str, "offset": int, "bits": int, "buffer": bool, "description": str}


def has(where, entry, fields, may_lack=()):
    """`entry` is a table with these fields, each of its kind, and no other; returns it."""
    require(isinstance(entry, dict), f"{where} is no table")
    for field, kind in fields.items():
        if field in entry or field not in may_lack:
            require(field in entry, f"{where}: {field} is missing")
            # To Python a bool is a number.
            require(isinstance(entry[field], kind) and isinstance(entry[field], bool) == (kind is bool), f"{where}: {field} = {entry[field]} is of the wrong kind")
    require(entry.keys() <= fields.keys(), f"{where}: no such field: {', '.join(sorted(entry.keys() - fields.keys()))}")
    return entry


def checked(interface, file):
    """No name stands for two numbers, and no register for two places."""
    seen = set()
    for _, name, _, _ in names_of(interface):
        require(name not in seen, f"{file}: {name} is defined twice")
        seen.add(name)
    taken = [(block.name, block.base, block.base + (block.stride * block.count if block.count > 1 else max(register.offset for register in block.registers) + 4))
             for block in interface.blocks]
    if interface.counters:
        taken.append(("the counters", interface.counter_base, interface.counter_base + 8 * len(interface.counters)))
    taken.sort(key=lambda one: one[1])
    for (name, _, end), (other, base, _) in zip(taken, taken[1:]):
        require(end <= base, f"{file}: {other} begins at 0x{base:x}, {name} ends at 0x{end:x}")
    values = {constant.name: constant.value for constant in interface.constants}
    if "MSIX_TABLE_OFFSET" in values:
        require(taken[-1][2] <= values["MSIX_TABLE_OFFSET"], f"{file}: {taken[-1][0]} ends at 0x{taken[-1][2]:x}, behind MSIX_TABLE_OFFSET")
    return interface


def load(folder, parameters=None, configuration="", module="", release=""):
    """Read and check the TOML files in `folder`; `parameters` are those of the core that differ from core.toml, `configuration` its name among
    such cores. Raises InterfaceError."""
    files = {name: read(folder / f"{name}.toml") for name in
             ("interface", "registers", "descriptors", "statuses", "counters")}
    top = files["interface"]
    sections = ("constants", "opcodes", "formats", "flags", "fatal_causes")
    has("interface.toml", top, {"version": dict, **dict.fromkeys(sections, dict)})
    has("interface.toml: version", top["version"], {"major": int, "minor": int})
    has("registers.toml", files["registers"], {"block": list})
    has("descriptors.toml", files["descriptors"], {"descriptor": list})
    has("statuses.toml", files["statuses"], {"status": list})
    has("counters.toml", files["counters"], {"base": int, "counter": list})
    for entry in files["statuses"]["status"]:
        has(f"statuses.toml: {entry.get('name', 'a status')}", entry, {"name": str, "value": int, "kind": str, "description": str, "leaves": dict})
    for entry in files["counters"]["counter"]:
        has(f"counters.toml: {entry.get('name', 'a counter')}", entry, {"name": str, "unit": str, "description": str})
    constants = numbers("constants", top["constants"])
    values = {constant.name: constant.value for constant in constants}
    statuses = tuple(Named(entry["name"], entry["value"], entry["description"], kind=entry["kind"], leaves=entry["leaves"])
                     for entry in files["statuses"]["status"])
    _check_numbers("statuses", statuses, limit=256)
    for status in statuses:
        require(status.kind in KINDS, f"statuses.toml: {status.name}: kind must be one of {', '.join(KINDS)}")
        require(status.leaves.keys() == LEAVES.keys() and all(word in LEAVES[name] for name, word in status.leaves.items()),
                f"statuses.toml: {status.name}: leaves must say " + ", ".join(f"{name} ({' or '.join(words)})" for name, words in LEAVES.items()))
    counters = tuple(Named(entry["name"], index, entry["description"], unit=entry["unit"])
                     for index, entry in enumerate(files["counters"]["counter"]))
    _check_numbers("counters", counters, limit=64)
    return checked(Interface(
        major=top["version"]["major"], minor=top["version"]["minor"], hash=_hash(files),
        constants=constants, opcodes=numbers("opcodes", top["opcodes"], 256),
        formats=numbers("formats", top["formats"], 256), flags=numbers("flags", top["flags"], 1 << 16),
        fatal_causes=numbers("fatal_causes", top["fatal_causes"], 256), statuses=statuses, counters=counters,
        counter_base=files["counters"]["base"],
        blocks=tuple(_block(entry, values) for entry in files["registers"]["block"]),
        descriptors=tuple(_descriptor(entry) for entry in files["descriptors"]["descriptor"]),
        kernel=_kernel(read(folder / "kernel.toml")), core=_core(read(folder / "core.toml"), parameters or {}, configuration, module), release=release), "registers.toml")


MANAGEMENT_GROUPS = {  # section of management.toml: prefix of its numbers, their limit
    "slots": ("SLOT", 256), "stages": ("STAGE", 256), "boot_kinds": ("BOOT", 256), "reset_causes": ("RESET_CAUSE", 256),
    "mailbox_states": ("MAILBOX_STATE", 256), "management_statuses": ("MANAGEMENT_STATUS", 256), "messages": ("MESSAGE", 1 << 16),
    "self_tests": ("SELF_TEST", 1 << 32), "log_severities": ("SEVERITY", 256), "events": ("EVENT", 1 << 16),
    "lane_actions": ("LANE_ACTION", 8), "lane_kinds": ("LANE_KIND", 256), "lane_states": ("LANE_STATE", 256), "lane_causes": ("LANE_CAUSE", 256),
    "sensors": ("SENSOR", 8)}


def load_management(folder, **_core):
    """Read and check management.toml: the contract between host, management core and firmware; raises InterfaceError."""
    file = read(folder / "management.toml")
    has("management.toml", file, {"version": dict, "constants": dict, "block": list, "descriptor": list, **dict.fromkeys(MANAGEMENT_GROUPS, dict)})
    has("management.toml: version", file["version"], {"major": int, "minor": int})
    constants = numbers("constants", file["constants"])
    values = {constant.name: constant.value for constant in constants}
    groups = tuple((section.replace("_", " ").capitalize(), prefix, numbers(section, file[section], limit))
                   for section, (prefix, limit) in MANAGEMENT_GROUPS.items())
    return checked(Interface(
        major=file["version"]["major"], minor=file["version"]["minor"], hash=_hash(file), constants=constants, opcodes=(), formats=(),
        flags=(), fatal_causes=(), statuses=(), counters=(), counter_base=0,
        blocks=tuple(_block(entry, values) for entry in file["block"]),
        descriptors=tuple(_descriptor(entry) for entry in file["descriptor"]),
        title="Pagepress management interface", prefix="MANAGEMENT_INTERFACE_", module="ManagementInterface",
        guard="PAGEPRESS_MANAGEMENT_H", groups=groups), "management.toml")


def read(path):
    """A TOML file; raises InterfaceError."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise InterfaceError(f"{path.name}: {error}") from error


def _hash(files):
    """First 64 bits of the SHA-256 of all numbers and names: what only describes them changes nothing."""
    def strip(node):
        if isinstance(node, dict):
            return {key: strip(value) for key, value in node.items() if key not in ("description", "leaves")}
        return [strip(value) for value in node] if isinstance(node, list) else node
    text = json.dumps(strip(files), sort_keys=True, separators=(",", ":"))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def numbers(what, table, limit=1 << 32):
    """The named numbers of a section, checked."""
    found = tuple(Named(name, has(f"{what}: {name}", entry, NUMBER)["value"], entry["description"]) for name, entry in table.items())
    _check_numbers(what, found, limit, unique_values=what != "constants")
    return found


def _check_numbers(what, numbers, limit, unique_values=True):
    seen_names, seen_values = set(), set()
    for number in numbers:
        require(number.name not in seen_names, f"{what}: {number.name} is defined twice")
        require(0 <= number.value < limit, f"{what}: {number.name} = {number.value} is out of range")
        require(not unique_values or number.value not in seen_values,
                f"{what}: {number.name} = {number.value} is already taken")
        seen_names.add(number.name)
        seen_values.add(number.value)


def _resolve(value, values, where):
    if isinstance(value, str):
        require(value in values, f"{where}: unknown constant {value}")
        return values[value]
    return value


def _block(entry, values):
    name = has(f"registers.toml: {entry.get('name', 'a block')}", entry, BLOCK)["name"]
    block = Block(name, entry["base"], entry["stride"], _resolve(entry["count"], values, name), entry["description"],
                  tuple(_register(name, register, values) for register in entry["registers"]))
    require(block.registers and block.base >= 0 and block.base % 4 == 0 and block.stride >= 0 and block.stride % 4 == 0 and block.count >= 1,
            f"registers.toml: {name}: base, stride or count is out of range, or it has no registers")
    offsets = [register.offset for register in block.registers]
    require(len(set(offsets)) == len(offsets), f"registers.toml: {name}: two registers share an offset")
    for register in block.registers:
        require(register.offset >= 0 and register.offset % 4 == 0, f"registers.toml: {register.name}: offset is not a multiple of 4")
        require(block.count == 1 or register.offset < block.stride,
                f"registers.toml: {register.name}: offset is outside the stride of {name}")
    return block


def _register(block, entry, values):
    name = has(f"registers.toml: {block}.{entry.get('name', 'a register')}", entry, REGISTER, ("reset", "fields"))["name"]
    require(entry["access"] in ACCESS, f"registers.toml: {block}.{name}: access must be one of {', '.join(ACCESS)}")
    used = 0
    for field in entry.get("fields", ()):
        has(f"registers.toml: {name}.{field.get('name', 'a field')}", field, FIELD)
        require(field["low"] >= 0 and field["width"] >= 1, f"registers.toml: {name}.{field['name']} has no bits")
    fields = tuple(BitField(field["name"], field["low"], field["width"], field["description"])
                   for field in entry.get("fields", ()))
    for field in fields:
        require(field.mask < 1 << 32, f"registers.toml: {name}.{field.name} is past bit 31")
        require(used & field.mask == 0, f"registers.toml: {name}.{field.name} overlaps another field")
        used |= field.mask
    reset = _resolve(entry["reset"], values, name) if "reset" in entry else None
    require(reset is None or 0 <= reset < 1 << 32, f"registers.toml: {name}: reset does not fit 32 bits")
    return Register(name, entry["offset"], entry["access"], reset, entry["description"], fields)


def _descriptor(entry):
    fields, bit = [], 0
    has(f"descriptors.toml: {entry.get('name', 'a descriptor')}", entry, {"name": str, "bytes": int, "description": str, "fields": list})
    for field in entry["fields"]:
        bits = has(f"descriptors.toml: {entry['name']}.{field.get('name', 'a field')}", field, {"name": str, "bits": int, "description": str})["bits"]
        require(bits > 0 and bits % 8 == 0, f"descriptors.toml: {entry['name']}.{field['name']}: width is not whole bytes")
        natural = bits in (8, 16, 32, 64) and not field["name"].startswith("reserved")
        require(not natural or bit % bits == 0,
                f"descriptors.toml: {entry['name']}.{field['name']} is not aligned to its width")
        fields.append(DescriptorField(field["name"], bits, bit // 8, field["description"]))
        bit += bits
    require(bit == entry["bytes"] * 8, f"descriptors.toml: {entry['name']}: fields fill {bit // 8} of {entry['bytes']} bytes")
    return Descriptor(entry["name"], entry["bytes"], entry["description"], tuple(fields))


def _kernel(entry):
    has("kernel.toml", entry, {"name": str, "description": str, "address_bytes": int, "core_window": int, "memory_bits": int, "registers": list, "arguments": list})
    block = _block({"name": entry["name"], "base": 0, "stride": 0, "count": 1, "description": entry["description"], "registers": entry["registers"]}, {})
    arguments = tuple(Argument(**has(f"kernel.toml: {argument.get('name', 'an argument')}", argument, ARGUMENT)) for argument in entry["arguments"])
    used = {register.offset for register in block.registers}
    for argument in arguments:
        words = set(range(argument.offset, argument.offset + argument.bits // 8, 4))
        require(argument.bits in (32, 64) and argument.offset % 4 == 0,
                f"kernel.toml: {argument.name} is not one or two aligned words")
        require(not argument.buffer or argument.bits == 64, f"kernel.toml: {argument.name}: an address has 64 bits")
        require(not used & words, f"kernel.toml: {argument.name} overlaps a register or an argument")
        used |= words
    require(max(used) < entry["core_window"] < entry["address_bytes"], "kernel.toml: core_window is not behind the registers")
    return Kernel(entry["name"], entry["address_bytes"], entry["core_window"], entry["memory_bits"], block, arguments)


def released_module(configuration):
    """Of a core of rtl/top/configurations.toml the module, as `make release` makes it: its package's name behind the vendor's."""
    return f"pagepress_{_package('core', configuration)}".replace("-", "_")


def parameters_of(folder, options):
    """Of the core that `options`, Generate's words, make: {parameter: value} of `folder`'s core.toml, of those that they name. Generate judges the words."""
    named = {parameter["option"]: (name, parameter.get("of")) for name, parameter in read(folder / "core.toml")["parameters"].items()}
    words, found = iter(map(str, options)), {}
    for word in words:
        if word in named:
            name, legal = named[word]
            found[name] = 1 if legal == [0, 1] else int(next(words))
    return found


def _package(name, configuration):
    return name if configuration in ("", "default") else f"{name}_{configuration}"


def _core(entry, parameters, configuration, module):
    has("core.toml", entry, {"name": str, "description": str, "parameters": dict, "bus": list, "ports": dict})
    for name, parameter in entry["parameters"].items():
        has(f"core.toml: {name}", parameter, {"option": str, "value": int, "of": list, "description": str}, ("of",))
    values = {name: parameter["value"] for name, parameter in entry["parameters"].items()}
    for name in parameters:
        require(name in values, f"core.toml: no parameter {name} (there are {', '.join(values)})")
    values |= parameters
    for name, value in values.items():
        legal = entry["parameters"][name].get("of", [0, 1 << 31])
        # Two numbers are a range, more are all that there are.
        require(legal[0] <= value <= legal[1] if len(legal) == 2 else value in legal,
                f"core.toml: {name} = {value}: use " + (f"{legal[0]} to {legal[1]}" if len(legal) == 2 else ", ".join(map(str, legal))))
    # Generate.scala's words.
    require(not (values["CLOCK_ENABLE"] and values["ENGINE_CLOCK"]), "a clock enable and a clock of the engines' own do not go together: take one of them")
    for bus in entry["bus"]:
        has(f"core.toml: {bus.get('name', 'a bus')}", bus, {"name": str, "type": str, "mode": str, "description": str})
    for name, port in entry["ports"].items():
        has(f"core.toml: {name}", port, {"direction": str, "bits": str, "description": str}, ("description",))
    ports = (Port(name, port["direction"], _count(port["bits"], values, name), port.get("description", ""))
             for name, port in entry["ports"].items())
    require(re.fullmatch(r"[A-Za-z0-9_-]*", configuration), f"the name '{configuration}': use letters, digits, _ and -")
    require(re.fullmatch(r"([A-Za-z_][A-Za-z0-9_]*)?", module), f"'{module}' is no name of a module: use letters, digits and _")
    core = Core(entry["name"], module or entry["name"], _package(entry["name"], configuration), entry["description"], values, tuple(Bus(**bus) for bus in entry["bus"]),
                tuple(port for port in ports if port.bits))
    for port in core.ports:
        require(port.direction in ("in", "out"), f"core.toml: {port.name}: direction must be in or out")
        require(port.bits > 0, f"core.toml: {port.name} has {port.bits} bits")
    for bus in core.buses:
        require(bus.type in BUS_TYPES, f"core.toml: {bus.name}: type must be one of {', '.join(BUS_TYPES)}")
        require(bus.mode in BUS_MODES, f"core.toml: {bus.name}: mode must be one of {', '.join(BUS_MODES)}")
    return core


def _count(text, values, name):
    """A whole number written with + - *, min, log2up and the names of `values`."""
    def value(node):
        match node:
            case ast.Constant(value=int(number)):
                return number
            case ast.Name(id=word) if word in values:
                return values[word]
            case ast.BinOp(left=left, op=sign, right=right) if type(sign) in SIGNS:
                return SIGNS[type(sign)](value(left), value(right))
            case ast.Call(func=ast.Name(id=word), args=arguments) if word in FUNCTIONS:
                return FUNCTIONS[word](*map(value, arguments))
        raise InterfaceError(f"core.toml: {name}: cannot count '{ast.unparse(node)}'")
    try:
        return value(ast.parse(text, mode="eval").body)
    except SyntaxError as error:
        raise InterfaceError(f"core.toml: {name}: cannot read '{text}'") from error
