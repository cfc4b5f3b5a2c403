# SPDX-License-Identifier: Apache-2.0
"""Experiments from their command line to tables, charts and pages."""
import contextlib
import os
import time

from system import Trouble, arguments
from system import run as system_run

from . import RESULTS, jobs, plan, result, scenario, table
from .engines import ENGINES

SENTENCE = """Runs the experiments of sim/experiments/scenarios in guests and writes
build/experiments/NAME/result.json, rows.csv, samples.csv and charts, and one page of all, build/experiments/index.html
and .md, with the original's figures beside ours. A run that was ended goes on where it stopped. Exit status 1: a
check does not hold, a guest failed, its kernel complained of a bug, or there is nothing of that name."""


HELP = ("--help", "-h")
MOST_RUNS = 1000  # of a point: more is a slip of the finger
CHECK = "--check"  # only says whether the words can be understood
NEEDS = "--needs"  # only names the engines and kernels of what would be run, for make to build


def blank_separated(known, what):
    def parse(text):
        words = tuple(dict.fromkeys(text.split()))
        for word in words:
            if word not in known:
                raise ValueError(f"there is no {what} {word}: choose of {' '.join(known)}")
        return words

    return parse


def repeats(text):
    if arguments.positive(text) > MOST_RUNS:
        raise ValueError(f"write a whole number, at most {MOST_RUNS}")
    return int(text)


OPTIONS = (
    arguments.Option("NAME", "only these experiments, blank-separated; all unless given", "", blank_separated(scenario.names(), "experiment")),
    arguments.Option("POINT", "only the point of that name, or those that have this in their names; all unless given", ""),
    arguments.Option("ENGINES", f"only these, of {' '.join(ENGINES)}; each scenario's own unless given", "", blank_separated(ENGINES, "engine")),
    arguments.Option("RUNS", "how often each point is run; each scenario's own unless given", None, repeats),
    arguments.Option("JOBS", "guests at a time, and as many again of those that mostly wait; unless given one more than processors, as a guest waits for its disk too", str((os.cpu_count() or 1) + 1), arguments.positive),
    arguments.Option("QUICK", "1: few points, few engines, one run: under 15 minutes of two processors' time, longer beside other work", "0", arguments.yes_or_no),
    arguments.Option("FRESH", "1: forget first what an earlier run has measured of these", "0", arguments.yes_or_no),
)


def main(words):
    try:
        return experiments(words)
    except BrokenPipeError:  # nobody reads what is printed: run.main knows what to do
        raise
    except OSError as error:  # a full disk, most likely
        raise Trouble(system_words(error)) from None


def system_words(error):
    return f"{error.strerror}: {error.filename}" if error.filename else f"{error.strerror or error}, while results were written"


def experiments(words):
    if set(HELP) & set(words):
        print(arguments.usage("sim/experiments/run", SENTENCE, OPTIONS))
        return 0
    options = arguments.parse([word for word in words if word not in (CHECK, NEEDS)], OPTIONS)
    chosen = [scenario.load(name) for name in options["NAME"] or scenario.names()]
    for name in result.known():
        scenario.load(name)  # what is wrong in a scenario that the page shows is said now, not when all guests have run
    cells = [(one, cell) for one in chosen for cell in plan.cells(one, options["ENGINES"], options["RUNS"], options["QUICK"], options["POINT"])]
    if not cells:
        raise Trouble(nothing(chosen, options))
    if NEEDS in words:
        print(*sorted({cell.engine for _, cell in cells} | {ENGINES[cell.engine].kernel_of(one.point(cell.point).settings).name for one, cell in cells}))
    if {CHECK, NEEDS} & set(words):
        return 0
    system_run.check_tools()
    if options["FRESH"]:  # from the beginning: a run that is ended goes on with what is left, and no old outcome stands in for a guest that fails
        for one, cell in cells:
            store_of(one).forget(cell)
    wanted = [(one, cell) for one, cell in cells if not store_of(one).read(cell, one.point(cell.point).settings)]
    progress = Progress(len(wanted))
    for words in left_out(chosen, options["ENGINES"]):
        progress.line(words)
    failed = measure(wanted, options["JOBS"], progress)
    for one in chosen:
        failed += judge(one, progress)
    progress.line(progress.checks())
    from . import page  # late: loading it takes a second that an error message should not

    page.write(progress.line)
    print(f"written: {RESULTS.relative_to(RESULTS.parents[1])}/index.html, index.md; {progress.summary(len(cells))}")
    return 1 if failed else 0


def left_out(chosen, engines):
    """A line for each experiment that does not have all the engines asked for."""
    for one in chosen:
        if absent := [engine for engine in engines if engine not in one.engines]:
            yield f"left out: {one.name} does not run on {' '.join(absent)}" + ("" if set(engines) & set(one.engines) else f", so none of it runs: it has {' '.join(one.engines)}")


