# SPDX-License-Identifier: Apache-2.0
"""The quick proofs: each holds on its block and fails on every broken copy. `make formal` does all of them."""
import re
import subprocess
import sys
from pathlib import Path

import pytest

FORMAL = Path(__file__).resolve().parents[1]
REPOSITORY = FORMAL.parents[1]
sys.path.insert(0, str(FORMAL))

from proof import Trouble, proofs, verdict

QUICK = [name for name, entry in proofs().items() if entry.get("quick")]
BROKEN = [(name, broken) for name in QUICK for broken in proofs()[name]["broken"]]


@pytest.fixture(scope="session")
def tools(built):
    """The provers, installed, and the blocks, generated."""
    for installer in ("install-synth", "install-formal"):
        done = subprocess.run([REPOSITORY / ".tools" / installer], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done.stderr
    built("verilog")


@pytest.mark.parametrize("name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.night("formal")) for name in proofs()])
def test_formal_property_holds(tools, name):
    assert verdict(name)[0] == "holds"


@pytest.mark.parametrize("name, broken", BROKEN, ids=[f"{name}: {broken['bug']}" for name, broken in BROKEN])
def test_formal_property_can_fail(tools, name, broken):
    assert verdict(name, broken)[0] == "fails"


def test_formal_every_proof_can_fail():
    assert all(entry.get("broken") for entry in proofs().values())


def test_formal_table_names_every_proof():
    rows = re.findall(r"^\| (`.+?) \|.*\| (.+) \|$", (FORMAL / "README.md").read_text(), re.M)
    assert {name: length for names, length in rows for name in re.findall(r"`(\w+)`", names)} == {
        name: "ever" if entry["method"] != "within" else f"{entry['cycles']} cycles" for name, entry in proofs().items()}


def test_formal_tells_a_broken_copy_that_no_longer_applies(tools):
    with pytest.raises(Trouble, match="no longer applies"):
        verdict(QUICK[0], {"bug": "none", "pattern": "no such text", "replacement": ""})


def test_formal_refuses_unknown_names():
    done = subprocess.run([FORMAL / "prove", "no_such_block"], capture_output=True, text=True)
    assert done.returncode == 2 and "unknown: no_such_block" in done.stderr and done.stderr.count("\n") == 1
