# SPDX-License-Identifier: Apache-2.0
"""Which files are the tree's: in a checkout and in what `make release` packs, where there is no git."""
import os
import subprocess
from pathlib import Path

from command_line import Trouble


def git(root, *words):
    """What git prints, as bytes; a Trouble when there is no git, or when it refuses, as it does with a checkout of somebody else."""
    try:
        done = subprocess.run(["git", "-C", root, *words], capture_output=True, check=False)
    except FileNotFoundError:
        raise Trouble("git is not installed, and this is a checkout") from None
    if done.returncode:
        said = os.fsdecode(done.stderr).splitlines() or ["it failed"]
        remedy = next((f": run {line.strip()}" for line in said if line.startswith("\tgit ")), "")
        raise Trouble(f"git {words[0]}: {said[0].removeprefix('fatal: ')}{remedy}")
    return done.stdout


def tree_files(root, new=False):
    """Names of files that git tracks and that exist, with `new` those that it does not ignore as well; without git all but what is built."""
    root = Path(root)
    if (root / ".git").exists():
        words = ["--cached", *(["--others", "--exclude-standard"] if new else [])]
        names = os.fsdecode(git(root, "ls-files", "-z", *words)).split("\0")
    else:
        names = [str(path.relative_to(root)) for path in root.rglob("*") if "__pycache__" not in path.parts]
    return sorted(name for name in names if name and not name.startswith("build/") and (root / name).is_file())