def nothing(chosen, options):
    """Why there is not one cell."""
    names = " ".join(one.name for one in chosen)
    if options["POINT"] and not any(one.called(options["POINT"]) for one in chosen):
        return f"no point of {names} has '{options['POINT']}' in its name" + (f": choose of {'; '.join(point.name for point in chosen[0].points)}" if len(chosen) == 1 else "")
    narrowed = [f"POINT={options['POINT']}"] * bool(options["POINT"]) + ["QUICK=1"] * options["QUICK"]
    engines = f" on {' '.join(options['ENGINES'])}" if options["ENGINES"] else ""
    choice = f": choose of {' '.join(chosen[0].engines)}" if engines and len(chosen) == 1 and not set(options["ENGINES"]) & set(chosen[0].engines) else ""
    return f"none of {names} has anything to run{engines}" + (f" with {' '.join(narrowed)}" if narrowed else "") + choice


class Unread(BrokenPipeError):
    """Nobody reads the lines of Progress any more; a guest whose pipe breaks is another matter."""


class Progress:
    """Lines that say what is run now, how much is left, and for how long probably."""

    def __init__(self, guests):
        self.guests, self.ended, self.began, self.verdicts = guests, 0, time.monotonic(), []

    def line(self, words):
        try:
            print(f"[experiments] {words}", flush=True)
        except BrokenPipeError:
            raise Unread from None

    def end(self):
        self.ended += 1
        left = (time.monotonic() - self.began) / self.ended * (self.guests - self.ended) / 60
        self.line(f"{self.ended} of {self.guests} guests done" + (f", about {left:.0f} min left" if self.ended < self.guests else ""))

    def checks(self):
        holds, fails, open_ones = (self.verdicts.count(how) for how in (True, False, None))
        return f"checks: {holds} hold, {fails} do not, {open_ones} need guests that were not run"

    def summary(self, cells):
        return f"{self.ended} guests run, {cells - self.guests} cells known from before; {time.monotonic() - self.began:.0f} s"


def store_of(one):
    return plan.Store(RESULTS / one.name / "cells", plan.fingerprint(one))


def measure(wanted, at_once, progress):
    """Runs a guest for each (scenario, cell) of `wanted`, writes the scenario's results after each; how many guests failed."""
    if not wanted:
        return 0
    from . import data, guest

    data.root_image(progress.line)
    # What guests share is built before there are several.
    data.programs(sorted({name for one, _ in wanted for name in guest.programs_of(one)}))
    for kernel in {ENGINES[cell.engine].kernel_of(one.point(cell.point).settings) for one, cell in wanted if one.swap_seek_ms}:
        data.disk_with_arm(kernel)

    def fail(task, key, why):
        one, cell = task
        progress.line(f"FAILED {title(task)}: {why}")
        with contextlib.suppress(OSError):  # of a full disk, which has been said
            store_of(one).fail(cell, key, why)

    def work(task):
        one, cell = task
        settings = one.point(cell.point).settings
        progress.line(f"begins: {title(task)}")
        plan.builds.cache_clear()  # this process began before the guests that ran until now
        store = store_of(one)
        key = store.key(cell, settings)
        try:
            outcome = guest.run_cell(one, cell, settings, progress.line)
            store.write(cell, key, outcome)
        except Unread:
            raise
        except (Trouble, OSError) as trouble:
            fail(task, key, system_words(trouble) if isinstance(trouble, OSError) else str(trouble))
            return False
        progress.line(f"ended: {title(task)}: {outcome['seconds']:.0f} s, {outcome['boot_seconds']:.0f} until it had booted, {outcome['processor_seconds']:.0f} of a processor")
        return True

    failed = 0
    for task, status in jobs.side_by_side(wanted, work, at_once, kind=lambda task: task[0].waits):
        failed += status != 0
        one, cell = task
        if status not in (0, jobs.NOT_WELL):  # it could not say so itself, nor what its guest ran: what is there now is next to that
            plan.builds.cache_clear()
            how = f"was ended by signal {-status}" if status < 0 else f"failed with status {status}"
            fail(task, store_of(one).key(cell, one.point(cell.point).settings), f"the process that ran its guest {how}")
        progress.end()
        result.write(one, store_of(one))
    return failed


def title(task):
    one, cell = task
    return f"{one.name}, {cell.point}, {cell.engine}, run {cell.run}"


def judge(one, progress):
    """Writes the scenario's results; how many of its checks do not hold, of its guests failed and of their kernels complained, a line for each."""
    content, _ = result.write(one, store_of(one))
    for guest in content["failures"]:
        progress.line(f"failed: {one.name}, {result.guest_of(guest)}: {guest['why']}")
    for guest in content["complaints"]:
        first, *more = guest["lines"]
        progress.line(f"its kernel complained: {one.name}, {result.guest_of(guest)}: {first}" + (f" (and {len(more)} more)" if more else ""))
    progress.verdicts += [check["holds"] for check in content["checks"]]
    failing = [check for check in content["checks"] if check["holds"] is False]
    for check in failing:
        progress.line(f"does not hold: {one.name}: {check['name']}: {'nothing reported' if check['measured'] is None else table.number(check['measured'])}, wanted {check['wanted']}")
    return len(failing) + len(content["failures"]) + len(content["complaints"])
