# SPDX-License-Identifier: Apache-2.0
"""Tests of the night: by day each is left out and says who runs it, with NIGHTLY=1 it runs."""
import os
import subprocess
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[1]
TESTS = """
import pytest

@pytest.mark.night("some-target")
def test_long(): ...

def test_asks(nightly): assert nightly == {by_night}
"""


@pytest.mark.parametrize("given, by_night", [(None, False), ("0", False), ("1", True)])
def test_tests_of_the_night_run_at_night(tmp_path, given, by_night):
    (tmp_path / "test_mine.py").write_text(TESTS.format(by_night=by_night))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_") and name != "NIGHTLY"}
    environment |= {"PYTHONPATH": str(TOOLS), **({"NIGHTLY": given} if given else {})}
    done = subprocess.run(["python3", "-m", "pytest", "-q", "-c", TOOLS / "pytest.ini", "-p", "pagepress_pytest", "--rootdir", tmp_path, "-p", "no:cacheprovider", tmp_path],
                          cwd=tmp_path, capture_output=True, text=True, env=environment)  # fmt: skip
    assert ("2 passed" if by_night else "1 passed, 1 skipped") in done.stdout, done.stdout + done.stderr
    assert by_night or "test_mine.py:4: make some-target runs it" in done.stdout
