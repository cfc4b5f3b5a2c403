# SPDX-License-Identifier: Apache-2.0
"""Programs in C and C++ with every mutation drawn for them, in a copy of the tree, where they are built and tested as they are here.

All mutants of a program stand in its sources at once (mutant.h), so that it is built once, however many there are.
"""
import hashlib
import json
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass

from edits import Source
from mutants import REPOSITORY, SCRATCH, Trouble, limit_of

sys.path.append(str(REPOSITORY / ".tools"))

from jobs import OVERDUE, execute  # noqa: E402 (found by the line above)
from tree_files import tree_files  # noqa: E402

BUILD_SECONDS, LONGEST = 1800, 1800
LINKED = ("tools", "verilog", "rtl", "card/core", "card/card", "firmware")  # of build/: what no mutation changes
COPIED = ("card", "host")
PLANTED = "build/planted"  # a hash of all that stands in a tree, but for documents
PYTEST = f"{shlex.quote(sys.executable)} -m pytest -c .tools/pytest.ini --rootdir . -p pagepress_pytest -p no:cacheprovider -q -x"
REACHED = re.compile(r"\bmutant (\d+) reached\b")
# Statuses of a test that notices: one failed, none ended in time, or the mutant in pytest's own process broke it.
NOTICED = {1, OVERDUE, *(-number for number in (signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV))}
KERNEL_OBJECT = "\npagepress-y += page/mutant.o\n"


@dataclass(frozen=True)
class Mutant:
    """One drawn mutation of a source; `what` is one of a kind in its program, whatever stands around it."""
    number: int
    what: str
    source: str
    line: int

    @property
    def place(self):
        return f"{self.source}:{self.line}"


def tree_of(name):
    """One for all draws: little of it is built anew."""
    return SCRATCH / name / "tree"


def planted(name):
    """The hash of what stands in its tree."""
    return (tree_of(name) / PLANTED).read_text()


def sources_of(entry):
    """{path from the repository: Source} of a program."""
    paths = sorted(path for pattern in entry["sources"] for path in REPOSITORY.glob(pattern))
    if not paths:
        raise Trouble(f"no file is called {' or '.join(entry['sources'])}")
    return {str(path.relative_to(REPOSITORY)): Source(path, entry["left_alone"]) for path in paths}


def choose(sources, count, seed):
    """{number: (path, Edit, what)}: `count` of all edits, or all of them where there are fewer."""
    every, seen = [], Counter()
    for path, source in sources.items():
        for edit in source.edits():
            what = f"{path.rpartition('/')[2]}, {edit.what}"
            seen[what] += 1
            every.append((path, edit, what if seen[what] == 1 else f"{what} ({seen[what]})"))
    drawn = random.Random(seed).sample(every, min(count, len(every)))
    return dict(enumerate(drawn, 1))


def draw(name, entry, count, seed):
    """(folder for their verdicts, mutants): tree_of(name) has the program with all of them."""
    sources = sources_of(entry)
    chosen = choose(sources, count, seed)
    texts = {path: source.changed({number: edit for number, (where, edit, _) in chosen.items() if where == path})
             for path, source in sources.items()}
    identity = hashlib.sha256(b"".join(texts[path] for path in sorted(texts))).hexdigest()[:16]
    tree = tree_of(name)
    header = f'#include "{tree}/sim/mutation/mutant.h"\n#line 1\n'.encode()
    plant(tree, {path: header + text for path, text in texts.items()}, entry.get("support"))
    folder = SCRATCH / name / identity
    folder.mkdir(parents=True, exist_ok=True)
    return folder, [Mutant(number, what, path, edit.line) for number, (path, edit, what) in chosen.items()]


