# SPDX-License-Identifier: Apache-2.0
"""Which of a scenario's checks hold for the rows measured. Where a row that a check needs was not run, it neither holds nor fails; where it was
run and does not have what the check is of, it fails."""
import math
import statistics

from .scenario import OURS, PLACEHOLDER, RELATIONS

TAKE = {"min": min, "max": max, "median": statistics.median}


def judged(scenario, rows):
    """[{"name", "holds", "measured", "wanted"}, ...], one for each check and each engine of ours that it speaks of."""
    reported = {name for name, about in scenario.metrics.items() if "of" not in about}
    return [result for one in scenario.checks for result in judge(one, rows, reported)]


def judge(one, rows, reported):
    sides = [side for side in (one["measured"], one.get("over"), one["wanted"]) if isinstance(side, dict)]
    if any(side["engine"] == PLACEHOLDER for side in sides):
        ran = [engine for engine in OURS if any(row["engine"] == engine for row in rows)]
        for engine in ran or [None]:
            yield verdict(one, rows, engine, reported)
    else:
        yield verdict(one, rows, None, reported)


def verdict(one, rows, engine, reported):
    measured = value(one["measured"], rows, engine)
    if "over" in one:
        over = value(one["over"], rows, engine)
        if measured is not None and over is not None:
            measured = measured / over if over else math.inf if measured else None
        else:
            measured = None
    wanted = value(one["wanted"], rows, engine)
    if wanted is not None and isinstance(one["wanted"], dict):
        wanted *= one["wanted"].get("times", 1)
    name = f"{one['name']} ({engine})" if engine else one["name"]
    known = measured is not None and wanted is not None
    silent = any(missing(side, rows, engine, reported) for side in (one["measured"], one.get("over"), one["wanted"]))
    holds = RELATIONS[one["relation"]](measured, wanted) if known else False if silent else None
    if holds is False and known and can_still_hold(one, rows, engine):
        holds = None
    return {
        "name": name, "holds": holds,
        "measured": short(measured), "wanted": f"{one['relation']} {short(wanted)}" if wanted is not None else one["relation"] + " what was not run",
    }  # fmt: skip


def can_still_hold(one, rows, engine):
    """Whether the best of several points is wanted, of which some were not run."""
    best = {">=": "max", "<=": "min"}.get(one["relation"])
    side = one["measured"]
    return side.get("take") == best and set(side.get("points", ())) > {row["point"] for row in chosen(side, rows, engine)}


def chosen(side, rows, engine):
    """The rows that a side speaks of."""
    engine = engine if side["engine"] == PLACEHOLDER else side["engine"]
    points = [side["point"]] if "point" in side else side.get("points")
    return [row for row in rows if row["engine"] == engine and (points is None or row["point"] in points)]


def missing(side, rows, engine, reported):
    """Whether guests ran and none of them reported what the side is of."""
    if not isinstance(side, dict) or side["metric"] not in reported:
        return False
    found = chosen(side, rows, engine)
    return bool(found) and all(row.get(side["metric"]) is None for row in found)


def value(side, rows, engine):
    """A plain number as it is; of a selection of rows, what `take` makes of them, None where there are none."""
    if not isinstance(side, dict):
        return side
    found = [row[side["metric"]] for row in chosen(side, rows, engine) if row.get(side["metric"]) is not None]
    return TAKE[side.get("take", "median")](found) if found else None


def short(number):
    return "infinite" if number == math.inf else round(number, 4) if isinstance(number, float) else number
