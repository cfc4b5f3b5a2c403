#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Make a core of one's own as a package: a folder with its Verilog, the interface for other tools (C, Verilog, SystemRDL, SVD, IP-XACT) and what FuseSoC
reads, linted. `make core NAME=five OPTIONS="--queues 5 --bus 8"` runs this, on build/cores/five; `make fusesoc NAME=five` sends a page through it.

usage: core_package.py FOLDER NAME [OPTION...]
OPTION is one of Generate's (rtl/README.md, "Parameters"; `--name` is its module's, core unless given). For tools the core is core_NAME.
Exit 0: made, 1: it is refused, could not be made, or lint warns, each in one line that says why, 2: usage.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from generator.model import parameters_of

REPOSITORY = Path(__file__).resolve().parents[2]
BESIDE = ("rtl/top/lint.vlt", "sim/soc/one_page.sv", "sim/soc/synthesise.tcl")  # that a package names besides what is generated
OF_NO_CORE = ("--only", "--without", "--list", "--help", "-h", "--link", "--management-clock")  # of Generate's options


class Refused(Exception):
    """No such core; one line that says why."""


def make(folder, options, name):
    """Write the package of the core that Generate's `options` (words) make, for tools core_`name`. The folder's other files stay."""
    words = list(map(str, options))
    generate(["--only", "core", *words, str(folder)])
    parameters = parameters_of(REPOSITORY / "rtl/interface", words)
    described = subprocess.run([sys.executable, REPOSITORY / "rtl/interface/generate.py", "--output", folder, "--name", name, "--module", module_of(words),
                                *(word for item in parameters.items() for word in ("--parameter", "{}={}".format(*item)))],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if described.returncode:
        raise Refused(described.stderr.strip())
    for path in BESIDE:
        shutil.copy(REPOSITORY / path, folder)


def generate(words):
    """Run Generate. Java's best compiler takes as long as all else in so short a run."""
    made = subprocess.run(["mvn", "-q", "-f", "rtl/pom.xml", "compile", "exec:java", f"-Dexec.args={' '.join(words)}"], cwd=REPOSITORY, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          env={**os.environ, "MAVEN_OPTS": f"{os.environ.get('MAVEN_OPTS', '')} -XX:TieredStopAtLevel=1"})
    if made.returncode:
        said = [line for line in made.stdout.splitlines() if line.startswith("Generate: ")] or made.stdout.splitlines()[-20:]
        raise Refused("\n".join(said))


def module_of(words):
    """The core's module."""
    return words[words.index("--name") + 1] if "--name" in words else "core"


def lint(folder, options):
    """What Verilator's -Wall says of the core that `options` made, but for what lint.vlt explains; nothing when all is well."""
    done = subprocess.run(["verilator", "--lint-only", "-Wall", "--top-module", module_of(options), folder / "lint.vlt", folder / "core.v"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    return done.stderr or (f"verilator ended with {done.returncode}" if done.returncode else "")


def main(words):
    if words in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    if len(words) < 2 or words[1].startswith("-"):
        print('core_package.py: say which core: make core NAME=five OPTIONS="--queues 5 --bus 8"', file=sys.stderr)
        return 2
    folder, name, options = Path(words[0]).resolve(), words[1], words[2:]
    try:
        if not re.fullmatch(r"\w[\w-]*", name, re.ASCII):
            raise Refused(f"the name '{name}': use letters, digits, _ and -")
        for word in OF_NO_CORE:
            if word in options:
                raise Refused(f"{word} is none of a core's options")
        print(f"[core] {name}: SpinalHDL to Verilog with Maven (half a minute)", flush=True)
        make(folder, options, name)
        if warnings := lint(folder, options):
            raise Refused(f"Verilator's -Wall warns of {folder / 'core.v'}:\n{warnings}")
    except Refused as refused:
        print(f"core_package.py: {refused}", file=sys.stderr)
        return 1
    shown = os.path.relpath(folder)
    print(f"[core] {shown}/core.v, clean under Verilator's -Wall; {shown}/pagepress_core.core is its FuseSoC package. A page goes through it with `make fusesoc NAME={name}`")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
