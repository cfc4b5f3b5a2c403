# SPDX-License-Identifier: Apache-2.0
"""What one demo measured, from three sources that do not know of each other: the guest's kernel and
its hungry program, the driver, and the card process outside the guest."""
import json
from dataclasses import dataclass, field

from system import Trouble
from system.dataset import Contents


@dataclass(frozen=True)
class Fault:
    """A card killed on purpose. commands: it had taken; out: pages the kernel had swapped out by its last report; phase: what the
    hungry program was doing then."""

    commands: int
    out: int
    phase: str


@dataclass(frozen=True)
class FirmwareFault:
    """Firmware killed on purpose. out, phase: as of a killed card; beats: of its heart until then, and at the end; revived: somebody has
    reset the core, and it runs again."""

    out: int
    phase: str
    beats: int
    beats_at_end: int
    revived: bool


@dataclass(frozen=True)
class LaneFault:
    """An engine broken on purpose, one of several of its kind. out, phase: as of a killed card."""

    lane: int
    out: int
    phase: str


@dataclass(frozen=True)
class Figures:
    """engine: rtl or model; level: axi, pcie or none; status: of the guest's script; hungry: pages, checked, wrong, out, in;
    table, ways, driver_card: the driver's groups; card: the card process's counters at its end, or
    just before it was killed; needed: pages that must go each way; data: what the image holds;
    lanes, events: of the card, as pagepressctl showed them at the end, where a lane was broken."""

    engine: str
    level: str
    status: int
    hungry: dict
    table: dict
    ways: dict
    driver_card: dict
    card: dict
    needed: int
    data: Contents
    fault: Fault | None = None
    fault_wanted: bool = False
    firmware: FirmwareFault | None = None
    firmware_wanted: bool = False
    lane: LaneFault | None = None
    lane_wanted: bool = False
    lanes: list = field(default_factory=list)
    events: list = field(default_factory=list)
    splats: list = field(default_factory=list)
    seconds: float = 0.0

    @property
    def card_out(self):
        """Pages the card took and gave a verdict on, by its own count."""
        return pages_out(self.card)

    @property
    def card_in(self):
        return self.card["pages_decompressed"]


def pages_out(counters):
    """Of a card's counters, however they were read."""
    return sum(counters[name] for name in ("pages_compressed", "pages_same_filled", "pages_incompressible"))


def reported(reports, name, keys):
    """The JSON object that the guest reported under `name`, with at least `keys`."""
    if name not in reports:
        raise Trouble(f"the guest did not report its {name}: see its console above")
    try:
        value = json.loads(reports[name])
        missing = [key for key in keys if key not in value]
    except (ValueError, TypeError) as error:
        raise Trouble(f"the guest's report {name} is not JSON: {error}") from error
    if missing:
        raise Trouble(f"the guest's report {name} lacks {', '.join(missing)}")
    return value
