# SPDX-License-Identifier: Apache-2.0
"""What charts show of few and of very different figures; drawn by the Python that draws, with its packages."""
import json
import subprocess

import pytest
from experiments import ROOM, TOOLS

PYTHON = TOOLS / "venv/bin/python3"
PROGRAM = """
import json, sys
sys.path[:0] = json.loads(sys.argv[2])
from experiments import chart, scenario
from made_up import TOML
from pathlib import Path
folder = Path(sys.argv[1])
what = json.loads(sys.argv[3])
(folder / "made-up.toml").write_text(TOML.replace(*what["toml"]))
one = scenario.load("made-up", folder)
figure = {"bars": chart.bars, "lines": chart.lines}[one.charts[0]["kind"]](one, one.charts[0], what["rows"], {})
axes = figure.axes[0]
curves = [[line.get_label(), line.get_color() + line.get_linestyle(), *map(list, line.get_xydata())] for line in axes.get_lines() if line.get_marker() != "None"]
bars = [bar for some in axes.containers if hasattr(some, "patches") for bar in some.patches]
figure.canvas.draw()
print(json.dumps({
    "labels": [label.get_text() for label in axes.get_xticklabels()], "scale": axes.get_yscale(), "y": axes.get_ylabel(),
    "curves": curves, "heights": [bar.get_window_extent().height for bar in bars], "high": axes.get_window_extent().height,
}))
"""


def drawn(folder, old, new, rows):
    if not PYTHON.exists():
        pytest.skip("make test-experiments runs it")
    paths = [str(ROOM.parent), str(ROOM.parent / "reference"), str(ROOM.parents[1] / "rtl/interface/generated"), str(ROOM / "tests")]
    words = [folder, json.dumps(paths), json.dumps({"toml": [old, new], "rows": rows})]
    done = subprocess.run([PYTHON, "-c", PROGRAM, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def rows(first, second, alive=(1, 1)):
    return [{"engine": "model", "point": point, "run": 1, "alive": number} for point, number in zip((first, second), alive)]


def test_points_that_did_not_run_do_not_shorten_the_names_of_those_that_did(tmp_path):
    """Of points at 30 and 60 only those at 60 ran: which they are is said."""
    old, new = 'name = "to come"\nnot_built = "something"', 'name = "60: disk"\n[[points]]\nname = "60: both"\n[[points]]\nname = "30: both"'
    assert drawn(tmp_path, old, new, rows("60: disk", "60: both"))["labels"] == ["60: disk", "60: both"]


def test_a_title_says_what_all_points_begin_with(tmp_path):
    old, new = 'metrics = ["alive"]', 'metrics = ["alive"]\npoints = ["60: disk", "60: both"]\n[[points]]\nname = "60: disk"\n[[points]]\nname = "60: both"'
    assert drawn(tmp_path, old, new, rows("60: disk", "60: both"))["labels"] == ["disk", "both"]


def test_a_logarithmic_axis_shows_the_small_beside_the_great(tmp_path):
    figures = rows("small", "large × 2", (49, 5920))
    plain = drawn(tmp_path, 'kind = "bars"', 'kind = "bars"', figures)
    assert plain["scale"] == "linear" and min(plain["heights"]) < 0.01 * plain["high"]
    both = drawn(tmp_path, 'kind = "bars"', 'kind = "bars"\nlog = true', figures)
    assert both["scale"] == "log" and "logarithmic" in both["y"] and min(both["heights"]) > 0.1 * both["high"]
    # Where there is nothing to show there is a chart all the same, not the end of the page.
    assert drawn(tmp_path, 'kind = "bars"', 'kind = "bars"\nlog = true\noriginal = false', rows("small", "large × 2", (0, 0)))["scale"] == "log"


def test_each_sweep_is_a_curve_of_its_own(tmp_path):
    """Of several programs, with the point that the others stand beside; what was measured of one engine alone is called by what is swept."""
    bars = 'kind = "bars"\ntitle = "Who lives"\nmetrics = ["alive"]'
    toml = """kind = "lines"
title = "Who lives"
metrics = ["alive"]
points = ["small", "large × 2", "*, x*"]
original = false
[[sweeps]]
of = ["small", "large × 2"]
points = [{ name = "x 3", x = 3 }, { name = "x 4", x = 4 }]"""
    names = ["small", "small, x 3", "small, x 4", "large × 2", "large × 2, x 4"]
    figures = [{"engine": "model", "point": point, "run": 1, "alive": 10 + place} for place, point in enumerate(names)]
    curves = drawn(tmp_path, bars, toml, figures)["curves"]
    assert [[label, *places] for label, _, *places in curves] == [["small", [1, 10], [3, 11], [4, 12]], ["large × 2", [2, 13], [4, 14]]]
    assert len({style for _, style, *_ in curves}) == 2
    figures += [row | {"engine": "none"} for row in figures]
    assert [curve[0] for curve in drawn(tmp_path, bars, toml, figures)["curves"]] == ["small, model", "large × 2, model", "small, none", "large × 2, none"]
    alone = toml.replace('"small", "large × 2", "*, x*"', '"small", "small, x*"')
    assert [curve[0] for curve in drawn(tmp_path, bars, alone, figures)["curves"]] == ["model", "none"]
