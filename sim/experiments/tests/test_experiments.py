# SPDX-License-Identifier: Apache-2.0
"""The experiments without a guest: scenarios, plans, stored cells, checks, tables."""
import copy
import dataclasses
import functools
import importlib
import json
import math
import os
import shutil
import subprocess
import sys
import time
import tomllib
import types

import pytest
from experiments import ROOM, checks, data, engines, guest, jobs, main, plan, result, scenario, table, versions
from experiments.engines import ENGINES
from system import Trouble, kernels

WANTED = {"capacity", "responsiveness", "curves", "djpeg", "adaptive", "fillmem", "applications", "swap-cache", "lookaside", "hybrid"}
TOML = """
title = "made up"
source = "nowhere"
engines = ["model", "zram", "none"]
quick_engines = ["model"]
runs = 2
[guest]
memory = "96M"
script = "fillmem.sh"
seconds = 10
[[points]]
name = "small"
x = 1
settings = { fill_mb = 1 }
[[points]]
name = "large × 2"
x = 2
quick = false
settings = { fill_mb = 2 }
engines = ["model", "none"]
[[points]]
name = "to come"
not_built = "something"
[metrics]
alive = { class = "count", label = "alive" }
taken_ms = { class = "time", label = "time" }
[[original]]
point = "small"
alive = 6
[[charts]]
name = "living"
kind = "bars"
title = "Who lives"
metrics = ["alive"]
[[checks]]
name = "all live"
measured = { metric = "alive", engine = "pagepress", take = "min" }
relation = ">="
wanted = 8
[[checks]]
name = "a quarter more than without"
measured = { metric = "alive", point = "large × 2", engine = "model" }
over = { metric = "alive", point = "large × 2", engine = "none" }
relation = ">="
wanted = 1.25
[[checks]]
name = "as many as zram"
measured = { metric = "alive", point = "small", engine = "pagepress" }
relation = ">="
wanted = { metric = "alive", point = "small", engine = "zram", times = 0.5 }
"""
ROWS = [
    {"engine": "model", "point": "small", "run": 1, "alive": 8},
    {"engine": "model", "point": "large × 2", "run": 1, "alive": 9, "taken_ms": 100},
    {"engine": "model", "point": "large × 2", "run": 2, "alive": 11, "taken_ms": 300},
    {"engine": "none", "point": "large × 2", "run": 1, "alive": 8},
]


@pytest.fixture
def made_up(tmp_path):
    """A function: made_up(old, new) loads the scenario above, changed so."""

    def load(old="", new=""):
        assert old in TOML
        (tmp_path / "made-up.toml").write_text(TOML.replace(old, new) if old else TOML)
        return scenario.load("made-up", tmp_path)

    return load


def outcome(**metrics):
    return {"metrics": metrics, "samples": [{"step": "1", "free": 5}], "table": [], "seconds": 3.0, "processor_seconds": 2.0, "complaints": []}


def test_every_scenario_of_the_issue_can_be_read():
    assert WANTED <= set(scenario.names())
    for name in scenario.names():
        one = scenario.load(name)
        assert one.source[:3] in ("000", "001", "002", "003", "004", "our")
        for chart in one.charts:
            assert all(point in [p.name for p in one.points] for point in [*chart.get("points", ()), *filter(None, [chart.get("point")])]), chart
            assert chart["kind"] in ("bars", "lines", "samples")
            assert chart["kind"] == "samples" or set(chart["metrics"]) <= set(one.metrics)


