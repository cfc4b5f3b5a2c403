# SPDX-License-Identifier: Apache-2.0
"""A list of jobs on two Dask workers, one of which dies: every job is done, and what is done is not done again."""
import json
import os
import subprocess
import sys
import time

import pytest

from chosen_tests import REPOSITORY
from jobs import PYTHON

# The workers are processes without a nanny, so that one that dies stays dead. Job 2 kills the first worker that takes it.
PROGRAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
from jobs import Results
folder, address = sys.argv[2:]
deadly = f"echo ran >>{folder}/2; [ -e {folder}/struck ] || {{ touch {folder}/struck; kill -9 $PPID; }}"
jobs = [{"name": str(n), "folder": folder, "seconds": 300, "command": ["sh", "-c", deadly if n == 2 else f"echo ran >>{folder}/{n}"]}
        for n in range(8)]
print(json.dumps({job["name"]: result["status"] for job, result in Results(folder).gather(jobs, cluster=address)}))
"""


@pytest.fixture
def cluster(tmp_path):
    """The address of a scheduler with two workers, and the workers."""
    subprocess.run([REPOSITORY / ".tools/install-cluster"], check=True)
    known = tmp_path / "scheduler.json"  # the scheduler writes it, with the address that it was given, once it listens
    environment = {**os.environ, "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "5"}
    with open(tmp_path / "cluster.log", "wb") as log:
        def start(program, *words):
            return subprocess.Popen([PYTHON, "-m", f"distributed.cli.{program}", *words], cwd=tmp_path, stdout=log, stderr=log, env=environment)
        processes = [start("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", known)]
        while not known.exists() or not known.read_text().endswith("}"):
            assert processes[0].poll() is None, (tmp_path / "cluster.log").read_text()
            time.sleep(0.05)
        address = json.loads(known.read_text())["address"]
        processes += [start("dask_worker", address, "--no-nanny", "--nthreads", "1", "--no-dashboard") for _ in range(2)]
    yield address, processes[1:]
    for process in processes:
        process.kill()
        process.wait()


def run(tmp_path, address):
    done = subprocess.run([PYTHON, "-c", PROGRAM, REPOSITORY / ".tools", tmp_path, address], capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr + (tmp_path / "cluster.log").read_text()
    return json.loads(done.stdout)


def test_cluster_loses_a_worker_and_no_job(tmp_path, cluster):
    address, workers = cluster
    assert run(tmp_path, address) == {str(n): 0 for n in range(8)}
    while not any(worker.poll() is not None for worker in workers):
        time.sleep(0.05)
    assert sum(worker.poll() is None for worker in workers) == 1, "one worker died, and one only"
    assert (tmp_path / "2").read_text() == "ran\n" * 2, "the job that lost its worker ran again"
    assert [(tmp_path / str(n)).read_text() for n in (0, 1, 3, 4, 5, 6, 7)].count("ran\n") >= 6
    # What is done is not done again.
    before = {n: (tmp_path / str(n)).read_text() for n in range(8)}
    assert run(tmp_path, address) == {str(n): 0 for n in range(8)}
    assert {n: (tmp_path / str(n)).read_text() for n in range(8)} == before


def test_cluster_that_is_not_there_is_one_line():
    done = subprocess.run([sys.executable, REPOSITORY / ".tools/flakes", "--cluster", "tcp://127.0.0.1:9", "--load", "0", "--repeat", "1", "crc32c"],
                          capture_output=True, text=True, timeout=1500)
    assert done.returncode == 1 and done.stderr.strip().count("\n") == 0 and "127.0.0.1:9" in done.stderr, done
