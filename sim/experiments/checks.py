# SPDX-License-Identifier: Apache-2.0
"""Which of a scenario's checks hold for the rows measured. Where a row that a check needs was not run, it neither holds nor fails."""
import statistics

from .scenario import OURS, PLACEHOLDER, RELATIONS

TAKE = {"min": min, "max": max, "median": statistics.median}


def judged(scenario, rows):
    """[{"name", "holds", "measured", "wanted"}, ...], one for each check and each engine of ours that it speaks of."""
    return [result for one in scenario.checks for result in judge(one, rows)]


def judge(one, rows):
    sides = [side for side in (one["measured"], one.get("over"), one["wanted"]) if isinstance(side, dict)]
    if any(side["engine"] == PLACEHOLDER for side in sides):
        ran = [engine for engine in OURS if any(row["engine"] == engine for row in rows)]
        for engine in ran or [None]:
            yield verdict(one, rows, engine)
    else:
        yield verdict(one, rows, None)


def verdict(one, rows, engine):
    measured = value(one["measured"], rows, engine)
    if "over" in one:
        over = value(one["over"], rows, engine)
        measured = measured / over if measured is not None and over else None
    wanted = value(one["wanted"], rows, engine)
    if wanted is not None and isinstance(one["wanted"], dict):
        wanted *= one["wanted"].get("times", 1)
    name = f"{one['name']} ({engine})" if engine else one["name"]
    known = measured is not None and wanted is not None
    return {
        "name": name, "holds": RELATIONS[one["relation"]](measured, wanted) if known else None,
        "measured": short(measured), "wanted": f"{one['relation']} {short(wanted)}" if wanted is not None else one["relation"] + " what was not run",
    }  # fmt: skip


def value(side, rows, engine):
    """A plain number as it is; of a selection of rows, what `take` makes of them, None where there are none."""
    if not isinstance(side, dict):
        return side
    engine = engine if side["engine"] == PLACEHOLDER else side["engine"]
    points = [side["point"]] if "point" in side else side.get("points")
    found = [
        row[side["metric"]] for row in rows
        if row["engine"] == engine and (points is None or row["point"] in points) and row.get(side["metric"]) is not None
    ]  # fmt: skip
    return TAKE[side.get("take", "median")](found) if found else None


def short(number):
    return round(number, 4) if isinstance(number, float) else number
