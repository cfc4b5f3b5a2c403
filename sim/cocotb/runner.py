# SPDX-License-Identifier: Apache-2.0
"""Build one block with Verilator and run its cocotb tests: `run("page_compressor", __name__)`.

Reads build/verilog/<block>.v (made by `make verilog`), builds in build/cocotb/<block> only when
that file or the build options changed, and runs in build/cocotb/<block>/<module>, of chosen tests in <module>-<the first>: another
choice leaves their results, which the test plan reads, as they are. Each AXI port of
the block is watched by the assertions of axi_rules/, in every test. Seed and waves come from the environment:
COCOTB_RANDOM_SEED (set by the test runner when absent) and WAVES.
PAGEPRESS_VERILOG and PAGEPRESS_COCOTB name other folders for the two, to test altered Verilog;
PAGEPRESS_PLUSARGS are words for the simulation's own command line, PAGEPRESS_COCOTB_TEST the only cocotb test to run.
PAGEPRESS_COVERAGE is a folder: each run leaves there which lines and signals it exercised, and the functional points that it met
(sim/coverage); with PAGEPRESS_COVERAGE_OF=functional these alone, on the models that are there without counters.
"""
import ast
import fcntl
import hashlib
import os
import re
import shutil
import sys
import tempfile
import unittest
from contextlib import contextmanager
from pathlib import Path

import axi_ports
import cocotb_tools.runner
from cocotb_tools.check_results import get_results

REPOSITORY = Path(__file__).resolve().parents[2]
VERILOG = Path(os.environ.get("PAGEPRESS_VERILOG", REPOSITORY / "build/verilog")).resolve()
OUTPUT = Path(os.environ.get("PAGEPRESS_COCOTB", REPOSITORY / "build/cocotb")).resolve()
MENDED_VERILATOR = REPOSITORY / "build/tools/verilator/include/verilated.mk"

# SpinalHDL's output is lint-clean where it matters; widths and unused bits are its style.
BUILD_ARGUMENTS = ["-Wno-fatal", "-Wno-lint", "-Wno-style", "--output-split-cfuncs", "20000", "-j", "1"]

# Of so many bytes of Verilog and less, the C++ is compiled in one piece: split, its headers are precompiled, twice, which takes eight
# seconds. The C++ of a whole core in one piece takes gigabytes.
ONE_PIECE = 6_000_000
SPLIT = 20_000  # statements of a piece

COVERAGE_ARGUMENTS = ["--coverage-line", "--coverage-toggle"]

# An optimising compiler costs 36 seconds of a processor more for a core (74 instead of 38) and halves the time of its simulations, of
# which one block has so many that it pays.
COMPILER_OPTIONS = ["OPT_FAST=-O0", "OPT_SLOW=-O0", "OPT_GLOBAL=-O1"]
OPTIMISED_OPTIONS = ["OPT_FAST=-O1", *COMPILER_OPTIONS[1:]]
OPTIMISED = ("core",)


class BlockFailure(AssertionError):
    """A block could not be judged, or at least one of its cocotb tests "failed", or all of them "hung" or crashed: `kind`."""

    def __init__(self, text, kind="not run"):
        super().__init__(text)
        self.kind = kind


class TopVerilator(cocotb_tools.runner.Verilator):
    """Verilator with only the top's ports public: several times faster than cocotb's default.

    `public_depth` is the number of hierarchy levels whose signals the tests may touch, `limit`
    the seconds after which a simulation that hangs is ended, `compiler_options` go to the makefile.
    """

    public_depth = 1
    limit = 1200
    compiler_options = COMPILER_OPTIONS

    def _get_sim_cmd_prefix(self):
        return ["timeout", "--kill-after=10", str(self.limit), *super()._get_sim_cmd_prefix()]

    def _build_command(self):
        verilate, compile_ = super()._build_command()
        where = verilate.index("--public-flat-rw")
        verilate[where : where + 1] = ["--public-depth", str(self.public_depth)]
        compile_[compile_.index("-j") + 1] = "1"  # the tests themselves run side by side
        return [verilate, compile_ + self.compiler_options]


