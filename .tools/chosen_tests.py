#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the name in `make test T=name` means, and which Verilog the tests of a file need.

usage: chosen_tests.py NAME
Prints how to run it, a word a line: `scala` and the suite with its package; `cocotb`, the test's name and the files that have it;
or `pytest`, what its -k takes (part of the name of a test, a file or a folder, or an expression) and the files where that may be.
Exit 2 and one line when no test is called so.
"""
import ast
import os
import re
import shlex
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
PLACES = (".tools/tests", "rtl", "sim", "driver", "firmware", "host", "constraints")
EVERY_BLOCK = None
SCALA_SUITE = re.compile(r"^\s*class (\w+) extends \w*(?:Suite|FunSuite|Spec)", re.M)
SCALA_PACKAGE = re.compile(r"^package +([\w.]+)", re.M)
READS_VERILOG = re.compile(r"build/verilog|\bVERILOG\b")


def rerun(name, seed):
    """The command that repeats a test (of a function or a file, by its name) with its seed, as it ran here: by day or by night, on this kernel."""
    here = "".join(f" {variable}={shlex.quote(os.environ[variable])}" for variable in ("NIGHTLY", "KERNEL") if os.environ.get(variable))
    return f"make test T={shlex.quote(name.removeprefix('test_'))} SEED={seed}{here}"


def test_files():
    return sorted(path for place in PLACES for path in (REPOSITORY / place).glob("**/test_*.py") if "build" not in path.parts)


def scala_suites():
    """{class name: name with package} of the Scala suites."""
    found = {}
    for path in (REPOSITORY / "rtl/test").glob("**/*.scala"):
        text = path.read_text()
        found.update({suite: f"{SCALA_PACKAGE.search(text)[1]}.{suite}" for suite in SCALA_SUITE.findall(text)})
    return found


def functions(path):
    """(pytest functions, cocotb tests) of a file, by name."""
    nodes = ast.parse(path.read_text()).body
    return ({node.name for node in nodes if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")},
            {node.name for node in nodes if isinstance(node, ast.AsyncFunctionDef)
             and any("cocotb" in ast.unparse(mark) for mark in node.decorator_list)})


def blocks_of(path, function):
    """The blocks of build/verilog that a pytest function needs: a set, empty where none, or EVERY_BLOCK where it cannot be told."""
    name, text = str(path.relative_to(REPOSITORY)), path.read_text()
    if not name.startswith("sim/cocotb/"):  # what else a test needs the fixture `built` makes
        return EVERY_BLOCK if READS_VERILOG.search(text) and not name.startswith(".tools/") else set()
    body = next(node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name == function)
    calls = [node for node in ast.walk(body) if isinstance(node, ast.Call) and ast.unparse(node.func) == "run"
             and "verilog" not in (word.arg for word in node.keywords)]  # such a one generates its own
    named = [call.args[0].value for call in calls if call.args and isinstance(call.args[0], ast.Constant)]
    if len(named) < len(calls) or not calls and READS_VERILOG.search(text):
        return EVERY_BLOCK
    return set(named)


def choose(name):
    """The words to print for a name, or None when nothing can be called so."""
    if name in (suites := scala_suites()):
        return ["scala", suites[name]]
    files = test_files()
    known = {path: functions(path) for path in files}
    is_test = any(name in (path.stem, path.stem.removeprefix("test_")) or {name, f"test_{name}"} & of_pytest
                  for path, (of_pytest, _) in known.items())
    of_cocotb = [str(path.relative_to(REPOSITORY)) for path, (_, tests) in known.items() if name in tests]
    if of_cocotb and not is_test:
        return ["cocotb", name, *of_cocotb]
    # -k also takes parts, parameters and expressions: what stands nowhere in the tests is none of these.
    words = re.findall(r"[\w.]+", re.sub(r"\b(and|or|not)\b", " ", name))
    texts = {str(path.relative_to(REPOSITORY)): f"{path.relative_to(REPOSITORY)} {path.read_text()}".lower() for path in files}
    places = [{path for path, text in texts.items() if word.lower() in text} for word in words]
    if not places or not all(places):
        return None
    return ["pytest", name, *(sorted(set().union(*places)) if not re.search(r"\bnot\b", name) else texts)]


def main(words):
    if len(words) != 1 or words[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if words else 2
    chosen = choose(words[0])
    if chosen is None:
        print(f"run-tests: no test is called '{words[0]}': T= takes a file's or a test's name (crc32c), one cocotb test's "
              "(full_rate), a Scala suite's class, or pytest's -k", file=sys.stderr)
        return 2
    print("\n".join(chosen))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
