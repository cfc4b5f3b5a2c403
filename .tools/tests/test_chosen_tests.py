# SPDX-License-Identifier: Apache-2.0
"""What T=name means: which tests run, and which Verilog they need; a name that nothing has is refused in one line."""
import os
import subprocess
from pathlib import Path

import pytest

from chosen_tests import EVERY_BLOCK, REPOSITORY, blocks_of, choose

RUN_TESTS = REPOSITORY / ".tools/run-tests"


@pytest.mark.parametrize("name, first, files", [
    ("crc32c", ["pytest", "crc32c"], "sim/cocotb/test_crc32c.py"),
    ("test_lzo", ["pytest", "test_lzo"], "sim/reference/tests/test_lzo.py"),
    ("time_outside_the_engine", ["cocotb", "time_outside_the_engine"], "sim/cocotb/test_core_stop.py"),
    ("EngineVectorsTest", ["scala", "pagepress.test.EngineVectorsTest"], ""),
    ("layout_of_this_tree or checkpatch or sparse", ["pytest", "layout_of_this_tree or checkpatch or sparse"], "driver/tests/test_static.py"),
])
def test_a_name_finds_its_tests(name, first, files):
    found = choose(name)
    assert found[:2] == first and (not files or files in found)


def test_a_cocotb_test_is_found_in_every_file_that_has_it():
    assert set(choose("real_pages_with_stalls")[2:]) == {"sim/cocotb/test_page_compressor.py"}
    assert len(choose("rate")[2:]) >= 2


@pytest.mark.parametrize("path, function, blocks", [
    ("sim/cocotb/test_crc32c.py", "test_crc32c", {"crc32c"}),
    ("sim/cocotb/test_stream_writer.py", "test_stream_writer", {"stream_writer", "stream_writer_wide"}),
    ("sim/cocotb/test_mutations.py", "test_mutation_applies", EVERY_BLOCK),
    ("sim/nightly/tests/test_nightly.py", "test_nightly_bad_command_line", EVERY_BLOCK),
    ("sim/reference/tests/test_lzo.py", "test_limit", set()),
])
def test_blocks_that_a_test_needs(path, function, blocks):
    assert blocks_of(REPOSITORY / path, function) == blocks


@pytest.mark.parametrize("name", ["no_such" + "_test_anywhere", "-", "test_" + "crc32d"])
def test_a_name_that_nothing_has_is_one_line(name):
    done = subprocess.run([RUN_TESTS, name], capture_output=True, text=True, timeout=1500)
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1, done
    assert f"no test is called '{name}'" in done.stderr


def test_one_cocotb_test_alone_runs(tmp_path):
    """In a folder of files that look like ours: the filter reaches the runner, and files that do not run the test are skipped."""
    (tmp_path / "test_mine.py").write_text("import os\ndef test_mine():\n    assert os.environ['PAGEPRESS_COCOTB_TEST'] == 'this'\n")
    done = subprocess.run(["python3", "-m", "pytest", "-q", "-p", "pagepress_pytest", "--cocotb-test", "this", "--rootdir", tmp_path, tmp_path],
                          capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(Path(RUN_TESTS).parent)})
    assert done.returncode == 0 and "1 passed" in done.stdout, done
