# SPDX-License-Identifier: Apache-2.0
"""Debian with systemd brings swap up from pagepress.conf (`make test-systemd`)."""
import os
import subprocess
from pathlib import Path

import pytest

CHECK = Path(__file__).resolve().parents[1] / "check-systemd"


@pytest.mark.skipif(not os.environ.get("NIGHTLY", "").strip("0"), reason="make test-systemd runs it")
@pytest.mark.parametrize("card", ["model", "none"])
def test_systemd_brings_swap_up(card):
    done = subprocess.run([CHECK, f"CARD={card}"], capture_output=True, text=True)
    assert done.returncode == 0, done
    assert done.stdout.startswith(f"PASS systemd, card {card}: swap on "), done
