# SPDX-License-Identifier: Apache-2.0
"""pagepressctl in a guest with the card's model: the manual page's examples are what an operator types."""

import re
import subprocess
from pathlib import Path

import pytest

HOST = Path(__file__).resolve().parents[1]
REPOSITORY = HOST.parent
SECONDS = 1500  # far beyond what a guest takes on a machine as busy as can be: only a hang takes as long


def examples():
    """The command lines of the manual page's EXAMPLES, in their order, as a shell takes them."""
    page = (HOST / "pagepressctl.8").read_text()
    section = re.search(r"^\.SH EXAMPLES\n(.*?)^\.SH", page, re.M | re.S)[1]
    lines = [line for block in re.findall(r"^\.EX\n(.*?)^\.EE", section, re.M | re.S) for line in block.splitlines()]
    assert lines and all(line.startswith("# ") for line in lines), lines
    return [line[2:].replace(r"\(aq", "'").replace(r"\-", "-") for line in lines]


def test_operator_follows_the_manual_page(built, tmp_path):
    for target in ("kernel-tools", "qemu-tools"):
        subprocess.run(["make", target], cwd=REPOSITORY, check=True, stdout=subprocess.DEVNULL)
    for product in ("driver", "card", "host"):
        built(product)
    (tmp_path / "examples").write_text("".join(line + "\n" for line in examples()))
    # iomem=relaxed: for regs. A busy host makes a card late that is not, and its rings full: hence the parameters.
    command = [
        REPOSITORY / "sim/system/guest",
        f"RUN={HOST}/tests/guest/operates.sh",
        f"FILES={tmp_path}/examples",
        "CARD=model",
        "SMP=1",
        "MEM=256M",
        "MODULES=null_blk ext4",
        "ARGUMENTS=iomem=relaxed",
        f"TIMEOUT={SECONDS}",
        "PARAMETERS=card_wait_ms=60000 full_wait_us=200000",
    ]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS + 60)
    if done.returncode or not done.stdout.endswith("the script ended with status 0\n"):
        pytest.fail(f"{done.returncode}\n{done.stdout[-8000:]}{done.stderr[-2000:]}", pytrace=False)
