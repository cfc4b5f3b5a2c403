# SPDX-License-Identifier: Apache-2.0
"""pytest plugin of `make test`: one seed for the whole run, and a re-run line at each failure.

The seed is COCOTB_RANDOM_SEED, drawn when absent; workers and simulations inherit it. Every test
starts with Python's `random` seeded from it and from the test's name, so a test alone draws the
same numbers as in the whole run. The fixture `seed` is for tests that hand it to other programs, the
fixture `built` for tests that need a product of the Makefile. A test with the mark `night` needs NIGHTLY=1. What fails is in build/failed-tests.log
at once. Verilog that the chosen tests need, and no more, is generated before the first of them; a whole `make test` has made all of it.
--cocotb-test runs one cocotb test alone.
"""
import fcntl
import functools
import itertools
import os
import random
import secrets
import signal
import subprocess
from pathlib import Path

import pytest

from chosen_tests import EVERY_BLOCK, blocks_of, rerun

pytest_plugins = ["overdue_pytest"]
VARIABLE = "COCOTB_RANDOM_SEED"
NIGHTLY = bool(os.environ.get("NIGHTLY", "").strip("0"))
# Files of which a test, or the build before the first, takes half a minute or more of a processor or of waiting, the longest first; of those
# that share a build one stands here.
LONG = ("test_xrt", "test_core_faults", "test_card_link_faults", "test_packages", "test_core_parameters", "test_core_pages",
        "test_card_management", "test_in_guest", "test_fusesoc", "test_control_in_guest", "test_card_firmware", "test_static", "test_stream_encoder",
        "test_compress_lane", "test_page_compressor", "test_page_decompressor", "test_decompress_lane", "test_plain_verilog", "test_package",
        "test_demo", "test_guest", "test_suites", "test_core_lanes", "test_synth", "test_formal", "test_drawn_mutations", "test_coverage", "test_litex",
        "test_pcie_adapter", "test_card_traffic", "test_card_narrow", "test_cluster", "test_metrics", "test_flakes", "test_control_disks", "test_boards")
# Their tests that take three quarters of a minute or more, the longest first: one that is left for the end keeps one worker while the others are done.
FIRST = ("test_oldest_pages_leave_first", "test_faults_of_the_card_lose_nothing", "test_driver_looks_after_firmware", "test_driver_distrusts_firmware",
         "test_driver_withstands_hostile_firmware", "test_nobody_waits_for_the_card", "test_pages_come_from_an_origin", "test_idle_pages_become_cold",
         "test_pool_budget_follows_the_load", "test_adopt_takes_a_partition_and_gives_it_back", "test_operators_at_once_and_without_rights")
REPOSITORY = Path(__file__).resolve().parents[1]
FAILED = "build/failed-tests.log"  # below pytest's root
PRODUCTS = {
    "verilog": "build/verilog",
    "card": "build/card/pagepress-card",
    "driver": "build/driver/pagepress.ko",
    "host": "build/host/pagepressctl",
    "firmware": "build/firmware/firmware.img",
    "management": "build/management/management-sim",
    "boards-tools": "build/tools",
    "package": "build/package",
    "package-host": "build/package-host",
    "packaging-tools": "build/package-host",
    "metrics-tools": "build/tools/metrics/usr/bin",
    "litex-tools": "build/tools/litex/venv/bin",
    "soc-tools": "build/tools/soc/venv/bin",
    "synth-tools": "build/tools/synth",
    "firmware-tools": "build/tools/firmware",
    "devicetree-tools": "build/tools/devicetree",
    "docs-tools": "build/tools/docs",
    "python": "build/python",
    "xrt-programs": "build/host/pagepress-xrt",
}


# What started the tests may have these ignored, as nohup or a shell's & does, and so would every program of a test. Handlers end with exec.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, lambda *_: None)


def pytest_addoption(parser):
    parser.addoption("--cocotb-test", metavar="NAME", help="of every simulation, run the cocotb test of this name alone")


def pytest_configure(config):
    os.environ.setdefault(VARIABLE, str(secrets.randbelow(2**31)))
    if config.option.cocotb_test:
        os.environ["PAGEPRESS_COCOTB_TEST"] = config.option.cocotb_test  # for runner.run
    # A worker's reports reach the controller; what a test runs is that test's own affair.
    if not hasattr(config, "workerinput") and "PYTEST_CURRENT_TEST" not in os.environ:
        config.pluginmanager.register(Failures(config.rootpath / FAILED))


