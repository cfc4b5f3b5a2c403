# SPDX-License-Identifier: Apache-2.0
"""pytest plugin of the whole `make test`: what each test cost, in build/test-costs.csv, the dearest first, and a few lines of it on the screen.

A test's cost is the processor time of its worker and of the programs that the worker waited for, children of children with them;
the guest of a test or a build that another worker began is counted where it was waited for. Wall-clock time stands beside it.
"""
import csv
import resource
import time

import pytest

FILE = "build/test-costs.csv"  # below pytest's root
SHOWN = 12
KEY = "cost"
BEGUN = pytest.StashKey()


def processor_seconds():
    """User and system time of this process and of the children it has waited for, seconds."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_setup(item):
    item.stash[BEGUN] = processor_seconds(), time.monotonic()
    yield


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item):
    processor, wall = item.stash[BEGUN]
    # The teardown's report is the one that carries it.
    item.user_properties.append((KEY, (processor_seconds() - processor, time.monotonic() - wall)))


class Costs:
    """Gathers the costs in the process that sees every report."""

    def __init__(self, root):
        self.file, self.rows = root / FILE, []

    def pytest_runtest_logreport(self, report):
        if report.when == "teardown":
            self.rows += [(*cost, report.nodeid) for key, cost in report.user_properties if key == KEY]

    def pytest_terminal_summary(self, terminalreporter):
        self.rows.sort(reverse=True)
        self.file.parent.mkdir(exist_ok=True)
        with open(self.file, "w", newline="") as file:
            table = csv.writer(file)
            table.writerow(("processor_seconds", "seconds", "test"))
            table.writerows((f"{processor:.2f}", f"{wall:.2f}", test) for processor, wall, test in self.rows)
        whole = sum(row[0] for row in self.rows)
        terminalreporter.section(f"{whole / 60:.1f} minutes of a processor; the dearest (all: {FILE})")
        for processor, wall, test in self.rows[:SHOWN]:
            terminalreporter.write_line(f"{processor:8.1f} s  {test}")


def pytest_configure(config):
    if not hasattr(config, "workerinput"):  # a worker's reports reach the controller
        config.pluginmanager.register(Costs(config.rootpath))
