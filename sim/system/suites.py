# SPDX-License-Identifier: Apache-2.0
"""Public test suites in the guest: a tree that lies on this machine, run on our disks with only names changed.

LTP=tree: an installed tree of the Linux Test Project; its zram and swap tests. BLKTESTS=tree: a checkout of blktests; its block
group. In the guest a tree lies in /suite; inside/ltp.sh or inside/blktests.sh runs it.
"""
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from system import INSIDE, Trouble, programs
from system.initramfs import file, link
from system.kernels import Kernel

MEMORY = 1024  # megabytes: the tree and all of Debian's programs lie in it
SECONDS = 7200
DISKS = "devices=2 disksize_mb=512"  # LTP wants one for its files and one to write over


@dataclass(frozen=True)
class Suite:
    """`marks`: files that a usable tree has; `remedy`: what makes one; `selected(tree)`: its files for the guest, as paths."""

    marks: tuple
    remedy: str
    selected: Callable
    modules: tuple


def ltp_files(tree):
    """Lists of tests, LTP's helpers, and the programs of the tests whose names begin with zram or swap."""
    lists = sorted((tree / "runtest").iterdir())
    bin_folder = tree / "testcases/bin"
    wanted = {path.name for path in bin_folder.iterdir() if path.name.startswith(("tst_", "zram", "swap")) or path.suffix == ".sh"}
    for line in (line for path in lists for line in path.read_text(errors="replace").splitlines()):
        words = line.split()
        if len(words) > 1 and words[0].startswith(("zram", "swap")):
            wanted.add(words[1])
    return [*lists, *(bin_folder / name for name in sorted(wanted) if (bin_folder / name).exists())]


def blktests_files(tree):
    """All but the other groups of tests."""
    places = [tree / "check", *(tree / "common").rglob("*"), *(tree / "tests/block").rglob("*"), *(tree / "src").rglob("*")]
    return [path for path in places if path.is_symlink() or path.is_file()]


SUITES = {
    "LTP": Suite(
        ("runtest", "testcases/bin/tst_test.sh"),
        "name the folder that LTP's `make install` made (its --prefix), not its sources",
        ltp_files, ("ext4", "loop"),
    ),
    "BLKTESTS": Suite(
        ("check", "common/rc", "tests/block/rc"),
        "name a checkout of blktests in which `make` was run",
        blktests_files, ("null_blk", "scsi_debug", "sd_mod", "sg", "loop", "ext4"),
    ),
}  # fmt: skip


def renamed(path):
    """Name and bytes of a file of LTP or blktests: what is written for zram speaks of pagepress."""
    data = path.read_bytes()
    if path.name.startswith("zram") and data[:4] != b"\x7fELF":
        return path.name.replace("zram", "pagepress"), data.replace(b"zram", b"pagepress")
    return path.name, data


def tree_entries(tree, paths):
    for path in paths:
        folder_in_guest = Path("suite") / path.parent.relative_to(tree)
        if path.is_symlink():
            yield link(str(folder_in_guest / path.name), os.readlink(path))
        else:
            name, data = renamed(path)
            yield file(str(folder_in_guest / name), data, executable=os.access(path, os.X_OK))


def configuration(kernel):
    """/boot/config-<release>: tests look there whether the kernel has what they need."""
    for path in [*(kernel.folder / "boot").glob("config-*"), kernel.folder / "build/.config"]:
        if path.is_file():
            yield file(f"boot/config-{(kernel.folder / 'release').read_text().strip()}", path.read_bytes())
            return


def fill_in(options):
    """The guest's options for one that names a suite, and the archive's entries that the suite adds; Trouble when the tree
    is none or more is asked for."""
    named = [name for name in SUITES if options[name]]
    if not named:
        return options, []
    if len(named) > 1 or options["RUN"]:
        raise Trouble("choose one: RUN=script, LTP=tree or BLKTESTS=tree")
    name, suite = named[0], SUITES[named[0]]
    tree = Path(options[name]).resolve()
    for mark in suite.marks:
        if not (tree / mark).exists():
            raise Trouble(f"{name}={options[name]} has no {mark}: {suite.remedy}")
    paths = suite.selected(tree)
    libraries = programs.library_entries(path for path in paths if path.is_file())
    filled = options | {
        "RUN": INSIDE / f"{name.lower()}.sh", "PROGRAMS": (programs.ALL,), "MODULES": (*options["MODULES"], *suite.modules),
        "MEM": max(options["MEM"], MEMORY), "TIMEOUT": max(options["TIMEOUT"], SECONDS), "PARAMETERS": options["PARAMETERS"] or DISKS,
    }  # fmt: skip
    return filled, [*tree_entries(tree, paths), *libraries, *configuration(Kernel(options["KERNEL"]))]
