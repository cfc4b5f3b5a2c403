# SPDX-License-Identifier: Apache-2.0
"""Programs under test: the card as users run it, and a build with sanitizers for hostile clients."""

import fcntl
import os
import pathlib
import random
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "sim" / "reference"), str(ROOT / "rtl" / "interface" / "generated"),
                str(pathlib.Path(__file__).resolve().parent)]

from card_process import CardProcess  # noqa: E402

SEED = int(os.environ.get("SEED", random.randrange(2**32)))


@pytest.fixture(scope="session")
def card_program():
    """build/card/pagepress-card, made by `make card`."""
    program = ROOT / "build" / "card" / "pagepress-card"
    assert program.exists(), f"{program} does not exist: run make card"
    return program


@pytest.fixture(scope="session")
def checked_program():
    """The card with sanitizers and the model only; built here, since nothing else uses it."""
    (ROOT / "build").mkdir(exist_ok=True)
    with open(ROOT / "build" / "card-checked.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(["make", "-s", "-C", str(ROOT / "sim" / "verilator"), "CHECKED=1"], check=True, stdin=subprocess.DEVNULL)
    return ROOT / "build" / "card-checked" / "pagepress-card"


@pytest.fixture(params=["model", "rtl"])
def engine(request):
    """Every engine in turn."""
    return request.param


@pytest.fixture
def card(card_program, engine, tmp_path):
    """A running card with `engine`; it must end in good order."""
    with CardProcess(card_program, engine, tmp_path) as process:
        yield process
        assert process.stop() == 0, process.log()


@pytest.fixture
def checked_card(checked_program, tmp_path):
    """A running card with sanitizers; whatever the test did to it, it must not have crashed."""
    with CardProcess(checked_program, "model", tmp_path) as process:
        yield process
        assert process.stop() == 0, process.log()


@pytest.fixture
def seed(request):
    """The run's seed; printed with the line that runs the test again."""
    print(f"SEED={SEED} make test T={request.node.name.split('[')[0]}")
    return SEED
