# SPDX-License-Identifier: Apache-2.0
"""What coverage makes of simulations' files, and one small block measured for real."""
import ast
import json
import os
import re
import runpy
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.append(str(REPOSITORY / "sim/coverage"))

sys.path.append(str(REPOSITORY / "build/tools/coverage/packages"))

import c_lines  # noqa: E402 (found by the lines above)
import functional_points  # noqa: E402
import lzo_tokens  # noqa: E402
import points  # noqa: E402
from lzo import COMPRESSORS, compress  # noqa: E402
from sample_pages import sample_pages  # noqa: E402

VERILOG = """module queue_pair_2 (input clk);
  always @(posedge clk) begin
    if(wanted) begin
      a <= 1;
    end
    if(wanted) begin
      b <= 1;
    end
  end
endmodule
"""


def counted(folder, name, module, line_counts, signal_counts):
    """A simulation's file: {(line, branch): count} and {signal: count} of `module`."""
    verilog = folder / f"{name}.v"
    verilog.write_text(VERILOG.replace("queue_pair_2", module))
    points_ = [(number, f"v_line/{module}", branch, count) for (number, branch), count in line_counts.items()]
    points_ += [(1, f"v_toggle/{module}", signal, count) for signal, count in signal_counts.items()]
    file = folder / f"{name}.dat"
    file.write_text("# SystemC::Coverage-3\n" + "".join(
        f"C '\x01f\x02{verilog}\x01l\x02{number}\x01page\x02{page}\x01o\x02{what}\x01h\x02top' {count}\n"
        for number, page, what, count in points_))
    return file


def test_points_of_one_component_in_two_blocks_are_one(tmp_path):
    """Equal lines stay apart by their order; what either block met is met."""
    first = counted(tmp_path, "one", "queue_pair_2", {(3, "if"): 4, (6, "if"): 0}, {"clk:0->1": 3, "clk:1->0": 0})
    second = counted(tmp_path, "two", "QueuePair", {(3, "if"): 0, (6, "if"): 0}, {"clk:0->1": 0, "clk:1->0": 2})
    counts, places = points.merged([first, second])
    assert {(point.component, point.kind, point.what): count for point, count in counts.items()} == {
        ("QueuePair", "line", "if(wanted) begin (if)"): 4, ("QueuePair", "line", "if(wanted) begin (if) no. 2"): 0,
        ("QueuePair", "signal", "clk:0->1"): 3, ("QueuePair", "signal", "clk:1->0"): 2}
    assert set(places.values()) == {"one.v:3", "one.v:6", "one.v:1"}
    assert points.tracefile([second]) == f"SF:{tmp_path}/two.v\nDA:3,0\nDA:6,0\nend_of_record\n"


@pytest.mark.parametrize("module, component", [
    ("StreamFifo_4", "StreamFifo"), ("page_decompressor_32", "PageDecompressor"), ("crc32c", "Crc32c"), ("core", "Core"),
    ("pagepress_core_small_StreamFifo_4", "StreamFifo"), ("pagepress_core_pages_16k_page_decompressor_32", "PageDecompressor"),
    ("pagepress_core_lane_gate", "LaneGate"), ("pagepress_core_soc", "Core"), ("pagepress_core", "Core")])
def test_component_of_a_module(module, component):
    """Also of a released core, which has its own name before those of its modules."""
    assert points.component_of(module) == component


def test_rooms_of_components():
    """Of classes and of case classes; a library's are in none."""
    rooms = points.rooms([path for path in (REPOSITORY / "rtl").glob("**/*.scala") if "test" not in path.parts])
    assert {name: rooms.get(name) for name in ("Core", "CommandCheck", "PageReader", "EngineGuard", "TagTable", "StreamFifo")} == {
        "Core": "rtl/top", "CommandCheck": "rtl/queues", "PageReader": "rtl/dma", "EngineGuard": "rtl/engine", "TagTable": "rtl/dma/pcie", "StreamFifo": None}


