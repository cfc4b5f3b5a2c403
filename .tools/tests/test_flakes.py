# SPDX-License-Identifier: Apache-2.0
"""Tests repeated on fresh seeds: what does not always pass is named, with lines that repeat it; nothing done is done again."""
import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from chosen_tests import REPOSITORY
from jobs import OVERDUE, Results

FLAKES = REPOSITORY / ".tools/flakes"
ALTERNATING = """
import os, random
def test_sound(): pass
def test_half():
    assert int(os.environ["COCOTB_RANDOM_SEED"]) % 2 == 0, "an odd seed"
"""


def job(name, command, **more):
    return {"name": name, "command": command, "folder": str(REPOSITORY), "seconds": 60, **more}


def shell(name, text, **more):
    return job(name, ["sh", "-c", text], **more)


def test_jobs_are_run_once_and_kept(tmp_path):
    jobs = [shell(str(number), f"echo x >>{tmp_path}/ran; echo said {number}; exit {number}") for number in range(4)]
    first = {done["name"]: result for done, result in Results(tmp_path).gather(jobs)}
    assert [(first[str(n)]["status"], first[str(n)]["output"]) for n in range(4)] == [(n, f"said {n}\n") for n in range(4)]
    with open(tmp_path / "results.jsonl", "a") as file:
        file.write('{"name": "5", "res')  # killed while it wrote
    again = {done["name"]: result for done, result in Results(tmp_path).gather(jobs)}
    assert again == first and (tmp_path / "ran").read_text() == "x\n" * 4


def test_jobs_whose_time_is_over_do_not_begin_and_wanted_ones_run_again(tmp_path):
    jobs = [shell(str(number), f"echo {number} >>{tmp_path}/ran; exit {number}") for number in range(4)]
    assert not [*Results(tmp_path).gather(jobs, until=time.monotonic())]
    results = Results(tmp_path)
    assert len([*results.gather(jobs)]) == 4
    results.forget(lambda result: result["status"] == 2)
    assert len([*Results(tmp_path).gather(jobs)]) == 4
    assert sorted((tmp_path / "ran").read_text().split()) == ["0", "1", "2", "2", "3"]


def test_a_job_ends_with_all_it_started(tmp_path):
    left = shell("left", "sleep 1000 >/dev/null 2>&1 & echo $!")
    slow = shell("slow", "sleep 1000", seconds=0.1)
    found = {done["name"]: result for done, result in Results(tmp_path).gather([left, slow])}
    assert found["left"]["status"] == 0 and found["slow"]["status"] == OVERDUE
    state = Path("/proc", found["left"]["output"].strip(), "stat")
    while state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z":
        time.sleep(0.01)


def test_jobs_of_one_kind_never_meet(tmp_path):
    text = f"mkdir {tmp_path}/inside && sleep 0.1 && rmdir {tmp_path}/inside"
    jobs = [shell(str(number), text, alone="same") for number in range(4)]
    assert [result["status"] for _, result in Results(tmp_path).gather(jobs, processes=4)] == [0] * 4


@pytest.fixture
def tree(tmp_path):
    """A repository with one file of tests, whose tools are ours."""
    (tmp_path / "sim").mkdir()
    (tmp_path / ".tools").mkdir()
    for path in (REPOSITORY / ".tools").iterdir():
        if path.is_file():
            (tmp_path / ".tools" / path.name).write_bytes(path.read_bytes())
    (tmp_path / ".tools/flakes").chmod(0o755)
    (tmp_path / "sim/test_half.py").write_text(ALTERNATING)
    return tmp_path


def flakes(tree, *words):
    return subprocess.run([sys.executable, tree / ".tools/flakes", "--load", "1", *words], capture_output=True, text=True, timeout=1500)


def test_flakes_counts_failures_and_says_how_to_repeat_them(tree):
    done = flakes(tree, "--seed", "5", "--repeat", "3", "--json")
    found = json.loads(done.stdout)
    failure, = found["failures"]
    assert done.returncode == 1 and found["tests"] == 2 and found["runs"] == 6, done
    assert failure["test"] == "sim/test_half.py::test_half" and failure["runs"] == 3
    seeds = [int(re.fullmatch(r"make test T=half SEED=(\d+)", line)[1]) for line in failure["again"]]
    assert failure["failed"] == len(seeds) and all(seed % 2 for seed in seeds) and 0 < len(seeds) < 3
    results = (tree / "build/flakes/5/results.jsonl").read_text()
    assert json.loads(flakes(tree, "--resume", "5", "--repeat", "3", "--json").stdout) == found
    assert (tree / "build/flakes/5/results.jsonl").read_text() == results, "done again"
    assert "3 of 3" in done.stderr and "an odd seed" in "".join(p.read_text() for p in (tree / "build/flakes/5").glob("*.log"))


def test_flakes_draws_a_seed_and_runs_only_what_is_named(tree):
    done = flakes(tree, "--repeat", "1", "sound")
    assert done.returncode == 0 and "0 of 1 tests failed at least once, 0 of 1 runs" in done.stdout, done
    seed = re.search(r"seed (\d+);", done.stdout)[1]
    assert (tree / f"build/flakes/{seed}/results.jsonl").exists()


def test_flakes_refuses_what_it_does_not_know(tree):
    for words, phrase in ((["nowhere"], "no pytest or cocotb test is called 'nowhere'"), (["--repeat", "x"], "'x' is no whole number"),
                          (["--resume", "77"], "no run of seed 77 was interrupted")):
        done = flakes(tree, *words)
        assert done.returncode and phrase in done.stderr.splitlines()[-1], done
