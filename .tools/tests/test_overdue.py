# SPDX-License-Identifier: Apache-2.0
"""A test that hangs has a name while it does, fails with what it had started, and keeps no other from running."""
import os
import subprocess
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[1]
TESTS = """
import subprocess, threading
import pytest

@pytest.fixture
def server():
    process = subprocess.Popen(["sleep", "1001"])
    yield
    process.wait()  # for ever

def test_waits_for_a_program():
    with subprocess.Popen(["sh", "-c", "sleep 1002; true"]):  # its end waits as well
        threading.Event().wait()

def test_whose_clean_up_waits(server): ...

def test_that_ends(): ...
"""


def run(folder, workers):
    outside = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(["python3", "-m", "pytest", "-q", "-p", "pagepress_pytest", "--rootdir", folder, "-n", workers, "test_mine.py"], cwd=folder,
                          capture_output=True, text=True, timeout=600, env={**outside, "PYTHONPATH": str(TOOLS), "PAGEPRESS_TEST_SECONDS": "6"})  # fmt: skip


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_test_that_hangs_is_named_and_ended(tmp_path, workers):
    (tmp_path / "test_mine.py").write_text(TESTS)
    done = run(tmp_path, workers)
    said = done.stdout
    assert "1 failed, 2 passed, 1 error" in said, said + done.stderr
    report = said.partition("short test summary")[0]  # which repeats it where CI is set
    assert report.count("not ended within 6 s; programs it had started:") == 2 and " sleep 1001\n" in said
    assert said.index(" sleep 1002\n") < said.index(" sh -c sleep 1002; true\n")
    for test in ("waits_for_a_program", "whose_clean_up_waits"):
        assert f"still running after 2 s: test_mine.py::test_{test}" in said
    assert "running after 2 s: test_mine.py::test_that_ends" not in said


LOCKED = """
import ctypes

def test_that_no_signal_wakes():
    mutex = ctypes.create_string_buffer(64)
    for _ in range(2):
        ctypes.CDLL(None).pthread_mutex_lock(mutex)

def test_that_ends(): ...
"""


def test_a_test_that_hangs_in_a_library_is_ended_with_its_worker(tmp_path):
    (tmp_path / "test_mine.py").write_text(LOCKED)
    done = run(tmp_path, "1")
    assert "1 failed, 1 passed" in done.stdout and "crashed while running 'test_mine.py::test_that_no_signal_wakes'" in done.stdout, done.stdout
    assert "in test_that_no_signal_wakes" in done.stderr, done.stderr
