# SPDX-License-Identifier: GPL-2.0-only
"""The order of writes, the driver's own file, against a plain list."""
import subprocess

from models import built_model


def test_packing_keeps_the_order_of_writes(tmp_path, seed):
    """Places wrap in the first run and change their sign in the second; packing often finds no memory."""
    done = subprocess.run([built_model("order_model", tmp_path), str(seed)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    for line in done.stdout.splitlines():
        packed, slots, blocks = map(int, line.split())
        # What is packed is much, and the row passes the four blocks before the wrap.
        assert packed > 50 and slots > 1000 * packed and blocks > 8, line


def test_order_model_wants_a_seed(tmp_path):
    done = subprocess.run([built_model("order_model", tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr == "usage: order_model SEED\n"
