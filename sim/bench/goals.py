# SPDX-License-Identifier: Apache-2.0
"""What the engines, C16 and D2×32, and those of the cold format are to reach, and whether the figures of a run do."""
import operator
from dataclasses import dataclass

from . import PAGE_BYTES
from .summary import means


@dataclass(frozen=True)
class Goal:
    """`figure` of engine.json, a part of it after a dot: the mean of the sets, the worst set's, or that of all pages."""
    name: str
    figure: str
    over: str  # "mean", "worst" or "all"
    most: bool  # the figure must not exceed `wanted`; else not fall below
    wanted: float

    def judge(self, sets, all_pages):
        """An entry of engine.json's `goals`, from its `sets` and `all_pages`."""
        key, _, part = self.figure.partition(".")
        records = {"mean": [means(sets)], "worst": sets, "all": [all_pages]}[self.over]
        values = [record[key][part] if part else record[key] for record in records]
        values = [value for value in values if value is not None]
        value = (max if self.most else min)(values) if values else None
        met = None if value is None else (operator.le if self.most else operator.ge)(value, self.wanted)
        return {"name": self.name, "wanted": self.wanted, "most": self.most,
                "value": None if value is None else round(value, 4), "met": met}


GOALS = (
    Goal("compress, bytes a cycle in, mean of the sets", "compress_bytes_per_cycle", "mean", False, 16),
    Goal("compress, cycles of the slowest page", "compress_cycles.max", "all", True, 296),
    Goal("size over lzo1x_1's, mean of the sets", "size_vs_lzo1x_1", "mean", True, 0.92),
    Goal("size over lzo1x_1's, worst set", "size_vs_lzo1x_1", "worst", True, 1.00),
    Goal("cold format, size over lzo1x_1's, mean of the sets", "cold_size_vs_lzo1x_1", "mean", True, 0.72),
    Goal("cold format, compress, bytes a cycle in, mean of the sets", "cold_compress_bytes_per_cycle", "mean", False, 8),
    Goal("cold format, compress, cycles of a page, p99 of all pages", "cold_compress_cycles.p99", "all", True, 700),
    Goal("cold format, decompress, bytes a cycle out, mean of the sets", "cold_decompress_bytes_per_cycle", "mean", False, 8),
    Goal("cold format, decompress, cycles of a page, p99 of all pages", "cold_decompress_cycles.p99", "all", True, 700),
    Goal("verify on chip adds, cycles, mean of the sets", "verify_extra_cycles_mean", "mean", True, 60),
    Goal("decompress, bytes a cycle out, mean of the sets", "decompress_bytes_per_cycle", "mean", False, 20),
    Goal("decompress, cycles of a page, p50 of all pages", "decompress_cycles.p50", "all", True, 215),
    Goal("decompress, cycles of a page, p99 of all pages", "decompress_cycles.p99", "all", True, 400),
    # At least 6 bytes a cycle.
    Goal("decompress, cycles of the slowest page", "decompress_cycles.max", "all", True, PAGE_BYTES // 6),
)


def judged(sets, all_pages):
    return [goal.judge(sets, all_pages) for goal in GOALS]


def wanted(figure):
    """The number that a figure, or its mean over the sets, is to reach; None when there is none."""
    return next((goal.wanted for goal in GOALS if goal.figure == figure), None)


def record():
    """A row for the table: the goals where the figures stand."""
    row = {}
    for goal in reversed(GOALS):  # of two goals for a figure the first stays
        key, _, part = goal.figure.partition(".")
        row[key] = row.get(key, {}) | {part: goal.wanted} if part else goal.wanted
    return {"name": "goal"} | row


def lines(entries):
    """`entries` as text, one line each."""
    marks = {True: "reached", False: "not reached", None: "not measured"}
    width = max(len(entry["name"]) for entry in entries)
    return [f"{entry['name'].ljust(width)}  {'–' if entry['value'] is None else format(entry['value'], 'g'):>7}  "
            f"{'≤' if entry['most'] else '≥'} {entry['wanted']:<5g}  {marks[entry['met']]}" for entry in entries]
