# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys
from pathlib import Path

import pytest

# Last: other rooms below sim/ have names of well-known packages.
sys.path.append(str(Path(__file__).resolve().parents[2]))

from system import BUILD  # noqa: E402 (found by the line above)


@pytest.fixture(scope="module")
def products(built):
    """Driver, card and pagepressctl, built; kernel, QEMU and the guest's programs, installed."""
    for name in ("kernel-tools", "qemu-tools", "guest-tools"):
        subprocess.run(["make", name], cwd=BUILD.parent, check=True, stdout=subprocess.DEVNULL)
    for name in ("driver", "card", "host"):
        built(name)
