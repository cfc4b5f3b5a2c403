# SPDX-License-Identifier: Apache-2.0
"""Which files are the tree's: in a checkout and in what `make release` packs, where there is no git."""
import os
import subprocess
from pathlib import Path


def tree_files(root, new=False):
    """Names of files that git tracks and that exist, with `new` those that it does not ignore as well; without git all but what is built."""
    root = Path(root)
    if (root / ".git").exists():
        words = ["--cached", *(["--others", "--exclude-standard"] if new else [])]
        listing = subprocess.run(["git", "-C", root, "ls-files", "-z", *words], capture_output=True, check=True)
        names = os.fsdecode(listing.stdout).split("\0")
    else:
        names = [str(path.relative_to(root)) for path in root.rglob("*") if "__pycache__" not in path.parts]
    return sorted(name for name in names if name and not name.startswith("build/") and (root / name).is_file())
