# SPDX-License-Identifier: Apache-2.0
"""The hungry program's command line; its work is tested by the demo."""
import subprocess
from pathlib import Path

import pytest

from system import BUILD

WORKLOAD = Path(__file__).resolve().parents[1] / "workload"


@pytest.fixture(scope="module")
def hungry():
    subprocess.run(["make", "-s", "-C", WORKLOAD], check=True)
    return BUILD / "system/hungry"


@pytest.mark.parametrize(
    ("words", "phrase"),
    [
        ([], "--image is missing"),
        (["--bogus", "1"], "unknown option --bogus"),
        (["--out"], "usage: hungry"),
        (["--out", "x"], "--out takes a whole number, not 'x'"),
        (["--pace", "-1"], "--pace takes a whole number"),
        (["--seed", "99999999999999999999"], "--seed takes a whole number"),
        (["--goal", "nothing"], "--goal takes FILE:COUNT"),
        (["--goal", "/proc/uptime:x"], "--goal takes FILE:COUNT"),
        (["--goal", "/no/file:1"], "no count in /no/file"),
        (["--image", "/no/disk"], "cannot open the disk /no/disk"),
        (["--image", "/dev/null"], "cannot open the disk /dev/null"),
    ],
)
def test_hungry_bad_input(hungry, words, phrase):
    done = subprocess.run([hungry, *words], capture_output=True, text=True)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert phrase in done.stderr