@pytest.mark.parametrize(
    "old, new, words",
    [
        ('engines = ["model", "zram", "none"]', 'engines = ["card"]', "there is no engine card"),
        ('name = "large × 2"', 'name = "small"', "two points have the same name"),
        ('class = "count"', 'class = "guess"', "the class of the metric alive"),
        ('relation = ">="\nwanted = 8', 'relation = "~"\nwanted = 8', "the relation is none of"),
        ('{ metric = "alive", engine = "pagepress", take = "min" }', '{ metric = "taken_ms", engine = "model" }', "times are not judged"),
        ('point = "small"\nalive = 6', 'point = "smaller"\nalive = 6', "the original's point smaller"),
        ('script = "fillmem.sh"', 'script = "none.sh"', "there is no guest/none.sh"),
        ('memory = "96M"\n', "", "memory is missing"),
        ('script = "fillmem.sh"', 'script = "fillmem.sh"\nfiles = ["none.c"]', "there is no tests/none.c"),
        ("runs = 2", "runs = ", "Invalid value"),
        ("x = 1\n", 'x = 1\nbeside = "smaller"\n', "the point small stands beside smaller, which is none"),
        ('label = "time" }', 'label = "time", of = "taken", engine = "none" }', "the metric taken_ms is made of a metric"),
        ('take = "min" }', 'tak = "min" }', "the check 'all live' has no tak"),
        ('engine = "pagepress", take = "min" }', 'engine = "pagepress", times = 2 }', "the check 'all live' has no times"),
        ("wanted = 8", "wanted = 8\ntimes = 2", "the check 'all live' has no times"),
        ("quick = false", "quik = false", "the point large × 2 has no quik"),
        ("seconds = 10\n", "seconds = 10\nwait = true\n", "guest has no wait"),
        ('label = "alive" }', 'lable = "alive" }', "the metric alive has no lable"),
        ('name = "large × 2"', 'name = "SMALL"', "the points small and SMALL would be kept in the same file"),
        ('{ metric = "alive", point = "large × 2", engine = "none" }', '{ metric = "alive", point = "large × 2", engine = "zram" }', "zram runs at none of its points"),
        ('{ metric = "alive", engine = "pagepress", take = "min" }', '{ metric = "alive", engine = "disk" }', "disk runs at none of its points"),
        ('over = { metric = "alive", point = "large × 2", engine = "none" }', 'over = { metric = "alive", point = "large × 2", engine = "model" }', "it is measured over itself"),
        ("wanted = 1.25", 'wanted = 1.25\n[[checks]]\nname = "same"\nrelation = "=="\nmeasured = { metric = "alive", engine = "none" }\nwanted = { metric = "alive", engine = "none" }',
         "what is measured is what is wanted"),
        ("seconds = 10\n", "seconds = 10\n[disks]\nswap_seek_ms = 8\n", "both, swap_seek_ms and swap_mb_a_second"),
        ("seconds = 10\n", "seconds = 10\n[disks]\nswap_seek_ms = 8\nswap_mb_a_second = 20\nswap_delay_ms = 8\n", "two kinds of disk"),
        ("[[checks]]", "[[cheks]]", "the file has no cheks"),
        ('name = "to come"\n', "", "the point without name: name is missing"),
        ('memory = "96M"', 'memory = "64M"', "guest: memory is not memory as a guest gets it, 96M or more"),
        ("seconds = 10", 'seconds = "10"', "guest: seconds is not a whole number, at least 1"),
        ('engines = ["model", "zram", "none"]', 'engines = "model"', "the file: engines is not a list"),
        ('engines = ["model", "zram", "none"]', 'engines = ["model", "model"]', "engines has model twice"),
        ('quick_engines = ["model"]', 'quick_engines = ["rtl"]', "quick_engines: there is no engine rtl among model, zram, none"),
        ('engines = ["model", "none"]', 'engines = ["rtl"]', "the point large × 2: there is no engine rtl among"),
        ("quick = false", 'quick = ["zram"]', "quick of the point large × 2: there is no engine zram among model, none"),
        ("fill_mb = 1 ", "fill_mb = \"1'; reboot '\" ", "the point small: settings is not a table of a shell's variables"),
        ("fill_mb = 1 ", "fill-mb = 1 ", "the point small: settings is not a table of a shell's variables"),
        ("fill_mb = 1 ", 'memory = "1T" ', "the point small: memory is not memory"),
        ("fill_mb = 1 ", 'kernel = "6.2" ', "the point small: kernel is not one of 6.1, "),
        ("alive = 6", 'alive = "six"', "an original's table: alive is not a number"),
        ("wanted = 1.25", "wanted = nan", "the check 'a quarter more than without': wanted is not a number"),
        ('kind = "bars"', 'kind = "pie"', "the chart 'living': the kind is none of bars, lines, samples"),
        ('kind = "bars"', 'kind = "samples"', "the chart 'living': point is missing"),
        ('metrics = ["alive"]', 'metrics = ["alive", "lives"]', "the chart 'living': there is no metric lives"),
        ('metrics = ["alive"]', "metrics = []", "the chart 'living': metrics are not 1 to 6"),
        ('name = "living"', 'name = "../living"', "the chart '../living': name is not the name of a file"),
        ('metrics = ["alive"]', 'metrics = ["alive"]\npoints = ["smaller"]', "the chart 'living': there is no point smaller"),
        ('metrics = ["alive"]', 'metrics = ["alive"]\nengines = ["disk"]', "the chart 'living': there is no engine disk among"),
        ('name = "a quarter more than without"', 'name = "all live"', "two checks have the same name"),
    ],
)
def test_what_is_wrong_in_a_scenario_is_said(made_up, old, new, words):
    with pytest.raises(Trouble, match=f"^made-up.toml: .*{words}"):
        made_up(old, new)


