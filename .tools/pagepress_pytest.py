# SPDX-License-Identifier: Apache-2.0
"""pytest plugin of `make test`: one seed for the whole run, and a re-run line at each failure.

The seed is COCOTB_RANDOM_SEED, drawn when absent; workers and simulations inherit it. Every test
starts with Python's `random` seeded from it and from the test's name, so a test alone draws the
same numbers as in the whole run. The fixture `seed` is for tests that hand it to other programs, the
fixture `built` for tests that need a product of the Makefile.
"""
import fcntl
import os
import random
import secrets
import shlex
import subprocess
from pathlib import Path

import pytest

VARIABLE = "COCOTB_RANDOM_SEED"
REPOSITORY = Path(__file__).resolve().parents[1]
PRODUCTS = {
    "verilog": "build/verilog",
    "card": "build/card/pagepress-card",
    "driver": "build/driver/pagepress.ko",
    "host": "build/host/pagepressctl",
}


def pytest_configure():
    os.environ.setdefault(VARIABLE, str(secrets.randbelow(2**31)))


def pytest_report_header():
    return f"seed: {os.environ[VARIABLE]}"


@pytest.fixture
def seed():
    """The run's seed, an int below 2^31."""
    return int(os.environ[VARIABLE])


@pytest.fixture(scope="session")
def built():
    """A function: built("card") runs `make card` and returns the product's path."""

    def build(target):
        with open(REPOSITORY / "build/built.lock", "w") as lock:  # workers build one at a time
            fcntl.flock(lock, fcntl.LOCK_EX)
            done = subprocess.run(
                ["make", target], cwd=REPOSITORY, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            )
        if done.returncode:
            pytest.fail(f"make {target} failed:\n{done.stdout[-4000:]}", pytrace=False)
        return REPOSITORY / PRODUCTS[target]

    return build


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    random.seed(f"{os.environ[VARIABLE]} {item.nodeid}")


def rerun_line(item):
    """The command that repeats one test with the same seed: by its function's name."""
    name = getattr(item, "originalname", None) or item.name
    return f"re-run: make test T={shlex.quote(name.removeprefix('test_'))} SEED={os.environ[VARIABLE]}"


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    outcome = yield
    report = outcome.get_result()
    if report.failed:
        report.sections.append(("again", rerun_line(item)))
