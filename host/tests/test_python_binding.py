# SPDX-License-Identifier: Apache-2.0
"""libpagepress's Python module with the software engine: every stream by liblzo2 too, statuses, futures, bad arguments."""

import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def python(built):
    """A function: what this Python prints of a program whose first lines import the module, NumPy and liblzo2."""
    folder = built("python")

    def run(program, seed, *words):
        command = [REPOSITORY / "build/tools/host/venv/bin/python3", REPOSITORY / "host/tests/python_programs" / f"{program}.py", str(seed), *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=1500, env={"PYTHONPATH": str(folder), "PATH": "/usr/bin:/bin"})
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
        return done.stdout

    return run


def test_python_there_and_back(python, seed):
    assert python("there_and_back", seed, "200").startswith("200 pages")


def test_python_future_ends_without_memory_for_results(python, seed):
    assert python("short_of_memory", seed) == "done\n"


def test_python_futures_and_errors(python, seed):
    assert python("futures_and_errors", seed) == "done\n"
