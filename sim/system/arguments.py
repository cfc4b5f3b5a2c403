# SPDX-License-Identifier: Apache-2.0
"""Command lines of NAME=VALUE words: what all programs of the tree share, and what a guest's have."""
import re

from command_line import Option, one_of, parse, positive, usage, yes_or_no  # noqa: F401 (for those who use this module)

UNITS = {"M": 1, "G": 1024}
LEAST_MEMORY = 96  # megabytes; with less the stock kernel does not come up


def memory(text):
    """'256M' or '1G' → megabytes."""
    match = re.fullmatch(r"(\d+)([MG])", text)
    if not match:
        raise ValueError("write the memory as a number and M or G, for example 256M")
    megabytes = int(match[1]) * UNITS[match[2]]
    if megabytes < LEAST_MEMORY:
        raise ValueError(f"the guest needs at least {LEAST_MEMORY}M")
    return megabytes


def paths(text):
    """Blank-separated paths → a tuple."""
    return tuple(text.split())
