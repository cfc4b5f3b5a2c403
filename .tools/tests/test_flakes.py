# SPDX-License-Identifier: Apache-2.0
"""Tests repeated on fresh seeds: what does not always pass is named, with lines that repeat it; nothing done is done again."""
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from chosen_tests import REPOSITORY
from jobs import KILLED, OVERDUE, Results

FLAKES = REPOSITORY / ".tools/flakes"
ALTERNATING = """
import os, random
def test_sound(): pass
def test_half():
    assert int(os.environ["COCOTB_RANDOM_SEED"]) % 2 == 0, "an odd seed"
"""
WAITING = """
import os, pathlib, time
def test_waits():
    pathlib.Path("new").write_text(str(os.getpid()))
    os.rename("new", "began")
    time.sleep(1000)
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
    wait_for_the_end_of(found["left"]["output"].strip())


def wait_for_the_end_of(process):
    end = time.monotonic() + 600
    with contextlib.suppress(FileNotFoundError):
        while Path("/proc", str(process), "stat").read_text().rpartition(")")[2].split()[0] != "Z":
            assert time.monotonic() < end, f"process {process} goes on"
            time.sleep(0.01)


def test_jobs_end_when_nobody_wants_their_results(tmp_path):
    """They are told before they are killed, as what they started may stand in a session of its own."""
    slow = shell("slow", f"trap 'kill $!; echo told >{tmp_path}/told; exit' TERM; setsid sh -c 'echo $$ >{tmp_path}/began; exec sleep 1000' & wait")
    quick = shell("quick", f"while [ ! -s {tmp_path}/began ]; do sleep 0.01; done")
    with contextlib.closing(Results(tmp_path).gather([slow, quick])) as results:
        assert next(results)[0] is quick
    wait_for_the_end_of((tmp_path / "began").read_text().strip())
    assert (tmp_path / "told").exists() and list(Results(tmp_path).done) == ["quick"]


def test_a_job_that_was_killed_runs_again(tmp_path):
    killed = shell("killed", f"echo x >>{tmp_path}/ran; kill -KILL $$")
    for runs in (1, 2):
        assert [result["status"] for _, result in Results(tmp_path).gather([killed])] == [KILLED]
        assert (tmp_path / "ran").read_text() == "x\n" * runs


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
                          (["--repeat", "0"], "--repeat: 1 or more"), (["--processes", "0"], "--processes: 1 or more"),
                          (["--resume", "77"], "no run of seed 77 was interrupted")):
        done = flakes(tree, *words)
        assert done.returncode and phrase in done.stderr.splitlines()[-1], done


def test_flakes_of_a_part_is_no_result_of_the_whole(tree):
    """--resume runs a file whole of which only one test ran."""
    assert flakes(tree, "--seed", "5", "--repeat", "2", "sound").returncode == 0
    found = json.loads(flakes(tree, "--resume", "5", "--repeat", "2", "--json").stdout)
    assert found["tests"] == 2 and found["runs"] == 4, found


@pytest.fixture
def waiting(tree):
    """A run of flakes whose test waits for ever, with two busy processes: (it, the test's process, the busy ones')."""
    (tree / "sim/test_half.py").write_text(WAITING)
    run = subprocess.Popen([sys.executable, tree / ".tools/flakes", "--load", "2", "--repeat", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while not (tree / "began").exists():
        assert run.poll() is None
        time.sleep(0.01)
    test = (tree / "began").read_text()
    children = Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()
    busy = [child for child in children if b"expovariate" in Path(f"/proc/{child}/cmdline").read_bytes()]
    yield run, test, busy
    for process in (run.pid, *map(int, (test, *busy))):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    run.wait()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_flakes_ends_with_all_that_it_started(waiting, number):
    run, test, busy = waiting
    run.send_signal(number)
    assert run.communicate(timeout=300)[1] == "flakes: interrupted; --resume and the seed go on\n" and run.returncode == 1
    for process in (test, *busy):
        wait_for_the_end_of(process)


def test_flakes_leaves_no_busy_process_when_it_is_killed(waiting):
    run, _, busy = waiting
    assert len(busy) == 2
    run.kill()
    for process in busy:
        wait_for_the_end_of(process)
