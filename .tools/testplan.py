#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The test plans: testplan.toml beside each room says what is promised, what keeps it, and which tests hold it.

usage: testplan.py [--json]
Prints every promise as a table in Markdown, or as JSON; exit 1 when a plan is wrong or names a test that does not exist.
That each test named has run and passed is checked at the end of `make test` (testplan_pytest.py); a test that this run skips
because it takes another kernel or hours may say so instead: its reason names the target, "make test-debug runs it".

A test is named `module` (each of its tests) or `module.function`: a pytest function, a cocotb test, a Scala suite; `module.function[case]`
is that case of a pytest function alone, which only a run can know.
"""
import ast
import json
import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import command_line
from tree_files import tree_files

NAME = "testplan.toml"
ELSEWHERE = re.compile(r"\bmake ([\w-]+) runs it\b")  # in a skipped test's reason
KEYS = {"says", "kept_by", "tests"}
SUITE = re.compile(r"^\s*class (\w+) extends \w*(?:Suite|FunSuite|Spec)", re.M)


@dataclass(frozen=True)
class Promise:
    """One row of a plan. `tests`: names as above."""
    plan: str
    says: str
    kept_by: str
    tests: tuple


def tests_of(root, files):
    """{module: {functions}} of every test in the tree; a Scala suite has no functions."""
    found = {}
    for name in files:
        path = Path(name)
        if path.suffix == ".py" and path.name.startswith("test_"):
            found.setdefault(path.stem, set()).update(python_tests((Path(root) / name).read_text()))
        elif path.suffix == ".scala" and name.startswith("rtl/test/"):
            for suite in SUITE.findall((Path(root) / name).read_text()):
                found[suite] = set()
    return found


def python_tests(text):
    """Names of pytest functions and of coroutines that cocotb runs."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.name
        elif isinstance(node, ast.AsyncFunctionDef) and any("cocotb" in ast.unparse(mark) for mark in node.decorator_list):
            yield node.name


def read(root, files):
    """(promises, breaches): every plan of the tree, and a line for each thing wrong with them."""
    promises, breaches = [], []
    known = tests_of(root, files)
    for name in sorted(name for name in files if Path(name).name == NAME):
        try:
            plan = tomllib.loads((Path(root) / name).read_text())
        except tomllib.TOMLDecodeError as error:
            breaches.append(f"{name}: {error}")
            continue
        for number, entry in enumerate(plan.get("promise", []), 1):
            wrong = problem_of(entry, known)
            if wrong:
                breaches.append(f"{name}: promise {number}: {wrong}")
            else:
                promises.append(Promise(name, entry["says"], entry["kept_by"], tuple(entry["tests"])))
    said = [promise.says for promise in promises]
    breaches += [f"{promise.plan}: '{promise.says}' stands there twice" for number, promise in enumerate(promises)
                 if promise.says in said[:number]]
    return promises, breaches


def problem_of(entry, known):
    """What is wrong with one entry of a plan, or None."""
    if set(entry) != KEYS:
        return f"has {', '.join(sorted(entry)) or 'nothing'}; wanted are {', '.join(sorted(KEYS))}"
    if not entry["tests"]:
        return f"'{entry['says']}' names no test"
    for test in entry["tests"]:
        module, _, function = test.partition(".")
        if module not in known:
            return f"no test module is called {module}"
        function = function.partition("[")[0]
        if function and function not in known[module]:
            return f"{module} has no test {function}"
    return None


def is_among(test, ran):
    """Whether a test, as a plan names it, is among `ran`, a set of (module, function); a module is if any of its functions is."""
    module, _, function = test.partition(".")
    return (module, function) in ran if function else any(module == one for one, _ in ran)


def missing(promises, ran):
    """Lines for the tests that are named and not among `ran`, a set of (module, function)."""
    return [f"{promise.plan}: {test} did not run, or did not pass: '{promise.says}'"
            for promise in promises for test in promise.tests if not is_among(test, ran)]


def not_held_here(promises, passed):
    """Lines for the promises of which no test is among `passed`, a set of (module, function): other targets alone hold them."""
    return [f"{promise.plan}: held by another target alone: '{promise.says}' ({', '.join(promise.tests)})"
            for promise in promises if not any(is_among(test, passed) for test in promise.tests)]


def runs_elsewhere(reason, makefile):
    """Whether a skipped test's reason names the target of `makefile` (its text) that runs it; any other skip holds no promise."""
    named = ELSEWHERE.search(reason)
    return bool(named) and re.search(rf"^{re.escape(named[1])}:", makefile, re.M) is not None


def table(promises):
    lines = []
    for plan in dict.fromkeys(promise.plan for promise in promises):
        lines += [f"## {Path(plan).parent}", "", "| promise | kept by | tested by |", "|---|---|---|"]
        lines += [f"| {promise.says} | {promise.kept_by} | {', '.join(f'`{test}`' for test in promise.tests)} |"
                  for promise in promises if promise.plan == plan]
        lines.append("")
    return "\n".join(lines).rstrip()


def main(words):
    command_line.only(words, ["--json"])
    root = Path(__file__).resolve().parents[1]
    promises, breaches = read(root, tree_files(root))
    print(json.dumps([vars(promise) for promise in promises], indent=1) if words else table(promises))
    for breach in breaches:
        print(f"testplan: {breach}", file=sys.stderr)
    return 1 if breaches else 0


if __name__ == "__main__":
    command_line.main("testplan", main, sys.argv[1:], __doc__)
