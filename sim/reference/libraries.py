# SPDX-License-Identifier: Apache-2.0
"""Build and load the shared libraries of this folder (build/reference/*.so; with counters where PAGEPRESS_COVERAGE is set)."""

import ctypes
import fcntl
import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
COUNTED = "PAGEPRESS_COVERAGE" in os.environ
BUILD = ROOT / "build" / ("reference-coverage" if COUNTED else "reference")


def load(name):
    """Bring build/reference/`name` up to date and return it as a ctypes library.

    Test processes start side by side, so the build runs under a lock.
    """
    BUILD.mkdir(parents=True, exist_ok=True)
    with open(BUILD / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = subprocess.run(["make", "-s", "-C", str(HERE), *(["COVERAGE=1"] if COUNTED else []), str(BUILD / name)],
                              capture_output=True, text=True, check=False)
    if made.returncode:
        raise RuntimeError(f"cannot build {name}: {made.stderr.strip()}")
    return ctypes.CDLL(str(BUILD / name))