def everywhere(value, path=()):
    """Paths to all that a file of TOML holds."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inside:
        yield (*path, key)
        yield from everywhere(one, (*path, key))


def test_whatever_stands_in_a_scenario_gets_a_line_or_runs():
    """At each place of a file another value, or none at all: it is refused by a ValueError, which becomes one line, or plans, checks and tables can be made of it."""
    content = tomllib.loads(TOML)
    for path in everywhere(content):
        for value in (None, "", "x", -1, 0, 2.5, True, [], ["x"], [["x"]], {}, {"x": 1}, [{"x": 1}], math.nan):
            other = copy.deepcopy(content)
            place = functools.reduce(lambda inside, key: inside[key], path[:-1], other)
            if value is None:
                del place[path[-1]]
            else:
                place[path[-1]] = value
            try:
                one = scenario.build("made-up", other)
            except ValueError as error:
                assert str(error) and "\n" not in str(error), (path, value)
                continue
            assert len(plan.cells(one)) == len(set(plan.cells(one))) and plan.fingerprint(one), (path, value)
            checks.judged(one, ROWS)
            list(table.tables(one, ROWS))


def test_a_file_that_is_no_text_gets_one_line(tmp_path):
    (tmp_path / "made-up.toml").write_bytes(b"title = \"\xff\"")
    with pytest.raises(Trouble, match="^made-up.toml: 'utf-8' codec"):
        scenario.load("made-up", tmp_path)


def test_a_scenario_that_the_page_shows_is_read_before_guests_run(made_up, tmp_path, monkeypatch):
    """Not when all have run, though another was chosen."""
    monkeypatch.setattr(result, "RESULTS", tmp_path)
    (tmp_path / "hybrid").mkdir()
    (tmp_path / "hybrid/result.json").write_text("{}")
    load = scenario.load

    def broken(name):
        if name == "hybrid":
            raise Trouble("hybrid.toml: it is broken")
        return load(name)

    monkeypatch.setattr(main.scenario, "load", broken)
    with pytest.raises(Trouble, match="^hybrid.toml: it is broken$"):
        main.experiments(["--check", "NAME=djpeg"])


def test_cells_of_a_plan(made_up):
    one = made_up()
    cells = plan.cells(one)
    assert [(cell.engine, cell.point) for cell in cells[:5]] == [
        ("model", "small"), ("zram", "small"), ("none", "small"), ("model", "large × 2"), ("none", "large × 2"),
    ]  # fmt: skip
    assert len(cells) == 10 and {cell.run for cell in cells[5:]} == {2}
    assert plan.cells(one, quick=True) == [plan.Cell("model", "small", 1)]
    some = made_up("quick = false", 'quick = ["none"]')
    assert plan.cells(some, quick=True) == [plan.Cell("model", "small", 1), plan.Cell("none", "large × 2", 1)]
    assert plan.cells(one, engines=("none",), runs=1) == [plan.Cell("none", "small", 1), plan.Cell("none", "large × 2", 1)]
    assert plan.cells(one, engines=("zram",), quick=True) == [plan.Cell("zram", "small", 1)]
    assert len({cell.file for cell in cells}) == len(cells)
    assert {cell.point for cell in plan.cells(one, called="ar")} == {"large × 2"} and {cell.point for cell in plan.cells(one, called="l")} == {"small", "large × 2"}
    one = dataclasses.replace(one, points=(*one.points, scenario.Point("small, again")))
    assert {cell.point for cell in plan.cells(one, called="small")} == {"small"} and plan.cells(one, called="none") == []


def test_a_killed_run_goes_on_where_it_stopped(made_up, tmp_path):
    one = made_up()
    cell, settings = plan.cells(one)[0], {"fill_mb": 1}
    store = plan.Store(tmp_path / "cells", plan.fingerprint(one))
    assert store.read(cell, settings) is None
    store.write(cell, settings, outcome(alive=8))
    assert store.read(cell, settings)["metrics"] == {"alive": 8}
    # Of other settings, or of a guest that does something else, it is not used again; nor is half a file.
    assert store.read(cell, {"fill_mb": 2}) is None
    other = plan.fingerprint(dataclasses.replace(one, memory="128M"))
    assert other != plan.fingerprint(one) and plan.Store(tmp_path / "cells", other).read(cell, settings) is None
    assert plan.Store(tmp_path / "cells", store.stamp, lambda engine, kernel: f"another driver and card of {engine}").read(cell, settings) is None
    for text in ('{"stamp"', "", "[]", "3", json.dumps({"stamp": store.stamp})):
        (tmp_path / "cells" / cell.file).write_text(text)
        assert store.read(cell, settings) is None


def test_a_script_that_changed_is_measured_again(made_up, tmp_path, monkeypatch):
    room = tmp_path / "room"
    shutil.copytree(ROOM / "guest", room / "guest")
    for name in ("data.py", "versions.py", "guest.py"):
        shutil.copy(ROOM / name, room)
    monkeypatch.setattr(plan, "ROOM", room)
    one, seen = made_up(), set()
    for name in ("guest/fillmem.sh", "guest/common.sh", "guest.py", "data.py"):
        seen.add(plan.fingerprint(one))
        with open(room / name, "a") as file:
            file.write("# another")
    assert len({*seen, plan.fingerprint(one)}) == 5


@pytest.mark.parametrize("failed, failing, status", [(0, 0, 0), (1, 0, 1), (0, 1, 1)])
def test_exit_status_tells_guests_and_checks(monkeypatch, capsys, failed, failing, status):
    monkeypatch.setattr(main.system_run, "check_tools", lambda: None)
    monkeypatch.setattr(main, "measure", lambda *words: failed)
    monkeypatch.setattr(main, "judge", lambda *words: failing)
    monkeypatch.setitem(sys.modules, "experiments.page", types.SimpleNamespace(write=lambda say: None))
    monkeypatch.setattr("experiments.page", sys.modules["experiments.page"], raising=False)
    assert main.experiments(["NAME=recompress"]) == status


def test_checks_that_do_not_hold_are_counted_and_shown(made_up, tmp_path, monkeypatch, capsys):
    """A line each on the screen; on the page holds, fails and what was not run are told apart."""
    one = made_up('relation = ">="\nwanted = 8', 'relation = "=="\nwanted = 8')
    monkeypatch.setattr(main, "RESULTS", tmp_path)
    monkeypatch.setattr(result.write, "__defaults__", (tmp_path,))
    store = plan.Store(tmp_path / "made-up/cells", plan.fingerprint(one))
    for engine, point, alive in (("model", "small", 7), ("model", "large × 2", 10), ("none", "large × 2", 8)):
        store.write(plan.Cell(engine, point, 1), one.point(point).settings, outcome(alive=alive))
    assert main.judge(one, main.Progress(1)) == 1
    assert capsys.readouterr().out == "[experiments] does not hold: made-up: all live (model): 7, wanted == 8\n"
    monkeypatch.setitem(sys.modules, "experiments.chart", types.SimpleNamespace())  # which wants packages that draw
    monkeypatch.setattr("experiments.chart", sys.modules["experiments.chart"], raising=False)
    page = importlib.import_module("experiments.page")
    content = result.content_of(one, store)[0]
    assert [row[1:] for row in page.checks(content)] == [
        ("7", "= 8", "does not hold", "fails"), ("1.250", "≥ 1.250", "holds", "holds"), ("7", "≥ what was not run", "not run", "open")]
    assert [row[1:] for row in page.summary([(one, content, [])])] == [("1 of 3 hold", "1", "1")]
    assert page.not_holding([(one, content, [])]) == [("made-up", "all live (model)", "7", "= 8")]
    for text in (page.as_html([(one, content, [])]), page.as_markdown([(one, content, [])])):
        assert text.index("Does not hold") < text.index("made up")  # the section's title
    assert page.disks(dataclasses.replace(one, root_delay_ms=4, swap_delay_ms=0)) == "; disks delayed: programs by 4 ms"
    assert page.code("of `6.12` and `x`") == "of <code>6.12</code> and <code>x</code>"


def test_driver_and_card_built_anew_are_measured_again(tmp_path, monkeypatch):
    def builds(engine):
        plan.builds.cache_clear()
        return plan.builds(engine)

    cards = {"CARD": tmp_path / "card", "MODEL_CARD": tmp_path / "model"}
    for name, card in cards.items():
        monkeypatch.setattr(engines, name, card)
    before = {engine: builds(engine) for engine in ENGINES}
    cards["CARD"].write_bytes(b"another")
    assert {engine for engine in before if builds(engine) != before[engine]} == {"rtl"}
    cards["MODEL_CARD"].write_bytes(b"another")
    assert {engine for engine in before if builds(engine) != before[engine]} == {"rtl", "model"}
    driver = tmp_path / "driver/pagepress.ko"
    driver.parent.mkdir()
    driver.write_bytes(b"another")
    monkeypatch.setattr(kernels, "BUILD", tmp_path)
    assert {engine for engine in before if builds(engine) != before[engine]} == {"rtl", "model", "software"}
    plan.builds.cache_clear()


def test_checks_hold_fail_or_were_not_run(made_up):
    judged = {check["name"]: check for check in checks.judged(made_up(), ROWS)}
    assert judged["all live (model)"] == {"name": "all live (model)", "holds": True, "measured": 8, "wanted": ">= 8"}
    assert judged["a quarter more than without"]["measured"] == 1.25 and judged["a quarter more than without"]["holds"] is True
    assert judged["as many as zram (model)"]["holds"] is None
    worse = [row | {"alive": row["alive"] - 1} if row["engine"] == "model" else row for row in ROWS]
    judged = {check["name"]: check["holds"] for check in checks.judged(made_up(), [*worse, {"engine": "zram", "point": "small", "run": 1, "alive": 14}])}
    assert judged == {"all live (model)": False, "a quarter more than without": False, "as many as zram (model)": True}
    assert all(check["holds"] is None for check in checks.judged(made_up(), []))
    # A guest that ran and did not report it; something over nothing.
    silent = [{key: value for key, value in row.items() if key != "alive"} for row in ROWS]
    judged = {check["name"]: (check["holds"], check["measured"]) for check in checks.judged(made_up(), silent)}
    assert judged["all live (model)"] == judged["a quarter more than without"] == (False, None)
    nothing = [row | {"alive": 0} if row["engine"] == "none" else row for row in ROWS]
    judged = {check["name"]: (check["holds"], check["measured"]) for check in checks.judged(made_up(), nothing)}
    assert judged["a quarter more than without"] == (True, "infinite")
    judged = {check["name"]: check["holds"] for check in checks.judged(made_up('relation = ">="\nwanted = 1.25', 'relation = "<="\nwanted = 1.25'), nothing)}
    assert judged["a quarter more than without"] is False


def test_result_has_the_shape_that_others_read(made_up, tmp_path):
    one = made_up()
    store = plan.Store(tmp_path / "cells", plan.fingerprint(one))
    store.write(plan.Cell("model", "small", 1), {"fill_mb": 1}, outcome(alive=8, unknown=1))
    result.write(one, store, tmp_path)
    content = json.loads((tmp_path / "made-up/result.json").read_text())
    assert content["scenario"] == "made-up" and content["source"] == "nowhere"
    assert content["rows"] == [{"engine": "model", "point": "small", "run": 1, "alive": 8}]
    assert content["original"] == [{"point": "small", "alive": 6}]
    assert all(set(check) == {"name", "holds", "measured", "wanted"} for check in content["checks"])
    assert content["not_built"] == [{"point": "to come", "what": "something"}]
    assert (tmp_path / "made-up/rows.csv").read_text().splitlines() == ["engine,point,run,alive,taken_ms", "model,small,1,8,"]
    assert (tmp_path / "made-up/samples.csv").read_text().splitlines() == ["engine,point,run,step,free", "model,small,1,1,5"]


def test_a_run_that_failed_hides_no_other(made_up, tmp_path):
    """Runs 2 and 12 are shown though there is no first; a table that no guest prints any more is not."""
    one = made_up()
    store = plan.Store(tmp_path / "cells", plan.fingerprint(one))
    for run in (2, 12):
        store.write(plan.Cell("model", "small", run), {"fill_mb": 1}, outcome(alive=run))
    store.write(plan.Cell("model", "large × 2", 1), {"fill_mb": 2}, outcome(alive=1))
    (tmp_path / "made-up").mkdir()
    (tmp_path / "made-up/tables.txt").write_text("of another time\n")
    result.write(one, store, tmp_path)
    rows = json.loads((tmp_path / "made-up/result.json").read_text())["rows"]
    assert [(row["point"], row["run"], row["alive"]) for row in rows] == [("small", 2, 2), ("small", 12, 12), ("large × 2", 1, 1)]
    assert not (tmp_path / "made-up/tables.txt").exists()


def test_a_metric_is_made_of_others(made_up, tmp_path):
    """How many times as quick as another engine, which ran at that point or at the one it stands beside; of what was not run, nothing."""
    one = made_up('label = "time" }', 'label = "time" }\nspeed_up = { class = "time", label = "speed-up", of = "taken_ms", engine = "none" }')
    one = dataclasses.replace(one, points=(*one.points, scenario.Point("beside", beside="large × 2", engines=("model",))))
    store = plan.Store(tmp_path / "cells", plan.fingerprint(one))
    for engine, point, run, taken in (("none", "large × 2", 1, 300), ("none", "large × 2", 2, 100), ("model", "large × 2", 1, 400), ("model", "beside", 1, 100), ("model", "small", 1, 1)):
        store.write(plan.Cell(engine, point, run), one.point(point).settings, outcome(taken_ms=taken))
    rows = result.content_of(one, store)[0]["rows"]
    assert {(row["engine"], row["point"]): row["speed_up"] for row in rows if "speed_up" in row} == {("model", "large × 2"): 0.5, ("model", "beside"): 2}
    # Without an engine it is the same one at the point beside, and nothing where a point stands alone.
    one = dataclasses.replace(one, metrics={"taken_ms": {"class": "time"}, "gain": {"class": "ratio", "of": "taken_ms"}})
    rows = result.content_of(one, store)[0]["rows"]
    assert {(row["engine"], row["point"]): row["gain"] for row in rows if "gain" in row} == {("model", "beside"): 4}


def test_what_one_point_alone_has_is_one_table(made_up):
    """Metrics down, the original's figures first; what several points have stays together."""
    rows = [row | {"taken_ms": 5} for row in ROWS if row["point"] == "small"] + [{"engine": "zram", "point": "small", "run": 1, "killed": 2}]
    one = made_up('label = "time" }', 'label = "time" }\nkilled = { class = "count" }')
    one = dataclasses.replace(one, points=one.points[:1])
    assert list(table.sheets(one, rows)) == [
        ("small", ["", "original", "model", "zram"], [["alive", "6", "8", "–"], ["time (time, not judged)", "–", "5 (1 run)", "–"], ["killed", "–", "–", "2"]]),
    ]
    assert [caption for caption, _, _ in table.sheets(made_up(), ROWS)] == ["alive", "time (time, not judged)"]


