# SPDX-License-Identifier: Apache-2.0
"""A board as its board.toml describes it, and the tables that all boards share."""
import re
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
sys.path.insert(0, str(REPOSITORY / "rtl/interface/generated"))
sys.path += [str(REPOSITORY / ".tools"), str(REPOSITORY / "rtl/interface")]  # command_line and generator, for the programs beside this file

import pagepress_interface as interface  # noqa: E402

USER_CLOCK = 250_000                       # kHz, of the block's user_clk
LANES = {64: 16, 16: 4}                    # of the Gen3 link that so many bytes a cycle are for (PG213)
OSCILLATOR = range(800_000, 1_600_001)     # kHz, of an MMCM of speed grade 2
PART = re.compile(r"xc(u|vu|ku|zu|au)\w+-[a-z]{4}\d{4}-\d\w?-[a-z]")
PIN = re.compile(r"([A-Z]{1,2})([1-9]\d?)")
NUMBER = (int, float)
FIELDS = {"name": str, "part": str, "on_cable": str, "block": str, "unconfirmed": list, "card": dict, "link": dict, "low": dict, "flash": dict}
MAY_LACK = {"watts": NUMBER, "region": str}
# Of Generate: option → whether a number follows it. What else it has names no card, or wants of a board what no file here gives it.
OPTIONS = dict.fromkeys(("--pages", "--bus", "--queues", "--depth", "--compressors", "--decompressors", "--burst", "--engine-clock", "--compressor-bytes", "--decompressor-tokens",
                         "--link"), True) | {"--cold-format": False}
# Of a card, unless its options say otherwise.
QUEUES = tomllib.loads((REPOSITORY / "rtl/interface/core.toml").read_text())["parameters"]["QUEUE_PAIRS"]["value"]
LINK = {"receive": list, "transmit": list, "reference": str, "reset": dict}
PORT = {"pin": str, "standard": str}
FROM_FLASH = {"memory": str, "megabytes": int, "interface": str, "start": int, "megahertz": NUMBER}
MEMORY = re.compile(r"mt25qu(?:(\d\d)g|(\d{3}))-spi-x1_x2_x4")  # gigabits, or megabits, as Vivado calls them
BOOTED = {"memory": str, "boot": str}      # the flash of a part whose processors start from it
SECTOR = 4096                              # bytes, of the least that a flash erases
RATES = (2.7, 5.3, 8.0, 10.6, 21.3, 31.9, 36.4, 51.0, 56.7, 63.8, 72.9, 85.0, 102.0, 127.5, 170.0)  # MHz, of BITSTREAM.CONFIG.CONFIGRATE
STANDARD = re.compile(r"LVCMOS(12|15|18|25|33)")
FILLED = 0.6                               # of a region's or part's LUTs at most: beyond that a placer has no choice
# Of a part's device: its PCIe block, its dice, LUTs of one, what starts it where that is not its own flash, and outputs that every board with it holds low.
DEVICES = {"xcu50": ("pcie4c_uscale_plus", 2, 436_000, "", ("hbm_cattrip",)), "xcu55c": ("pcie4c_uscale_plus", 3, 434_000, "", ("hbm_cattrip",)),
           "xcu250": ("pcie4_uscale_plus", 4, 432_000, "", ()), "xczu7ev": ("pcie4_uscale_plus", 1, 230_400, "zynqmp", ())}
APART = ("open", "tests")                  # folders beside those of boards
PERIODS = ("faster", "reader")
LOADS = range(1, 10_001)                   # of one copy of a register: less than a lane has, or it is not copied at all


class BoardError(Exception):
    """What is wrong with a file of a board, in one line."""


def require(condition, text):
    if not condition:
        raise BoardError(text)


def boards(folder=HERE):
    """Names of the boards there are: each folder is one, but for those that a name or its first character sets apart."""
    return sorted(path.name for path in folder.glob("*") if path.is_dir() and path.name not in APART and path.name[0] not in "._")


def described(folder, where, others):
    """The board.toml of a board's folder."""
    require(folder.is_dir(), f"no board {folder.name} (there are {', '.join(others)})")
    require((folder / "board.toml").exists(), f"{where} is missing")
    return read(folder / "board.toml", where)


def table(name, folder=HERE):
    """One of the tables that all boards share, checked."""
    found = read(folder / f"{name}.toml", f"{name}.toml")
    (check_block if name == "pcie_block" else check_crossing)(found, f"{name}.toml")
    return found


def read(path, where):
    try:
        return tomllib.loads(path.read_text())
    except tomllib.TOMLDecodeError as error:
        raise BoardError(f"{where}: {error}") from None


def has(where, entry, fields, may_lack=()):
    """`entry` is a table with these fields, each of its kind, and no other."""
    require(isinstance(entry, dict), f"{where} is not a table")
    for field, kind in fields.items():
        right = isinstance(entry.get(field), kind) and (kind is bool or not isinstance(entry[field], bool))
        require(right or field in may_lack and field not in entry,
                f"{where}: {field} is missing, or not a {'number' if kind == NUMBER else kind.__name__}")
    unknown = sorted(set(entry) - set(fields))
    require(not unknown, f"{where}: no such field: {', '.join(unknown)}")


