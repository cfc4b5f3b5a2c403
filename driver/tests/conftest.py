# SPDX-License-Identifier: GPL-2.0-only
"""What the driver's tests share: the unpacked kernel, and scripts run in the guest."""
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))

from guest_programs import KERNEL, PATIENT, SECONDS, THOROUGH, compiled, kernel_module, recorded_pages, shared  # noqa: E402 (found by the line above)

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = REPOSITORY / "build"
SCRIPTS = Path(__file__).parent / "guest"
# The kernel's tests of all its cryptography are a tenth of a boot.
UNTESTED = "cryptomgr.notests=1"


@pytest.fixture(scope="session")
def products(built):
    """Makes what a guest needs, for the kernel that KERNEL in the environment names."""
    for target in ("kernel-tools", "qemu-tools", "guest-tools"):
        subprocess.run(["make", target, f"KERNEL={KERNEL}"], cwd=REPOSITORY, check=True, stdout=subprocess.DEVNULL)
    for product in ("driver", "card", "host"):
        built(product, f"KERNEL={KERNEL}")


@pytest.fixture(scope="session")
def headers():
    """The kernel's, and its checkers."""
    subprocess.run(["make", "kernel-tools", "source-tools"], cwd=REPOSITORY, check=True, stdout=subprocess.DEVNULL)
    return REPOSITORY / "build/tools/kernels/6.1/build"


@pytest.fixture(scope="session")
def packages(headers, tmp_path_factory):
    """A folder of the Debian packages, made once for all workers of this run; with more warnings and sparse, for that is one build less."""
    def build(folder):
        subprocess.run(["make", "packaging-tools"], cwd=REPOSITORY, check=True, stdout=subprocess.DEVNULL)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
        environment["MAKEFLAGS"] = " -- W=1 C=2 CF=-D__CHECK_ENDIAN__"
        subprocess.run([REPOSITORY / "driver/packaging/build", folder / "built"], check=True, stdout=subprocess.DEVNULL, env=environment)

    return shared(tmp_path_factory, "packages", build) / "built"


def shared_program(tmp_path_factory, name):
    """A static program for the guest, compiled once for all workers of this run."""
    return shared(tmp_path_factory, name, lambda folder: compiled(name, folder)) / name


@pytest.fixture(scope="session")
def check_blocks(tmp_path_factory):
    """The program that checks every byte of a block device."""
    return shared_program(tmp_path_factory, "check_blocks")


@pytest.fixture(scope="session")
def race_blocks(tmp_path_factory):
    """The program whose processes work on the same pages at once."""
    return shared_program(tmp_path_factory, "race_blocks")


@pytest.fixture(scope="session")
def unaligned_io(tmp_path_factory):
    """The program that asks for what is no whole page."""
    return shared_program(tmp_path_factory, "unaligned_io")


@pytest.fixture(scope="session")
def some_pages(tmp_path_factory):
    """The program that writes or reads some pages and checks them."""
    return shared_program(tmp_path_factory, "some_pages")


@pytest.fixture(scope="session")
def copy_pages(tmp_path_factory):
    """The program that writes pages of a file to a block device, or checks that they are there."""
    return shared_program(tmp_path_factory, "copy_pages")


@pytest.fixture(scope="session")
def noise(tmp_path_factory):
    """The program that prints noise."""
    return shared_program(tmp_path_factory, "noise")


@pytest.fixture(scope="session")
def recorded(tmp_path_factory):
    """A file of memory pages of real programs."""
    path = tmp_path_factory.mktemp("data") / "recorded"
    path.write_bytes(recorded_pages())
    return path


@pytest.fixture(scope="session")
def soak_memory(tmp_path_factory):
    """The program whose memory goes to swap and is checked when it comes back."""
    return shared_program(tmp_path_factory, "soak_memory")


@pytest.fixture(scope="session")
def fail_calls(products, tmp_path_factory):
    """The kernel module that makes calls fail on demand."""
    return shared(tmp_path_factory, "fail_calls", lambda folder: kernel_module("fail_calls", folder)) / "fail_calls-module/fail_calls.ko"


@pytest.fixture
def run_in_guest(products, tmp_path):
    """A function: run(script, arguments, files, NAME=value...) boots a guest, runs guest/<script>.sh there with
    `arguments` in a file beside it, and fails with the guest's console unless the script succeeds; with complaints=...,
    unless the script succeeds and the kernel complains in all these words. Returns the console."""

    def run(script, arguments=(), files=(), complaints=(), **machine):
        words = tmp_path / "arguments"
        words.write_text(" ".join(map(str, arguments)) + "\n")
        beside = [SCRIPTS / "common.sh", words, *files]
        if THOROUGH:
            beside.append(tmp_path / "thorough")
            beside[-1].touch()
        # A parameter of the test's own comes last.
        machine["PARAMETERS"] = f"{PATIENT} {machine.get('PARAMETERS', '')}".strip()
        machine["ARGUMENTS"] = f"{UNTESTED} {machine.get('ARGUMENTS', '')}".strip()
        options = [f"{name}={value}" for name, value in {"KERNEL": KERNEL, "TIMEOUT": SECONDS, **machine}.items()]
        command = [REPOSITORY / "sim/system/guest", f"RUN={SCRIPTS / script}.sh", f"FILES={' '.join(map(str, beside))}", *options]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS + 60)
        if reached := os.environ.get("PAGEPRESS_REACHED"):  # of whoever wants to know what the kernel's log says (sim/mutation)
            with open(reached, "a") as place:
                place.write(done.stdout)
        missed = [words for words in complaints if not re.search(words, done.stderr)]
        if missed or done.returncode != bool(complaints) or not done.stdout.endswith("the script ended with status 0\n"):
            pytest.fail(f"{script} with {arguments} {machine}: {done.returncode}\n"
                        f"{done.stdout[-6000:]}{done.stderr[-2000:]}"
                        + "".join(f"\nno complaint of {words}" for words in missed), pytrace=False)
        return done.stdout

    return run