def run(block, module, *, top=None, wrapper=None, public_depth=1, environment=None, testcase=None, limit=1200, verilog=None, plusargs=()):
    """Run the cocotb tests of Python module `module` on `block`; BlockFailure unless all pass.

    top           name of the Verilog module, `block` by default
    wrapper       a Verilog file around the block; its module, named like the file, is the top
    public_depth  hierarchy levels visible to the tests (1: the top's ports)
    environment   more variables for the simulation (strings)
    testcase      name, or list of names, of the only cocotb tests to run; BlockFailure for one that `module` has not
    limit         seconds after which a hanging simulation is ended
    verilog       folder with the block's Verilog where it is another configuration's (configured.py); it is built under that folder's name
    plusargs      words for the simulation's command line; those that begin with +define+ are for the build as well
    """
    __tracebackhide__ = True
    waves = bool(os.environ.get("WAVES", "").strip("0"))
    chosen = [testcase] if isinstance(testcase, str) else testcase
    if alone := os.environ.get("PAGEPRESS_COCOTB_TEST"):
        if alone not in (cocotb_tests(module) if chosen is None else chosen):
            raise unittest.SkipTest(f"does not run {alone}")
        chosen = [alone]
    test_filter = None if chosen is None else exactly(chosen, module)
    top = top or (wrapper.stem if wrapper else block)
    source = (verilog or VERILOG) / f"{block}.v"
    if not source.exists():
        raise BlockFailure(f"{shown(source)} is missing: make verilog, or is the block not in Generate?")
    watched = Path(__file__).with_name(f"{block}.vlt")  # signals inside the block that its tests read
    sources = [source] + ([wrapper] if wrapper else []) + ([watched] if watched.exists() else [])
    coverage = os.environ.get("PAGEPRESS_COVERAGE") if os.environ.get("PAGEPRESS_COVERAGE_OF") != "functional" else None
    name = "".join([wrapper.stem if wrapper else block, f"-{verilog.name}" if verilog else "", "-waves" if waves else "",
                    "-coverage" if coverage else "", f"-depth{public_depth}" if public_depth != 1 else ""])
    build = OUTPUT / name
    runner = TopVerilator()
    runner.public_depth, runner.limit = public_depth, limit
    if name in OPTIMISED:
        runner.compiler_options = OPTIMISED_OPTIONS
    with locked(OUTPUT / f"{name}.lock"):
        build_block(runner, sources, top, build, waves, [*(COVERAGE_ARGUMENTS if coverage else ()), *(word for word in plusargs if word.startswith("+define+"))])
    place = module.rpartition(".")[2] + (f"-{chosen[0]}" if chosen else "")
    return simulate(runner, top, module, place, build, waves, environment or {}, test_filter, [*counts_file(coverage, name), *plusargs])


def counts_file(folder, name):
    """The words that make a simulation of `name` write a coverage file of its own into `folder`, none without one."""
    if not folder:
        return []
    file, path = tempfile.mkstemp(suffix=".dat", prefix=f"{name}-", dir=folder)
    os.close(file)
    return [f"+verilator+coverage+file+{path}"]


def cocotb_tests(module):
    """The names of the cocotb tests of a module in this folder, which is not imported."""
    tree = ast.parse(Path(__file__).with_name(f"{module.rpartition('.')[2]}.py").read_text())
    return {node.name for node in tree.body if isinstance(node, ast.AsyncFunctionDef) and node.decorator_list}


def exactly(names, module):
    """The filter that takes these tests only: by itself cocotb takes every name that ends so, and none without a word."""
    unknown = sorted(set(names) - cocotb_tests(module))
    if unknown or not names:
        raise BlockFailure(f"{module} has no cocotb test {', '.join(unknown) or 'to choose'}: see its @cocotb.test()")
    return rf"\.({'|'.join(map(re.escape, names))})$"


