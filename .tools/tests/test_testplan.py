# SPDX-License-Identifier: Apache-2.0
"""The test plans name tests that exist, and the checks of plans notice what is wrong with one."""
import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tree_files import tree_files
from testplan import missing, not_held_here, read, runs_elsewhere, table
from testplan_pytest import Plan

REPOSITORY = Path(__file__).resolve().parents[2]
TESTS = """
import cocotb

@cocotb.test()
async def ring_faults(dut): ...

@cocotb.test(skip=False)
async def other(dut): ...

async def helper(dut): ...

def test_core(): ...
"""
SOUND = """
[[promise]]
says = "a ring that faults stops alone"
kept_by = "the queue"
tests = ["test_core.ring_faults", "test_core.other", "test_core.test_core", "test_core", "VectorsTest"]
"""


@pytest.fixture
def tree(tmp_path):
    """A function: tree(plan) writes a small tree with that plan; returns (root, files)."""

    def write(plan):
        files = {"sim/test_core.py": TESTS, "rtl/test/Vectors.scala": "class VectorsTest extends AnyFunSuite {\n", "rtl/testplan.toml": plan}
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        return tmp_path, list(files)

    return write


def test_testplans_of_this_tree():
    promises, breaches = read(REPOSITORY, tree_files(REPOSITORY))
    assert breaches == [] and len(promises) >= 30


def test_testplan_sound(tree):
    promises, breaches = read(*tree(SOUND))
    assert breaches == [] and [promise.says for promise in promises] == ["a ring that faults stops alone"]
    assert "| a ring that faults stops alone | the queue | `test_core.ring_faults`," in table(promises)


@pytest.mark.parametrize(("old", "new", "phrase"), [
    ('"test_core.ring_faults"', '"test_core.ring_fault"', "test_core has no test ring_fault"),
    ('"test_core.ring_faults"', '"test_core.ring_fault[2]"', "test_core has no test ring_fault"),
    ('"test_core.ring_faults"', '"test_core.helper"', "test_core has no test helper"),
    ('"test_core.ring_faults"', '"test_cores.ring_faults"', "no test module is called test_cores"),
    ('"VectorsTest"', '"VectorTest"', "no test module is called VectorTest"),
    ("kept_by", "held_by", "wanted are kept_by, says, tests"),
    ('tests = ["test_core.ring_faults", "test_core.other", "test_core.test_core", "test_core", "VectorsTest"]', "tests = []", "names no test"),
    ('says = "', "says = ", "rtl/testplan.toml: "),
    (SOUND, SOUND + SOUND, "stands there twice"),
])
def test_testplan_breach(tree, old, new, phrase):
    assert old in SOUND
    _, breaches = read(*tree(SOUND.replace(old, new)))
    assert len(breaches) == 1 and phrase in breaches[0]


def test_testplan_says_what_only_other_targets_hold(tree):
    promises, _ = read(*tree(SOUND))
    assert not_held_here(promises, {("test_core", "other")}) == not_held_here(promises, {("VectorsTest", "VectorsTest")}) == []
    lines = not_held_here(promises, {("test_other", "ring_faults")})
    assert len(lines) == 1 and "rtl/testplan.toml: held by another target alone: 'a ring that faults stops alone'" in lines[0]


def test_testplan_notices_a_test_that_did_not_run(tree):
    promises, _ = read(*tree(SOUND))
    ran = {("test_core", "ring_faults"), ("test_core", "other"), ("test_core", "test_core"), ("VectorsTest", "VectorsTest")}
    assert missing(promises, ran) == []
    for test in (("test_core", "ring_faults"), ("VectorsTest", "VectorsTest")):
        [line] = missing(promises, ran - {test})
        assert f"{test[0]}.{test[1]}" in line or test[0] in line and "did not run" in line


@pytest.mark.parametrize(("reason", "holds"), [
    ("Skipped: make test-debug runs it: only its kernel makes every allocation fail", True),
    ("Skipped: make test-debugger runs it", False),
    ("Skipped: only the debug kernel makes every allocation fail", False),
])
def test_testplan_takes_a_skip_only_with_the_target_that_runs_it(reason, holds):
    assert runs_elsewhere(reason, "test: tools\ntest-debug: ## the debug kernel\n") == holds


def test_testplan_knows_every_target_that_a_skip_names():
    """A test that is left out because of what a target has not made yet says that the target runs it; a fresh machine finds this too late."""
    makefile, wrong = (REPOSITORY / "Makefile").read_text(), []
    for name in tree_files(REPOSITORY):
        if Path(name).match("test_*.py") and not name.startswith(".tools/tests/test_testplan"):
            reasons = re.findall(r"""(?:reason=|skip\()f?"([^"\n]*\bmake [\w-][^"\n]*)\"""", (REPOSITORY / name).read_text())
            wrong += [f"{name}: {reason}" for reason in reasons if not runs_elsewhere(reason, makefile)]
    assert not wrong


@pytest.mark.parametrize(("outcome", "when", "reason", "holds"), [
    ("passed", "call", None, True), ("failed", "call", None, False), ("passed", "setup", None, False),
    ("skipped", "setup", ("test_x.py", 1, "Skipped: make test-debug runs it"), True),
    ("skipped", "setup", ("test_x.py", 1, "Skipped: no card here"), False),
])
def test_testplan_gathers_what_ran(outcome, when, reason, holds):
    plan = Plan()
    plan.pytest_runtest_logreport(pytest.TestReport("driver/tests/test_x.py::test_y[1]", ("test_x.py", 1, "test_y"), {}, outcome, reason, when))
    held = plan.passed | plan.elsewhere
    assert (("test_x", "test_y") in held) == (("test_x", "test_y[1]") in held) == holds
    assert ("test_x", "test_y[2]") not in held
