# SPDX-License-Identifier: Apache-2.0
"""pytest plugin of every run: a test that does not end is told of while it runs, and then fails, with the programs it had started.

Far beyond what any test takes on a machine as busy as can be, each counted with the builds it waits for: only a hang takes as long.
Without this one that hangs says nothing until somebody ends the whole run, and then not even its name.
"""
import contextlib
import faulthandler
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from pagepress_pytest import NIGHTLY  # which has loaded this plugin

NOTICE_SECONDS = 600
DAY_SECONDS, NIGHT_SECONDS = 1800, 4 * 3600  # by night, and with another kernel, guests may take hours
AGAIN = 1 / 6  # of its time later: its clean-up may wait as well
LAST = 1.4  # of its time: where nothing of Python runs any more the whole process is ended, and xdist goes on in another
STDERR = os.dup(2)  # before pytest takes it

in_a_phase = []  # the test, while its setup, call or teardown runs


def limit():
    """Seconds for one test, with its fixtures; PAGEPRESS_TEST_SECONDS says otherwise."""
    usual = NIGHT_SECONDS if NIGHTLY or os.environ.get("KERNEL") else DAY_SECONDS
    return float(os.environ.get("PAGEPRESS_TEST_SECONDS") or usual)


def programs(parent):
    """(process, its words) of all that `parent` has started and they in their turn, each after its own children."""
    children = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            process, (_, its_parent, *_) = int(stat.parent.name), stat.read_text().rpartition(")")[2].split()
            words = (stat.parent / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        except OSError:  # it has ended meanwhile
            continue
        children.setdefault(int(its_parent), []).append((process, words))

    def below(process):
        return [one for child in children.get(process, ()) for one in (*below(child[0]), child)]

    return below(parent)


def end(number, frame):
    """Ends what the test waits for, and the test; between its phases pytest is at work, which goes on by itself."""
    if not in_a_phase:
        return
    started = programs(os.getpid())
    for process, _ in started:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    lines = [f"  {process} {words[:300] or '(ended)'}" for process, words in started]
    pytest.fail("\n".join([f"not ended within {limit():g} s; programs it had started:", *(lines or ["  none"])]))


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_call(item):
    in_a_phase.append(item)
    yield
    in_a_phase.pop()


pytest_runtest_setup = pytest_runtest_teardown = pytest_runtest_call


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item):
    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, limit(), limit() * AGAIN)
    faulthandler.dump_traceback_later(limit() * LAST, exit=True, file=STDERR)
    yield
    faulthandler.cancel_dump_traceback_later()
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


class Overdue:
    """Tells, in the process that shows the run, which tests have been running for long. By perf_counter(): there are tests that bend monotonic()."""

    def __init__(self, reporter):
        self.reporter, self.since, self.told = reporter, {}, set()
        self.ended = threading.Event()
        threading.Thread(target=self.watch, daemon=True).start()

    def pytest_runtest_logstart(self, nodeid):
        self.since[nodeid] = time.perf_counter()

    def pytest_runtest_logfinish(self, nodeid):
        self.since.pop(nodeid, None)

    def pytest_unconfigure(self):
        self.ended.set()

    def watch(self):
        notice = min(NOTICE_SECONDS, limit() / 3)
        while not self.ended.wait(notice / 20):
            for test, began in list(self.since.items()):
                if test not in self.told and time.perf_counter() > began + notice:
                    self.told.add(test)
                    self.reporter.write_line(f"still running after {notice:g} s: {test}")


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Overdue(reporter))