def build_block(runner, sources, top, build, waves, more=()):
    """Verilate, with `more` arguments, and compile, unless `build` already holds this very input."""
    watchers = axi_ports.bindings(sources[0].read_text())
    rules = axi_ports.RULES if watchers else []
    arguments = [*BUILD_ARGUMENTS, *more] + (["--trace-fst", "--trace-structs"] if waves else []) + (["--assert"] if watchers else [])
    # The identity is read before the build, so a source changing meanwhile is built again.
    inputs = hashlib.sha256()
    # SpinalHDL's heading names the commit; only what follows is the hardware.
    hardware = b"".join(line for source in sources for line in source.read_bytes().splitlines(True)
                        if not line.startswith(b"//"))
    arguments += ["--output-split", "0" if len(hardware) <= ONE_PIECE else str(SPLIT)]
    options = repr((top, runner.public_depth, arguments, runner.compiler_options, watchers))
    for part in (hardware, *(rule.read_bytes() for rule in rules), MENDED_VERILATOR.read_bytes(), options.encode()):
        inputs.update(part)
    stamp = build / "built"
    up_to_date = stamp.exists() and stamp.read_text() == inputs.hexdigest()
    if up_to_date:
        # test() needs to know what build() would have told it.
        runner.build_dir, runner.waves = build, waves
        return
    shutil.rmtree(build, ignore_errors=True)
    build.mkdir(parents=True)
    if watchers:
        (build / "watchers.sv").write_text(watchers)
        sources = [*sources, *rules, build / "watchers.sv"]
    log = build / "build.log"
    try:
        runner.build(
            sources=sources, hdl_toplevel=top, build_dir=build, build_args=arguments,
            timescale=("1ns", "1ps"), waves=waves, log_file=log,
        )
    except RuntimeError as error:
        raise BlockFailure(f"{top} does not build ({shown(log)}):\n{tail(log)}") from error
    stamp.write_text(inputs.hexdigest())


def simulate(runner, top, module, place, build, waves, environment, test_filter, words):
    """Run the simulation in the folder `place` of `build`, with `words` on its command line; return the number of cocotb tests that passed (at least one)."""
    __tracebackhide__ = True
    directory = build / (place + os.environ.get("PYTEST_XDIST_WORKER", ""))
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    log, results = directory / "simulation.log", directory / "results.xml"
    try:
        runner.test(
            test_module=module.rpartition(".")[2], hdl_toplevel=top, hdl_toplevel_lang="verilog", build_dir=build,
            test_dir=directory, results_xml=str(results), waves=waves, log_file=log,
            extra_env=environment, test_filter=test_filter, plusargs=words + os.environ.get("PAGEPRESS_PLUSARGS", "").split(),
        )
    except (RuntimeError, SystemExit):
        pass  # judged below, by what the simulation left behind
    if waves:
        print(f"waves: {shown(directory / 'dump.fst')}")
    try:
        tests, failures = get_results(results)
    except RuntimeError as error:
        raise BlockFailure(f"{module}: no results: the simulation crashed, or hung for {runner.limit} s ({shown(log)}):\n{tail(log)}", "hung") from error
    if not tests:
        raise BlockFailure(f"{module}: no cocotb test ran: is COCOTB_TEST_FILTER={os.environ.get('COCOTB_TEST_FILTER')} mistyped?")
    if failures:
        raise BlockFailure(f"{module}: {failures} of {tests} cocotb tests failed ({shown(log)}):\n{tail(log, 120)}", "failed")
    print(f"{module}: {tests} cocotb tests passed ({shown(log)})", file=sys.stderr)
    return tests


def shown(path):
    """A path as messages name it: from where the command runs."""
    return os.path.relpath(path)


@contextmanager
def locked(path):
    """Only one process at a time builds a block."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def tail(log, lines=40):
    """The last `lines` lines of a log, or a note that it is missing."""
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:]) if log.exists() else "(no log)"
