# SPDX-License-Identifier: Apache-2.0
"""A scenario's results from its stored cells: result.json, rows.csv, samples.csv, charts."""
import csv
import json
import statistics

from . import GUEST_PROGRAMS, RESULTS, TOOLS, checks, versions
from .engines import ENGINES, TRUST
from .plan import Cell
from .scenario import names


def known():
    """Names of the scenarios that have results, which the page shows."""
    return [name for name in names() if (RESULTS / name / "result.json").exists()]


def rows_of(scenario, store):
    """Rows of all cells known, of whatever run, in the scenario's order; their samples and tables, what their guests' kernels complained of, and why
    other guests did not come to their end."""
    rows, samples, tables, outputs, complaints, failures = [], {}, {}, [], [], []
    for point in scenario.points:
        for engine in scenario.engines:
            for run in store.runs(engine, point.name):
                cell = {"engine": engine, "point": point.name, "run": run}
                if why := store.failure(Cell(**cell), point.settings):
                    failures.append(cell | {"why": why})
                if not (outcome := store.read(Cell(**cell), point.settings)):
                    continue
                metrics = {name: outcome["metrics"][name] for name in scenario.metrics if name in outcome["metrics"]}
                rows.append(cell | metrics)
                complaints += [cell | {"lines": outcome["complaints"]}] if outcome["complaints"] else []
                outputs.append(outcome.get("outputs", []))
                samples[engine, point.name, run] = outcome["samples"]
                tables[engine, point.name, run] = outcome["table"]
    wrong = wrong_outputs(rows, outputs)
    for name in (name for name, about in scenario.metrics.items() if about.get("outputs")):
        rows = [row | {"outputs": len(made)} | ({name: number} if number is not None else {}) for row, made, number in zip(rows, outputs, wrong)]
    return [row | made_of_others(scenario, row, rows) for row in rows], samples, tables, complaints, failures


def guest_of(one):
    """In words: of a row, what a kernel complained of or a failure."""
    return f"{one['point']}, {one['engine']}, run {one['run']}"


def wrong_outputs(rows, outputs):
    """Of each row, how many of what its programs made differ from what a guest of TRUST made of the same, the most trusted that did. None where something
    was made that none of them made, or no other guest, or nothing at all."""
    right, makers = {}, {}
    for engine in TRUST:
        for row, some in zip(rows, outputs):
            for what, made in some if row["engine"] == engine else ():
                right.setdefault(what, made)
    for index, some in enumerate(outputs):
        for what, _ in some:
            makers.setdefault(what, set()).add(index)
    return [
        sum(right[what] != made for what, made in some) if some and all(what in right and len(makers[what]) > 1 for what, _ in some) else None
        for some in outputs
    ]  # fmt: skip


def made_of_others(scenario, row, rows):
    """Metrics that no guest reports: how many times as much of the metric `of` the `engine` has (without one, this row's), in the median, at the
    same point or at that which this one stands beside."""
    found = {}
    for name, about in scenario.metrics.items():
        if "of" not in about or not row.get(about["of"]) or not (compared := scenario.compared_with(name, row)):
            continue
        theirs = [other[about["of"]] for other in rows if (other["engine"], other["point"]) == compared and about["of"] in other]
        if theirs:
            found[name] = statistics.median(theirs) / row[about["of"]]
    return found


def content_of(scenario, store):
    """What result.json holds, and the samples and tables beside it."""
    rows, samples, tables, complaints, failures = rows_of(scenario, store)
    content = {
        "scenario": scenario.name, "source": scenario.source, "rows": rows, "original": list(scenario.original),
        "checks": checks.judged(scenario, rows, failures), "beyond_quick": checks.beyond_quick(scenario, rows, failures), "failures": failures, "complaints": complaints,
        "not_built": [{"point": point.name, "what": point.not_built} for point in scenario.points if point.not_built],
        **ran(scenario),
    }  # fmt: skip
    return content, samples, tables


def ran(scenario):
    """Versions of what its guests run and read, as far as it is installed: Debian's packages, of those that other guests have as well the one of sort; kernels; versions
    of headers that are compared."""
    packages, shared = (json.loads(path.read_text()) if path.exists() else {} for path in (TOOLS / "packages.json", GUEST_PROGRAMS / "packages.json"))
    kernels = {ENGINES[engine].kernel_of(point.settings) for point in scenario.points for engine in scenario.engines if scenario.runs_on(engine, point)}
    releases = {kernel.name: kernel.folder / "release" for kernel in sorted(kernels, key=lambda kernel: kernel.name)}
    return {
        "packages": packages | {name: shared[name] for name in ("coreutils",) if name in shared},
        "kernels": {name: path.read_text().strip() for name, path in releases.items() if path.exists()},
        "headers": versions.installed(),
    }  # fmt: skip


def write(scenario, store, folder=RESULTS):
    """Writes them below `folder`/NAME; returns what result.json holds, and the samples."""
    folder = folder / scenario.name
    folder.mkdir(parents=True, exist_ok=True)
    content, samples, tables = content_of(scenario, store)
    (folder / "result.json").write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    write_csv(folder / "rows.csv", ["engine", "point", "run", *scenario.metrics], content["rows"])
    flat = [
        {"engine": engine, "point": point, "run": run, **sample}
        for (engine, point, run), some in samples.items() for sample in some
    ]  # fmt: skip
    write_csv(folder / "samples.csv", list(dict.fromkeys(key for row in flat for key in row)), flat)
    lines = [f"{engine}, {point}, run {run}\n" + "\n".join(table) for (engine, point, run), table in tables.items() if table]
    if lines:
        (folder / "tables.txt").write_text("\n\n".join(lines) + "\n")
    else:
        (folder / "tables.txt").unlink(missing_ok=True)
    return content, samples


def write_csv(path, columns, rows):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
