# SPDX-License-Identifier: Apache-2.0
"""Reads the golden vector files beside it."""

import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent


def records(name):
    """[(words without a key, {key: value})], one a line of the file; all are strings."""
    found = []
    for line in (FOLDER / name).read_text(encoding="ascii").splitlines():
        if line and not line.startswith("#"):
            words = line.split(" ")
            found.append(([word for word in words if "=" not in word], dict(word.split("=") for word in words if "=" in word)))
    return found
