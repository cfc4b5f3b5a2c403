# SPDX-License-Identifier: Apache-2.0
"""Which of a scenario's checks hold for the rows measured. As long as a point that a check speaks of was not run, its sides are known as ranges alone: it holds
where no figure of what is missing could make it fail, fails where none could make it hold, and else does neither. Where a point was run and does not have what
the check is of, it fails. What is to be so at each of several points is judged twice, at those that QUICK=1 has and at the others: a quick run judges all that it can."""
import math
import statistics

from .engines import TRUST
from .plan import cells
from .scenario import OURS, PLACEHOLDER, RELATIONS, points_named
from .table import INFINITE

EACH = (("max", "<="), ("max", "=="), ("min", ">="), ("min", "=="))  # take and relation that say it of every point
TAKE = {"min": min, "max": max, "median": statistics.median}
ANYTHING = (-math.inf, math.inf)


def judged(scenario, rows, failures=()):
    """[{"name", "holds", "measured", "wanted"}, ...], one for each check and each engine of ours that it speaks of. failures: of guests that did not come to
    their end, which is to have run and reported nothing."""
    rows = [*rows, *({key: one[key] for key in ("engine", "point", "run")} for one in failures)]
    return [verdict(scenario, part, rows, engine, name) for part, engine, name in asked_for(scenario, rows)]


def beyond_quick(scenario, rows, failures=()):
    """Names of the checks, as they are judged, that need points or engines that QUICK=1 leaves out."""
    rows = [*rows, *failures]
    quick = {(cell.engine, cell.point) for cell in cells(scenario, quick=True)}
    return [name for part, engine, name in asked_for(scenario, rows) if not any(needed(scenario, part, one) <= quick for one in candidates(scenario, part, engine))]


def sides_of(one):
    return [side for side in (one["measured"], one.get("over"), one["wanted"]) if isinstance(side, dict)]


def candidates(scenario, one, engine):
    """Engines that a check may be of: that which ran, or else whichever of ours has all its points."""
    asked = [side for side in sides_of(one) if side["engine"] == PLACEHOLDER]
    return [engine] if engine or not asked else [ours for ours in OURS if all(scenario.has(ours, side) for side in asked)]


def needed(scenario, one, engine):
    """{(engine, point)} that the sides of a check are of, with those that a figure is made of."""
    found = {(engine_asked(side, engine), point, side["metric"]) for side in sides_of(one) for point in points_asked(scenario, side, engine_asked(side, engine))}
    beside = {scenario.compared_with(metric, {"engine": ran, "point": point}) for ran, point, metric in found if "of" in scenario.metrics[metric]}
    return {(ran, point) for ran, point, _ in found} | (beside - {None})


def asked_for(scenario, rows):
    """(check, engine of ours, name) of what is judged: a check for each engine that ran, in parts."""
    for one in scenario.checks:
        ran = [engine for engine in candidates(scenario, one, None) if any(row["engine"] == engine for row in rows)] or [None]
        for engine in ran:
            for where, part in parts(scenario, one, engine):
                yield part, engine, one["name"] + (f" ({', '.join(filter(None, (engine, where)))})" if engine or where else "")


def parts(scenario, one, engine):
    """[(which points, the check of those alone)]: two where it is to be so at each of several points, of which QUICK=1 has some."""
    side = one["measured"]
    if "over" in one or isinstance(one["wanted"], dict) or (side.get("take"), one["relation"]) not in EACH:
        return [("", one)]
    engine = engine_asked(side, engine)
    quick = {cell.point for cell in cells(scenario, quick=True) if cell.engine == engine}
    asked = points_asked(scenario, side, engine)
    now, later = [point for point in asked if point in quick], [point for point in asked if point not in quick]
    if not (now and later):
        return [("", one)]
    other = {key: value for key, value in side.items() if key != "point"}
    return [("at points of QUICK=1", one | {"measured": other | {"points": now}}), ("at other points", one | {"measured": other | {"points": later}})]


