# SPDX-License-Identifier: Apache-2.0
"""A board as its board.toml describes it, and the tables that all boards share."""
import re
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
sys.path.insert(0, str(REPOSITORY / "rtl/interface/generated"))

import pagepress_interface as interface  # noqa: E402

USER_CLOCK = 250_000                       # kHz, of the block's user_clk
LANES = {64: 16, 16: 4}                    # of the Gen3 link that so many bytes a cycle are for (PG213)
OSCILLATOR = range(800_000, 1_600_001)     # kHz, of an MMCM of speed grade 2
PART = re.compile(r"xcz?u\w+-[a-z]{4}\d{4}-\d\w?-[a-z]")
PIN = re.compile(r"([A-Z]{1,2})([1-9]\d?)")
FIELDS = {"name": str, "part": str, "block": str, "unconfirmed": list, "card": dict, "link": dict, "low": dict, "flash": dict}
MAY_LACK = {"watts": (int, float), "region": dict}
FILLED = 0.6                               # of a region's LUTs at most: beyond that a placer has no choice
BLOCKS = ("pcie4_uscale_plus", "pcie4c_uscale_plus")


class BoardError(Exception):
    """What is wrong with a file of a board, in one line."""


def require(condition, text):
    if not condition:
        raise BoardError(text)


def boards(folder=HERE):
    """Names of the boards there are."""
    return sorted(path.parent.name for path in folder.glob("*/board.toml"))


def table(name, folder=HERE):
    return tomllib.loads((folder / f"{name}.toml").read_text())


class Board:
    """`pins`: port of the top → (package pin, IOSTANDARD or None)."""

    def __init__(self, name, folder=HERE):
        self.folder = folder / name
        where = f"{name}/board.toml"
        require((self.folder / "board.toml").exists(), f"no board {name} (there are {', '.join(boards(folder))})")
        try:
            entry = tomllib.loads((self.folder / "board.toml").read_text())
        except tomllib.TOMLDecodeError as error:
            raise BoardError(f"{where}: {error}") from None
        for field, kind in FIELDS.items():
            require(isinstance(entry.get(field), kind), f"{where}: {field} is missing, or not a {kind.__name__}")
        unknown = set(entry) - set(FIELDS) - set(MAY_LACK)
        require(not unknown, f"{where}: no such field: {', '.join(sorted(unknown))}")
        require(PART.fullmatch(entry["part"]), f"{where}: part {entry['part']} is no name of an UltraScale+ part")
        require(entry["block"] in BLOCKS, f"{where}: block {entry['block']} is none of {', '.join(BLOCKS)}")
        self.name, self.entry, self.where = name, entry, where
        self.top = "pagepress_" + name.replace("-", "_")
        self.options = [str(word) for word in entry["card"]["options"]]
        self.engine_clock = int(dict(zip(self.options, self.options[1:])).get("--engine-clock", 0))
        self.bytes = int(dict(zip(self.options, self.options[1:])).get("--link", 64))
        require(self.bytes in LANES, f"{where}: --link {self.bytes} is none of {', '.join(map(str, LANES))}")
        self.lanes = LANES[self.bytes]
        self.boots = entry["flash"].get("boot", "")
        self.pins = dict(self._pins())
        owners = {}
        for port, (pin, _) in self.pins.items():
            require(PIN.fullmatch(pin), f"{where}: {port}: {pin} is no name of a package pin")
            require(pin not in owners, f"{where}: pin {pin} is given to {owners.get(pin)} and to {port}")
            owners[pin] = port

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
    return {name: value.format(**numbers) for name, value in wanted.items()}