def test_lines_of_c_by_folder():
    text = "SF:/a/x.c\nDA:1,5\nDA:2,0\nend_of_record\nSF:/a/y.c\nDA:7,1\nend_of_record\nSF:/b/z.c\nDA:1,0\nend_of_record\n"
    assert c_lines.by_folder(text) == {"/a": (2, 3), "/b": (0, 1)}


@pytest.mark.parametrize("codec", list(COMPRESSORS))
def test_every_stream_has_tokens_to_its_end(codec, seed):
    found = Counter()
    for page in sample_pages(40, seed):
        tokens = list(lzo_tokens.classes(compress(page, codec)))
        assert tokens[-1] == "end" and tokens.count("end") == 1
        found.update(tokens)
    assert set(found) <= set(lzo_tokens.CLASSES) and found["M2"] and found["M3 short"]
    assert bool(found["zeros"]) == (codec == "lzo-rle")


END = bytes([17, 0, 0])


@pytest.mark.parametrize("stream, tokens", [
    (END, ["end"]),
    (bytes([21]) + b"abcd" + END, ["first literals", "end"]),
    (bytes([0, 0, 5]) + bytes(15 + 255 + 5 + 3) + END, ["literals many", "end"]),
    (bytes([21]) + b"abcd" + bytes([0, 0]) + bytes([1]) + b"wxyz" + END, ["first literals", "M1 of three bytes", "literals short", "end"]),
    (bytes([21]) + b"abcd" + bytes([33, 2, 0]) + b"xy" + END, ["first literals", "M3 short", "literals after a match", "end"]),
])
def test_tokens_by_hand(stream, tokens):
    assert list(lzo_tokens.classes(stream)) == tokens


@pytest.mark.night("test-whole")
def test_a_block_is_measured(tmp_path):
    """The CRC: every line and bit of it, by its own tests."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTEST_XDIST_WORKER"}
    done = subprocess.run([REPOSITORY / "sim/coverage/run", "--json", "--into", tmp_path, "test_crc32c.py and not reference"],
                          capture_output=True, text=True, env=environment, timeout=1200)
    assert done.returncode == 0, done.stderr[-3000:]
    row = json.loads(done.stdout)["rtl"]["rtl/engine"]
    assert row["line"][0] == row["line"][1] > 10 and row["signal"][0] == row["signal"][1] > 500
    assert (tmp_path / "index.html").exists()


def test_runs_in_pieces_add_up(tmp_path):
    """--more adds to what was counted; --functional counts no lines and builds no model of its own."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTEST_XDIST_WORKER"}
    hits = []
    for words in ([], ["--more"]):
        done = subprocess.run([REPOSITORY / "sim/coverage/run", "--json", "--functional", *words, "--into", tmp_path, "test_entry_writer.py"],
                              capture_output=True, text=True, env=environment, timeout=1200)
        assert done.returncode == 0, done.stderr[-3000:]
        found = json.loads(done.stdout)
        assert not found["rtl"] and set(found["functional"]["stalls.entry_writer"]) == {"sources", "sinks"}
        hits.append(found["functional"]["stalls.entry_writer"])
    assert hits[0]["sources"] and hits[1] == {whose: 2 * count for whose, count in hits[0].items()}


