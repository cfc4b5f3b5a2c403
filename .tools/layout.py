#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The tree's rules as a check: what stands at the root, who may import whom, licence lines, and
nothing that belongs to one machine. `violations` returns one line for each breach.

usage: layout.py   (checks the repository it stands in; exit 1 and one line for each breach)
"""
import re
import sys
from pathlib import Path

import command_line
from layout_imports import import_violations
from tree_files import tree_files

ROOT_ENTRIES = {
    "rtl", "sim", "driver", "firmware", "host", "constraints",
    "Makefile", "README.md", "LICENSE", "CHANGELOG.md",
}

# Files that cannot carry a comment, and the licences' own texts.
WITHOUT_LICENCE_LINE = re.compile(r"\.(json|jsonl|bin|png|fst|gz|xz)$|(^|/)(LICENSE|COPYING|debian/changelog|debian/source/format)$")
LICENCE_LINE = re.compile(r"SPDX-License-Identifier: ([\w.() +-]+?)\s*(?:\*/|-->|$)")
LICENCE_WITHIN_LINES = 5  # below a `#!` or `<?xml` line, or the fence of a heading

REGISTRY = re.compile(
    r"\b(?:(?:deb|security|ftp|snapshot|packages)\.debian\.org|pypi\.org|pythonhosted\.org|"
    r"repo1?\.maven(?:\.apache)?\.org|central\.sonatype\.com|crates\.io|npmjs\.(?:org|com)|"
    r"proxy\.golang\.org|(?:archive|security)\.ubuntu\.com)\b"
)
HOME = re.compile(r"(?<![\w.$}/-])/(?:home|Users)/\w+/|(?<![\w.$}/-])/(?:root)/\w")
UNFINISHED = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME)\b")

# What makes two runs of a test with one seed differ, in files that tests take data from.
TEST_DATA = re.compile(r"(^|/)tests/.*(?<!\.md)$|^sim/(cocotb|reference)/.*(?<!\.md)$")
UNREPEATABLE = re.compile(r"/dev/u?ran" + r"dom\b|\bos\.uran" + r"dom\b|/proc/self/me" + r"m\b")


def violations(root, files):
    """Check `files` (paths relative to `root`); return sorted breaches as `path[:line]: what`."""
    root = Path(root)
    texts = {}
    for name in files:
        data = (root / name).read_bytes()
        if b"\0" not in data:
            texts[name] = data.decode("utf-8", errors="replace")
    found = [f"{entry}: not an entry of the root" for entry in sorted({name.split("/")[0] for name in files})
             if entry not in ROOT_ENTRIES and not entry.startswith(".")]
    for name, text in texts.items():
        found += licence_violations(name, text)
        found += machine_violations(root, name, text)
    return sorted(found + import_violations(texts))


def expected_licences(name):
    """The licence identifiers a file may carry, by its folder."""
    if re.fullmatch(r"rtl/interface/(generated/)?[^/]+\.[ch]", name):
        return {"(GPL-2.0-only OR Apache-2.0)"}
    if name.startswith("driver/uapi/"):
        return {"GPL-2.0-only", "GPL-2.0-only WITH Linux-syscall-note"}
    modules = name.startswith(("driver/", "sim/experiments/guest/disk_with_arm/"))  # of the kernel
    return {"GPL-2.0-only"} if modules else {"Apache-2.0"}


def licence_violations(name, text):
    if WITHOUT_LICENCE_LINE.search(name) or not text.strip():
        return []
    expected = expected_licences(name)
    for line in text.splitlines()[:LICENCE_WITHIN_LINES]:
        if match := LICENCE_LINE.search(line):
            if match[1] in expected:
                return []
            return [f"{name}: licence is {match[1]}, expected {' or '.join(sorted(expected))}"]
    return [f"{name}: no SPDX-License-Identifier line at the top"]


def machine_violations(root, name, text):
    if WITHOUT_LICENCE_LINE.search(name) and not name.endswith("json"):
        return []  # licence texts and data
    here = [str(path) + "/" for path in (root.resolve(), Path.home()) if len(path.parts) > 1]
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if REGISTRY.search(line):
            found.append(f"{name}:{number}: names a package registry; take it from the machine's configuration")
        if HOME.search(line) or any(path in line for path in here):
            found.append(f"{name}:{number}: absolute path of one machine")
        if TEST_DATA.search(name) and UNREPEATABLE.search(line):
            found.append(f"{name}:{number}: data that no seed decides; draw it from the test's seed")
        if UNFINISHED.search(line):
            found.append(f"{name}:{number}: unfinished work")
    return found


def main(words):
    command_line.only(words, [])
    repository = Path(__file__).resolve().parents[1]
    breaches = violations(repository, tree_files(repository))
    print("\n".join(breaches) or "layout: nothing to complain about")
    return 1 if breaches else 0


if __name__ == "__main__":
    command_line.main("layout", main, sys.argv[1:], __doc__)
