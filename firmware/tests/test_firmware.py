# SPDX-License-Identifier: Apache-2.0
"""The firmware on the host: its own sources against a model of the card, the signer, and that a build gives the same bytes again.

NIGHTLY=1 fuzzes a million requests and a million images instead of a hundred thousand and two thousand; `make test-firmware` sets it.
"""
import shutil
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
FIRMWARE = REPOSITORY / "firmware"
KEY = FIRMWARE / "keys/development.key"
OUTPUT = REPOSITORY / "build/firmware"


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


def test_firmware_walks(programs, seed, nightly):
    """Updates, rollbacks, trials, resets and power cuts one behind the other, by lot: an image boots, and no floor falls."""
    done = run(programs / "test_walks", KEY, seed, 10_000 if nightly else 300)
    assert done.returncode == 0 and "walks:" in done.stdout, done.stdout + done.stderr


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


def test_firmware_fuzz(programs, seed, nightly):
    done = run(programs / "test_fuzz", KEY, seed, 1_000_000 if nightly else 100_000, 1_000_000 if nightly else 2_000)
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


# Files that are no key: of digits, what is told by their name. Each line but the last ends as lines do.
KEYS = {"empty": "", "odd": "a" * 63, "odd_lines": "abc\n" * 21 + "a", "short": "ab" * 31 + "\n", "long": "ab" * 33, "longer": "ab" * 300, "word": "ab" * 31 + "xy\n",
        "behind": "ab" * 32 + " \n", "zeros": "\0" * 64, "commented": "# " + "ab" * 500 + "\n"}  # fmt: skip


@pytest.mark.parametrize("arguments, message", [
    (("key", "nowhere"), "nowhere"), (("key", "/dev/zero"), "hexadecimal"),
    (("image", KEY, "nowhere", "out", "1.0.0", "1.0.0", "40000"), "nowhere"),
    (("image", KEY, "{program}", "{out}", "1.0", "1.0.0", "40000"), "no version"),
    (("image", KEY, "{program}", "{out}", "1.0.0", "1.0.1", "40000"), "floor"),
    (("image", KEY, "{program}", "{out}", "1.0.0", "1.0.0", "100"), "MEMORY"),
    (("image", KEY, "{large}", "{out}", "1.0.0", "1.0.0", "65536"), "bytes"),
    (("image", KEY, "{program}", "{out}", "1.0.0", "1.0.0", "40000x"), "MEMORY"),
    (("image", "{program}", "{program}", "{out}", "1.0.0", "1.0.0", "40000"), "hexadecimal"),
    *((("key", f"{{{name}}}"), "not 64 hexadecimal digits") for name in KEYS)])
def test_firmware_signer_refuses(built, tmp_path, arguments, message):
    """One line that says what is wrong, status 1, no output."""
    built("firmware")
    places = {"program": tmp_path / "program", "large": tmp_path / "large", "out": tmp_path / "out"}
    places["program"].write_bytes(bytes(400))
    places["large"].write_bytes(bytes(60000))
    for name, text in KEYS.items():
        places[name] = tmp_path / name
        places[name].write_text(text)
    done = run(OUTPUT / "sign", *(str(argument).format(**places) for argument in arguments))
    assert done.returncode == 1 and message in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
    assert not places["out"].exists()


@pytest.mark.parametrize("text", ["0123456789abcdef" * 4, "# a comment\n" + "0123456789ABCDEF\n" * 4, "0123456789abcdef" * 4 + "# " + "ab" * 500 + "\n"])
def test_firmware_signer_reads_keys(built, tmp_path, text):
    """The same key, however it is written."""
    built("firmware")
    (tmp_path / "plain").write_text("0123456789abcdef" * 4 + "\n")
    (tmp_path / "key").write_text(text)
    plain, done = (run(OUTPUT / "sign", "key", tmp_path / name) for name in ("plain", "key"))
    assert (done.returncode, done.stderr) == (0, "") and done.stdout == plain.stdout != run(OUTPUT / "sign", "key", KEY).stdout


@pytest.mark.parametrize("words, message", [(("words", "nowhere"), "words: nowhere: No such file"), (("words", "."), "words: .: Is a directory"),
                                            (("memory_report", "nowhere", "nowhere"), "memory_report: "), (("memory_report", KEY, KEY), "memory_report: ")])
def test_firmware_tools_refuse(built, tmp_path, words, message):
    built("firmware-tools")
    done = run(FIRMWARE / "tools" / words[0], *words[1:], cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "") and done.stderr.startswith(message) and len(done.stderr.splitlines()) == 1, done.stderr


def test_firmware_signer_usage(built):
    built("firmware")
    assert run(OUTPUT / "sign", "--help").returncode == 0
    assert run(OUTPUT / "sign", "what").returncode == 2
