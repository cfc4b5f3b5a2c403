# SPDX-License-Identifier: Apache-2.0
"""Our packages installed in a Debian with systemd, swap by one command and from pagepress.conf (`make test-systemd`)."""
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.mark.night("test-systemd")
@pytest.mark.parametrize("card", ["model", "none"])
def test_systemd_brings_swap_up(card):
    done = subprocess.run(["make", "test-systemd", f"CARD={card}"], cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 0, done
    assert f"\nPASS systemd, card {card}: packages by dpkg, swap 0." in done.stdout, done
