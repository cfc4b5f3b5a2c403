# SPDX-License-Identifier: Apache-2.0
"""Lists of independent jobs, each a command: run side by side here or on a Dask cluster, their results kept as they come.

    results = Results(folder)                       # what an earlier run of the same list has done is not done again
    for job, result in results.gather(jobs, processes=2, cluster="tcp://…:8786"): …

A job is a dictionary: `name` (one of a kind in its list), `command`, `folder`, `environment` (beside the caller's), `seconds` (its
limit), and `alone` (jobs with the same value never run at once). A result holds `status`, `output`, `seconds` and `reports`, the
texts of the files that the job named so. Workers of a cluster must see this checkout under the same path; a job whose worker
dies runs again, so what a job writes must not depend on how often it ran.
"""
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path

KILLED, OVERDUE = -9, 124
LOOK_SECONDS = 1  # a program of Python that falls asleep on a lock just as a signal comes heeds it when it wakes, not before
GRACE = 10  # seconds for a job that is told to end: what it started in sessions of their own only it can end
PYTHON = Path(__file__).resolve().parents[1] / "build/tools/cluster/venv/bin/python3"


def raise_on_sigterm():
    """A program that is told to end ends as by Ctrl-C, with what it started."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def use_cluster_python():
    """Start this program again with the Python that has Dask, unless it is that one."""
    if Path(sys.prefix) != PYTHON.parents[1]:
        if not PYTHON.exists():
            sys.exit(f"{Path(sys.argv[0]).name}: Dask is missing: run .tools/install-cluster")
        os.execv(PYTHON, [PYTHON, *sys.argv])


def signalled(process, number):
    """The signal to a job and all it started in its session."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def end(*processes):
    """End jobs with all they started."""
    for process in processes:
        signalled(process, signal.SIGTERM)
    for process in processes:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
        signalled(process, signal.SIGKILL)


def execute(job, started=lambda process: None):
    """Run a job to its end, or to its limit, when it is ended with all it started. `started` is told of its process."""
    begun = time.time()
    process = subprocess.Popen(job["command"], cwd=job["folder"], env={**os.environ, **job.get("environment", {})},
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               errors="replace", start_new_session=True)
    try:
        started(process)
        output, _ = process.communicate(timeout=job["seconds"])
        status = process.returncode
    except subprocess.TimeoutExpired:
        status, output = OVERDUE, f"not done within {job['seconds']} s"
        end(process)
    finally:
        signalled(process, signal.SIGKILL)
    reports = {}
    for path in job.get("reports", ()):
        with contextlib.suppress(OSError):
            reports[path] = Path(path).read_text(errors="replace")
    return {"status": status, "output": output, "seconds": round(time.time() - begun, 1), "reports": reports}


class Here:
    """Processes of this machine. No signal of a terminal reaches them, as each has a session of its own: close() ends them."""

    def __init__(self, processes):
        self.processes, self.pool = processes, ThreadPoolExecutor(processes)
        self.started, self.closed, self.lock = [], False, threading.Lock()

    def submit(self, job):
        return self.pool.submit(execute, job, self.note)

    def note(self, process):
        with self.lock:
            self.started = [one for one in self.started if one.returncode is None] + [process]
            if self.closed:
                signalled(process, signal.SIGKILL)

    def ended(self, running):
        return wait(running, LOOK_SECONDS, FIRST_COMPLETED).done

    def close(self):
        self.pool.shutdown(wait=False, cancel_futures=True)
        with self.lock:
            self.closed = True
        end(*(process for process in self.started if process.returncode is None))
        self.pool.shutdown()


class Cluster:
    """The workers of an existing Dask scheduler, which gives a job whose worker dies to another, up to three times."""

    def __init__(self, address):
        from distributed import Client  # only where a cluster is asked for: use_cluster_python()
        from distributed.client import FIRST_COMPLETED as FIRST, wait as wait_for

        try:
            self.client, self.wait_for, self.first = Client(address, timeout="20s"), wait_for, FIRST
        except (OSError, ValueError) as error:
            sys.exit(f"no Dask scheduler answers at {address}: {error}")
        self.client.upload_file(__file__)  # so that `execute` is known there, to workers that come later as well
        self.processes = max(1, sum(self.client.nthreads().values()))

    def submit(self, job):
        return self.client.submit(execute, job, pure=False)

    def ended(self, running):
        return self.wait_for(list(running), return_when=self.first).done

    def close(self):
        self.client.close()


class Results:
    """The results of a list, a line of JSON each, in a folder."""

    def __init__(self, folder):
        self.path = Path(folder) / "results.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.done = {}
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                with contextlib.suppress(ValueError):  # the line that an earlier run was killed at
                    record = json.loads(line)
                    self.done[record["name"]] = record["result"]

    def forget(self, unwanted):
        """Results of which `unwanted` is true are taken away: their jobs run again."""
        self.done = {name: result for name, result in self.done.items() if not unwanted(result)}
        self.path.write_text("".join(_line(name, result) for name, result in self.done.items()))

    def gather(self, jobs, processes=2, cluster=None, until=float("inf")):
        """(job, result) of every job as they end, those of earlier runs first; each is on disk before it is handed out, but for one
        that was killed, which runs again another time. None begins after `until`, in seconds of time.monotonic(). Whoever may leave
        early closes it (contextlib.closing): that ends the jobs that run."""
        waiting = []
        for job in jobs:
            if job["name"] in self.done:
                yield job, self.done[job["name"]]
            else:
                waiting.append(job)
        place = Cluster(cluster) if cluster else Here(processes)
        running = {}
        try:
            while (in_time := bool(waiting) and time.monotonic() < until) or running:
                while in_time and len(running) < place.processes and (job := _next(waiting, running.values())):
                    waiting.remove(job)
                    running[place.submit(job)] = job
                for future in place.ended(running):
                    job = running.pop(future)
                    try:
                        result = future.result()
                    except Exception as error:  # noqa: BLE001 (of the cluster, whatever it is)
                        result = {"status": KILLED, "output": f"its workers died: {error}", "seconds": 0, "reports": {}}
                    if result["status"] != KILLED:
                        with open(self.path, "a") as file:
                            file.write(_line(job["name"], result))
                        self.done[job["name"]] = result
                    yield job, result
        finally:
            place.close()


def _line(name, result):
    return json.dumps({"name": name, "result": result}) + "\n"


def _next(waiting, running):
    """The first job that may run beside those running, or None."""
    busy = {job.get("alone") for job in running} - {None}
    return next((job for job in waiting if job.get("alone") not in busy), None)