def test_name_that_no_test_has(tmp_path):
    """An empty SEED is none: every file of tests is read. What earlier runs have counted stays."""
    (tmp_path / "counts/c").mkdir(parents=True)
    for name in ("block.dat", "c/program.gcda"):
        (tmp_path / "counts" / name).write_text("of hours")
    done = subprocess.run([REPOSITORY / "sim/coverage/run", "--into", tmp_path, "no_such_test"], capture_output=True, text=True, timeout=1200,
                          env={**os.environ, "SEED": ""})
    assert done.returncode == 2 and done.stderr.splitlines()[-1] == "coverage: no test is called 'no_such_test'"
    assert sorted(path.name for path in (tmp_path / "counts").glob("**/*") if path.is_file()) == ["block.dat", "program.gcda"]


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A program of a tree in tmp_path that is compiled to count its lines: `.run(into)` does as tests do, `.report` is what coverage makes of it."""
    words = runpy.run_path(str(REPOSITORY / "sim/coverage/run"))
    tree = tmp_path / "tree"
    (tree / "build/host-coverage").mkdir(parents=True)
    (tree / "sim").mkdir()
    (tree / "rtl").mkdir()
    (tree / "sim/program.c").write_text("int main(int words, char **given)\n{\n    (void)given;\n    if (words > 1)\n        return 1;\n    return 0;\n}\n")
    subprocess.run(["gcc", "--coverage", "-o", "program", tree / "sim/program.c"], cwd=tree / "build/host-coverage", check=True)
    for name, value in (("REPOSITORY", tree), ("PLACES", ["sim"])):
        monkeypatch.setitem(words["main"].__globals__, name, value)
    (tree / ".tools").symlink_to(REPOSITORY / ".tools")
    (tree / "sim/test_program.py").write_text(f"import subprocess\ndef test_program():\n    subprocess.run(['{tree}/build/host-coverage/program'], check=True)\n")

    def run(into, *more):
        monkeypatch.setattr(sys, "argv", ["coverage", "--into", str(into), "--json", *more, "test_program"])
        return words["main"]()
    run.tree, run.words = tree, words
    return run


def test_counts_of_c_are_those_of_their_folder(program, tmp_path, capfd):
    """A run that goes elsewhere neither deletes what was counted nor counts it again."""
    hits = []
    for into, more in (("one", ()), ("two", ()), ("one", ["--more"])):
        assert program(tmp_path / into, *more) == 0
        assert json.loads(capfd.readouterr().out)["c"] == {"sim": [3, 4]}
        hits.append(re.search(r"^DA:4,(\d+)$", (tmp_path / into / "c.info").read_text(), re.M)[1])
    assert hits == ["1", "1", "2"] and not [*(program.tree / "build").glob("**/*.gcda")]


@pytest.mark.parametrize("failing, lines", [("lcov", {}), ("genhtml", {"sim": [3, 4]})])
def test_lcov_that_fails_is_told(program, tmp_path, monkeypatch, capfd, failing, lines):
    """The page that an earlier run left is none of this one."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / failing).write_text("#!/bin/sh\necho no space left >&2; exit 1\n")
    (tmp_path / "bin" / failing).chmod(0o755)
    assert program(tmp_path / "into") == 0 and (tmp_path / "into/index.html").exists()
    capfd.readouterr()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    assert program(tmp_path / "into") == 1
    said = capfd.readouterr()
    assert said.err.splitlines()[-1].startswith(f"coverage: {failing} failed") and json.loads(said.out)["c"] == lines
    assert not (tmp_path / "into/index.html").exists() and "no space left" in (tmp_path / "into/lcov.log").read_text()


def test_points_that_nothing_made_are_missed(program, tmp_path, monkeypatch, capfd):
    """Where all tests ran; each block whose stalls are wanted is run by a test of the day."""
    assert program(tmp_path / "some") == 0
    assert json.loads(capfd.readouterr().out)["functional"] == {}
    (program.tree / "sim/conftest.py").write_text("collect_ignore = []\n")
    monkeypatch.setattr(sys, "argv", ["coverage", "--into", str(tmp_path / "all"), "--json"])
    assert program.words["main"]() == 1
    found = json.loads(capfd.readouterr().out)["functional"]
    assert set(found) == set(functional_points.REQUIRED) and {"core.queue", "compress.tokens", "decompress.tokens", "stalls.crc32c"} <= set(found)
    assert functional_points.required({"core.queue": {"off": 3}})["core.queue"] == {"off": 3}


def test_blocks_whose_stalls_are_wanted_are_run():
    ran = set()
    for path in (REPOSITORY / "sim/cocotb").glob("test_*.py"):
        for function in ast.parse(path.read_text()).body:
            if isinstance(function, ast.FunctionDef) and not any("mark.night(" in ast.unparse(mark) for mark in function.decorator_list):
                ran |= set(re.findall(r"\brun\('(\w+)'", ast.unparse(function)))
    assert {name.removeprefix("stalls.") for name in functional_points.REQUIRED if name.startswith("stalls.")} <= ran
