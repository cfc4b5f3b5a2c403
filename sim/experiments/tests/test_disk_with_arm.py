# SPDX-License-Identifier: Apache-2.0
"""The slow disk of experiments in a guest: it does one thing at a time."""
import subprocess
from pathlib import Path

import pytest
from experiments import data
from system import kernels

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.fixture
def products(built):
    for name in ("kernel-tools", "qemu-tools", "guest-tools"):
        subprocess.run(["make", name], cwd=REPOSITORY, check=True, stdout=subprocess.DEVNULL)
    built("driver")
    built("host")


@pytest.mark.night("test-whole")
def test_disk_with_arm_does_one_thing_at_a_time(products, tmp_path, monkeypatch):
    monkeypatch.setattr(data, "RESULTS", tmp_path)
    with open(tmp_path / "disk", "wb") as disk:
        disk.truncate(32 << 20)
    words = {"RUN": Path(__file__).with_name("disk_with_arm.sh"), "FILES": data.disk_with_arm(kernels.STOCK), "WRITABLE": tmp_path / "disk", "CARD": "none", "ICOUNT": 1}
    done = subprocess.run([REPOSITORY / "sim/system/guest", *(f"{name}={word}" for name, word in words.items())], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
