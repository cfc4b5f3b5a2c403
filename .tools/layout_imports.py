# SPDX-License-Identifier: Apache-2.0
"""Who may import whom: the table, and how imports are found in Scala, C, C++ and Python.

A room is rtl/<name>, sim/<name>, a folder of the driver's sources, driver/uapi or a top folder. The driver's
tracepoints, which all its files call, are one of their own. Every room may import itself and rtl/interface;
what more it may import stands in MAY_IMPORT. The driver's rooms hold to it in their calls as well: layout_calls.
"""
import ast
import posixpath
import re
import sys

RTL_ROOMS = {"rtl/engine", "rtl/queues", "rtl/dma", "rtl/management", "rtl/top"}
SIM_ROOMS = {"sim/reference", "sim/cocotb", "sim/verilator", "sim/system", "sim/bench", "sim/nightly", "sim/mutation", "sim/experiments",
             "sim/xrt", "sim/soc", "sim/coverage", "sim/management"}
# Whom each of the driver's rooms may use, by including and by calling. None is used by one below it, so there is no circle.
DRIVER_ROOMS = {
    "driver/observe": {"driver/acomp", "driver/block", "driver/policy", "driver/path", "driver/backing", "driver/origin", "driver/store", "driver/card",
                       "driver/management", "driver/page", "driver/tracepoints"},
    "driver/block": {"driver/policy", "driver/path", "driver/backing", "driver/origin", "driver/store", "driver/page", "driver/tracepoints"},
    # Decides, and moves nothing itself.
    "driver/policy": {"driver/path", "driver/backing", "driver/store", "driver/page", "driver/tracepoints"},
    "driver/path": {"driver/backing", "driver/store", "driver/card", "driver/page", "driver/tracepoints"},
    "driver/backing": {"driver/store", "driver/page", "driver/tracepoints"},
    "driver/origin": {"driver/store", "driver/page", "driver/tracepoints", "driver/uapi"},
    # Requests of the crypto API: beside the disks, of which it knows nothing.
    "driver/acomp": {"driver/store", "driver/card", "driver/tracepoints"},
    "driver/store": {"driver/page", "driver/tracepoints"},
    # Commands and completions: whose they are, it does not know. Clients besides the disks will use it.
    "driver/card": {"driver/tracepoints"},
    # The card's own processor: follows a card's coming and going, knows no page.
    "driver/management": {"driver/card"},
    "driver/page": set(),
    "driver/tracepoints": set(),
}
MAY_IMPORT = {
    "rtl/interface": set(),
    "rtl/engine": set(),
    "rtl/queues": set(),
    "rtl/dma": set(),
    "rtl/management": set(),
    "rtl/top": RTL_ROOMS,
    "rtl/test": RTL_ROOMS,
    "sim/reference": set(),
    "sim/cocotb": SIM_ROOMS,
    "sim/verilator": SIM_ROOMS | {"firmware"},  # the card's model runs the firmware's own sources
    "sim/system": SIM_ROOMS | {".tools"},
    "sim/formal": {".tools"},
    "sim/bench": SIM_ROOMS | {".tools"},
    "sim/nightly": SIM_ROOMS,
    "sim/mutation": SIM_ROOMS | {".tools"},
    "sim/experiments": SIM_ROOMS | {".tools"},
    "sim/xrt": SIM_ROOMS | {".tools"},
    "sim/soc": SIM_ROOMS | {".tools"},
    "sim/coverage": SIM_ROOMS,
    "sim/management": SIM_ROOMS,
    "driver": {"driver/uapi", *DRIVER_ROOMS},  # driver/main.c, and the tests
    **DRIVER_ROOMS,
    "driver/uapi": set(),
    "firmware": set(),
    "host": {"driver/uapi"},
    "constraints": {".tools"},  # how programs take words and end
    ".tools": set(),
    ".docs": {".tools"},
}

SCALA_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
SCALA_PACKAGE = re.compile(r"^\s*package\s+([\w.]+)\s*$", re.M)
SCALA_REFERENCE = re.compile(r"\bpagepress\.([a-z]\w*)")
SCALA_WILD_IMPORT = re.compile(r"\bimport\s+(?:_root_\.)?pagepress\s*\.\s*[{_]")
C_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
C_SUFFIXES = (".c", ".h", ".cpp", ".hpp", ".cc")


def room_of(name):
    """The room a file belongs to; a file directly in rtl/ or sim/ belongs to that folder."""
    if name == "driver/observe/trace.h":
        return "driver/tracepoints"
    parts = name.split("/")
    if len(parts) > 2 and (parts[0] in ("rtl", "sim") or "/".join(parts[:2]) in {*DRIVER_ROOMS, "driver/uapi"}):
        return "/".join(parts[:2])
    return parts[0]


def allowed(importer, imported):
    return imported in ("rtl/interface", importer) or imported in MAY_IMPORT.get(importer, set())


def import_violations(texts):
    """`texts`: file name → text, of the whole tree. Returns breaches as `path: what`."""
    found = []
    for name, text in texts.items():
        if name.endswith(".scala"):
            found += scala_violations(name, text)
        elif name.endswith(C_SUFFIXES):
            found += breaches(name, c_imports(name, text, texts))
        elif name.endswith(".py") or re.match(r"#!.*python", text):
            found += breaches(name, python_imports(name, text, texts))
    return found


def breaches(name, imports):
    """`imports`: pairs (as written, rooms it may come from); one allowed room is enough."""
    importer = room_of(name)
    return [f"{name}: {importer} must not import {written} of {' or '.join(sorted(rooms))}"
            for written, rooms in imports if rooms and not any(allowed(importer, room) for room in rooms)]


def scala_violations(name, text):
    code = SCALA_COMMENT.sub("", text)
    room = room_of(name)
    package = "pagepress." + room.partition("/")[2]
    packages = SCALA_PACKAGE.findall(code)
    found = []
    # One clause naming the whole package: nested clauses would make neighbours visible unnamed.
    if len(packages) != 1 or not (packages[0] + ".").startswith(package + "."):
        found.append(f"{name}: package is {' '.join(packages) or 'missing'}, expected {package}")
    if SCALA_WILD_IMPORT.search(code):
        found.append(f"{name}: import of several rooms at once; name one room in each import")
    rooms = {"rtl/" + reference for reference in SCALA_REFERENCE.findall(SCALA_PACKAGE.sub("", code))}
    return found + breaches(name, [(f"pagepress.{other[4:]}", {other}) for other in sorted(rooms)])


def c_imports(name, text, texts):
    """Includes that lead into the tree: beside the file, or by the end of a header's path."""
    folder = posixpath.dirname(name)
    for bracket, written in C_INCLUDE.findall(text):
        beside = posixpath.normpath(posixpath.join(folder, written))
        if bracket == '"' and beside in texts:
            yield written, {room_of(beside)}
        elif bracket == '"' or "pagepress" in written:
            tail = "/" + posixpath.normpath(written).lstrip("./")
            yield written, {room_of(other) for other in texts if ("/" + other).endswith(tail)}


def python_imports(name, text, texts):
    """Imported modules that are files or packages of the tree, by the module's first name."""
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        yield f"(does not parse: {error})", {"nothing"}
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            modules = [node.module]
        else:
            continue
        for module in modules:
            first = module.split(".")[0]
            if first == "sim":  # the folder itself, reached from the root
                yield module, {"/".join(module.split(".")[:2])}
            elif first not in sys.stdlib_module_names:
                yield module, {room_of(other) for other in texts
                               if ("/" + other).endswith((f"/{first}.py", f"/{first}/__init__.py"))}