def check_block(shared, where):
    has(where, shared, {"parameters": dict, "unconfirmed": dict, "card": dict, "tied": dict, **{str(bytes_): dict for bytes_ in LANES}})
    wired = dict(shared["card"])
    for bytes_ in map(str, LANES):
        has(f"{where}: {bytes_}", shared[bytes_], {"parameters": dict, "card": dict})
        wired |= shared[bytes_]["card"]
    for name, bits in wired.items():
        require(type(bits) is int and bits > 0, f"{where}: {name}: {bits} is no number of bits")
        require(name not in shared["tied"], f"{where}: {name} is wired to the card, and tied")
    for name, port in shared["tied"].items():
        has(f"{where}: {name}", port, {"bits": int, "value": int, "why": str})
        require(0 <= port["value"] < 1 << port["bits"], f"{where}: {name}: {port['value']} has more than {port['bits']} bits")


def check_crossing(shared, where):
    has(where, shared, {"fifo": str, "path": list, "replicated": list})
    require(shared["replicated"], f"{where}: no register is copied: one resets a whole lane")
    for path in shared["path"]:
        ends = ("from_clock_of",) if "from_clock_of" in path else ("from",)
        has(f"{where}: the path to {path.get('to', '?')}", path, dict.fromkeys((*ends, "to", "period", "why"), str) | {"fifo": bool, "skew": bool}, ("fifo", "skew"))
        require(path["period"] in (PERIODS if ends == ("from",) else PERIODS[1:]), f"{where}: the path to {path['to']}: its period is {path['period']}")
    for one in shared["replicated"]:
        has(f"{where}: replicated", one, {"register": str, "loads": int, "why": str})
        require(one["loads"] in LOADS, f"{where}: {one['register']}: a copy for each {one['loads']} loads is none")


