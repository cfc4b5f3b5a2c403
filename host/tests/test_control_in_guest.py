# SPDX-License-Identifier: Apache-2.0
"""pagepressctl in a guest: the manual page's examples, which are what an operator types, with the card's model; adopt without a card."""

import re
import subprocess
from pathlib import Path

import pytest

HOST = Path(__file__).resolve().parents[1]
REPOSITORY = HOST.parent
SHARED = HOST / "tests/guest/says.sh"  # beside every script
# A busy host makes a card late that is not, and its rings full.
PATIENT = "PARAMETERS=card_wait_ms=240000 timeout_ms=60000 full_wait_us=200000"
UNTESTED = "ARGUMENTS=cryptomgr.notests=1"  # the kernel's tests of all its cryptography are a tenth of a boot
SECONDS = 1500  # far beyond what a guest takes on a machine as busy as can be: only a hang takes as long


def examples():
    """The command lines of the manual page's EXAMPLES, in their order, as a shell takes them."""
    page = (HOST / "pagepressctl.8").read_text()
    section = re.search(r"^\.SH EXAMPLES\n(.*?)^\.SH", page, re.M | re.S)[1]
    lines = [line for block in re.findall(r"^\.EX\n(.*?)^\.EE", section, re.M | re.S) for line in block.splitlines()]
    assert lines and all(line.startswith("# ") for line in lines), lines
    return [line[2:].replace(r"\(aq", "'").replace(r"\-", "-") for line in lines]


def prepare(built):
    for target in ("kernel-tools", "qemu-tools", "guest-tools"):
        subprocess.run(["make", target], cwd=REPOSITORY, check=True, stdout=subprocess.DEVNULL)
    for product in ("driver", "host"):
        built(product)


def guest(built, script, *options, memory="256M"):
    """Runs it as root; the machine's command lines are `options`."""
    prepare(built)
    folder = HOST / "tests/guest"
    command = [REPOSITORY / "sim/system/guest", f"RUN={folder}/{script}", "SMP=1", f"MEM={memory}", f"TIMEOUT={SECONDS}", UNTESTED, *options]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS + 60)
    if done.returncode or not done.stdout.endswith("the script ended with status 0\n"):
        pytest.fail(f"{done.returncode}\n{done.stdout[-8000:]}{done.stderr[-2000:]}", pytrace=False)


def test_operator_follows_the_manual_page(built, tmp_path):
    built("card")
    (tmp_path / "examples").write_text("".join(line + "\n" for line in examples()))
    with open(tmp_path / "partition", "wb") as image:
        image.truncate(64 << 20)
    guest(
        built,
        "operates.sh",
        f"FILES={tmp_path}/examples {SHARED}",
        "CARD=model",
        "MODULES=null_blk ext4",
        "PROGRAMS=cmp",
        f"WRITABLE={tmp_path}/partition",
        PATIENT,
    )


def test_adopt_takes_a_partition_and_gives_it_back(built, tmp_path):
    disks = {"partition": 320 << 20, "other": 16 << 20}
    for name, size in disks.items():
        with open(tmp_path / name, "wb") as image:
            image.truncate(size)
    guest(
        built,
        "adopts.sh",
        f"FILES={SHARED}",
        "CARD=none",
        "MODULES=null_blk ext4",
        "PROGRAMS=mkswap swapon swapoff blkid cmp",
        f"WRITABLE={' '.join(str(tmp_path / name) for name in disks)}",
        memory="160M",  # all of which, and more, is swapped out once
    )


@pytest.mark.parametrize("engine", ["model", "none"])
def test_operators_at_once_and_without_rights(built, engine):
    """Nothing is half made and nobody hangs; who may not is told so; doctor and metrics follow a card that dies, leaves and returns."""
    card = {"model": ("CARD=model", "CONTROL=1"), "none": ("CARD=none",)}[engine]
    if engine == "model":
        built("card")
    guest(built, "crowds.sh", f"FILES={SHARED} {REPOSITORY}/driver/tests/guest/common.sh", PATIENT, *card)


def test_top_costs_little(built):
    """A screen a second is at most 0.5 % of a CPU that does 10^9 instructions a second, which the program itself counts (`make bench-top`)."""
    prepare(built)
    built("card")
    done = subprocess.run([HOST / "tests/top-cost"], capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0 and done.stdout.endswith("goal 0.5%: met)\n"), done
