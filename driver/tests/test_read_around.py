# SPDX-License-Identifier: GPL-2.0-only
"""The decision what an access of a disk with an arm brings, the driver's own file, in a model of what it decides about."""
import subprocess

import pytest
from models import built_model


def test_reads_around_only_where_it_pays(tmp_path, seed):
    """One page after the other, anywhere, a few of each stretch, and the first two by turns; seeks of 0.1 to 8 ms."""
    done = subprocess.run([built_model("read_around_model", tmp_path), str(seed)], capture_output=True, text=True, check=True)
    cases = [(words[0], *map(int, words[1:])) for words in map(str.split, done.stdout.splitlines())]
    assert len(cases) == 16
    for load, seek, alone, always, decided, percent in cases:
        better = min(alone, always)
        # What never pays is tried once in so many accesses; what does is known after a few.
        assert decided <= better * (1.7 if seek == 100 else 1.3 if load == "t" else 1.2), (load, seek, alone, always, decided)
        if load == "r":
            assert percent <= 200, (load, seek, percent)
    assert max(case[2] / case[4] for case in cases) > 10


def test_read_around_model_wants_a_seed(tmp_path):
    done = subprocess.run([built_model("read_around_model", tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr == "usage: read_around_model SEED\n"


@pytest.mark.parametrize(("shift", "least"), [(12, 20000), (14, 20000), (16, 10000)])
def test_window_has_its_stream(tmp_path, seed, shift, least):
    """With pages of 4, 16 and 64 KiB; of the last, the blocks of a long stream may be more than a window, which is then none."""
    done = subprocess.run([built_model("window_model", tmp_path, beside=[f"-DPAGE_SHIFT={shift}"]), str(seed), "20000"], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout) >= least, done.stdout


def test_window_model_wants_its_arguments(tmp_path):
    done = subprocess.run([built_model("window_model", tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr == "usage: window_model SEED STREAMS\n"
