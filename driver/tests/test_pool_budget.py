# SPDX-License-Identifier: GPL-2.0-only
"""The decision about the pool's size, the driver's own file, against every size that stays, in a model of what it decides about."""
import subprocess

import pytest
from models import built_model

STEADY = {"m", "l", "h", "s", "llll", "hhhh", "ssss", "r", "R"}  # loads that do not change


def costs(tmp_path, *words):
    """The cost of each case's decisions, of the best size that stays and of no pool at all: two dictionaries of ratios."""
    program = built_model("pool_budget_model", tmp_path, sanitizers="")
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=True)
    of_none, of_best = {}, {}
    for load, *numbers in map(str.split, done.stdout.splitlines()):
        *what, none, best, got = map(int, numbers)
        of_none[load, *what], of_best[load, *what] = got / none, got / best
    return of_none, of_best


def steady(ratios):
    return max(ratio for (load, *_), ratio in ratios.items() if load in STEADY)


def mean(ratios):
    return sum(ratios.values()) / len(ratios)


def test_pool_budget_is_nearly_the_best(tmp_path, seed):
    """Loads, ratios and devices: 240 cases. In docs/pool-budget.md stand the figures, and what the bounds should be."""
    of_none, of_best = costs(tmp_path, seed)
    assert len(of_best) == 240
    assert steady(of_best) <= 1.05
    assert mean(of_best) <= 1.04
    assert max(of_best.values()) <= 1.8, max(of_best, key=of_best.get)
    assert max(of_none.values()) <= 1.06, max(of_none, key=of_none.get)
    assert sum(ratio > 1.02 for ratio in of_none.values()) <= 8
    # Where memory is given back, it is: the decision beats every size that stays.
    assert min(of_best.values()) < 0.9


def test_pool_budget_outlasts_the_beginning(tmp_path, seed):
    """Memory is filled before anything is read back, files lose pages meanwhile, decisions come by the clock: 540 cases."""
    of_none, of_best = costs(tmp_path, seed, "files")
    assert len(of_best) == 540
    assert steady(of_best) <= 1.05
    assert mean(of_best) <= 1.04
    assert max(of_best.values()) <= 1.5, max(of_best, key=of_best.get)
    assert max(of_none.values()) <= 1.4, max(of_none, key=of_none.get)


@pytest.mark.parametrize("words", [(), ("1", "file")])
def test_pool_budget_model_wants_a_seed(tmp_path, words):
    program = built_model("pool_budget_model", tmp_path, sanitizers="")
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr == "usage: pool_budget_model SEED [files]\n"


def test_pool_budget_is_the_same_on_every_machine(tmp_path):
    """128 MiB to 4 TiB, and the slowest of devices; files that lose pages have the pool shrink sooner, not later."""
    program = built_model("pool_budget_cases", tmp_path, sanitizers="undefined")
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    cases = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
    assert len(cases) == 5 and len({case[1:] for case in cases}) == 1, cases
    _, without_files, with_files, slowest, grows, all_return, none_return, bounded, while_filling = cases[0]
    assert 0 < with_files < without_files and slowest and grows, cases
    assert all_return > 240 and none_return < 140, cases
    assert bounded == 256 * 3 // 16, cases  # three quarters of a quarter
    assert while_filling > 224, cases