def test_the_best_of_points_that_were_not_all_run_is_open(made_up):
    """A check that wants the best of several fails when the last of them was run, and holds as soon as one suffices."""
    one = made_up('engine = "pagepress", take = "min" }', 'engine = "model", points = ["small", "large × 2"], take = "max" }')

    def holds(*alive):
        rows = [{"engine": "model", "point": point, "run": 1, "alive": number} for point, number in zip(("small", "large × 2"), alive)]
        return checks.judged(one, rows)[0]["holds"]

    assert (holds(7), holds(8), holds(7, 7), holds(7, 9)) == (None, True, False, True)


def test_table_shows_the_original_and_the_spread(made_up):
    tables = {metric: (header, lines) for metric, _, _, header, lines in table.tables(made_up(), ROWS)}
    header, lines = tables["alive"]
    assert header == ["point", "original", "model", "none"]
    assert lines == [["small", "6", "8", "–"], ["large × 2", "–", "10 (9–11)", "8"], ["to come", "–", "not built yet", "not built yet"]]
    assert tables["taken_ms"][1][0] == ["large × 2", "200 (100–300)"]


def test_commonality_by_pages_exceeds_that_by_files(tmp_path):
    """A file that is the same counts in both; of one changed in its second page the first and the third count by pages, the latter by its bytes."""
    page = [bytes([number]) * 4096 for number in range(3)]
    for name, contents in (("old", (page[0], page[0] + page[1] + b"end")), ("new", (page[0], page[0] + page[2] + b"end"))):
        (tmp_path / name).mkdir()
        for number, content in enumerate(contents):
            (tmp_path / name / f"{number}.h").write_bytes(content)
    all_bytes = 4096 + 8195
    assert versions.commonality(tmp_path / "new", tmp_path / "old") == (4096 / all_bytes, (4096 + 4096 + 3) / all_bytes)
    assert versions.commonality(tmp_path / "new", tmp_path / "new") == (1, 1)


