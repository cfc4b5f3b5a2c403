# SPDX-License-Identifier: GPL-2.0-only
"""The accounts of the backing device's log, the driver's own file, against a plain map of the device's bytes."""
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    program = tmp_path_factory.mktemp("log") / "log_model"
    subprocess.run(["gcc", "-O2", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Wno-sign-compare", "-fsanitize=address,undefined",
                    "-fno-sanitize-recover", f"-I{HERE / 'kernel_arithmetic'}", f"-I{HERE.parent}", HERE / "log_model.c", "-o", program], check=True)
    return program


@pytest.mark.parametrize(("segments", "block", "rounds", "least"), [(5, 4096, 300, 900), (16, 512, 15, 700)])
def test_log_gives_no_byte_twice(model, seed, segments, block, rounds, least):
    """Writers, frees, failed writes and the collector at random: hundreds of times the device's size."""
    done = subprocess.run([model, *map(str, (seed, segments, block, rounds))], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    collected, best, full, unmovable = map(int, done.stdout.split())
    assert collected > 1000 and unmovable > 5, done.stdout
    # Thousandths of the capacity, beside others' extents and segments that cannot be emptied.
    assert best >= 950 and full >= least, done.stdout


def test_log_model_wants_its_arguments(model):
    done = subprocess.run([model], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr == "usage: log_model SEED SEGMENTS BLOCK ROUNDS\n"
