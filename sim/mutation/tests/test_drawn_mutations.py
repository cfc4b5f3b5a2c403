# SPDX-License-Identifier: Apache-2.0
"""Drawn mutations: the draw follows its seed, harmless ones are told from harmful ones, and a target's own tests are really asked."""
import dataclasses
import json
import os
import runpy
import subprocess
import sys
import tomllib
import types
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


@pytest.fixture(scope="module")
def edits():
    """The module, once its parsers are there."""
    subprocess.run([REPOSITORY / ".tools/install-mutation"], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    import edits

    return edits


def drawn(*words):
    return subprocess.run([ROOM / "drawn", *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def test_mutation_blocks_name_tests_that_exist(built):
    verilog = built("verilog")
    for block, entry in BLOCKS.items():
        assert (verilog / f"{block}.v").exists(), block
        assert entry["modules"] and all(cocotb_tests(module) for module in entry["modules"]), block


def test_mutations_follow_their_seed(tools):
    first, some = mutants.draw("completion_writer", 6, 7)
    again, same = mutants.draw("completion_writer", 6, 7)
    assert first == again and some == same and len(some) == 6
    assert mutants.draw("completion_writer", 6, 8)[1] != some
    assert all(mutant.line and mutant.text for mutant in some)


ROWS = """
module rows(input clk, input reset, input write, input [3:0] row, input [7:0] data, output [7:0] read);
  reg [7:0] rows [0:15];
  always @(posedge clk) if (write) rows[row] <= data;
  assign read = rows[row];
endmodule
"""
TABLE = """
module rows(input clk, input reset, input [4:0] row, output reg [7:0] read);
  reg [7:0] entry;
  always @(*) case (row)
""" + "".join(f"    5'd{row}: entry = 8'd{row * 37 % 256};\n" for row in range(32)) + """  endcase
  always @(posedge clk) if (reset) read <= 0; else read <= entry + 8'd1;
endmodule
"""


@pytest.mark.parametrize("cell, said", [
    ("$logic_or$rows.sound.v:1$65 -port Y -portbit 0 -wire \\busy -wirebit 0", "busy, port Y bit 0 inverted"),
    ("$procdff$246 -port D", "procdff cell, port D inverted"),
    ("stretches -port io_push_payload -portbit 3", "instance stretches, port io_push_payload bit 3 inverted"),
])
def test_mutation_says_where_it_is(cell, said):
    entry = f"mutate -ctrl mutant 16 7 -mode inv -module \\rows -cell {cell} -src rows.sound.v:9.1-9.9 -src rows.sound.v:2.1-2.5\n"
    mutant, = mutants.read_list(entry, "first\n  second\n")
    assert (mutant.number, mutant.what, mutant.place) == (7, said, "rows, line 2: second")


@pytest.mark.parametrize("verilog, drawn", [(ROWS, 400), (TABLE, 200)], ids=["rows", "table"])
def test_mutations_of_a_memory_leave_out_what_yosys_cannot_write(tools, tmp_path, monkeypatch, verilog, drawn):
    (tmp_path / "rows.v").write_text(verilog)
    monkeypatch.setattr(mutants, "VERILOG", tmp_path)
    monkeypatch.setattr(mutants, "SCRATCH", tmp_path / "scratch")
    folder, some = mutants.draw("rows", drawn, 1)
    assert drawn / 4 < len(some) < drawn and (folder / "again.ys").exists()
    assert {mutant.number for mutant in some} < set(range(1, drawn + 1))


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


def test_mutations_that_lead_to_no_output_are_harmless(tools, tmp_path, monkeypatch):
    """A part's output that the block leaves open, beside a memory, which is too much for a proof by ABC. What leads to another output, if late, is not."""
    (tmp_path / "turns.v").write_text("""
module part(input clk, input [7:0] data, output reg [7:0] taken, output [7:0] spare);
  always @(posedge clk) taken <= data ^ 8'h55;
  assign spare = data + taken;
endmodule
module turns(input clk, input reset, input [7:0] data, output reg [7:0] out);
  wire [7:0] taken, unused;
  part part(.clk(clk), .data(data), .taken(taken), .spare(unused));
  reg [7:0] rows [0:255];
  always @(posedge clk) begin rows[data] <= taken; out <= rows[taken]; end
endmodule
""")
    monkeypatch.setattr(mutants, "VERILOG", tmp_path)
    monkeypatch.setattr(mutants, "SCRATCH", tmp_path / "scratch")
    folder, some = mutants.draw("turns", 60, 1)
    idle = [mutant for mutant in some if harmless.reaches_nothing(folder, "turns", mutant.number)]
    assert {mutant.number for mutant in idle} == {mutant.number for mutant in some if "assign spare" in mutant.text or mutant.what.startswith(("spare", "unused", "memrd cell, port CLK"))}
    assert 3 < len(idle) < 40


def test_mutations_of_what_has_no_value_are_harmless():
    """As the data of a write that does not happen; lines of a netlist as yosys writes it."""
    text = """
  assign _12_ = mutant == 16'h0004;
  assign _13_ = mutant == 16'h000a;
  assign _14_ = _12_ ? 1'h0 : 1'hx;
  assign _15_ = _13_ ? _11_ : _10_;
"""
    assert harmless.is_of_nothing(text, 4)
    assert not harmless.is_of_nothing(text, 10) and not harmless.is_of_nothing(text, 1)


def test_mutations_are_noticed_by_the_blocks_own_tests(tools):
    done = drawn("burst_arbiter", "--count", "3", "--seed", "5", "--json")
    assert done.returncode in (0, 1), done.stderr
    [row] = json.loads(done.stdout)["targets"]
    assert row["drawn"] == row["judged"] == 3 and row["noticed"] >= 1, row
    assert row["drawn"] == row["noticed"] + row["harmless"] + row["argued"] + row["survived"], row


# What each function of it answers to 3: sound, and with each of its edits.
PROGRAM = """
#include <stdio.h>
#include <stdlib.h>

enum { LIMIT = 3 < 4 };
_Static_assert(LIMIT, "a constant is left alone");
static int seen;

static void note(int value) { seen += value; }
static int below(int value) { return value < 3; }
static int noted(int value) { note(value); printf("%s", ""); return seen; }
static int odd(int value) { if (value & 1) return 7; return 8; }
static int down(int value) { int steps = 0; while (value > 0) { value--; steps++; } return steps; }
static int named(int value) { switch (value) { case 3: return 1; default: return 2; } }

int main(void)
{
    printf("%d %d %d %d %d\\n", below(3), noted(3), odd(3), down(3), named(3));
    exit(0);
}
"""
SOUND = "0 3 7 3 1"
ANSWERS = {
    "below: `value < 3` with <=": "1 3 7 3 1", "below: `value < 3` turned round": "1 3 7 3 1",
    "noted: `note(value);` left out": "0 0 7 3 1",
    "odd: `value & 1` turned round": "0 3 8 3 1", "odd: `value & 1` taken for true": SOUND, "odd: `value & 1` taken for false": "0 3 8 3 1",
    "down: `value > 0` with >=": "0 3 7 4 1", "down: `value > 0` turned round": "0 3 7 0 1", "down: `value > 0` taken for false": "0 3 7 0 1",
}


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_mutations_of_a_program_each_do_what_they_say(edits, tmp_path, language):
    path = tmp_path / f"program.{language}"
    path.write_text(PROGRAM if language == "c" else PROGRAM.replace("_Static_assert", "static_assert"))
    source = edits.Source(path, "printf|exit")
    found = source.edits()
    assert {edit.what for edit in found} == set(ANSWERS)
    changed = tmp_path / f"changed.{language}"
    changed.write_bytes(f'#include "{ROOM}/mutant.h"\n'.encode() + source.changed(dict(enumerate(found, 1))))
    compiler = "gcc" if language == "c" else "g++"
    subprocess.run([compiler, "-Wall", "-Wextra", "-Werror", "-o", tmp_path / "program", changed], check=True)

    def answer(number, **more):
        environment = {**os.environ, "PAGEPRESS_MUTANT": str(number), **more}
        return subprocess.run([tmp_path / "program"], env=environment, check=True, capture_output=True, text=True).stdout.strip()

    assert answer(0, PAGEPRESS_REACHED=str(tmp_path / "reached")) == SOUND
    assert {edit.what: answer(number) for number, edit in enumerate(found, 1)} == ANSWERS
    reached = (tmp_path / "reached").read_text().splitlines()
    assert sorted(reached) == sorted(f"mutant {number} reached" for number in range(1, len(found) + 1))


def test_mutations_of_programs_follow_their_seed(edits):
    import programs

    for name, entry in tomllib.loads((ROOM / "programs.toml").read_text())["programs"].items():
        sources = programs.sources_of(entry)
        first = programs.choose(sources, 50, 3)
        assert first == programs.choose(sources, 50, 3) != programs.choose(sources, 50, 4), name
        assert len({what for _, _, what in first.values()}) == len(first) == 50, name


@pytest.mark.parametrize(("text", "harmless"), [("return value < 1;", False), ("if (0) return value < 1; return 2;", True)])
def test_mutation_that_compiles_to_the_same_code_is_harmless(edits, tmp_path, monkeypatch, text, harmless):
    import programs

    tree = tmp_path / "some/tree"
    tree.mkdir(parents=True)
    (tree / "program.c").write_text(f"int function(int value) {{ {text} }}\n")
    source = edits.Source(tree / "program.c", "none")
    found = dict(enumerate(source.edits(), 1))
    (tree / "program.c").write_bytes(f'#include "{ROOM}/mutant.h"\n'.encode() + source.changed(found))
    monkeypatch.setattr(programs, "SCRATCH", tmp_path)
    assert found and {programs.is_harmless("some", {"compile": "gcc -O2"}, "program.c", number) for number in found} == {harmless}


@pytest.fixture
def program(edits, tmp_path, monkeypatch):
    """A function: program(test) is a repository with a program, and that for its test in shell; returns (its folder, its entry of programs.toml)."""
    import programs

    root = tmp_path / "repository"
    (root / "sim/mutation").mkdir(parents=True)
    (root / "sim/mutation/mutant.h").write_bytes((ROOM / "mutant.h").read_bytes())
    (root / "program.c").write_text("int main(int words, char **given) { (void)given; if (words > 1) return 1; return 0; }\n")
    subprocess.run(["git", "init", "-q", root], check=True)
    monkeypatch.setattr(programs, "REPOSITORY", root)
    monkeypatch.setattr(programs, "SCRATCH", tmp_path / "scratch")

    def make(test):
        (root / "check.sh").write_text(test)
        return root, {"sources": ["program.c"], "left_alone": "none", "build": ["gcc -o program program.c"], "tests": ["sh check.sh"]}
    return make


def test_mutations_of_a_program_want_its_tests_to_pass_as_they_are_now(program):
    """Also those of a draw that goes on: a test that was broken meanwhile notices nothing."""
    import programs

    _, entry = program("echo run >>../ran; ./program")
    folder, some = programs.draw("small", entry, 3, 1)
    tests = programs.check_sound("small", entry, folder)
    assert set(tests) == {mutant.number for mutant in some}
    assert programs.draw("small", entry, 3, 1) == (folder, some) and programs.check_sound("small", entry, folder) == tests
    assert (programs.SCRATCH / "small/ran").read_text() == "run\n", "the same tree's was run again"
    program("echo broken; ./program --wrong")
    assert programs.draw("small", entry, 3, 1) == (folder, some)
    with pytest.raises(mutants.Trouble, match="small: the sound program fails: sh check.sh:\nbroken"):
        programs.check_sound("small", entry, folder)


@pytest.mark.parametrize(("test", "noticed"), [("exit 0", False), ("exit 1", True), ("sleep 1000", True), ("kill -SEGV $$", True), ("kill -ABRT $$", True)]
                         + [(f"exit {status}", None) for status in (2, 3, 4, 5, 127)] + [("kill -KILL $$", None)])
def test_mutation_is_noticed_by_a_test_that_fails(program, test, noticed):
    """Not by one that cannot be run, or that somebody killed: that is a trouble."""
    import programs

    _, entry = program("exit 0")
    programs.draw("small", entry, 1, 1)
    (programs.tree_of("small") / "check.sh").write_text(test)
    if noticed is None:
        with pytest.raises(mutants.Trouble, match=r"\nsmall, mutant 1: no test's status, -?\d+: sh check.sh$"):
            programs.is_noticed("small", [("sh check.sh", 1)], 1)
    else:
        assert programs.is_noticed("small", [("sh check.sh", 1)], 1) is noticed


def test_mutations_are_judged_anew_when_their_tests_have_changed(tmp_path, monkeypatch):
    import targets

    monkeypatch.setattr(targets, "REPOSITORY", tmp_path)
    (tmp_path / "sim/cocotb").mkdir(parents=True)
    block = targets.Block("block", {"room": "dma"})
    block.folder = tmp_path
    for text in ("one test", "another"):
        (tmp_path / "sim/cocotb/test_block.py").write_text(text)
        assert block.has_new_judges() and not block.has_new_judges()


def test_mutation_is_argued_for_in_its_module():
    """A mutant of the same signal in another module is not meant. Each reason of a block's names its module."""
    run = runpy.run_path(str(ROOM / "drawn"))["Run"](types.SimpleNamespace(minutes=1))
    listed = tomllib.loads((ROOM / "argued.toml").read_text())["survivor"]
    for entry in listed:
        target = types.SimpleNamespace(name=entry["target"])
        if entry["target"] in BLOCKS:
            mutant = mutants.Mutant(1, entry["module"], entry["what"], 1, "")
            assert run.is_argued(target, mutant) and not run.is_argued(target, dataclasses.replace(mutant, module="StreamFifo_9"))
        else:
            assert run.is_argued(target, types.SimpleNamespace(what=entry["what"]))


def test_mutation_run_ends_in_time_and_goes_on(tools, edits):
    """A target that has no time left is not judged, and says how to go on; where that was all, nothing is known."""
    done = drawn("burst_arbiter", "--count", "3", "--seed", "5", "--minutes", "0.000001")
    assert done.returncode == 3, done.stderr
    assert "none of theirs was judged: burst_arbiter" in done.stdout
    assert "minutes were over; the rest: make mutate-drawn OPTIONS='burst_arbiter --seed 5 --count 3'" in done.stdout
    assert "dma            burst_arbiter               3        0" in done.stdout


@pytest.mark.parametrize(("words", "phrase"), [
    (["no_such_block"], "no target no_such_block in sim/mutation/blocks.toml or programs.toml"),
    (["--count", "0"], "--count: from 1 to 65535"),
    (["--seed", "x"], "invalid int value: 'x'"),
    (["--minutes", "0"], "--minutes: more than 0"),
])
def test_mutation_bad_words(edits, words, phrase):
    done = drawn(*words)
    assert done.returncode == 2 and phrase in done.stderr and done.stderr.count("\n") == 1
