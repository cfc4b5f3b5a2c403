# SPDX-License-Identifier: Apache-2.0
"""A core with other parameters than `make verilog` gives it, as an integrator makes one with `make core`.

    folder = configured("soc", ["--queues", 5, "--bus", 8])
    folder = released("small")  # a core of the release's
    run("core", module=__name__, verilog=folder)

The options are those of rtl/top/Generate.scala. build/configured/<name> holds core.v and what belongs beside it; it is made anew when a source or an
option differs.
"""
import fcntl
import hashlib
import shutil
import sys
import tomllib
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.append(str(REPOSITORY / "rtl/interface"))

from core_package import BESIDE, make  # noqa: E402
from generator.model import released_module  # noqa: E402


def configured(name, options, package=None):
    """The folder of such a core, up to date; as a package it is core_`package`, or core_`name`."""
    folder = REPOSITORY / "build/configured" / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        stamp, inputs = folder / "made", digest([package, *map(str, options)])
        if not stamp.exists() or stamp.read_text() != inputs:
            shutil.rmtree(folder, ignore_errors=True)
            make(folder, options, package or name)
            stamp.write_text(inputs)
    return folder


def released(name, **more):
    """The folder of a core of rtl/top/configurations.toml, up to date; `more`: options besides, by their names."""
    options = tomllib.loads((REPOSITORY / "rtl/top/configurations.toml").read_text())[name]["options"]
    besides = [word for option, value in more.items() for word in (f"--{option}", value)]
    return configured("-".join(["released", name, *(f"{option}-{value}" for option, value in more.items())]), ["--name", released_module(name), *options, *besides], name)


def digest(words):
    """Of the words, and of all that Generate and the interface's generator are made from."""
    inputs = hashlib.sha256(repr(words).encode())
    patterns = ("rtl/**/*.scala", "rtl/pom.xml", "rtl/top/*.v", "rtl/interface/core_package.py", *BESIDE, "rtl/interface/*.toml", "rtl/interface/generator/*.py", "driver/packaging/debian/changelog")
    for path in sorted(path for pattern in patterns for path in REPOSITORY.glob(pattern)):
        inputs.update(path.read_bytes())
    return inputs.hexdigest()