@pytest.mark.parametrize("share", [0, *versions.MATCHED.values(), 1])
def test_part_of_an_image_has_that_share_of_its_streams(share, tmp_path):
    pages = [number.to_bytes(4, "little") * 1024 for number in range(200)]
    sectors = {versions.digest(page): number % 8 for number, page in enumerate(pages)}  # 0: a page of zeros, which no stream stands for
    (tmp_path / "plain").write_bytes(b"".join(pages))
    versions.part(tmp_path / "plain", sectors, share, tmp_path / "part")
    held = versions.pages_of((tmp_path / "part").read_bytes())
    taken = sum(sectors[versions.digest(page)] for page in held)
    assert abs(taken - share * sum(sectors.values())) <= 4 and len(set(held)) == len(held)


def test_side_by_side_runs_all_and_ends_all(tmp_path):
    """So many at a time; each one's outcome; whatever ends the parent's loop ends the children, who clean up."""

    def meet(task):
        (tmp_path / f"began-{task}").touch()
        until = time.monotonic() + 60
        while len(list(tmp_path.glob("began-*"))) < 2:  # goes on only where two run at a time
            assert time.monotonic() < until
            time.sleep(0.01)
        return task != "b"

    assert dict(jobs.side_by_side("abc", meet, 2)) == {"a": True, "b": False, "c": True}

    def meet_all(task):
        (tmp_path / f"beside-{task}").touch()
        until = time.monotonic() + 60
        while len(list(tmp_path.glob("beside-*"))) < 4:  # two of each kind
            assert time.monotonic() < until
            time.sleep(0.01)
        return True

    assert len(list(jobs.side_by_side("abcXYZ", meet_all, 2, kind=str.isupper))) == 6

    def alone(task):
        (tmp_path / f"alone-{task}").touch()
        found = len(list(tmp_path.glob("alone-*")))
        time.sleep(0.05)
        (tmp_path / f"alone-{task}").unlink()
        return found == 1

    assert dict(jobs.side_by_side("abc", alone, 1, kind=str.isupper)) == {"a": True, "b": True, "c": True}

    def sleep(task):
        try:
            (tmp_path / f"sleeps-{task}").touch()
            time.sleep(30 if task else 0)
        except KeyboardInterrupt:
            (tmp_path / f"cleaned-{task}").touch()
            raise

    with pytest.raises(RuntimeError):
        for task, well in jobs.side_by_side([0, 1], sleep, 2):
            assert (task, well) == (0, False)
            while not (tmp_path / "sleeps-1").exists():
                time.sleep(0.01)
            raise RuntimeError
    assert (tmp_path / "cleaned-1").exists()