def verdict(scenario, one, rows, engine, name):
    measured, wanted = (Side(scenario, one[key], rows, engine) for key in ("measured", "wanted"))
    silent, figure, spread = measured.silent or wanted.silent, measured.value, measured.range
    if "over" in one:
        over = Side(scenario, one["over"], rows, engine)
        silent, figure, spread = silent or over.silent, quotient(figure, over.value), quotients(spread, over.range)
    return {
        "name": name,
        "holds": False if silent else compared(one["relation"], spread, wanted.range),
        "measured": short(figure),
        "wanted": f"{one['relation']} {short(wanted.value)}" if wanted.value is not None else one["relation"] + " what was not run",
    }  # fmt: skip


class Side:
    """A plain number, or what `take` makes of the rows that a side selects. value: of those that there are, None without any; range: least and greatest
    that it can come to when all of them are known; silent: a guest ran and did not report what the metric is."""

    def __init__(self, scenario, side, rows, engine):
        self.value, self.range, self.silent = side, (side, side), False
        if not isinstance(side, dict):
            return
        engine = engine_asked(side, engine)
        metric, take, times = side["metric"], side.get("take", "median"), side.get("times", 1)
        ran = {point: [row for row in rows if (row["engine"], row["point"]) == (engine, point)] for point in points_asked(scenario, side, engine)}
        known = {point: [row[metric] for row in some if metric in row] for point, some in ran.items()}
        found = [figure for figures in known.values() for figure in figures]
        self.silent = any(lacks(scenario, metric, row, rows) for some in ran.values() for row in some)
        self.value = TAKE[take](found) * times if found else None
        self.range = ANYTHING
        if found and all(some and len(known[point]) == len(some) for point, some in ran.items()):
            self.range = (self.value, self.value)
        elif found and take == "max":
            self.range = (self.value, math.inf)
        elif found and take == "min":
            self.range = (-math.inf, self.value)


def engine_asked(side, engine):
    """The one named, or this of ours."""
    return engine if side["engine"] == PLACEHOLDER else side["engine"]


def points_asked(scenario, side, engine):
    """Those named, or all at which that engine runs."""
    return points_named(side) or [point.name for point in scenario.points if not point.not_built and scenario.runs_on(engine, point)]


def lacks(scenario, metric, row, rows):
    """Whether a guest that ran did not report what the metric is made of; of one that is made of other guests' figures as well, whether one of those did not.
    Of what programs make those are guests of TRUST at that point that failed."""
    about = scenario.metrics[metric]
    if about.get("outputs"):
        failed = any(one["engine"] in TRUST and one["point"] == row["point"] and "outputs" not in one for one in rows)
        return not row.get("outputs") or (failed and metric not in row)
    if "of" not in about:
        return metric not in row
    compared = scenario.compared_with(metric, row)
    return any(about["of"] not in one for one in rows if one is row or (one["engine"], one["point"]) == compared)


def quotient(measured, over):
    """None of what is not known, and of nothing over nothing."""
    if measured is None or over is None:
        return None
    return measured / over if over else math.inf if measured else None


def quotients(measured, over):
    """The range of one range over another; anything unless the latter is a single number that orders what it divides."""
    if over[0] != over[1] or over[0] < 0 or ANYTHING in (measured, over):
        return ANYTHING
    if over[0] == 0:
        return (math.inf, math.inf) if measured[0] > 0 else ANYTHING
    return measured[0] / over[0], measured[1] / over[0]


def compared(relation, measured, wanted):
    """True or False where it is so for all figures of both ranges, else None."""
    if relation == "==":
        if measured == wanted and measured[0] == measured[1]:
            return True
        return False if measured[1] < wanted[0] or wanted[1] < measured[0] else None
    low, high = (0, 1) if relation == ">=" else (1, 0)  # at which end of a range the relation is hardest for what is measured, and easiest
    if RELATIONS[relation](measured[low], wanted[high]):
        return True
    return None if RELATIONS[relation](measured[high], wanted[low]) else False


def short(number):
    return INFINITE if number == math.inf else round(number, 4) if isinstance(number, float) else number
