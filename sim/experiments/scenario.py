# SPDX-License-Identifier: Apache-2.0
"""A scenario: one file of scenarios/, read and checked. Its keys are described in README.md."""
import tomllib
from dataclasses import dataclass, field

from system import Trouble

from . import ROOM, program
from .engines import ENGINES, OURS
from .plan import Cell

FOLDER = ROOM / "scenarios"
CLASSES = {  # of a metric: whether figures are judged, and how they are shown
    "count": "the same in every run but for a few",
    "bytes": "the same within a few percent",
    "ratio": "the same within a few percent",
    "link": "seconds that are a simulated link's, which the guest's clock times: the same within a few percent",
    "time": "shown with its spread, never judged",
}
RELATIONS = {
    ">=": lambda measured, wanted: measured >= wanted,
    "<=": lambda measured, wanted: measured <= wanted,
    "==": lambda measured, wanted: measured == wanted,
}
TAKES = ("min", "max", "median")
KNOWN = {  # keys of each kind of table
    "point": {"name", "settings", "x", "quick", "engines", "not_built", "beside"}, "metric": {"class", "label", "of", "engine"},
    "check": {"name", "measured", "over", "relation", "wanted"}, "side": {"metric", "engine", "point", "points", "take"},
    "guest": {"memory", "script", "seconds", "waits", "cold", "files"},
    "disks": {"root_delay_ms", "swap_mb", "swap_delay_ms", "swap_seek_ms", "swap_mb_a_second"},
}  # fmt: skip
PLACEHOLDER = "pagepress"  # in a check: each engine of ours that ran


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


def names():
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load(name, folder=FOLDER):
    """The scenario of that name. Trouble names the file and what is wrong in it."""
    path = folder / f"{name}.toml"
    try:
        content = tomllib.loads(path.read_text())
    except FileNotFoundError:
        raise Trouble(f"there is no experiment {name}: choose of {', '.join(names())}") from None
    except tomllib.TOMLDecodeError as error:
        raise Trouble(f"{path.name}: {error}") from None
    try:
        return build(name, content)
    except KeyError as error:
        raise Trouble(f"{path.name}: {error.args[0]} is missing") from None
    except (TypeError, ValueError) as error:
        raise Trouble(f"{path.name}: {error}") from None


def quick_of(point):
    quick = point.get("quick", True)
    return tuple(quick) if isinstance(quick, list) else quick


def known(kind, about, table, *more):
    """What is misspelt is not left unread."""
    if unknown := sorted(set(table) - KNOWN[kind] - set(more)):
        raise ValueError(f"{about} has no {', '.join(unknown)}")


def build(name, content):
    guest, disks = content["guest"], content.get("disks", {})
    known("guest", "guest", guest)
    known("disks", "disks", disks)
    for one in content["points"]:
        known("point", f"the point {one['name']}", one)
    points = tuple(
        Point(one["name"], one.get("settings", {}), one.get("x"), quick_of(one), tuple(one.get("engines", ())), one.get("not_built", ""), one.get("beside", ""))
        for one in content["points"]
    )
    scenario = Scenario(
        name=name, title=content["title"], source=content["source"], about=content.get("about", ""),
        memory=guest["memory"], script=guest["script"], seconds=guest["seconds"], waits=guest.get("waits", False), cold=guest.get("cold", False),
        files=tuple(guest.get("files", ())),
        root_delay_ms=disks.get("root_delay_ms", 0), swap_mb=disks.get("swap_mb", 0), swap_delay_ms=disks.get("swap_delay_ms", 0),
        swap_seek_ms=disks.get("swap_seek_ms", 0), swap_mb_a_second=disks.get("swap_mb_a_second", 0),
        settings=content.get("settings", {}),
        engines=tuple(content["engines"]), quick_engines=tuple(content.get("quick_engines", content["engines"])),
        runs=content.get("runs", 3), points=points, metrics=content["metrics"], original=tuple(content.get("original", ())),
        original_notes=tuple(content.get("original_notes", ())),
        checks=tuple(content.get("checks", ())), charts=tuple(content.get("charts", ())),
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
    for engine in (*scenario.engines, *scenario.quick_engines, *(engine for point in scenario.points for engine in (*point.engines, *(point.quick if isinstance(point.quick, tuple) else ())))):
        if engine not in ENGINES:
            raise ValueError(f"there is no engine {engine}")
    for point in scenario.points:
        if point.beside and point.beside not in point_names:
            raise ValueError(f"the point {point.name} stands beside {point.beside}, which is none of the scenario's")
    for metric, about in scenario.metrics.items():
        known("metric", f"the metric {metric}", about)
        if about.get("class") not in CLASSES:
            raise ValueError(f"the class of the metric {metric} is none of {', '.join(CLASSES)}")
        if "of" in about and (about["of"] not in scenario.metrics or about.get("engine") not in ENGINES):
            raise ValueError(f"the metric {metric} is made of a metric, and of an engine's, that there are")
    for one in scenario.original:
        if one["point"] not in point_names:
            raise ValueError(f"the original's point {one['point']} is none of the scenario's")
        for metric in one:
            if metric not in ("point", "engine", *scenario.metrics):
                raise ValueError(f"the original has a metric {metric} that the scenario lacks")
    for one in scenario.checks:
        check_check(scenario, one, point_names)


def check_check(scenario, one, point_names):
    about = f"the check '{one['name']}'"
    known("check", about, one)
    if one["relation"] not in RELATIONS:
        raise ValueError(f"{about}: the relation is none of {', '.join(RELATIONS)}")
    for side in (one["measured"], one.get("over"), one["wanted"]):
        if not isinstance(side, dict):
            continue
        known("side", about, side, *(["times"] if side is one["wanted"] else []))
        if side["metric"] not in scenario.metrics:
            raise ValueError(f"{about}: there is no metric {side['metric']}")
        if scenario.metrics[side["metric"]]["class"] == "time":
            raise ValueError(f"{about}: {side['metric']} is a time, and times are not judged")
        if side["engine"] not in (*ENGINES, PLACEHOLDER):
            raise ValueError(f"{about}: there is no engine {side['engine']}")
        for point in [side["point"]] if "point" in side else side.get("points", []):
            if point not in point_names:
                raise ValueError(f"{about}: there is no point {point}")
        if side.get("take", "median") not in TAKES:
            raise ValueError(f"{about}: take is none of {', '.join(TAKES)}")
        engines = OURS if side["engine"] == PLACEHOLDER else (side["engine"],)
        for point in map(scenario.point, [side["point"]] if "point" in side else side.get("points", point_names)):
            if set(engines) & set(point.engines or scenario.engines) and set(engines) & set(scenario.engines):
                break
        else:
            raise ValueError(f"{about}: {side['engine']} runs at none of its points")
    if one["measured"] == one["wanted"] and "over" not in one:
        raise ValueError(f"{about}: what is measured is what is wanted")
    if one.get("over") == one["measured"]:
        raise ValueError(f"{about}: it is measured over itself")


__all__ = ["CLASSES", "FOLDER", "OURS", "PLACEHOLDER", "RELATIONS", "Point", "Scenario", "load", "names"]
