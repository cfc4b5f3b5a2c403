# SPDX-License-Identifier: Apache-2.0
"""What the simulations of the RTL left behind, merged: points of lines and of signals, each of a component, with how often it was met.

A component stands in several blocks' Verilog, and in several sizes. Its points are the same where the component is of the same class
and the line (with its place among equal ones) or the signal has the same name; one that any simulation met is met.
"""
import functools
import re
import sys
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.append(str(REPOSITORY / "rtl/interface"))

from generator.model import released_module  # noqa: E402 (found by the line above)

RELEASED = [released_module(name) for name in tomllib.loads((REPOSITORY / "rtl/top/configurations.toml").read_text())]
# The default's name begins the others', too.
OF_RELEASED = re.compile(rf"^({'|'.join(sorted(RELEASED, key=len, reverse=True))})(_|$)")
FIELD = re.compile("\x01([^\x02]*)\x02([^\x01']*)")


@dataclass(frozen=True)
class Point:
    """`kind`: line or signal; `what`: a line's text, or a signal's name with the bit and its direction."""
    component: str
    kind: str
    what: str


@functools.cache
def lines_of(path):
    return Path(path).read_text().splitlines()


def component_of(module):
    """The Scala class a Verilog module was made from: `page_decompressor_32` is PageDecompressor, `StreamFifo_4` StreamFifo; of a released core
    `pagepress_core_small_StreamFifo_4` is StreamFifo, and `pagepress_core_small` Core."""
    name = re.sub(r"_\d+$", "", OF_RELEASED.sub("", module) or "core")
    return "".join(word[0].upper() + word[1:] for word in name.split("_")) if name[0].islower() else name


def read(path):
    """Yields (Verilog file, line number, module, kind, name, count) of a simulation's file."""
    for line in Path(path).read_text(errors="replace").splitlines():
        if line.startswith("C '"):
            fields, count = line[3:].rsplit("' ", 1)
            field = dict(FIELD.findall(fields))
            page, _, module = field["page"].partition("/")
            yield field["f"], int(field["l"]), module, page, field["o"], int(count)


def merged(paths):
    """({Point: count}, {Point: "file:line" of where it was seen first})."""
    counts, places = Counter(), {}
    for path in paths:
        seen = Counter()  # equal lines of one component are told apart by their order
        met = {}
        for file, number, module, page, name, count in sorted(read(path)):
            component = component_of(module)
            if page == "v_toggle":
                point = Point(component, "signal", name)
            elif page in ("v_line", "v_branch"):
                text = " ".join(lines_of(file)[number - 1].split())
                order = seen[file, module, text, name]
                seen[file, module, text, name] += 1
                point = Point(component, "line", f"{text} ({name})" + (f" no. {order + 1}" if order else ""))
            else:
                continue
            met[point] = met.get(point, 0) + count
            places.setdefault(point, f"{Path(file).name}:{number}")
        counts.update(met)  # keeps those of count 0
    return counts, places


def tracefile(paths):
    """lcov's text for the lines of the Verilog files: a line counts as often as any block of it ran."""
    found = {}
    for path in paths:
        for file, number, _, page, _, count in read(path):
            if page in ("v_line", "v_branch"):
                lines = found.setdefault(file, {})
                lines[number] = max(count, lines.get(number, 0))
    return "".join(f"SF:{file}\n" + "".join(f"DA:{number},{count}\n" for number, count in sorted(lines.items())) + "end_of_record\n"
                   for file, lines in sorted(found.items()))


def rooms(sources):
    """{class: room} of the components in the Scala files `sources` (paths below rtl)."""
    found = {}
    for path in sources:
        room = "/".join(path.parts[path.parts.index("rtl"):][:-1])
        for name in re.findall(r"^\s*(?:final |sealed |abstract |case )*class (\w+)", path.read_text(), re.M):
            found[name] = room
    return found
