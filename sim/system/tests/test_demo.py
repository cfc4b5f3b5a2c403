# SPDX-License-Identifier: Apache-2.0
"""`make demo` with less data on the model of the card; the RTL's own run is `make demo`."""
import subprocess
from pathlib import Path

import pytest

DEMO = Path(__file__).resolve().parents[1] / "demo"
SECONDS = 1500
PAGES = 1500


def demo(*words):
    return subprocess.run([DEMO, *words], capture_output=True, text=True, errors="replace", timeout=SECONDS)


def test_demo_on_the_model(products, seed):
    done = demo("CARD=model", "DATA=recorded", f"PAGES={PAGES}", f"SEED={seed % 1000 + 1}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PASS: every byte" in done.stdout
    assert "filling" in done.stdout and "checking" in done.stdout
    for name in ("NumReads", "MemUsedTotal", "through the card", "cycles", "ratio"):
        assert name in done.stdout


def test_demo_survives_a_killed_card(products, seed):
    done = demo("CARD=model", "DATA=recorded", "FAULT=kill-card", f"PAGES={PAGES}", f"SEED={seed % 1000 + 1}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "killed the card process" in done.stdout
    assert "PASS: every byte" in done.stdout
    assert "done again in software" in done.stdout


@pytest.mark.night("test-whole")
def test_demo_survives_killed_firmware(products, seed):
    done = demo("CARD=model", "DATA=recorded", "FAULT=kill-firmware", f"PAGES={PAGES}", f"SEED={seed % 1000 + 1}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "killed the firmware after" in done.stdout
    assert "PASS: every byte" in done.stdout
    assert "The card's firmware was killed with" in done.stdout


@pytest.mark.night("test-whole")
def test_demo_survives_a_bad_lane(products, seed):
    done = demo("DATA=recorded", "FAULT=bad-lane", f"PAGES={PAGES}", f"SEED={seed % 1000 + 1}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "broke the engine of lane 2" in done.stdout
    assert "PASS: every byte" in done.stdout
    assert "LANE_ISOLATED 2 FAULT" in done.stdout and "LANE_RETURNED 2 vectors" in done.stdout


@pytest.mark.parametrize(
    ("words", "phrase"),
    [
        (["CARD=none"], "choose one of rtl, model"),
        (["LEVEL=wire"], "choose one of pcie, axi"),
        (["CARD=model", "LEVEL=pcie"], "use CARD=rtl"),
        (["FAULT=fire"], "choose one of kill-card, kill-firmware, bad-lane"),
        (["FAULT=bad-lane", "CARD=rtl"], "one engine of each kind: use CARD=model"),
        (["FAULT=kill-firmware", "LEVEL=axi"], "use LEVEL=pcie or CARD=model"),
        (["MEM=124"], "for example 256M"),
        (["PAGES=0"], "at least 1"),
        (["speed=1"], "unknown argument"),
    ],
)
def test_demo_bad_input(words, phrase):
    done = demo(*words)
    assert done.returncode != 0
    assert len(done.stderr.strip().splitlines()) == 1
    assert phrase in done.stderr
