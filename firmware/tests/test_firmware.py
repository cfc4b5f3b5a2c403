# SPDX-License-Identifier: Apache-2.0
"""The firmware on the host: its own sources against a model of the card, the signer, and that a build gives the same bytes again.

NIGHTLY=1 fuzzes a million requests and a million images instead of a hundred thousand and two thousand; `make test-firmware` sets it.
"""
import os
import shutil
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
FIRMWARE = REPOSITORY / "firmware"
KEY = FIRMWARE / "keys/development.key"
OUTPUT = REPOSITORY / "build/firmware"
NIGHTLY = bool(os.environ.get("NIGHTLY", "").strip("0"))


def run(*command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **options)


@pytest.fixture(scope="session")
def programs(built):
    """The test programs' folder."""
    built("firmware")
    made = run("make", "-s", "-C", FIRMWARE / "tests")
    assert made.returncode == 0, made.stderr
    return OUTPUT / "tests"


def test_firmware_images(programs, seed):
    """Every refusal by its name, trials, floors, and power that fails at each erase and program of an update."""
    done = run(programs / "test_images", KEY, seed)
    assert done.returncode == 0 and "all as expected" in done.stdout, done.stdout + done.stderr


def test_firmware_trials(programs, seed):
    """When a new image confirms itself, its self-test, and what the host asks for meanwhile."""
    done = run(programs / "test_trials", KEY, seed)
    assert done.returncode == 0 and "all as expected" in done.stdout, done.stdout + done.stderr


def test_firmware_lanes(programs, seed, tmp_path):
    """Lanes that break in every way; golden vectors, whose streams another reader has too (sim/management)."""
    done = run(programs / "test_lanes", KEY, seed, tmp_path)
    assert done.returncode == 0 and "all as expected" in done.stdout, done.stdout + done.stderr


def test_firmware_heat(programs, seed):
    """Sensors, steps of throttling, and lanes that rest in the heat, whatever else becomes of them."""
    done = run(programs / "test_heat", KEY, seed)
    assert done.returncode == 0 and "all as expected" in done.stdout, done.stdout + done.stderr


def test_firmware_telemetry(programs, seed):
    """The telemetry page: its layout, its counts, and readers who see one whole snapshot at any moment."""
    done = run(programs / "test_telemetry", KEY, seed)
    assert done.returncode == 0 and "all as expected" in done.stdout, done.stdout + done.stderr


def test_firmware_fuzz(programs, seed):
    done = run(programs / "test_fuzz", KEY, seed, 1_000_000 if NIGHTLY else 100_000, 1_000_000 if NIGHTLY else 2_000)
    assert done.returncode == 0 and "mailbox:" in done.stdout, done.stdout + done.stderr


def test_firmware_builds_the_same_bytes_anywhere(built, tmp_path):
    """A copy of the tree elsewhere, built anew, against the build that is here."""
    built("firmware")
    for part in ("firmware", "rtl/interface/generated"):
        shutil.copytree(REPOSITORY / part, tmp_path / part)
    (tmp_path / "build").mkdir()
    (tmp_path / "build/tools").symlink_to((REPOSITORY / "build/tools").resolve())
    made = run("make", "-s", "-C", tmp_path / "firmware")
    assert made.returncode == 0, made.stderr
    assert "DEVELOPMENT KEY" in made.stdout
    for name in ("boot_rom.hex", "firmware.img"):
        assert (tmp_path / "build/firmware" / name).read_bytes() == (OUTPUT / name).read_bytes(), name


def test_firmware_report_is_bounded(built):
    built("firmware")
    report = (OUTPUT / "report.txt").read_text()
    assert "firmware's stack" in report and "TOO MUCH" not in report


@pytest.mark.parametrize("arguments, message", [
    (("key", "nowhere"), "nowhere"),
    (("image", KEY, "nowhere", "out", "1.0.0", "1.0.0", "40000"), "nowhere"),
    (("image", KEY, "{program}", "{out}", "1.0", "1.0.0", "40000"), "no version"),
    (("image", KEY, "{program}", "{out}", "1.0.0", "1.0.1", "40000"), "floor"),
    (("image", KEY, "{program}", "{out}", "1.0.0", "1.0.0", "100"), "MEMORY"),
    (("image", KEY, "{large}", "{out}", "1.0.0", "1.0.0", "65536"), "bytes"),
    (("image", "{program}", "{program}", "{out}", "1.0.0", "1.0.0", "40000"), "hexadecimal")])
def test_firmware_signer_refuses(built, tmp_path, arguments, message):
    """One line that says what is wrong, status 1, no output."""
    built("firmware")
    places = {"program": tmp_path / "program", "large": tmp_path / "large", "out": tmp_path / "out"}
    places["program"].write_bytes(bytes(400))
    places["large"].write_bytes(bytes(60000))
    done = run(OUTPUT / "sign", *(str(argument).format(**places) for argument in arguments))
    assert done.returncode == 1 and message in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
    assert not places["out"].exists()


def test_firmware_signer_usage(built):
    built("firmware")
    assert run(OUTPUT / "sign", "--help").returncode == 0
    assert run(OUTPUT / "sign", "what").returncode == 2
