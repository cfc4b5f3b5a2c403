# SPDX-License-Identifier: Apache-2.0
"""A scenario: one file of scenarios/, read and checked. Its keys are described in README.md."""
import re
import tomllib
from dataclasses import dataclass, field

from system import Trouble

from . import ROOM, program, shape
from .engines import ENGINES, OURS
from .plan import Cell

FOLDER = ROOM / "scenarios"
CLASSES = {  # of a metric: whether figures are judged, and how they are shown
    "count": "the same in every run but for a few",
    "bytes": "the same within a few percent",
    "ratio": "the same within a few percent",
    "link": "seconds that are a simulated link's, which the guest's clock times: the same within a few percent",
    "time": "shown with its spread, never judged but over its like on the same machine",
}
RELATIONS = {
    ">=": lambda measured, wanted: measured >= wanted,
    "<=": lambda measured, wanted: measured <= wanted,
    "==": lambda measured, wanted: measured == wanted,
}
TAKES = ("min", "max", "median")
CHARTS = {"bars": (), "lines": (), "samples": ("point", "engines")}  # and what each kind needs beside its metrics
MOST_METRICS = 6  # of a chart: so many colours there are
PLACEHOLDER = "pagepress"  # in a check: each engine of ours that ran
EVERY = {  # metrics and checks that every scenario has besides its own
    "metrics": {"failed_io": {"class": "count", "label": "failed transfers"}},
    "checks": [{"name": "no transfer fails", "measured": {"metric": "failed_io", "engine": PLACEHOLDER, "take": "max"}, "relation": "==", "wanted": 0}],
}


@dataclass(frozen=True)
class Point:
    """One setting of the sweep. x: its place on a chart's axis; settings: shell variables for the guest's script;
    quick: whether QUICK=1 has it, or the engines that it has it with; engines: only these; not_built: what this point needs and the project does not have yet; beside: the point whose rows of
    another engine it is measured against, itself unless given."""

    name: str
    settings: dict = field(default_factory=dict)
    x: float | None = None
    quick: bool | tuple = True
    engines: tuple = ()
    not_built: str = ""
    beside: str = ""


@dataclass(frozen=True)
class Scenario:
    name: str
    title: str
    source: str
    about: str
    memory: str
    script: str
    seconds: int
    waits: bool  # mostly, and so leaves the processor to guests beside it
    cold: bool  # the model of the card has the cold format
    files: tuple
    root_delay_ms: int
    swap_mb: int
    swap_delay_ms: int  # answers all that it is asked at once, each so much later
    swap_seek_ms: int  # or does one thing at a time, see guest/disk_with_arm
    swap_mb_a_second: int  # of the disk with an arm
    settings: dict
    engines: tuple
    quick_engines: tuple
    runs: int
    points: tuple
    metrics: dict
    original: tuple
    original_notes: tuple
    checks: tuple
    charts: tuple

    def point(self, name):
        return next(point for point in self.points if point.name == name)

    def runs_on(self, engine, point):
        """Whether an engine runs at that Point."""
        return engine in self.engines and engine in (point.engines or self.engines)

    def has(self, engine, side):
        """Whether an engine runs at every point that a side of a check names, or at any where it names none."""
        named = points_named(side)
        return all(self.runs_on(engine, self.point(name)) for name in named) if named else any(self.runs_on(engine, point) for point in self.points)

    def compared_with(self, metric, row):
        """(engine, point) whose figures the metric, made of another, compares a row's with; None where those would be its own."""
        about, point = self.metrics[metric], self.point(row["point"])
        engine, beside = about.get("engine", row["engine"]), point.beside or point.name
        return None if engine == row["engine"] and ("engine" in about or beside == point.name) else (engine, beside)

    def called(self, text):
        """Its points of that name, or, where none is called so, those that have the text in their names."""
        return tuple(point for point in self.points if point.name == text) or tuple(point for point in self.points if text in point.name)


def names():
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load(name, folder=FOLDER, every=EVERY):
    """The scenario of that name. Trouble names the file and what is wrong in it."""
    path = folder / f"{name}.toml"
    try:
        content = tomllib.loads(path.read_text())
    except FileNotFoundError:
        raise Trouble(f"there is no experiment {name}: choose of {', '.join(names())}") from None
    except ValueError as error:  # of TOML or of UTF-8
        raise Trouble(f"{path.name}: {error}") from None
    try:
        return build(name, content, every)
    except ValueError as error:
        raise Trouble(f"{path.name}: {error}") from None


def points_named(side):
    """Of a check's side: none where it is of all."""
    return [side["point"]] if "point" in side else side.get("points", [])


