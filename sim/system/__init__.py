# SPDX-License-Identifier: Apache-2.0
"""An unmodified Linux in QEMU with the card attached, and what is run in it."""
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.append(str(REPOSITORY / ".tools"))

from command_line import Trouble  # noqa: E402

BUILD = REPOSITORY / "build"
INSIDE = Path(__file__).resolve().parent / "inside"  # scripts that run in the guest
QEMU = BUILD / "tools/bin/qemu-system-x86_64"
CARD = BUILD / "card/pagepress-card"
MODEL_CARD = BUILD / "card-model/pagepress-card"  # without RTL
CONTROL = BUILD / "host/pagepressctl"


def require(path, remedy):
    """`path` as a Path, or Trouble naming the command that makes it."""
    if not Path(path).exists():
        raise Trouble(f"{path} is missing: {remedy}")
    return Path(path)