class Failures:
    """Writes each failure down as it comes: pytest shows them at its end, which a run of hours may not see."""

    def __init__(self, file):
        self.file = file
        self.file.unlink(missing_ok=True)

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.file.parent.mkdir(exist_ok=True)
            with open(self.file, "a") as file:
                file.write(f"==== {report.nodeid}, {report.when}\n{report.longreprtext}\n{report.capstdout}{report.capstderr}\n")


def pytest_collection_finish(session):
    options = session.config.option
    if options.collectonly or getattr(options, "numprocesses", None) or hasattr(session.config, "workerinput") \
            or "PAGEPRESS_VERILOG" in os.environ:
        return
    needed = [blocks_of(item.path, getattr(item, "originalname", item.name)) for item in session.items
              if item.path.is_relative_to(REPOSITORY)]
    if not any(blocks is EVERY_BLOCK or blocks for blocks in needed):
        return
    blocks = [] if EVERY_BLOCK in needed else sorted(set().union(*needed))
    if subprocess.run([REPOSITORY / ".tools/generate-verilog", *blocks], cwd=REPOSITORY, stdin=subprocess.DEVNULL).returncode:
        pytest.exit("the Verilog could not be generated", returncode=1)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """By day without tests of the night. Beside other workers: a test that is long and starts late keeps the run from ending."""
    for item in items if not NIGHTLY else ():
        if mark := item.get_closest_marker("night"):
            item.add_marker(pytest.mark.skip(reason=f"make {mark.args[0]} runs it"))
    if workers := getattr(config, "workerinput", {}).get("workercount"):
        items[:] = spread(items, workers, lambda item: (item.path.stem, getattr(item, "originalname", item.name)))


def spread(items, workers, place_of):
    """`items` in another order: xdist gives each worker an equal part of them to begin with, and each part begins with its share of LONG, each file of
    these with its share of FIRST. place_of(item): (file, test)."""
    rank = {test: number for number, test in enumerate(FIRST)}
    parts = [[] for _ in range(workers)]
    for number, file in enumerate(LONG):
        parts[number % workers] += sorted([item for item in items if place_of(item)[0] == file], key=lambda item: rank.get(place_of(item)[1], len(FIRST)))
    rest, left, ordered = iter([item for item in items if place_of(item)[0] not in LONG]), len(items), []
    for number, part in enumerate(parts):
        size = left // (workers - number)
        left -= size
        ordered += part + list(itertools.islice(rest, max(0, size - len(part))))
    return ordered + list(rest)


def pytest_report_header():
    return f"seed: {os.environ[VARIABLE]}"


@pytest.fixture
def seed():
    """The run's seed, an int below 2^31."""
    return int(os.environ[VARIABLE])


@pytest.fixture(scope="session")
def built():
    """A function: built("card") runs `make card`, once a worker, with more words if given, and returns the product's path; with PAGEPRESS_COVERAGE, of one that counts its lines."""
    counted = "PAGEPRESS_COVERAGE" in os.environ

    @functools.cache
    def build(target, *words):
        with open(REPOSITORY / "build/built.lock", "w") as lock:  # workers build one at a time
            fcntl.flock(lock, fcntl.LOCK_EX)
            done = subprocess.run(
                ["make", target, *words, *(["COVERAGE=1"] if counted else [])], cwd=REPOSITORY, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            )
        if done.returncode:
            pytest.fail(f"make {target} failed:\n{done.stdout[-4000:]}", pytrace=False)
        product = PRODUCTS[target]
        return REPOSITORY / (product.replace(f"/{target}/", f"/{target}-coverage/") if counted else product)

    return build


@pytest.fixture(scope="session")
def nightly():
    """Whether long tests are wanted (NIGHTLY=1)."""
    return NIGHTLY


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    random.seed(f"{os.environ[VARIABLE]} {item.nodeid}")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    outcome = yield
    report = outcome.get_result()
    if report.failed:
        name = getattr(item, "originalname", None) or item.name
        report.sections.append(("again", f"re-run: {rerun(name, os.environ[VARIABLE])}"))
