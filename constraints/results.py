# SPDX-License-Identifier: Apache-2.0
"""The table on the screen, build/synth/synth.json, and constraints/results.toml with its check."""
import json
import tomllib

from measure import BLOCKS
from tool import REPOSITORY, versions

RECORDED = REPOSITORY / "constraints/results.toml"
JSON = REPOSITORY / "build/synth/synth.json"
AREA_TOLERANCE = 0.05       # of the recorded LUTs, flip-flops and block RAMs, up or down, and of the fan-out, up
AREA = ("luts", "flip_flops", "block_rams", "carries")
CLOCK = ("megahertz", "too_large", "ecp5_luts", "ecp5_flip_flops", "ecp5_block_rams")
COLUMNS = ("block", "LUTs", "of them memory", "flip-flops", "block RAMs", "carries", "levels", "fan-out", "MHz on ECP5-85", "ECP5 LUTs")


def table(measured):
    """Aligned columns; a figure that misses its goal shows the goal behind it."""
    rows = [COLUMNS]
    for block, figures in measured.items():
        rows.append((block, against(block, "luts", figures), str(figures["memory_luts"]), str(figures["flip_flops"]),
                     f"{figures['block_rams']:g}", str(figures["carries"]), against(block, "levels", figures),
                     str(figures["fan_out"]), "does not fit: " + figures["too_large"] if "too_large" in figures else against(block, "megahertz", figures),
                     str(figures.get("ecp5_luts", "-"))))
    return aligned(rows)


def aligned(rows):
    """Rows of cells as lines: names to the left, figures to the right."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join(cell.rjust(width) if at else cell.ljust(width) for at, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in rows)


def against(block, figure, figures):
    if figure not in figures:
        return "-"
    value, goal = figures[figure], BLOCKS.get(block, {}).get(figure)
    if goal is None or (value >= goal if figure == "megahertz" else value <= goal):
        return f"{value:g}"
    return f"{value:g} (goal {goal:g})"


def write_json(measured):
    """Everything measured in this run, without the path reports."""
    JSON.parent.mkdir(parents=True, exist_ok=True)
    JSON.write_text(json.dumps({
        "tools": versions(), "goals": BLOCKS,
        "blocks": {block: {name: value for name, value in figures.items() if name != "report"}
                   for block, figures in measured.items()},
    }, indent=1) + "\n")


def recorded():
    """The committed table: {block: figures}, empty before the first record."""
    return tomllib.loads(RECORDED.read_text()).get("blocks", {}) if RECORDED.exists() else {}


def record(measured):
    """Replace the measured blocks' lines of the committed table; a half that was not measured stays out, as it no longer
    describes the block. Each says what was measured, and with which tools."""
    blocks, tools = recorded(), ", ".join(f"{name} {version}" for name, version in sorted(versions().items()))
    for block, figures in measured.items():
        blocks[block] = {name: figures[name] for name in (*AREA, "levels", "fan_out", *CLOCK, "verilog") if name in figures} | {"tools": tools}
    lines = ["# SPDX-License-Identifier: Apache-2.0",
             "# Written by `make synth RECORD=1`, and of boards by `make board RECORD=1`; `make synth AREA=1 CHECK=1` compares area and levels with it.",
             "# README.md beside this file says what the figures mean. What has no `verilog` and `tools` was measured before these were written down."]
    for block in sorted(blocks):
        lines += ["", f"[blocks.{block}]", *(f"{name} = {json.dumps(value)}" for name, value in blocks[block].items())]
    RECORDED.write_text("\n".join(lines) + "\n")


def drift(block, figures, expected):
    """One line for each figure of the cheap half that left the recorded one; empty when all is well. An old record may lack the fan-out."""
    found = [f"{block}: {name} {figures[name]:g}, recorded {expected[name]:g} (tolerance {AREA_TOLERANCE:.0%})"
             for name in ("luts", "flip_flops", "block_rams")
             if abs(figures[name] - expected[name]) > AREA_TOLERANCE * expected[name]]
    if figures["levels"] > expected["levels"]:
        found.append(f"{block}: {figures['levels']} levels, recorded {expected['levels']}")
    if figures["fan_out"] > (1 + AREA_TOLERANCE) * expected.get("fan_out", figures["fan_out"]):
        found.append(f"{block}: fan_out {figures['fan_out']}, recorded {expected['fan_out']} (tolerance {AREA_TOLERANCE:.0%})")
    return found
