# SPDX-License-Identifier: Apache-2.0
"""What mutations are drawn for, blocks and programs alike: `draw`, then `check_sound`, then `verdict` for each mutant.

As a program it is the job that judges one mutant: targets.py JSON, the keys being those of `job`; prints the verdict.
"""
import hashlib
import json
import os
import sys
import tomllib
from pathlib import Path

import programs
from harmless import is_harmless
from judge import LONGEST, simulate
from jobs import raise_on_sigterm
from mutants import REPOSITORY, Trouble, draw, limit_of

HERE = Path(__file__).resolve().parent
VERDICTS = ("noticed", "harmless", "survived")


class Target:
    """A block or program: `name`, `room`, and once drawn `folder`, `mutants`, `limit`, the seconds that a mutant may take, and judges(), a hash of
    what says whether one is noticed: with other tests other verdicts."""

    def __init__(self, name, entry):
        self.name, self.entry, self.room = name, entry, entry["room"]
        self.tests = None  # {number of a mutant: [(a test that reaches it, its limit)]}, where that is known

    def job(self, mutant):
        """For jobs.py; its limit is far beyond the tests' own."""
        words = {"target": self.name, "folder": str(self.folder), "number": mutant.number, "limit": self.limit,
                 "source": getattr(mutant, "source", None), "tests": self.tests and self.tests[mutant.number]}
        return {"name": str(mutant.number), "command": [sys.executable, str(HERE / "targets.py"), json.dumps(words)],
                "folder": str(HERE), "environment": {"PATH": os.environ["PATH"]}, "seconds": 3600 + 10 * self.limit}

    def has_new_judges(self):
        """Whether what the folder keeps was judged otherwise than it would be now; from here on it keeps what is judged so."""
        kept, judges = self.folder / "judges", self.judges()
        before = kept.read_text() if kept.exists() else ""
        kept.write_text(judges)
        return judges != before


class Block(Target):
    """A block of build/verilog: bugs of Yosys', all in one netlist."""

    TESTS = ("sim/cocotb/*.py", "sim/reference/*.py", "sim/reference/*.[ch]", "rtl/interface/generated/*.py")

    def draw(self, count, seed):
        self.folder, self.mutants = draw(self.name, count, seed)

    def judges(self):
        files = sorted(path for pattern in self.TESTS for path in REPOSITORY.glob(pattern) if path.is_file())
        return hashlib.sha256(b"".join([json.dumps(self.entry).encode(), *(path.read_bytes() for path in files)])).hexdigest()

    def check_sound(self):
        for _ in ("built", "and then measured"):
            said, seconds = simulate(self.name, self.entry, self.folder, 0, LONGEST)
            if said != "passed":
                raise Trouble(f"{self.name}: the sound netlist {said}; see {self.folder}/cocotb")
        self.limit = limit_of(seconds)

    def verdict(self, *, folder, number, limit, **_):
        if simulate(self.name, self.entry, folder, number, limit)[0] != "passed":
            return "noticed"
        return "harmless" if is_harmless(folder, self.name, number) else "survived"


class Program(Target):
    """A program in C or C++: bugs of edits.py, all in one build."""

    def draw(self, count, seed):
        self.folder, self.mutants = programs.draw(self.name, self.entry, count, seed)

    def judges(self):
        return programs.planted(self.name)

    def check_sound(self):
        self.tests = programs.check_sound(self.name, self.entry, self.folder)
        self.limit = max((sum(limit for _, limit in tests) for tests in self.tests.values()), default=0)

    def verdict(self, *, number, source, tests, **_):
        if programs.is_noticed(self.name, tests, number):
            return "noticed"
        return "harmless" if programs.is_harmless(self.name, self.entry, source, number) else "survived"


def read_targets():
    """({name: Target}, {room: goal}) of blocks.toml and programs.toml."""
    targets, goals = {}, {}
    for file, group, kind in (("blocks.toml", "blocks", Block), ("programs.toml", "programs", Program)):  # the cheap ones first
        plan = tomllib.loads((HERE / file).read_text())
        targets.update({name: kind(name, entry) for name, entry in plan[group].items()})
        goals.update(plan["goals"])
    return targets, goals


def main(words):
    job = json.loads(words[0])
    try:
        print(read_targets()[0][job["target"]].verdict(**{**job, "folder": Path(job["folder"])}))
    except Trouble as trouble:
        sys.exit(str(trouble))


if __name__ == "__main__":
    raise_on_sigterm()
    main(sys.argv[1:])