def test_a_run_that_is_killed_outright_leaves_no_guest(tmp_path):
    """Its children end by their clean-up, and write nothing beside the run that goes on."""
    program = """
import sys, time
from pathlib import Path
from experiments import jobs
folder = Path(sys.argv[1])
def work(task):
    (folder / f"began-{task}").touch()
    try:
        time.sleep(600)
    except KeyboardInterrupt:
        (folder / f"cleaned-{task}").touch()
        raise
list(jobs.side_by_side("ab", work, 2))
"""
    run = subprocess.Popen([sys.executable, "-c", program, tmp_path], env=os.environ | {"PYTHONPATH": str(ROOM.parent)})

    def until(name):
        end = time.monotonic() + 60
        while not all((tmp_path / f"{name}-{task}").exists() for task in "ab"):
            assert time.monotonic() < end, name
            time.sleep(0.01)

    until("began")
    run.kill()
    run.wait()
    until("cleaned")


def test_what_guests_share_is_built_before_they_run_side_by_side(made_up, tmp_path, monkeypatch, capfd):
    """Two guests that build the same module at the same time find each other's folder half made."""
    one = made_up("[guest]", "[disks]\nswap_seek_ms = 8\nswap_mb_a_second = 20\n[guest]")
    built = []  # by this process: a guest's process has a list of its own
    monkeypatch.setattr(main, "RESULTS", tmp_path)
    monkeypatch.setattr(result.write, "__defaults__", (tmp_path,))
    monkeypatch.setattr(data, "root_image", lambda say: None)
    monkeypatch.setattr(data, "programs", lambda names: built.append("programs"))
    monkeypatch.setattr(data, "disk_with_arm", lambda kernel: built.append(kernel.name))
    monkeypatch.setattr(guest, "run_cell", lambda *words: outcome(alive=8))
    cells = [(one, cell) for cell in plan.cells(one)]
    assert main.measure(cells, 2, main.Progress(len(cells))) == 0
    assert built == ["programs", kernels.STOCK.name]
    assert "[experiments] ended: made-up, small, model, run 1: 3 s, 2 of them of a processor\n" in capfd.readouterr().out