def quick_of(point):
    quick = point.get("quick", True)
    return tuple(quick) if isinstance(quick, list) else quick


def swept(sweep, points):
    """Points of a sweep: of each of the points that it is `of` one for each of its own, with the settings of both, beside the former."""
    for name in sweep["of"]:
        settings = next((one.get("settings", {}) for one in points if one["name"] == name), None)
        if settings is None:
            raise ValueError(f"a sweep is of the point {name}, which is none of the scenario's")
        for one in sweep["points"]:
            both = {"name": f"{name}, {one['name']}", "settings": settings | one.get("settings", {})}
            yield one | {key: sweep[key] for key in ("engines", "quick") if key in sweep} | both | {"beside": name}


def with_names(one, points):
    """A check, one side of it or a chart, whose `points` are names alone: each that has a * stands for all points that have any text there."""
    found = {key: with_names(value, points) for key, value in one.items() if isinstance(value, dict)}
    if "points" in one:
        fit = {name: [point.name for point in points if re.fullmatch(".*".join(map(re.escape, name.split("*"))), point.name)] for name in one["points"]}
        found["points"] = list(dict.fromkeys(point for name in one["points"] for point in fit[name] or [name]))
    return one | found


def build(name, content, every=EVERY):
    shape.check(content)
    metrics, checks = content["metrics"] | every["metrics"], (*content.get("checks", ()), *every["checks"])
    guest, disks = content["guest"], content.get("disks", {})
    points = tuple(
        Point(one["name"], one.get("settings", {}), one.get("x"), quick_of(one), tuple(one.get("engines", ())), one.get("not_built", ""), one.get("beside", ""))
        for one in (*content["points"], *(one for sweep in content.get("sweeps", ()) for one in swept(sweep, content["points"])))
    )
    scenario = Scenario(
        name=name, title=content["title"], source=content["source"], about=content.get("about", ""),
        memory=guest["memory"], script=guest["script"], seconds=guest["seconds"], waits=guest.get("waits", False), cold=guest.get("cold", False),
        files=tuple(guest.get("files", ())),
        root_delay_ms=disks.get("root_delay_ms", 0), swap_mb=disks.get("swap_mb", 0), swap_delay_ms=disks.get("swap_delay_ms", 0),
        swap_seek_ms=disks.get("swap_seek_ms", 0), swap_mb_a_second=disks.get("swap_mb_a_second", 0),
        settings=content.get("settings", {}),
        engines=tuple(content["engines"]), quick_engines=tuple(content.get("quick_engines", content["engines"])),
        runs=content.get("runs", 3), points=points, metrics=metrics, original=tuple(content.get("original", ())),
        original_notes=tuple(content.get("original_notes", ())),
        checks=tuple(with_names(one, points) for one in checks), charts=tuple(with_names(one, points) for one in content.get("charts", ())),
    )  # fmt: skip
    check(scenario)
    return scenario


def check(scenario):
    """Raises ValueError for what no run could make sense of."""
    if scenario.swap_delay_ms and scenario.swap_seek_ms:
        raise ValueError("swap_delay_ms and swap_seek_ms name two kinds of disk: keep one")
    if (scenario.swap_seek_ms > 0) != (scenario.swap_mb_a_second > 0):
        raise ValueError("a disk with an arm has both, swap_seek_ms and swap_mb_a_second")
    for file in (scenario.script, *scenario.files):
        place = program(file) if file.endswith(".c") else ROOM / "guest" / file
        if not place.exists() and any(not point.not_built for point in scenario.points):
            raise ValueError(f"there is no {place.parent.name}/{file}")
    point_names = [point.name for point in scenario.points]
    if len(set(point_names)) != len(point_names):
        raise ValueError("two points have the same name")
    files = {}
    for point in scenario.points:
        if (other := files.setdefault(Cell("", point.name, 1).file, point.name)) != point.name:
            raise ValueError(f"the points {other} and {point.name} would be kept in the same file")
    if not point_names or not scenario.engines:
        raise ValueError("without points and engines there is nothing to run")
    for engine in scenario.engines:
        if engine not in ENGINES:
            raise ValueError(f"there is no engine {engine}")
        if scenario.engines.count(engine) > 1:
            raise ValueError(f"engines has {engine} twice")
    among("quick_engines", scenario.quick_engines, scenario.engines)
    for point in scenario.points:
        among(f"the point {point.name}", point.engines, scenario.engines)
        among(f"quick of the point {point.name}", point.quick if isinstance(point.quick, tuple) else (), point.engines or scenario.engines)
        if point.beside and point.beside not in point_names:
            raise ValueError(f"the point {point.name} stands beside {point.beside}, which is none of the scenario's")
    for metric, about in scenario.metrics.items():
        if about["class"] not in CLASSES:
            raise ValueError(f"the class of the metric {metric} is none of {', '.join(CLASSES)}")
        if ("of" in about or "engine" in about) and (about.get("of") not in scenario.metrics or about.get("engine", scenario.engines[0]) not in ENGINES):
            raise ValueError(f"the metric {metric} is made of a metric, and of an engine's, that there are")
        if "of" in about and ("of" in scenario.metrics[about["of"]] or scenario.metrics[about["of"]].get("outputs")):
            raise ValueError(f"the metric {metric} is made of {about['of']}, which no guest reports")
    for one in scenario.original:
        if one["point"] not in point_names:
            raise ValueError(f"the original's point {one['point']} is none of the scenario's")
        for metric in one:
            if metric not in ("point", "engine", *scenario.metrics):
                raise ValueError(f"the original has a metric {metric} that the scenario lacks")
    for one in scenario.checks:
        check_check(scenario, one, point_names)
    for one in scenario.charts:
        check_chart(scenario, one, point_names)
    for what, known in (("checks", [one["name"] for one in scenario.checks]), ("charts", [one["name"] for one in scenario.charts])):
        if len(set(known)) != len(known):
            raise ValueError(f"two {what} have the same name")


