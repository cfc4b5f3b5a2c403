# SPDX-License-Identifier: Apache-2.0
"""Every deliberate bug of mutations.toml still fits today's Verilog, and names tests that exist."""
from pathlib import Path

import pytest
from mutations import Mutation, Stale, read
from runner import cocotb_tests

HERE = Path(__file__).resolve().parent
VERILOG = HERE.parents[1] / "build/verilog"


@pytest.mark.parametrize("mutation", read(), ids=lambda mutation: mutation.name)
def test_mutation_applies(mutation):
    assert mutation.apply(VERILOG)
    assert mutation.tests and set(mutation.tests) <= cocotb_tests(mutation.module)


@pytest.mark.parametrize("block, pattern, replacement, message", [
    ("shop", "wire", "reg", "matches 2 times in shop.v"),
    ("shop", "absent", "reg", "matches 0 times in shop.v"),
    ("shop", "wire b", "wire b", "changes nothing in shop.v"),
    ("absent", "wire", "reg", "absent.v was not generated"),
])
def test_mutation_that_does_not_fit_says_so(tmp_path, block, pattern, replacement, message):
    (tmp_path / "shop.v").write_text("wire a;\nwire b;\n")
    mutation = Mutation("name", "bug", block, pattern, replacement, "test_shop", ["one"])
    with pytest.raises(Stale, match=message):
        mutation.apply(tmp_path)
