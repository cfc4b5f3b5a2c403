# SPDX-License-Identifier: Apache-2.0
"""From counts of events to joules a page. Units are SI: joules, watts, hertz, volts; every figure is a Range."""
import math
import tomllib
from pathlib import Path
from typing import NamedTuple

from . import Trouble

FIGURES = Path(__file__).with_name("energy.toml")
# Event of gates.counted → the report's line whose energy it has, and the key of [uses_a_cycle] that says how often that line's resources were used.
EVENTS = {
    "lut": ("lut", "signal"), "carry": ("carry", "signal"), "flip_flop": ("flip_flop", "signal"),
    "wires_after_logic": ("wires", "signal"), "wires_after_clocked": ("wires", "signal"),
    "memory_writes": ("memory", "memory_write"), "block_ram_accesses": ("block_ram", "block_ram"), "clock_pins": ("clock", None),
}
GLITCHING = ("lut", "carry", "wires_after_logic")
WITHIN = ("memory", "block_ram", "port")  # transitions of what these drive are counted as wires alone


class Range(NamedTuple):
    """What gives the lowest energy, what is likely, what gives the highest."""
    low: float
    likely: float
    high: float

    @classmethod
    def of(cls, value):
        """Of one number, the same three times."""
        return cls(*(value if isinstance(value, (list, tuple)) else (value,) * 3))

    def __add__(self, other):
        return Range(*(mine + its for mine, its in zip(self, Range.of(other))))

    def __mul__(self, other):
        return Range(*(mine * its for mine, its in zip(self, Range.of(other))))

    __rmul__ = __mul__

    def __truediv__(self, other):
        return Range(*(mine / its for mine, its in zip(self, Range.of(other))))


def load(path=FIGURES):
    """The figures of energy.toml; Trouble names the first that cannot be."""
    try:
        figures = tomllib.loads(Path(path).read_text())
    except OSError as error:
        raise Trouble(f"cannot read {path}: {error.strerror}") from None
    except tomllib.TOMLDecodeError as error:
        raise Trouble(f"{path}: {error}") from None
    check(figures, str(path))
    return figures


NEEDED = [*(f"report.{line}.{key}" for line in sorted({line for line, _ in EVENTS.values()}) for key in ("watts", "count")), "report.volts",
          "report.megahertz", "uses_a_cycle.signal", "uses_a_cycle.memory_write", "uses_a_cycle.block_ram", "glitches.factor", "supply.volts",
          "static.watts", "link.watts", "processor.nanojoules_a_cycle", "processor.instructions_a_cycle.range",
          *(f"measured.{name}" for name in ("out_software", "out_card_all", "out_card_card", "out_card_sampled", "in_software", "in_card",
                                            "pages_a_second_out", "pages_a_second_in"))]
FALLING = ("uses_a_cycle.", "processor.instructions_a_cycle.")  # more of these is less energy


def check(figures, name):
    for key in NEEDED:
        value = figures
        for part in key.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        three = value if isinstance(value, list) else [value]
        if len(three) not in (1, 3) or not all(isinstance(one, (int, float)) and not isinstance(one, bool) and math.isfinite(one) and one > 0 for one in three):
            raise Trouble(f"{name}: {key} is {value!r}, and has to be a number above 0, or three of them")
        if three != sorted(three, reverse=key.startswith(FALLING)):
            raise Trouble(f"{name}: {key} is {value!r}: the one that gives the lowest energy comes first")
    for table, entries in figures.items():
        if "source" not in entries:
            raise Trouble(f"{name}: [{table}] says no source")


def event_joules(figures):
    """{event: Range of joules of one}."""
    report, uses = figures["report"], figures["uses_a_cycle"]
    hertz = report["megahertz"] * 1e6
    supply = Range.of(figures["supply"]["volts"]) / report["volts"]
    found = {}
    for event, (line, use) in EVENTS.items():
        # A clock's pin has two transitions a cycle.
        each = Range.of(uses[use]) if use else Range.of(2)
        found[event] = Range.of(report[line]["watts"]) / (each * (report[line]["count"] * hertz)) * supply * supply
        if event in GLITCHING:
            found[event] *= Range.of(figures["glitches"]["factor"])
    return found


def farads(joules, volts):
    """Effective capacitance: a transition takes C·V²/2."""
    return 2 * joules / volts ** 2


def page_joules(events, figures):
    """{event: Range of joules a page} of {event: how often a page}. Trouble when an event has no energy, or one that has is not counted."""
    each = event_joules(figures)
    if unknown := [event for event in events if event not in each and event not in WITHIN]:
        raise Trouble(f"no energy is known of {', '.join(unknown)}")
    if uncounted := [event for event in each if event not in events]:
        raise Trouble(f"not counted: {', '.join(uncounted)}")
    return {event: each[event] * events[event] for event in each}


def total(parts):
    return sum(parts.values(), Range.of(0.0))


def processor_joules(instructions, figures):
    processor = figures["processor"]
    return Range.of(processor["nanojoules_a_cycle"]) * 1e-9 / Range.of(processor["instructions_a_cycle"]["range"]) * instructions


def budget(compress, decompress, figures):
    """Joules of a page out and of a page in, from each engine's events a page, `cycles` and `clock_pins_a_cycle` besides.

    {"engines": {engine: {event: Range}}, "rows": {what: Range}}. A page out is compressed, and its stream decompressed by the lane's verifier, whose clock runs on
    while the compressor is still at work on the next page.
    """
    engines = {name: page_joules(one["events"], figures) for name, one in (("compress", compress), ("decompress", decompress))}
    waiting = max(0.0, compress["cycles"] - decompress["cycles"])
    idle = event_joules(figures)["clock_pins"] * (waiting * decompress["clock_pins_a_cycle"])
    measured = figures["measured"]
    out = total(engines["compress"]) + total(engines["decompress"]) + idle
    standing = Range.of(figures["static"]["watts"]), Range.of(figures["link"]["watts"])
    rows = {"compress": total(engines["compress"]), "verify": total(engines["decompress"]) + idle, "out_engines": out, "in_engines": total(engines["decompress"])}
    for way in ("out", "in"):
        rate = measured[f"pages_a_second_{way}"]
        rows[f"{way}_static"], rows[f"{way}_link"] = (watts / rate for watts in standing)
        rows[f"{way}_card"] = rows[f"{way}_engines"] + rows[f"{way}_static"] + rows[f"{way}_link"]
        rows[f"{way}_software"] = processor_joules(measured[f"{way}_software"], figures)
    for how in ("all", "card", "sampled"):
        # With `card` one of the card's decompressors opens the stream once more.
        again = rows["in_engines"] if how == "card" else Range.of(0.0)
        rows[f"out_by_card_{how}"] = processor_joules(measured[f"out_card_{how}"], figures) + rows["out_card"] + again
    rows["in_by_card"] = processor_joules(measured["in_card"], figures) + rows["in_card"]
    return {"engines": engines, "rows": rows}
