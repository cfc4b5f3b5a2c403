# SPDX-License-Identifier: Apache-2.0
"""The original's figures beside ours: a table for each metric, points down, engines across."""
import statistics
import sys

INFINITE = sys.float_info.max  # as a number that JSON has
MISSING = "–"
FEW = 3  # points whose figures are not torn apart
TIME, RATIO = " (time, not judged)", " (time, judged as a ratio)"


def tables(scenario, rows):
    """[(metric, label, header, lines)] of the metrics that something was measured or published of."""
    for metric, about in scenario.metrics.items():
        engines = [engine for engine in scenario.engines if any(row["engine"] == engine and metric in row for row in rows)]
        originals = list(dict.fromkeys(one.get("engine", "") for one in scenario.original if metric in one))
        if not engines and not originals:
            continue
        if not engines and any(point.not_built for point in scenario.points):
            engines = ["ours"]
        header = ["point", *(f"original {name}".strip() for name in originals), *engines]
        lines = []
        for point in scenario.points:
            theirs = [original(scenario, metric, point.name, name) for name in originals]
            ours = ["not built yet"] * len(engines) if point.not_built else [
                measured(rows, metric, point.name, engine, about["class"]) for engine in engines
            ]  # fmt: skip
            if any(cell != MISSING for cell in (*theirs, *ours)):
                lines.append([point.name, *theirs, *ours])
        if lines:
            yield metric, about.get("label", metric), about["class"], header, lines


def sheets(scenario, rows):
    """[(caption, header, lines)] as they are read: a table for each metric; of those that ran at one point only a table for each point, metrics down."""
    alone = {}  # {point: [(label, {column: figure})]}
    judged = {one["measured"]["metric"] for one in scenario.checks}
    for metric, label, kind, header, lines in tables(scenario, rows):
        label += "" if kind != "time" else RATIO if metric in judged else TIME
        ran = [line for line in lines if any(cell != MISSING for name, cell in zip(header, line) if name in scenario.engines)]
        if len(ran) > 1 or len(lines) > FEW:
            yield label, header, lines
            continue
        for point, *figures in lines:
            alone.setdefault(point, []).append((label, {name: figure for name, figure in zip(header[1:], figures) if figure != MISSING}))
    for point in (point.name for point in scenario.points if point.name in alone):
        present = [name for _, figures in alone[point] for name in figures]
        columns = sorted(dict.fromkeys(present), key=lambda name: scenario.engines.index(name) if name in scenario.engines else -1)
        yield point, ["", *columns], [[label, *(figures.get(name, MISSING) for name in columns)] for label, figures in alone[point]]


def original(scenario, metric, point, engine):
    for one in scenario.original:
        if one["point"] == point and one.get("engine", "") == engine and metric in one:
            return number(one[metric])
    return MISSING


def measured(rows, metric, point, engine, kind):
    """The median, and where the runs differ their least and greatest."""
    found = [row[metric] for row in rows if row["engine"] == engine and row["point"] == point and metric in row]
    if not found:
        return MISSING
    middle = number(statistics.median(found))
    if len(found) == 1 and kind == "time":
        return f"{middle} (1 run)"
    return middle if min(found) == max(found) else f"{middle} ({number(min(found))}–{number(max(found))})"


def number(value):
    if value == INFINITE:
        return "infinite"
    if isinstance(value, float) and value != int(value):
        return f"{value:.3f}" if abs(value) < 10 else f"{value:,.1f}"
    return f"{int(value):,}" if isinstance(value, (int, float)) else str(value)
