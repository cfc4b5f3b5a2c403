# SPDX-License-Identifier: GPL-2.0-only
"""A short soak; a whole `make test` runs a longer one beside the tests in its place, `make soak` the long one."""
import subprocess
from pathlib import Path

import pytest
from guest_programs import KERNEL

REPOSITORY = Path(__file__).resolve().parents[2]
SOAK = REPOSITORY / "driver/tests/soak"


# Of the kernels that these tests run on, this one has zswap.
@pytest.mark.parametrize("zswap", [0, 1] if KERNEL == "debug" else [0])
def test_short_soak_finds_every_byte_right(products, seed, zswap):
    done = subprocess.run([SOAK, "MINUTES=0.5", "LIGHT=1", f"ZSWAP={zswap}", f"SEED={seed}", f"KERNEL={KERNEL}"], capture_output=True, text=True,
                          errors="replace", timeout=3600)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert ("by zswap" in done.stdout) == zswap
    assert "every byte right" in done.stdout and done.stdout.splitlines()[-1] == "soak: PASS"


def test_soak_refuses_bad_input():
    for words, phrase in ((["MINUTES=long"], "MINUTES=long is no number"), (["SEED=x"], "SEED=x"), (["ZSWAP=2"], "ZSWAP=2 is neither"), (["FAULTS=1"], "unknown option")):
        done = subprocess.run([SOAK, *words], capture_output=True, text=True)
        assert done.returncode == 2 and phrase in done.stderr and done.stderr.count("\n") == 1, done
