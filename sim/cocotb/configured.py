# SPDX-License-Identifier: Apache-2.0
"""A core with other parameters than `make verilog` gives it, as an integrator makes one.

    folder = configured("soc", {"--queues": 5, "--bus": 8}, {"QUEUE_PAIRS": 5, "BUS_BYTES": 8})
    folder = released("small")  # a core of the release's
    run("core", module=__name__, verilog=folder)

The options are those of rtl/top/Generate.scala, the parameters the same for rtl/interface/core.toml. build/configured/<name> holds
core.v and what belongs beside it; it is made anew when a source or an option differs.
"""
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.append(str(REPOSITORY / "rtl/interface"))

from generator.model import released_module  # noqa: E402

QUICK_TO_START = {"MAVEN_OPTS": f"{os.environ.get('MAVEN_OPTS', '')} -XX:TieredStopAtLevel=1"}  # Java's best compiler takes as long as all else in so short a run


def configured(name, options, parameters, package=None, module=None):
    """The folder of such a core, up to date; as a package it is core_`package`, or core_`name`; its module is `module`, or `core`."""
    folder = REPOSITORY / "build/configured" / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        words = ["--only", "core", *(["--name", module] if module else []), *(str(word) for option in options.items() for word in option if word is not None), str(folder)]
        described = ["--name", package or name, *(["--module", module] if module else []), *(word for item in parameters.items() for word in ("--parameter", "{}={}".format(*item)))]
        stamp, inputs = folder / "made", digest([*words, *described])
        if not stamp.exists() or stamp.read_text() != inputs:
            shutil.rmtree(folder, ignore_errors=True)
            generate(words)
            subprocess.run(["python3", REPOSITORY / "rtl/interface/generate.py", "--output", folder, *described],
                           check=True, stdout=subprocess.DEVNULL)
            stamp.write_text(inputs)
        for beside in ("rtl/top/lint.vlt", "sim/soc/one_page.sv", "sim/soc/synthesise.tcl"):
            shutil.copy(REPOSITORY / beside, folder)
    return folder


def released(name, **more):
    """The folder of a core of rtl/top/configurations.toml, up to date; `more`: options besides, by their names."""
    entry = tomllib.loads((REPOSITORY / "rtl/top/configurations.toml").read_text())[name]
    words = " ".join(map(str, [*entry["options"], *(word for option, value in more.items() for word in (f"--{option}", value))]))
    suffix = "".join(f"-{option}-{value}" for option, value in more.items())
    return configured(f"released-{name}{suffix}", {words: None} if words else {}, entry["parameters"], package=name, module=released_module(name))


def generate(words):
    """Run Generate; its one line of what is wrong is the exception's text."""
    made = subprocess.run(["mvn", "-q", "-f", "rtl/pom.xml", "compile", "exec:java", f"-Dexec.args={' '.join(words)}"], cwd=REPOSITORY,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env={**os.environ, **QUICK_TO_START})
    if made.returncode:
        said = [line for line in made.stdout.splitlines() if line.startswith("Generate: ")] or made.stdout.splitlines()[-20:]
        raise RuntimeError("\n".join(said))


def digest(words):
    """Of the words, and of all that Generate and the interface's generator are made from."""
    inputs = hashlib.sha256(repr(words).encode())
    patterns = ("rtl/**/*.scala", "rtl/pom.xml", "rtl/top/*.v", "rtl/interface/*.toml", "rtl/interface/generator/*.py", "driver/packaging/debian/changelog")
    for path in sorted(path for pattern in patterns for path in REPOSITORY.glob(pattern)):
        inputs.update(path.read_bytes())
    return inputs.hexdigest()