def among(about, engines, all_engines):
    """What is run with an engine that is not the scenario's is shown nowhere."""
    for engine in engines:
        if engine not in all_engines:
            raise ValueError(f"{about}: there is no engine {engine} among {', '.join(all_engines)}")


def check_check(scenario, one, point_names):
    about = f"the check '{one['name']}'"
    if one["relation"] not in RELATIONS:
        raise ValueError(f"{about}: the relation is none of {', '.join(RELATIONS)}")
    sides = [side for side in (one["measured"], one.get("over"), one["wanted"]) if isinstance(side, dict)]
    for side in sides:
        if side["metric"] not in scenario.metrics:
            raise ValueError(f"{about}: there is no metric {side['metric']}")
        if scenario.metrics[side["metric"]]["class"] == "time" and not is_speed_up(one):
            raise ValueError(f"{about}: {side['metric']} is a time, and times are not judged")
        if side["engine"] not in (*ENGINES, PLACEHOLDER):
            raise ValueError(f"{about}: there is no engine {side['engine']}")
        for point in points_named(side):
            if point not in point_names:
                raise ValueError(f"{about}: there is no point {point}")
        if side.get("take", "median") not in TAKES:
            raise ValueError(f"{about}: take is none of {', '.join(TAKES)}")
        if side["engine"] != PLACEHOLDER and not scenario.has(side["engine"], side):
            raise ValueError(f"{about}: {side['engine']} does not run at every point of it")
    asked = [side for side in sides if side["engine"] == PLACEHOLDER]
    if not any(all(scenario.has(engine, side) for side in asked) for engine in OURS):
        raise ValueError(f"{about}: no engine of ours runs at every point of it")
    if one["measured"] == one["wanted"] and "over" not in one:
        raise ValueError(f"{about}: what is measured is what is wanted")
    if one.get("over") == one["measured"]:
        raise ValueError(f"{about}: it is measured over itself")


def is_speed_up(one):
    """Whether a check is of how many times one figure is its like of another guest: such a ratio of two times is none."""
    return "over" in one and one["over"]["metric"] == one["measured"]["metric"] and not isinstance(one["wanted"], dict)


def check_chart(scenario, one, point_names):
    about = f"the chart '{one['name']}'"
    if one["kind"] not in CHARTS:
        raise ValueError(f"{about}: the kind is none of {', '.join(CHARTS)}")
    for key in CHARTS[one["kind"]]:
        if key not in one:
            raise ValueError(f"{about}: {key} is missing")
    if not 0 < len(one["metrics"]) <= MOST_METRICS:
        raise ValueError(f"{about}: metrics are not 1 to {MOST_METRICS}")
    for metric in one["metrics"]:
        if one["kind"] != "samples" and metric not in scenario.metrics:  # samples have names of their own
            raise ValueError(f"{about}: there is no metric {metric}")
    for point in (*one.get("points", ()), *filter(None, [one.get("point")])):
        if point not in point_names:
            raise ValueError(f"{about}: there is no point {point}")
    among(about, one.get("engines", ()), scenario.engines)


__all__ = ["FOLDER", "OURS", "PLACEHOLDER", "RELATIONS", "Point", "Scenario", "load", "names", "points_named"]