@pytest.mark.parametrize("where, failed", [("cell", 1), ("rows", None)])
def test_a_full_disk_gets_one_line(made_up, tmp_path, monkeypatch, capfd, where, failed):
    """Of what a guest measured, and the run goes on; of the results of all, and the run ends."""
    one = made_up()
    cell = plan.cells(one)[0]
    monkeypatch.setattr(main, "RESULTS", tmp_path)
    monkeypatch.setattr(result, "RESULTS", tmp_path)
    monkeypatch.setattr(result.write, "__defaults__", (tmp_path,))
    monkeypatch.setattr(data, "root_image", lambda say: None)
    monkeypatch.setattr(data, "programs", lambda names: [])
    monkeypatch.setattr(guest, "run_cell", lambda *words: outcome(alive=8))
    (tmp_path / "made-up/cells").mkdir(parents=True)
    full = tmp_path / "made-up" / {"cell": f"cells/{cell.file}.new", "rows": "rows.csv"}[where]
    full.symlink_to("/dev/full")
    monkeypatch.setattr(main, "experiments", lambda words: main.measure([(one, cell)], 1, main.Progress(1)))
    if failed is None:
        with pytest.raises(Trouble, match="^No space left on device, while results were written$"):
            main.main([])
    else:
        assert main.main([]) == failed
        said = [line for line in capfd.readouterr().out.splitlines() if "FAILED" in line]
        assert said == ["[experiments] FAILED made-up, small, model, run 1: No space left on device, while results were written"]


