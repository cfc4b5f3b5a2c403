# SPDX-License-Identifier: Apache-2.0
"""Drawn mutations: the draw follows its seed, harmless ones are told from harmful ones, and a block's tests are really asked."""
import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOM = Path(__file__).resolve().parents[1]
REPOSITORY = ROOM.parents[1]
sys.path.append(str(ROOM))
import harmless  # noqa: E402 (found by the line above)
import mutants  # noqa: E402
from runner import cocotb_tests  # noqa: E402

BLOCKS = tomllib.loads((ROOM / "blocks.toml").read_text())["blocks"]


@pytest.fixture(scope="module")
def tools(built):
    built("verilog")
    subprocess.run(["make", "-s", "formal-tools"], cwd=REPOSITORY, check=True, stdin=subprocess.DEVNULL)


def drawn(*words):
    return subprocess.run([ROOM / "drawn", *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def test_mutation_blocks_name_tests_that_exist(built):
    verilog = built("verilog")
    for block, entry in BLOCKS.items():
        assert (verilog / f"{block}.v").exists(), block
        assert set(entry.get("tests", [])) <= cocotb_tests(entry["module"]), block


def test_mutations_follow_their_seed(tools):
    first, some = mutants.draw("completion_writer", 6, 7)
    again, same = mutants.draw("completion_writer", 6, 7)
    assert first == again and some == same and len(some) == 6
    assert mutants.draw("completion_writer", 6, 8)[1] != some
    assert all(mutant.line and mutant.text for mutant in some)


def test_mutations_that_nothing_can_notice_are_harmless(tools, tmp_path, monkeypatch):
    """A state that is never reached: what it would do may be stuck at nothing, but not be inverted."""
    (tmp_path / "turns.v").write_text("""
module turns(input clk, input reset, output [1:0] turn);
  reg [1:0] state;
  wire never = (state == 2'd3);
  always @(posedge clk or posedge reset) if (reset) state <= 0; else state <= (state == 2'd2) ? 2'd0 : state + 2'd1;
  assign turn = state ^ {2{never}};
endmodule
""")
    monkeypatch.setattr(mutants, "VERILOG", tmp_path)
    monkeypatch.setattr(mutants, "SCRATCH", tmp_path / "scratch")
    folder, some = mutants.draw("turns", 60, 1)
    stuck = next(mutant for mutant in some if mutant.what.startswith("never") and "stuck at 0" in mutant.what)
    inverted = next(mutant for mutant in some if mutant.what.startswith("never") and mutant.what.endswith("inverted"))
    assert harmless.is_harmless(folder, "turns", stuck.number) is True
    assert harmless.is_harmless(folder, "turns", inverted.number) is False


def test_mutations_are_noticed_by_the_blocks_own_tests(tools):
    done = drawn("burst_arbiter", "--count", "3", "--seed", "5", "--json")
    assert done.returncode in (0, 1), done.stderr
    [row] = json.loads(done.stdout)["blocks"]
    assert row["drawn"] == 3 and row["noticed"] >= 1, row
    assert row["drawn"] == row["noticed"] + row["harmless"] + row["argued"] + row["survived"], row


@pytest.mark.parametrize(("words", "phrase"), [
    (["no_such_block"], "no block no_such_block in sim/mutation/blocks.toml"),
    (["--count", "0"], "--count: from 1 to 65535"),
    (["--seed", "x"], "invalid int value: 'x'"),
])
def test_mutation_bad_words(words, phrase):
    done = drawn(*words)
    assert done.returncode == 2 and phrase in done.stderr
