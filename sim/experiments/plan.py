# SPDX-License-Identifier: Apache-2.0
"""What is to be run: one cell for each engine, point and run; and which cells an earlier run has already."""
import functools
import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path

from system import CONTROL

from . import ROOM, data, program, write_whole
from .engines import ENGINES

SYSTEM = ROOM.parent / "system"  # which boots guests
REPOSITORY = ROOM.parents[1]


@dataclass(frozen=True)
class Cell:
    engine: str
    point: str
    run: int

    @property
    def file(self):
        return f"{self.engine}-{re.sub('[^a-z0-9.]+', '-', self.point.lower())}-{self.run}.json"


def cells(scenario, engines=None, runs=None, quick=False, called=""):
    """Cells in the order in which they run: every engine once at every point before anything is run again."""

    def chosen(point):
        if engines or not quick:
            return engines or scenario.engines
        return scenario.quick_engines if point.quick is True else point.quick

    points = [point for point in scenario.called(called) if not point.not_built and (point.quick or not quick)]
    return [
        Cell(engine, point.name, run)
        for run in range(1, (runs or (1 if quick else scenario.runs)) + 1)
        for point in points
        for engine in chosen(point)
        if engine in ENGINES and (engine in point.engines if point.engines else engine in scenario.engines)
    ]


def fingerprint(scenario):
    """Changes when the guest would do something else: what an earlier run of another fingerprint measured is not used again."""
    digest = hashlib.sha256()
    for key in ("memory", "script", "cold", "files", "root_delay_ms", "swap_mb", "swap_delay_ms", "swap_seek_ms", "swap_mb_a_second", "settings"):
        digest.update(repr(getattr(scenario, key)).encode())
    scripts = [ROOM / "guest" / name for name in (scenario.script, "common.sh", *scenario.files) if not name.endswith(".c")]
    programs = [program(name) for name in (*scenario.files, "measure.c") if name.endswith(".c")]
    modules = sorted((ROOM / "guest/disk_with_arm").iterdir()) if scenario.swap_seek_ms else []
    for path in filter(Path.exists, (*scripts, *programs, *modules)):
        digest.update(path.read_bytes())
    digest.update(sources(ROOM))
    digest.update(data.stamp().encode())
    return digest.hexdigest()[:16]


@functools.cache  # as Python read them when the run began, whatever is written to them meanwhile
def sources(room):
    """Of Python that makes a guest, its disk and its first program."""
    digest = hashlib.sha256()
    for path in (*(room / name for name in ("data.py", "engines.py", "guest.py", "versions.py")), *sorted(SYSTEM.glob("*.py")), *sorted((SYSTEM / "inside").iterdir())):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.digest()


@functools.cache  # of files of megabytes, asked for with each cell
def builds(engine, kernel=None):
    """Changes with what a guest of `engine` runs: kernel, and of this project driver, pagepressctl and card. A driver or card that is older than its sources
    is not this tree's, and what is known of it is not what is known of the same one when it was built. kernel: the name of one that is not the engine's own."""
    one = ENGINES[engine]
    runs = one.kernel_of({"kernel": kernel} if kernel else {})
    digest = hashlib.sha256()
    for path in filter(None, (runs.image, *((runs.driver, CONTROL) if one.has_driver else ()), one.card_program)):
        sources = driver_sources() if path == runs.driver else card_sources(one.card) if path == one.card_program else ()
        digest.update(b"stale" if path.exists() and any(source.stat().st_mtime > path.stat().st_mtime for source in sources) else b"")
        digest.update(path.read_bytes() if path.exists() else b"none")
    return digest.hexdigest()[:16]


def driver_sources():
    """Whichever is newer, the kernel's build makes a new module."""
    driver = REPOSITORY / "driver"
    return [path for path in driver.rglob("*.[ch]") if path.relative_to(driver).parts[0] != "tests"]


def card_sources(card):
    """Whichever is newer, sim/verilator/Makefile links the card anew."""
    written = ("sim/verilator/*.[ch]pp", "sim/management/*.[ch]pp", "sim/reference/*.[ch]", "rtl/interface/*.[ch]", "rtl/interface/generated/*.h", "firmware/*/*.[ch]")
    scala = (path for path in (REPOSITORY / "rtl").rglob("*.scala") if path.relative_to(REPOSITORY / "rtl").parts[0] != "test") if card == "rtl" else ()
    return [*(path for pattern in written for path in REPOSITORY.glob(pattern)), *scala]


class Store:
    """Cells that were run, a file each in `folder`, so that a killed run goes on where it stopped. `stamp`: the scenario's fingerprint;
    `builds`: of an engine's name, and of a kernel's if a point has its own, what driver and card are."""

    def __init__(self, folder, stamp, builds=builds):
        self.folder, self.stamp, self.builds = folder, stamp, builds

    def runs(self, engine, point):
        """Numbers of the runs that there are files of."""
        name = re.escape(Cell(engine, point, 0).file.removesuffix("0.json"))
        return sorted(int(found[1]) for path in self.folder.glob("*.json") if (found := re.fullmatch(rf"{name}(\d+)\.json", path.name)))

    def read(self, cell, settings, what="outcome"):
        """What was measured, or None; with "failure", why nothing was."""
        try:
            content = json.loads((self.folder / cell.file).read_text())
            found = content["stamp"], content["builds"], content["settings"], content[what]
        except (FileNotFoundError, ValueError, KeyError, TypeError):  # none, or nothing that was written here
            return None
        return found[3] if found[:3] == tuple(self.key(cell, settings).values()) else None

    def failure(self, cell, settings):
        """Why its guest did not come to its end, or None. Such a cell is not known: it is run again, and what is measured then takes the failure's place."""
        return self.read(cell, settings, "failure")

    def forget(self, cell):
        (self.folder / cell.file).unlink(missing_ok=True)

    def key(self, cell, settings):
        """What an outcome is known by. For one that is to be written it is asked for before the guest begins: what is built or written meanwhile, the guest did
        not run."""
        return {"stamp": self.stamp, "builds": self.builds(cell.engine, settings.get("kernel")), "settings": settings}

    def write(self, cell, key, outcome):
        self.keep(cell, key | {"outcome": outcome})

    def fail(self, cell, key, why):
        self.keep(cell, key | {"failure": why})

    def keep(self, cell, content):
        self.folder.mkdir(parents=True, exist_ok=True)
        write_whole(self.folder / cell.file, json.dumps(content) + "\n")