def test_reports_of_a_guest():
    said = []
    reports = guest.Reports(said.append)
    for name, value in [("metric", "open 5"), ("metric", "share 0.25"), ("metric", "change -3"), ("sample", "3 free=7 pool=0.5"), ("say", "half done"), ("exit", "0")]:
        reports(name, value)
    assert reports.metrics == {"open": 5, "share": 0.25, "change": -3} and reports.samples == [{"step": "3", "free": 7, "pool": 0.5}] and said == ["half done"]
    with pytest.raises(Trouble, match="'many' where a number"):
        reports("metric", "open many")


def test_scripts_of_the_guest_are_shell():
    for path in (ROOM / "guest").glob("*.sh"):
        done = subprocess.run(["sh", "-n", path], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "word, answer",
    [
        ("NAME=djpg", "NAME=djpg: there is no experiment djpg: choose of "),
        ("ENGINES=modl", f"ENGINES=modl: there is no engine modl: choose of {' '.join(ENGINES)}"),
        ("RUNS=0", "RUNS=0: write a whole number, at least 1"),
        ("RUNS=x", "RUNS=x: write a whole number, at least 1"),
        ("RUNS=99999999999", "RUNS=99999999999: write a whole number, at most 1000"),
        ("QUICK=yes", "QUICK=yes: write 0 or 1"),
        ("SPEED=1", "unknown argument 'SPEED=1'"),
    ],
)
def test_wrong_words_get_one_line(word, answer):
    done = subprocess.run([ROOM / "run", "--check", word], capture_output=True, text=True)
    lines = done.stderr.splitlines()
    assert done.returncode == 1 and len(lines) == 1 and lines[0].startswith(f"experiments: {answer}"), done


@pytest.mark.parametrize(
    "name, answer",
    [
        ("it's", "experiments: NAME=it's: there is no experiment it's: choose of "),
        ('"; false "', 'experiments: NAME="; false ": there is no experiment ";: choose of '),
        (" ", "experiment: say which: make experiment NAME=djpeg"),
    ],
)
def test_make_hands_words_on_as_they_are(name, answer):
    done = subprocess.run(["make", "-C", ROOM.parents[1], "experiment", f"NAME={name}"], capture_output=True, text=True, env={key: value for key, value in os.environ.items() if not key.startswith("MAKE")})
    lines = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert done.returncode == 2 and len(lines) == 1 and lines[0].startswith(answer), done


@pytest.mark.parametrize(
    "words, answer",
    [
        (["NAME=recompress adaptive", "ENGINES=none"], "none of recompress adaptive has anything to run on none"),
        (["NAME=djpeg", "POINT=3 GB"], "no point of djpeg has '3 GB' in its name: choose of scan × 8; scan × 2; "),
        (["NAME=djpeg", "POINT=card killed", "QUICK=1"], "none of djpeg has anything to run with POINT=card killed QUICK=1"),
        (["NAME=djpeg", "POINT=card killed", "ENGINES=disk"], "none of djpeg has anything to run on disk with POINT=card killed"),
    ],
)
def test_words_that_leave_nothing_to_run_get_one_line(words, answer):
    with pytest.raises(Trouble) as trouble:
        main.experiments([*words, "--check"])
    assert str(trouble.value).startswith(answer) and "\n" not in str(trouble.value)


@pytest.mark.parametrize(
    "words, needs",
    [
        (["QUICK=1"], "6.1 disk model none zram"),
        (["NAME=lookaside"], "6.1 disk model software"),
        (["NAME=djpeg", "POINT=card killed"], "6.1 model rtl"),
        (["NAME=swap-cache", "POINT=Linux 7.x", "ENGINES=zswap"], "7.x zswap"),
        (["NAME=swap-cache", "POINT=sort", "ENGINES=zswap"], "6.1-generic zswap"),
    ],
)
def test_make_builds_what_is_to_be_run(words, needs, capsys):
    assert main.experiments([*words, "--needs"]) == 0
    assert capsys.readouterr().out == needs + "\n"


def test_right_words_and_help():
    assert subprocess.run([ROOM / "run", "--check", "NAME=djpeg capacity", "ENGINES=model none", "RUNS=2", "QUICK=1"], capture_output=True).returncode == 0
    done = subprocess.run([ROOM / "run", "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "ENGINES=" in done.stdout
