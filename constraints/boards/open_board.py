# SPDX-License-Identifier: Apache-2.0
"""A board that open tools take all the way to a bitstream, as its board.toml in open/ describes it: a system on chip with a core of the release."""
import re
import tomllib

from board import HERE, PIN, PORT, REPOSITORY, STANDARD, boards, described, has, require

FIELDS = {"name": str, "part": str, "core": str, "megahertz": int, "baud": int, "seed": int, "flash": str, "unconfirmed": list, "pins": dict, "high": dict}
PART = re.compile(r"(LFE5U-\d\dF)-([678])BG(\d{3})[CI]")
DEVICES = {"LFE5U-85F": "--85k"}           # as nextpnr calls it
INPUTS, OUTPUTS = ("clock", "restart"), ("transmit",)  # ports that every such system has
PULLS = ("NONE", "UP", "DOWN")
DRIVES = (4, 8, 12, 16)                    # mA, of LVCMOS33
LEAST_BIT = 4                              # cycles of a bit on the serial line
MADE = "Made by constraints/boards/generate.py. Do not edit: change board.toml and run it again."


def open_boards(folder=HERE):
    """Names of the boards there are."""
    return boards(folder / "open")


class OpenBoard:
    """`ports`: port of the system → its entry: pin, standard, pull, drive. `core`: parameters of its core, name → value."""

    def __init__(self, name, folder=HERE):
        self.folder, where = folder / "open" / name, f"open/{name}/board.toml"
        entry = described(self.folder, where, open_boards(folder))
        has(where, entry, FIELDS)
        part = PART.fullmatch(entry["part"])
        require(part, f"{where}: part {entry['part']} is no name of an ECP5 part")
        require(part[1] in DEVICES, f"{where}: of the device {part[1]} nothing is known: DEVICES in open_board.py wants it first")
        self.name, self.entry, self.where = name, entry, where
        self.device = [DEVICES[part[1]], "--speed", part[2], "--package", f"CABGA{part[3]}"]
        cores = tomllib.loads((REPOSITORY / "rtl/top/configurations.toml").read_text())
        require(entry["core"] in cores, f"{where}: core {entry['core']} is none of rtl/top/configurations.toml ({', '.join(cores)})")
        require(0 < entry["megahertz"] <= 400, f"{where}: megahertz: {entry['megahertz']} is no clock of this part")
        bit, rest = divmod(entry["megahertz"] * 1_000_000, entry["baud"]) if entry["baud"] > 0 else (0, 0)
        require(rest == 0 and bit >= LEAST_BIT, f"{where}: baud: {entry['baud']} is no whole part of the clock, a {LEAST_BIT}th of it at most")
        self.ports = self._ports()

    def _ports(self):
        pins, high = self.entry["pins"], self.entry["high"]
        has(f"{self.where}: pins", pins, dict.fromkeys((*INPUTS, *OUTPUTS), dict))
        for port in high:
            require(re.fullmatch(r"[a-z]\w*", port) and port not in pins, f"{self.where}: high: {port} is no name for an output of its own")
        owners = {}
        for port, entry in (pins | high).items():
            drives = port not in INPUTS
            has(f"{self.where}: {port}", entry, PORT | {"pull": str} | ({"drive": int} if drives else {}) | ({"why": str} if port in high else {}))
            pin = entry["pin"]
            require(PIN.fullmatch(pin), f"{self.where}: {port}: {pin} is no name of a package pin")
            require(pin not in owners, f"{self.where}: pin {pin} is given to {owners.get(pin)} and to {port}")
            require(STANDARD.fullmatch(entry["standard"]), f"{self.where}: {port}: there is no {entry['standard']}")
            require(entry["pull"] in PULLS, f"{self.where}: {port}: pull {entry['pull']} is none of {', '.join(PULLS)}")
            require(not drives or entry["drive"] in DRIVES, f"{self.where}: {port}: drive: no output has {entry.get('drive')} mA")
            owners[pin] = port
        return pins | high

    def constraints(self):
        """The text of pins.lpf."""
        lines = ["# SPDX-License-Identifier: Apache-2.0", f"# {MADE}", f"# {self.entry['name']}: not run on a board.", "BLOCK RESETPATHS;", "BLOCK ASYNCPATHS;"]
        for port, entry in self.ports.items():
            drive = f" DRIVE={entry['drive']}" if "drive" in entry else ""
            lines += [f'LOCATE COMP "{port}" SITE "{entry["pin"]}";',
                      f'IOBUF PORT "{port}" IO_TYPE={entry["standard"]} PULLMODE={entry["pull"]}{drive};']
        return "\n".join([*lines, f'FREQUENCY PORT "clock" {self.entry["megahertz"]} MHZ;', ""])

    def check_ports(self, verilog):
        """`verilog`, the system's, has just the ports that have pins, each in its direction and of one bit."""
        header = re.search(r"^module soc \((.*?)^\);", verilog, re.M | re.S)
        require(header, f"{self.name}: the system has no module soc")
        found = {}
        for way, bits, port in re.findall(r"^\s*(input|output|inout)\s+(?:wire|reg)\s*(\[[^]]*\])?\s*(\w+)", header[1], re.M):
            require(not bits, f"{self.name}: the system's port {port} has more than one bit: {bits}")
            found[port] = way
        wanted = {port: "input" if port in INPUTS else "output" for port in self.ports}
        for port in sorted(found.keys() | wanted.keys()):
            require(port in wanted, f"{self.name}: the system's port {port} has no pin")
            require(found.get(port) == wanted[port], f"{self.name}: {port}: no {wanted[port]} of the system, though it has a pin")