class Board:
    """`pins`: port of the top → (package pin, IOSTANDARD or None). `luts`: of the die that the card is kept in."""

    def __init__(self, name, folder=HERE):
        self.folder = folder / name
        where = f"{name}/board.toml"
        entry = described(self.folder, where, boards(folder))
        has(where, entry, FIELDS | MAY_LACK, MAY_LACK)
        require(PART.fullmatch(entry["part"]), f"{where}: part {entry['part']} is no name of an UltraScale+ part")
        self.name, self.entry, self.where, self.boots = name, entry, where, entry["flash"].get("boot", "")
        self._check_device(entry["part"].partition("-")[0])
        require(entry.get("watts", 1) > 0, f"{where}: watts: {entry.get('watts')} is no power")
        has(f"{where}: card", entry["card"], {"options": list})
        self.top = "pagepress_" + name.replace("-", "_")
        self.options = [str(word) for word in entry["card"]["options"]]
        self._numbers = self._checked_options()
        self.engine_clock, self.bytes = self.option("--engine-clock", 0), self.option("--link", 64)
        require(self.bytes in LANES, f"{where}: --link {self.bytes} is none of {', '.join(map(str, LANES))}")
        self._check_ports()
        self._check_flash()
        self.lanes = LANES[self.bytes]
        self.pins = dict(self._pins())
        owners = {}
        for port, (pin, _) in self.pins.items():
            require(PIN.fullmatch(pin), f"{where}: {port}: {pin} is no name of a package pin")
            require(pin not in owners, f"{where}: pin {pin} is given to {owners.get(pin)} and to {port}")
            owners[pin] = port

    def option(self, name, otherwise):
        """The number behind an option of the card."""
        return self._numbers.get(name, otherwise)

    def _checked_options(self):
        """{option: number behind it}, None where it has none. Each is one of the card's, and stands there once."""
        words, numbers = iter(self.options), {}
        for word in words:
            require(word in OPTIONS, f"{self.where}: card: {word} is no option of a board's card ({', '.join(OPTIONS)})")
            require(word not in numbers, f"{self.where}: card: {word} stands there twice")
            numbers[word] = None
            if OPTIONS[word]:
                value = next(words, "nothing")
                require(value.isdecimal(), f"{self.where}: {word} {value}: that is no whole number")
                numbers[word] = int(value)
        return numbers

    def _check_device(self, device):
        require(device in DEVICES, f"{self.where}: of the device {device} nothing is known: DEVICES in board.py wants it first")
        block, dice, self.luts, boot, low = DEVICES[device]
        require(self.entry["block"] == block, f"{self.where}: block {self.entry['block']}: {device} has {block}")
        require(self.entry["flash"].get("boot", "") == boot, f"{self.where}: flash.boot: {device} starts from {boot or 'its own flash'}")
        require(("region" in self.entry) == (dice > 1), f"{self.where}: region: {device} has {dice} {'dice' if dice > 1 else 'die'}")
        if dice > 1:
            region = self.entry["region"]
            require(region in [f"SLR{number}" for number in range(dice)], f"{self.where}: region {region}: {device} has SLR0 to SLR{dice - 1}")
        for port in low:
            require(port in self.entry["low"], f"{self.where}: low: {port} is missing, which {device} must hold low")

    def _check_ports(self):
        has(f"{self.where}: link", self.entry["link"], LINK)
        has(f"{self.where}: link.reset", self.entry["link"]["reset"], PORT)
        for ports in ("receive", "transmit"):
            for pin in self.entry["link"][ports]:
                require(isinstance(pin, str), f"{self.where}: link.{ports}: {pin} is no name of a package pin")
        for port, output in self.entry["low"].items():
            require(re.fullmatch(r"[a-z]\w*", port) and not port.startswith("pcie"), f"{self.where}: low: {port} is no name for an output of its own")
            has(f"{self.where}: low.{port}", output, PORT | {"why": str})
        for port in (self.entry["link"]["reset"], *self.entry["low"].values()):
            require(STANDARD.fullmatch(port["standard"]), f"{self.where}: {port['pin']}: there is no {port['standard']}")

    def _check_flash(self):
        flash = self.entry["flash"]
        has(f"{self.where}: flash", flash, BOOTED if self.boots else FROM_FLASH)
        if self.boots:
            require("-qspi-" in flash["memory"], f"{self.where}: flash.memory: {flash['memory']} is none that processors start from")
            return
        require(flash["interface"] == "SPIx4", f"{self.where}: flash.interface: pins.xdc sets the part to SPIx4, not to {flash['interface']}")
        require(flash["memory"].startswith("mt25qu"), f"{self.where}: flash.memory: pins.xdc sets 1.8 V, which {flash['memory']} is not known to be of")
        memory = MEMORY.fullmatch(flash["memory"])
        require(memory, f"{self.where}: flash.memory: {flash['memory']} is none that a part starts from by {flash['interface']}")
        holds = int(memory[1]) * 128 if memory[1] else int(memory[2]) // 8
        require(flash["megabytes"] == holds, f"{self.where}: flash.megabytes: {flash['memory']} holds {holds}, not {flash['megabytes']}")
        require(flash["megahertz"] in RATES, f"{self.where}: flash.megahertz: Vivado has no rate {flash['megahertz']}")
        require(flash["start"] % SECTOR == 0 and 0 <= flash["start"] < flash["megabytes"] << 20,
                f"{self.where}: flash.start: 0x{flash['start']:08x} is no sector of {flash['megabytes']} MB")

    def _pins(self):
        link = self.entry["link"]
        for ports, pins in (("pcie_rx", link["receive"]), ("pcie_tx", link["transmit"])):
            require(len(pins) == self.lanes, f"{self.where}: {ports} has {len(pins)} lanes: the card's {self.bytes}-byte interface is for {self.lanes}")
            for lane, pin in enumerate(pins):
                yield f"{ports}_p[{lane}]", (pin, None)
                yield f"{ports}_n[{lane}]", (self._other(pin), None)
        yield "pcie_refclk_p", (link["reference"], None)
        yield "pcie_refclk_n", (self._other(link["reference"]), None)
        yield "pcie_reset_n", (link["reset"]["pin"], link["reset"]["standard"])
        for port, output in self.entry["low"].items():
            yield port, (output["pin"], output["standard"])

    def _other(self, pin):
        """The second pin of a pair of the transceivers'."""
        match = PIN.fullmatch(pin)
        require(match and int(match[2]) > 1, f"{self.where}: {pin} is not the first pin of a pair")
        return f"{match[1]}{int(match[2]) - 1}"

    def clock_ratio(self):
        """(multiplier, divider) of an MMCM, user_clk to the engines' clock, exactly; steps of an eighth."""
        for eighths in range(16, 8 * 128 + 1):
            oscillator = USER_CLOCK * eighths / 8
            divider = oscillator / self.engine_clock
            if oscillator in OSCILLATOR and 8 * divider == int(8 * divider) and 1 <= divider <= 128:
                return eighths / 8, divider
        raise BoardError(f"{self.where}: no MMCM makes {self.engine_clock} kHz of {USER_CLOCK}")


def ports(shared, bytes_):
    """The block's ports that are the card's as well: name → bits."""
    return shared["card"] | shared[str(bytes_)]["card"]


def parameters(vectors, bytes_, folder=HERE):
    """What the card wants of the block: CONFIG name → value."""
    numbers = {name: value for name, value in vars(interface).items() if isinstance(value, int)}
    numbers |= {"VECTORS": vectors, "LAST_VECTOR": vectors - 1, "BAR0_KILOBYTES": interface.BAR0_BYTES // 1024}
    shared = table("pcie_block", folder)
    wanted = shared[str(bytes_)]["parameters"] | shared["parameters"]
    try:
        return {name: value.format(**numbers) for name, value in wanted.items()}
    except (AttributeError, KeyError, ValueError) as error:
        raise BoardError(f"pcie_block.toml: parameters: each is a text with names of numbers that there are, not {error}") from None
