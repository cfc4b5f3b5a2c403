# SPDX-License-Identifier: Apache-2.0
"""Programs under test: the card as users run it, and a build with sanitizers for hostile clients."""

import fcntl
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "sim" / "reference"), str(ROOT / "sim" / "management"), str(ROOT / "rtl" / "interface" / "generated"),
                str(pathlib.Path(__file__).resolve().parent)]

from card_process import ENGINES, CardProcess  # noqa: E402


@pytest.fixture(scope="session")
def card_program(built):
    """The card as users run it, brought up to date."""
    return built("card")


@pytest.fixture(scope="session")
def checked_program(built):
    """The card with sanitizers and the model only; built here, since nothing else uses it."""
    built("firmware")
    (ROOT / "build").mkdir(exist_ok=True)
    with open(ROOT / "build" / "card-checked.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(["make", "-s", "-C", str(ROOT / "sim" / "verilator"), "CHECKED=1"], check=True, stdin=subprocess.DEVNULL)
    return ROOT / "build" / "card-checked" / "pagepress-card"


@pytest.fixture(params=list(ENGINES))
def engine(request):
    """Every engine in turn."""
    return request.param


@pytest.fixture
def card(card_program, engine, tmp_path):
    """A running card with `engine`; it must end in good order, and keep to the rules of its bus."""
    with CardProcess(card_program, engine, tmp_path) as process:
        yield process
        assert process.stop() == 0, process.log()
        assert "broke the" not in process.log(), process.log()


@pytest.fixture
def checked_card(checked_program, tmp_path):
    """A running card with sanitizers; whatever the test did to it, it must not have crashed."""
    with CardProcess(checked_program, "model", tmp_path) as process:
        yield process
        assert process.stop() == 0, process.log()
