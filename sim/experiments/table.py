# SPDX-License-Identifier: Apache-2.0
"""The original's figures beside ours: a table for each metric, points down, engines across."""
import statistics

MISSING = "–"
TIME = " (time, not judged)"


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
    """[(caption, header, lines)] as they are read: a table for each metric, but what one point alone has, and no original, in one of that point, metrics down."""
    alone = {}  # {point: [(label, {engine: figure})]}
    for _, label, kind, header, lines in tables(scenario, rows):
        label += TIME if kind == "time" else ""
        if len(lines) == 1 and not any(one.startswith("original") for one in header):
            alone.setdefault(lines[0][0], []).append((label, dict(zip(header[1:], lines[0][1:]))))
        else:
            yield label, header, lines
    for point, figures in alone.items():
        engines = [engine for engine in scenario.engines if any(engine in found for _, found in figures)]
        yield point, ["", *engines], [[label, *(found.get(engine, MISSING) for engine in engines)] for label, found in figures]


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
    if isinstance(value, float) and value != int(value):
        return f"{value:.3f}" if abs(value) < 10 else f"{value:,.1f}"
    return f"{int(value):,}" if isinstance(value, (int, float)) else str(value)
