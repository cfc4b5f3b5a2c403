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


@pytest.mark.parametrize("workers", [[], ["-n", "1"]])
def test_what_fails_is_written_down_at_once_and_is_of_this_run(tmp_path, workers):
    (tmp_path / "test_mine.py").write_text(TESTS)
    outside = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}

    def run(*words):
        return subprocess.run(["python3", "-m", "pytest", "-q", "-p", "pagepress_pytest", "--rootdir", tmp_path, *workers, *words], cwd=tmp_path,
                              capture_output=True, text=True, env={**outside, "PYTHONPATH": str(TOOLS)}).stdout

    said = run("test_mine.py")
    assert "1 failed, 1 passed" in said, said
    (tmp_path / "test_mine.py").write_text("def test_passes(): ...\n")
    assert "1 passed" in run("test_mine.py") and not (tmp_path / "build/failed-tests.log").exists()
