# SPDX-License-Identifier: GPL-2.0-only
"""The backing device's log: its accounts and its collector, the driver's own files, as programs against plain models."""
import subprocess

import pytest
from models import built_model

only_by_night = pytest.mark.night("test-whole")


@pytest.mark.parametrize(("segments", "block", "rounds", "least"), [(5, 4096, 300, 900), (16, 512, 15, 700)])
def test_log_gives_no_byte_twice(tmp_path, seed, segments, block, rounds, least):
    """Writers, frees, failed writes and the collector at random: hundreds of times the device's size."""
    done = subprocess.run([built_model("log_model", tmp_path), *map(str, (seed, segments, block, rounds))], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    collected, best, full, unmovable = map(int, done.stdout.split())
    assert collected > 1000 and unmovable > 5, done.stdout
    # Thousandths of the capacity, beside others' extents and segments that cannot be emptied.
    assert best >= 950 and full >= least, done.stdout


@pytest.mark.parametrize("segments", [8, pytest.param(12, marks=only_by_night)])
def test_collector_loses_no_page(tmp_path, seed, segments):
    """Reads and writes that fail, bytes that change on their way or for ever, slots given up and overwritten at any moment; several writers
    wait for space of a slow device, each until it has some or there is none to be had."""
    done = subprocess.run([built_model("collector_model", tmp_path), str(seed), str(segments), "3000"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    emptied, moved, faults, best, waits, refused = map(int, done.stdout.split())
    assert emptied > 500 and moved > 20 * emptied and faults > 30 and best > 900 and waits > 500, done.stdout
    assert refused > 500 or segments != 8, done.stdout


@pytest.mark.parametrize(("name", "arguments"), [("log_model", "SEED SEGMENTS BLOCK ROUNDS"), ("collector_model", "SEED SEGMENTS ROUNDS")])
def test_models_of_the_log_want_their_arguments(tmp_path, name, arguments):
    done = subprocess.run([built_model(name, tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr == f"usage: {name} {arguments}\n"