def plant(tree, changed, support):
    """Make `tree` a copy of this one with the sources `changed`; what was so already keeps its date, so that little is built."""
    files = {path: (REPOSITORY / path).read_bytes() for path in tree_files(REPOSITORY, new=True)}
    changed = dict(changed)
    if support:
        changed[support] = files["sim/mutation/mutant_module.c"].replace(b'"mutant.h"', f'"{tree}/sim/mutation/mutant.h"'.encode())
        changed["driver/Kbuild"] = files["driver/Kbuild"] + KERNEL_OBJECT.encode()
    for place in tree.glob("**/*.[ch]*"):  # of an earlier draw, which make would take for a source
        path = str(place.relative_to(tree))
        if place.is_file() and not path.startswith("build/") and path not in {**files, **changed}:
            place.unlink()
    for path, text in {**files, **changed}.items():
        place = tree / path
        if place.exists() and place.read_bytes() == text:
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text)
        if path in files:
            shutil.copymode(REPOSITORY / path, place)
        if path not in changed:
            shutil.copystat(REPOSITORY / path, place)
    build(tree / "build")
    every = b"".join(b"%s %d\n%s" % (path.encode(), len(text), text) for path, text in sorted({**files, **changed}.items()) if not path.endswith(".md"))
    (tree / PLANTED).write_text(hashlib.sha256(every).hexdigest())


def build(folder):
    """What is built already and holds no mutation."""
    for name in COPIED:
        (folder / name).mkdir(parents=True, exist_ok=True)
        for path in (REPOSITORY / "build" / name).glob("*"):
            if path.is_file() and not (folder / name / path.name).exists():
                shutil.copy2(path, folder / name)
    for name in LINKED:
        if not (folder / name).exists() and (REPOSITORY / "build" / name).exists():
            (folder / name).symlink_to(REPOSITORY / "build" / name)


def run(name, command, number, seconds, **environment):
    """What jobs.execute says of one command of programs.toml on one mutant."""
    tree = tree_of(name)
    words = shlex.split(f"{PYTEST} {command.removeprefix('pytest ')}" if command.startswith("pytest ") else command)
    environment = {"PAGEPRESS_MUTANT": str(number), "PAGEPRESS_PARAMETERS": f"mutant={number}",
                   "PYTHONPATH": str(tree / ".tools"), "SEED": "1", "COCOTB_RANDOM_SEED": "1", **environment}
    return execute({"command": words, "folder": str(tree), "environment": environment, "seconds": seconds})


def check_sound(name, entry, folder):
    """{number of a mutant: [(a test that reaches it, the seconds it may take)]}; kept in the folder, for the same tree: with another test, or
    header, the sound program is to pass once more."""
    for command in entry["build"]:
        done = run(name, command, 0, BUILD_SECONDS)
        if done["status"]:
            raise Trouble(f"{name}: {command} failed:\n{done['output'][-2000:]}")
    kept = folder / "sound.json"
    sound, tree = json.loads(kept.read_text()) if kept.exists() else {}, planted(name)
    if sound.get("tree") != tree:
        sound = {"tree": tree}
    for command in entry["tests"]:
        if command not in sound:
            place = folder / "reached"
            place.unlink(missing_ok=True)
            done = run(name, command, 0, LONGEST, PAGEPRESS_REACHED=str(place))
            if done["status"]:
                raise Trouble(f"{name}: the sound program fails: {command}:\n{done['output'][-3000:]}")
            said = done["output"] + (place.read_text() if place.exists() else "")
            sound[command] = {"seconds": done["seconds"], "reached": sorted({int(number) for number in REACHED.findall(said)})}
            kept.write_text(json.dumps(sound))
    tests = {}
    for command in entry["tests"]:
        for number in sound[command]["reached"]:
            tests.setdefault(number, []).append((command, limit_of(sound[command]["seconds"])))
    return tests


def is_noticed(name, tests, number):
    """Whether one of `tests`, each with its limit in seconds, fails on the mutant, or hangs. Trouble where one could not be run."""
    for command, limit in tests:
        done = run(name, command, number, limit)
        if done["status"] in NOTICED:
            return True
        if done["status"]:
            raise Trouble(f"{done['output'][-2000:]}\n{name}, mutant {number}: no test's status, {done['status']}: {command}")
    return False


def is_harmless(name, entry, source, number):
    """Whether the compiler makes the sound program's code of the mutant."""
    if "compile" not in entry:
        return False
    code = []
    for choice in (0, number):
        words = [*shlex.split(entry["compile"]), f"-DMUTANT={choice}", "-S", "-o", "-", source]
        done = subprocess.run(words, cwd=tree_of(name), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        code.append(done.stdout if done.returncode == 0 else os.urandom(8))
    return code[0] == code[1]
