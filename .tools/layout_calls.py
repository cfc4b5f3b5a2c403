#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Who uses whom among the driver's rooms, by its compiled objects: includes tell only who might, a prototype can stand anywhere.

The rule is that of layout_imports (DRIVER_ROOMS): a function or variable of another room may be used if that room may be
imported. What is called through a pointer that the lower room was given does not count: that is how a room below is answered.

usage: layout_calls.py [FOLDER]   the folder of the objects, build/driver unless given; exit 1 and one line for each breach
"""
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from layout_imports import DRIVER_ROOMS, allowed, room_of

REPOSITORY = Path(__file__).resolve().parents[1]


def driver_sources(root):
    """The driver's sources that are compiled, as paths from `root`."""
    folders = ["driver", *(room for room in DRIVER_ROOMS if (root / room).is_dir())]
    return sorted(str(path.relative_to(root)) for folder in folders for path in (root / folder).glob("*.c"))


def room_of_object(name):
    return "driver/tracepoints" if name == "driver/observe/trace.c" else room_of(name)


def global_symbols(path):
    """(defined, undefined) symbols of an object that others can see."""
    listing = subprocess.run(["nm", "--extern-only", "--format=posix", path], capture_output=True, text=True, check=True).stdout
    pairs = [line.split()[:2] for line in listing.splitlines()]
    undefined = {symbol for symbol, kind in pairs if kind in "Uvw"}
    return {symbol for symbol, _ in pairs} - undefined, undefined


def uses(objects):
    """`objects`: {source: compiled object}. Returns {(source, source it uses): symbols} and {symbol: source that has it}."""
    symbols = {name: global_symbols(path) for name, path in objects.items()}
    owners = {symbol: name for name, (defined, _) in symbols.items() for symbol in defined}
    found = defaultdict(set)
    for name, (_, undefined) in symbols.items():
        for symbol in undefined & owners.keys():
            found[name, owners[symbol]].add(symbol)
    return found, owners


def circles(edges):
    """Each set of nodes of which every one reaches every other, sorted; `edges` are pairs."""
    following = defaultdict(set)
    for one, other in edges:
        following[one].add(other)

    def reached(node):
        seen, left = set(), [node]
        while left:
            left += following[left.pop()] - seen
            seen.update(left)
        return seen

    reach = {node: reached(node) for node in list(following)}
    return sorted({tuple(sorted(other for other in reach[node] if node in reach.get(other, ())))
                   for node in reach if node in reach[node]})


def call_violations(objects, headers):
    """`objects`: {source: compiled object}; `headers`: {name: text}. Returns one line for each breach."""
    found, owners = uses(objects)
    lines = [f"{user}: {room_of_object(user)} must not use {', '.join(sorted(symbols))} of {owner}"
             for (user, owner), symbols in sorted(found.items())
             if not allowed(room_of_object(user), room_of_object(owner))]
    between = {(user, owner) for user, owner in found if room_of_object(user) != room_of_object(owner)}
    for circle in circles({(room_of_object(user), room_of_object(owner)) for user, owner in between}):
        lines.append(f"rooms in a circle: {', '.join(circle)}")
    for circle in circles(found):
        if len({room_of_object(name) for name in circle}) > 1:
            lines.append(f"files of several rooms in a circle: {', '.join(circle)}")
    for name, text in sorted(headers.items()):
        lines += [f"{name}: declares {symbol} of {owners[symbol]}" for symbol in sorted(declared(text) & owners.keys())
                  if room_of_object(owners[symbol]) != room_of(name)]
    return lines


def declared(text):
    """Functions and variables that a header declares, in kernel style: at the begin of a line. Tags are other names."""
    outermost = "\n".join(re.findall(r"^(?![#/*\s]).*", text, re.M))
    return set(re.findall(r"\b(\w+)\s*[(\[;]", re.sub(r"\b(?:struct|union|enum)\s+\w+", "", outermost)))


def main(words):
    if len(words) > 1 or words[:1] in (["-h"], ["--help"]):
        print(__doc__)
        return 0 if len(words) == 1 else 2
    folder = Path(words[0]) if words else REPOSITORY / "build/driver"
    names = driver_sources(REPOSITORY)
    objects = {name: folder / Path(name).relative_to("driver").with_suffix(".o") for name in names}
    for name, path in objects.items():
        if not path.exists():
            print(f"layout: {path} is missing: build the driver first (make driver)", file=sys.stderr)
            return 2
    headers = {str(path.relative_to(REPOSITORY)): path.read_text()
               for room in DRIVER_ROOMS for path in (REPOSITORY / room).glob("*.h")}
    breaches = call_violations(objects, headers)
    print("\n".join(breaches) or "layout: no room calls another that it may not")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
