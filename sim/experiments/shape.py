# SPDX-License-Identifier: Apache-2.0
"""What a scenario's file may hold: the keys of each of its tables, which of them it must have, and what kind of value each takes."""
import math
import re
from dataclasses import dataclass
from typing import Callable

from system import arguments, kernels


@dataclass(frozen=True)
class Kind:
    words: str  # "KEY is not ..."
    fits: Callable


def one_line(value):
    return isinstance(value, str) and value.strip() != "" and "\n" not in value


def whole(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def table(value):
    return isinstance(value, dict)


def list_of(fits):
    return lambda value: isinstance(value, list) and all(map(fits, value))


def megabytes(value):
    try:
        return arguments.memory(value) > 0
    except (TypeError, ValueError):
        return False


def shell_value(value):
    """What can stand between the quotes of an assignment in the guest's shell."""
    return number(value) or one_line(value) and "'" not in value


TEXT = Kind("a line of text", one_line)
NAME = Kind("a line of text without '", lambda value: one_line(value) and "'" not in value)  # which the guest's shell is told
WORDS = Kind("text", lambda value: isinstance(value, str))
TEXTS = Kind("a list of lines of text", list_of(one_line))
WHOLE = Kind("a whole number", whole)
COUNT = Kind("a whole number, at least 1", lambda value: whole(value) and value > 0)
NUMBER = Kind("a number", number)
FLAG = Kind("true or false", lambda value: isinstance(value, bool))
MEMORY = Kind(f"memory as a guest gets it, {arguments.LEAST_MEMORY}M or more", megabytes)
FILE = Kind("the name of a file", lambda value: isinstance(value, str) and re.fullmatch(r"[\w.-]+", value) and value.strip("."))
FILES = Kind("a list of files' names", list_of(FILE.fits))
QUICK = Kind("true, false or a list of engines", lambda value: isinstance(value, bool) or list_of(one_line)(value))
TABLE = Kind("a table", table)
TABLES = Kind("a list of tables", list_of(table))
SIDE = Kind("a table that selects rows", table)
WANTED = Kind("a number, or a table that selects rows", lambda value: number(value) or table(value))
SETTINGS = Kind("a table of a shell's variables, each a number or text in one line without '", lambda value: table(value)
                and all(re.fullmatch(r"[a-z]\w*", name, re.ASCII) and shell_value(one) for name, one in value.items()))  # fmt: skip

MUST = {  # keys without which a table says nothing
    "scenario": ("title", "source", "engines", "guest", "points", "metrics"), "guest": ("memory", "script", "seconds"), "point": ("name",), "metric": ("class",),
    "sweep": ("of", "points"), "swept": ("name",), "original": ("point",), "check": ("name", "measured", "relation", "wanted"), "side": ("metric", "engine"), "chart": ("name", "kind", "title", "metrics"),
}  # fmt: skip
KEYS = {
    "scenario": {"title": TEXT, "source": TEXT, "about": WORDS, "original_notes": TEXTS, "engines": TEXTS, "quick_engines": TEXTS, "runs": COUNT, "guest": TABLE,
                 "disks": TABLE, "settings": SETTINGS, "points": TABLES, "sweeps": TABLES, "metrics": TABLE, "original": TABLES, "checks": TABLES, "charts": TABLES},
    "guest": {"memory": MEMORY, "script": FILE, "files": FILES, "seconds": COUNT, "waits": FLAG, "cold": FLAG},
    "disks": {"root_delay_ms": WHOLE, "swap_mb": WHOLE, "swap_delay_ms": WHOLE, "swap_seek_ms": WHOLE, "swap_mb_a_second": WHOLE},
    "point": {"name": NAME, "settings": SETTINGS, "x": NUMBER, "quick": QUICK, "engines": TEXTS, "not_built": TEXT, "beside": TEXT},
    "sweep": {"of": TEXTS, "points": TABLES, "engines": TEXTS, "quick": QUICK},
    "swept": {"name": NAME, "settings": SETTINGS, "x": NUMBER},  # a point of a sweep
    "metric": {"class": TEXT, "label": TEXT, "of": TEXT, "engine": TEXT, "outputs": FLAG},
    "original": {"point": TEXT, "engine": TEXT},  # and metrics, each a number
    "check": {"name": TEXT, "measured": SIDE, "over": SIDE, "relation": TEXT, "wanted": WANTED},
    "side": {"metric": TEXT, "engine": TEXT, "point": TEXT, "points": TEXTS, "take": TEXT},
    "chart": {"name": FILE, "kind": TEXT, "title": TEXT, "metrics": TEXTS, "points": TEXTS, "point": TEXT, "engines": TEXTS, "x": TEXT, "y": TEXT, "original": FLAG, "log": FLAG},
}  # fmt: skip
SETTING_KINDS = {"memory": MEMORY, "swap_mb": WHOLE, "kernel": Kind(f"one of {', '.join(kernels.NAMES)}", lambda value: value in kernels.NAMES)}  # which the guest is made by


def check(content):
    """Raises ValueError for what is missing, misspelt or of another kind."""
    fit("scenario", "the file", content)
    fit("guest", "guest", content["guest"])
    fit("disks", "disks", content.get("disks", {}))
    settings("settings", content.get("settings", {}))
    for sweep in content.get("sweeps", ()):
        fit("sweep", "a sweep", sweep)
    for kind, some in (("point", content["points"]), *(("swept", sweep["points"]) for sweep in content.get("sweeps", ()))):
        for one in some:
            about = f"the point {one.get('name', 'without name')}"
            fit(kind, about, one)
            settings(about, one.get("settings", {}))
    for name, one in content["metrics"].items():
        if not table(one):
            raise ValueError(f"the metric {name} is not a table")
        fit("metric", f"the metric {name}", one)
    for one in content.get("original", ()):
        figures = [key for key in one if key not in KEYS["original"]]
        fit("original", "an original's table", one, **dict.fromkeys(figures, NUMBER))
    for one in content.get("checks", ()):
        about = f"the check '{one.get('name', '')}'"
        fit("check", about, one)
        for side in filter(table, (one["measured"], one.get("over"), one["wanted"])):
            fit("side", about, side, **({"times": NUMBER} if side is one["wanted"] else {}))
    for one in content.get("charts", ()):
        fit("chart", f"the chart '{one.get('name', '')}'", one)


def fit(kind, about, values, **more):
    kinds = KEYS[kind] | more
    if unknown := sorted(set(values) - set(kinds)):
        raise ValueError(f"{about} has no {', '.join(unknown)}; it may have {', '.join(kinds)}")
    for key in MUST.get(kind, ()):
        if key not in values:
            raise ValueError(f"{about}: {key} is missing")
    for key, value in values.items():
        if not kinds[key].fits(value):
            raise ValueError(f"{about}: {key} is not {kinds[key].words}")


def settings(about, values):
    """Of the guest's variables those by which it is made are held to more than that a shell can read them."""
    for key, kind in SETTING_KINDS.items():
        if key in values and not kind.fits(values[key]):
            raise ValueError(f"{about}: {key} is not {kind.words}")
