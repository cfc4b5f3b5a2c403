# SPDX-License-Identifier: Apache-2.0
"""pytest plugin of the whole `make test`: a test that a plan names must have run and passed (testplan.py)."""
import time
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest

from tree_files import tree_files
from testplan import missing, not_held_here, read, runs_elsewhere

REPOSITORY = Path(__file__).resolve().parents[1]
COCOTB = REPOSITORY / "build/cocotb"
SCALA = REPOSITORY / "build/rtl/test-reports"
MAKEFILE = REPOSITORY / "Makefile"


def cocotb_passed(since):
    """(module, test) of each cocotb test that passed in a simulation that ended after `since` (time.time())."""
    for results in COCOTB.rglob("results.xml"):
        if results.stat().st_mtime < since:
            continue
        for case in xml.parse(results).iter("testcase"):
            if not any(case.find(kind) is not None for kind in ("failure", "error", "skipped")):
                yield case.get("classname"), case.get("name")


def scala_passed():
    """(suite, suite) of each Scala suite whose last report, which is this run's, has no failure."""
    for report in SCALA.glob("*.xml"):
        if not any(case.tag in ("failure", "error") for case in xml.parse(report).iter()):
            suite = report.stem.rpartition(".")[2].removeprefix("TEST-")
            yield suite, suite


class Plan:
    """Gathers what passed, in the process that sees every report."""

    def __init__(self):
        self.begun, self.makefile, self.absent = time.time(), MAKEFILE.read_text(), None
        self.passed, self.elsewhere = set(), set()

    def pytest_runtest_logreport(self, report):
        path, _, function = report.nodeid.partition("::")
        tests = {(Path(path).stem, name) for name in (function, function.partition("[")[0])}  # a case, and its function
        if report.when == "call" and report.passed:
            self.passed |= tests
        elif report.skipped and runs_elsewhere(str(report.longrepr), self.makefile):
            self.elsewhere |= tests

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session):
        promises, breaches = read(REPOSITORY, tree_files(REPOSITORY))
        passed = self.passed | set(cocotb_passed(self.begun)) | set(scala_passed())
        self.absent = breaches + missing(promises, passed | self.elsewhere)
        self.others = not_held_here(promises, passed)
        self.promises = len(promises)
        if self.absent and session.exitstatus == 0:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        terminalreporter.section("test plan")
        for line in self.absent + self.others:
            terminalreporter.write_line(line)
        terminalreporter.write_line(f"{self.promises} promises; every test that a plan names "
                                    + ("ran and passed, or says which target runs it" if not self.absent else "must run and pass"))


def pytest_configure(config):
    if not hasattr(config, "workerinput"):  # a worker's reports reach the controller
        config.pluginmanager.register(Plan())
