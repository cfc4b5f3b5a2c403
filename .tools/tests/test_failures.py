# SPDX-License-Identifier: Apache-2.0
"""What fails in a run of hours can be read before its end."""
import os
import subprocess
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[1]
TESTS = """
import time
from pathlib import Path

LOG = Path("build/failed-tests.log")

def test_fails():
    print("said by it")
    assert "it" == "another"

def test_reads():
    for _ in range(600): # another process writes it, when a worker's report has come there
        if LOG.exists() and LOG.read_text().endswith("said by it\\n\\n"):
            break
        time.sleep(0.1)
    log = LOG.read_text()
    assert "test_mine.py::test_fails, call" in log and "'it' == 'another'" in log and "said by it" in log
"""


def run_tests(folder, *words, behind=(), **variables):
    """What pytest says of the tests in a folder, started by `behind`."""
    outside = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_") and name not in ("NIGHTLY", "KERNEL")}
    return subprocess.run([*behind, "python3", "-m", "pytest", "-q", "-p", "pagepress_pytest", "--rootdir", folder, *words], cwd=folder,
                          capture_output=True, text=True, env={**outside, "PYTHONPATH": str(TOOLS), **variables}).stdout


@pytest.mark.parametrize("workers", [[], ["-n", "1"]])
def test_what_fails_is_written_down_at_once_and_is_of_this_run(tmp_path, workers):
    (tmp_path / "test_mine.py").write_text(TESTS)
    said = run_tests(tmp_path, *workers, "test_mine.py")
    assert "1 failed, 1 passed" in said, said
    (tmp_path / "test_mine.py").write_text("def test_passes(): ...\n")
    assert "1 passed" in run_tests(tmp_path, *workers, "test_mine.py") and not (tmp_path / "build/failed-tests.log").exists()


@pytest.mark.parametrize("variables, more", [({}, ""), ({"NIGHTLY": "1"}, " NIGHTLY=1"), ({"KERNEL": "debug", "NIGHTLY": ""}, " KERNEL=debug")])
def test_line_that_repeats_a_failure_says_where_it_ran(tmp_path, variables, more):
    (tmp_path / "test_mine.py").write_text("import pytest\n\n\n@pytest.mark.parametrize('x', [1])\ndef test_fails(x):\n    assert not x\n")
    assert f"re-run: make test T=fails SEED=7{more}\n" in run_tests(tmp_path, COCOTB_RANDOM_SEED="7", **variables)


def test_programs_of_tests_can_be_interrupted_though_the_tests_cannot(tmp_path):
    """As behind nohup, or a script's &."""
    (tmp_path / "test_mine.py").write_text(
        "import subprocess\n\n\ndef test_child():\n    assert subprocess.run(['sh', '-c', 'kill -INT $$']).returncode == -2\n")
    said = run_tests(tmp_path, behind=("env", "--ignore-signal=INT"))
    assert "1 passed" in said, said
