# SPDX-License-Identifier: Apache-2.0
"""What each test cost: its programs' processor time counts, a test that only waits is cheap, and each test has one row."""
import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[1]
TESTS = """
import subprocess, sys, time
import pytest
def test_waits(): time.sleep(1)
def test_runs_a_program(): subprocess.run([sys.executable, "-c", "import time\\nwhile time.process_time() < 0.5: pass"])
def test_fails(): assert False
@pytest.mark.skip(reason="no")
def test_skipped(): pass
"""


@pytest.mark.parametrize("workers", ["0", "2"])
def test_each_test_has_its_cost(tmp_path, workers):
    (tmp_path / "test_some.py").write_text(TESTS)
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "--rootdir", ".", "-p", "costs_pytest", "-p", "no:cacheprovider",
                           "-n", workers, "."],
                          cwd=tmp_path, env=dict(os.environ, PYTHONPATH=str(TOOLS)), stdout=subprocess.PIPE, text=True)
    assert "minutes of a processor; the dearest (all: build/test-costs.csv)" in done.stdout, done.stdout
    rows = list(csv.DictReader((tmp_path / "build/test-costs.csv").read_text().splitlines()))
    cost = {row["test"].rpartition("::")[2]: float(row["processor_seconds"]) for row in rows}
    assert len(rows) == len(cost) == 4
    assert cost["test_runs_a_program"] >= 0.5 and max(cost["test_waits"], cost["test_fails"], cost["test_skipped"]) < 0.4
    assert list(cost.values()) == sorted(cost.values(), reverse=True)
    assert {row["test"]: float(row["seconds"]) for row in rows}["test_some.py::test_waits"] >= 1
