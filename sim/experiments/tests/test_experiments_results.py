# SPDX-License-Identifier: Apache-2.0
"""Of what guests reported: checks, results, tables, the page."""
import dataclasses
import importlib
import json
import sys
import types

import pytest
from experiments import checks, main, plan, result, scenario, table
from made_up import ROWS, keep, outcome
from system import kernels


@pytest.fixture
def results(tmp_path, monkeypatch):
    """The folder of all results, which is empty."""
    for module in (main, result):
        monkeypatch.setattr(module, "RESULTS", tmp_path)
    monkeypatch.setattr(result.write, "__defaults__", (tmp_path,))
    return tmp_path


@pytest.fixture
def page(results, monkeypatch):
    """The module, with a stand-in for charts, which want packages that draw."""
    monkeypatch.setitem(sys.modules, "experiments.chart", types.SimpleNamespace(draw=lambda *words: [], ENDINGS=("svg", "png")))
    monkeypatch.setattr("experiments.chart", sys.modules["experiments.chart"], raising=False)
    monkeypatch.delitem(sys.modules, "experiments.page", raising=False)
    page = importlib.import_module("experiments.page")
    monkeypatch.setattr(page, "RESULTS", results)
    return page


def test_checks_that_do_not_hold_are_counted_and_shown(made_up, results, page, capsys):
    """A line each on the screen; on the page holds, fails and what was not run are told apart."""
    one = made_up('relation = ">="\nwanted = 8', 'relation = "=="\nwanted = 8')
    store = plan.Store(results / "made-up/cells", plan.fingerprint(one))
    for engine, point, alive in (("model", "small", 7), ("model", "large × 2", 10), ("none", "large × 2", 8)):
        keep(store, plan.Cell(engine, point, 1), one.point(point).settings, outcome(alive=alive))
    progress = main.Progress(1)
    assert main.judge(one, progress) == 2 and progress.checks() == "checks: 1 hold, 2 do not, 1 need guests that were not run"
    assert capsys.readouterr().out == (
        "[experiments] does not hold: made-up: all live (model, at points of QUICK=1): 7, wanted == 8\n"
        "[experiments] does not hold: made-up: all live (model, at other points): 10, wanted == 8\n")
    content = result.content_of(one, store)[0]
    assert [row[1:] for row in page.checks(content)] == [
        ("7", "= 8", "does not hold", "fails"), ("10", "= 8", "does not hold", "fails"), ("1.250", "≥ 1.250", "holds", "holds"), ("7", "≥ what was not run", "not all run: not in QUICK=1", "open")]
    assert [row[1:] for row in page.summary([(one, content, [])])] == [("1 of 4 hold", "2", "1", "1")]
    assert page.not_holding([(one, content, [])])[0] == ("made-up", "all live (model, at points of QUICK=1)", "7", "= 8")
    for text in (page.as_html([(one, content, [])]), page.as_markdown([(one, content, [])])):
        assert text.index("Does not hold") < text.index("made up")  # the section's title
        assert "Chromium" in text and "gcc" in text  # which do not run
        assert "that it does not decide: 1;" in text
    assert page.disks(dataclasses.replace(one, root_delay_ms=4, swap_delay_ms=0)) == "; disks delayed: programs by 4 ms"
    assert page.code("of `6.12` and `x`") == "of <code>6.12</code> and <code>x</code>"


def test_a_guest_whose_kernel_complained_counts_as_failing(made_up, results, page, capsys):
    """In whatever run it was measured: it is listed in the results and on the page, all that it said."""
    one = made_up()
    store = plan.Store(results / "made-up/cells", plan.fingerprint(one))
    for engine, said in (("model", ["BUG: unable to <handle> it", "WARNING: and more"]), ("zram", [])):
        keep(store, plan.Cell(engine, "small", 1), {"fill_mb": 1}, outcome(alive=8, complaints=said))
    assert main.judge(one, main.Progress(0)) == 1
    assert capsys.readouterr().out == "[experiments] its kernel complained: made-up, small, model, run 1: BUG: unable to <handle> it (and 1 more)\n"
    content = json.loads((results / "made-up/result.json").read_text())
    assert content["complaints"] == [{"engine": "model", "point": "small", "run": 1, "lines": ["BUG: unable to <handle> it", "WARNING: and more"]}]
    sections = [(one, content, [])]
    assert "made-up | small, model, run 1 | BUG: unable to <handle> it |" in page.as_markdown(sections) and "WARNING: and more" in page.as_markdown(sections)
    assert "BUG: unable to &lt;handle&gt; it" in page.as_html(sections)
    assert "complain" not in page.as_html([(one, content | {"complaints": []}, [])])


def test_a_guest_that_failed_is_a_result(made_up, results, page, capsys):
    """Of three runs one hangs: the two others do not stand for it; why is said on the page, and it is run again. When it succeeds, nothing is left of that."""
    one = made_up('engine = "pagepress", take = "min" }', 'engine = "pagepress", point = "small", take = "min" }')
    one = dataclasses.replace(one, checks=one.checks[:1])
    store = plan.Store(results / "made-up/cells", plan.fingerprint(one))
    hung, settings = plan.Cell("model", "small", 2), {"fill_mb": 1}
    for run in (1, 3):
        keep(store, plan.Cell("model", "small", run), settings, outcome(alive=8))
    store.fail(hung, store.key(hung, settings), "the guest did not end within 10 s")
    assert store.read(hung, settings) is None and store.failure(hung, {"fill_mb": 2}) is None
    assert main.judge(one, main.Progress(0)) == 2
    assert capsys.readouterr().out == (
        "[experiments] failed: made-up, small, model, run 2: the guest did not end within 10 s\n"
        "[experiments] does not hold: made-up: all live (model): 8, wanted >= 8\n")
    content = json.loads((results / "made-up/result.json").read_text())
    assert content["failures"] == [{"engine": "model", "point": "small", "run": 2, "why": "the guest did not end within 10 s"}]
    assert [row["run"] for row in content["rows"]] == [1, 3]
    for text in (page.as_markdown([(one, content, [])]), page.as_html([(one, content, [])])):
        assert text.index("the guest did not end within 10 s") < text.index("made up")
    keep(store, hung, settings, outcome(alive=9))
    assert main.judge(one, main.Progress(0)) == 0
    assert json.loads((results / "made-up/result.json").read_text())["failures"] == []


@pytest.mark.parametrize("engine", ["model", "none"])
def test_what_a_failed_guest_was_to_be_compared_by_does_not_hold(engine, made_up, tmp_path):
    """Neither a ratio nor what programs make: of ours or of the guest that it is taken with."""
    one = made_up('label = "time" }', SPEED_UP + '\nwrong = { class = "count", outputs = true }')
    sides = [({"metric": "speed_up", "engine": "model", "point": "large × 2"}, ">=", 2), ({"metric": "wrong", "engine": "model", "point": "large × 2", "take": "max"}, "==", 0)]
    one = dataclasses.replace(one, checks=tuple({"name": side["metric"], "measured": side, "relation": relation, "wanted": wanted} for side, relation, wanted in sides))
    store = plan.Store(tmp_path / "cells", plan.fingerprint(one))
    for name in ("model", "none"):
        cell = plan.Cell(name, "large × 2", 1)
        if name == engine:
            store.fail(cell, store.key(cell, {"fill_mb": 2}), "it hung")
        else:
            keep(store, cell, {"fill_mb": 2}, outcome(("sort", "a"), taken_ms=100))
    assert [check["holds"] for check in result.content_of(one, store)[0]["checks"]] == [False, False]


def test_the_page_is_made_of_what_is_known_now(results, page):
    """A table that a guest with another driver printed is shown no more, nor is it a result."""
    one = scenario.load("applications")
    store = plan.Store(results / "applications/cells", plan.fingerprint(one), lambda engine, kernel: "another driver")
    point = one.point("compressed, swappiness 60")
    keep(store, plan.Cell("model", point.name, 1), point.settings, outcome(NumReads=98765, table=["NumReads: 98765"]))
    result.write(one, store)
    assert "98765" in (results / "applications/tables.txt").read_text()
    page.write(lambda words: None)
    for path in ("index.html", "index.md", "applications/result.json"):
        assert "98765" not in (results / path).read_text()
    assert not (results / "applications/tables.txt").exists()


def test_charts_are_drawn_of_what_has_changed(made_up, results, page, monkeypatch):
    """The page is of all scenarios; a chart that is gone is drawn, and all of one whose figures or samples are others."""
    monkeypatch.setattr(result, "known", lambda: ["one", "other"])
    monkeypatch.setattr(page, "load", lambda name: dataclasses.replace(made_up(), name=name))
    drawn, small = [], plan.Cell("model", "small", 1)

    def draw(scenario, rows, samples, folder):
        for ending in ("svg", "png"):
            (folder / f"living.{ending}").touch()
        drawn.append(scenario.name)
        return ["living"]

    def written(name="one", **measured):
        if measured:
            store = plan.Store(results / name / "cells", plan.fingerprint(made_up()))
            keep(store, small, {"fill_mb": 1}, outcome(alive=8) | measured)
        drawn.clear()
        page.write(lambda words: None)
        assert (results / "index.md").read_text().count("living.png") == 2
        return drawn

    monkeypatch.setattr(page.chart, "draw", draw)
    assert written() == ["one", "other"] and written() == []
    assert written(metrics={"alive": 7}) == ["one"] and written(samples=[{"step": "1", "free": 6}]) == ["one"] and written() == []
    (results / "other/living.svg").unlink()
    assert written() == ["other"]


ALL_LIVE = "all live (model, at points of QUICK=1)"


def test_checks_hold_fail_or_were_not_run(made_up):
    judged = {check["name"]: check for check in checks.judged(made_up(), ROWS)}
    assert judged[ALL_LIVE] == {"name": ALL_LIVE, "holds": True, "measured": 8, "wanted": ">= 8"}
    assert judged["a quarter more than without"]["measured"] == 1.25 and judged["a quarter more than without"]["holds"] is True
    assert judged["as many as zram (model)"]["holds"] is None
    worse = [row | {"alive": row["alive"] - 1} if row["engine"] == "model" else row for row in ROWS]
    judged = {check["name"]: check["holds"] for check in checks.judged(made_up(), [*worse, {"engine": "zram", "point": "small", "run": 1, "alive": 14}])}
    assert judged == {ALL_LIVE: False, "all live (model, at other points)": True, "a quarter more than without": False, "as many as zram (model)": True}
    assert all(check["holds"] is None for check in checks.judged(made_up(), []))
    # A guest that ran and did not report it; something over nothing.
    silent = [{key: value for key, value in row.items() if key != "alive"} for row in ROWS]
    judged = {check["name"]: (check["holds"], check["measured"]) for check in checks.judged(made_up(), silent)}
    assert judged[ALL_LIVE] == judged["a quarter more than without"] == (False, None)
    nothing = [row | {"alive": 0} if row["engine"] == "none" else row for row in ROWS]
    judged = {check["name"]: (check["holds"], check["measured"]) for check in checks.judged(made_up(), nothing)}
    assert judged["a quarter more than without"] == (True, table.INFINITE) and table.number(table.INFINITE) == "infinite"
    assert json.loads(json.dumps(table.INFINITE)) == table.INFINITE == 1.7976931348623157e308  # README.md
    judged = {check["name"]: check["holds"] for check in checks.judged(made_up('relation = ">="\nwanted = 1.25', 'relation = "<="\nwanted = 1.25'), nothing)}
    assert judged["a quarter more than without"] is False


def test_result_has_the_shape_that_others_read(made_up, tmp_path):
    one = made_up()
    store = plan.Store(tmp_path / "cells", plan.fingerprint(one))
    keep(store, plan.Cell("model", "small", 1), {"fill_mb": 1}, outcome(alive=8, unknown=1))
    result.write(one, store, tmp_path)
    content = json.loads((tmp_path / "made-up/result.json").read_text())
    assert content["scenario"] == "made-up" and content["source"] == "nowhere"
    assert content["rows"] == [{"engine": "model", "point": "small", "run": 1, "alive": 8}]
    assert content["original"] == [{"point": "small", "alive": 6}]
    assert all(set(check) == {"name", "holds", "measured", "wanted"} for check in content["checks"])
    assert content["not_built"] == [{"point": "to come", "what": "something"}]
    assert (tmp_path / "made-up/rows.csv").read_text().splitlines() == ["engine,point,run,alive,taken_ms", "model,small,1,8,"]
    assert (tmp_path / "made-up/samples.csv").read_text().splitlines() == ["engine,point,run,step,free", "model,small,1,1,5"]


def test_versions_of_all_that_ran_are_told(made_up, tmp_path, page, monkeypatch):
    """Programs, sort among them, the kernel of each engine that there is, and the headers that are compared."""
    monkeypatch.setattr(result, "TOOLS", tmp_path / "tools")
    monkeypatch.setattr(result, "GUEST_PROGRAMS", tmp_path / "guest-programs")
    monkeypatch.setattr(kernels, "BUILD", tmp_path)
    monkeypatch.setattr(result.versions, "releases", lambda: ["linux-headers-7.1-common"])
    for path, text in (("tools/packages.json", '{"ffmpeg": "5.1"}'), ("guest-programs/packages.json", '{"coreutils": "9.1", "fio": "3.33"}'), ("tools/kernels/6.1/release", "6.1.0-1\n")):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    one = made_up()
    content = result.content_of(one, plan.Store(tmp_path / "cells", ""))[0]
    assert {key: content[key] for key in ("packages", "kernels", "headers")} == {
        "packages": {"ffmpeg": "5.1", "coreutils": "9.1"}, "kernels": {"6.1": "6.1.0-1"}, "headers": ["linux-headers-7.1-common"]}
    said = "Debian packages: ffmpeg 5.1, coreutils 9.1. Kernels: 6.1 (6.1.0-1). Headers that are compared: linux-headers-7.1-common."
    assert said in page.as_html([(one, content, [])]) and said in page.as_markdown([(one, content, [])])


def test_a_run_that_failed_hides_no_other(made_up, tmp_path):
    """Runs 2 and 12 are shown though there is no first; a table that no guest prints any more is not."""
    one = made_up()
    store = plan.Store(tmp_path / "cells", plan.fingerprint(one))
    for run in (2, 12):
        keep(store, plan.Cell("model", "small", run), {"fill_mb": 1}, outcome(alive=run))
    keep(store, plan.Cell("model", "large × 2", 1), {"fill_mb": 2}, outcome(alive=1))
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
        keep(store, plan.Cell(engine, point, run), one.point(point).settings, outcome(taken_ms=taken))
    rows = result.content_of(one, store)[0]["rows"]
    assert {(row["engine"], row["point"]): row["speed_up"] for row in rows if "speed_up" in row} == {("model", "large × 2"): 0.5, ("model", "beside"): 2}
    # Without an engine it is the same one at the point beside, and nothing where a point stands alone.
    one = dataclasses.replace(one, checks=(), metrics={"taken_ms": {"class": "time"}, "gain": {"class": "ratio", "of": "taken_ms"}})
    rows = result.content_of(one, store)[0]["rows"]
    assert {(row["engine"], row["point"]): row["gain"] for row in rows if "gain" in row} == {("model", "beside"): 4}


def test_what_programs_make_is_compared_with_a_guest_that_compresses_nothing(made_up, tmp_path):
    """Counted wherever it differs, at whatever point; what no such guest made is neither right nor wrong, however many agree, and no check of it holds."""
    wrong = 'label = "time" }\nwrong = { class = "count", outputs = true }'
    one = made_up('label = "time" }', wrong)
    one = dataclasses.replace(one, checks=({"name": "right", "measured": {"metric": "wrong", "engine": "pagepress", "take": "max"}, "relation": "==", "wanted": 0},))
    store = plan.Store(tmp_path / "cells", plan.fingerprint(one))

    def judge(**cells):
        for engine, (point, outputs) in cells.items():
            keep(store, plan.Cell(engine, point, 1), one.point(point).settings, outcome(*outputs, alive=1))
        content = result.content_of(one, store)[0]
        return {(row["engine"], row["point"]): row.get("wrong") for row in content["rows"]}, content["checks"][0]["holds"]

    small, large = ("model", "small"), ("model", "large × 2")
    assert judge(model=("small", [("sort", "a"), ("sort", "a")])) == ({small: None}, None)
    assert judge(model=("large × 2", [("sort", "a")])) == ({small: None, large: None}, None)
    assert judge(zram=("small", [("sort", "a")]))[0] == {small: None, large: None, ("zram", "small"): None}
    (store.folder / plan.Cell("zram", "small", 1).file).unlink()
    # The plain engine is right, though ours ran first and agree.
    assert judge(none=("large × 2", [("sort", "b")])) == ({small: 2, large: 1, ("none", "large × 2"): 0}, False)
    assert judge(none=("large × 2", [("sort", "a")])) == ({small: 0, large: 0, ("none", "large × 2"): 0}, True)
    assert judge(model=("small", [("sort", "a"), ("fft", "f")]))[0][small] is None


def test_what_one_point_alone_has_is_one_table(made_up):
    """Metrics down, the original's figures first; what several points have stays together."""
    rows = [row | {"taken_ms": 5} for row in ROWS if row["point"] == "small"] + [{"engine": "zram", "point": "small", "run": 1, "killed": 2}]
    one = made_up('label = "time" }', 'label = "time" }\nkilled = { class = "count" }')
    one = dataclasses.replace(one, points=one.points[:1])
    assert list(table.sheets(one, rows)) == [
        ("small", ["", "original", "model", "zram"], [["alive", "6", "8", "–"], ["time (time, not judged)", "–", "5 (1 run)", "–"], ["killed", "–", "–", "2"]]),
    ]
    assert [caption for caption, _, _ in table.sheets(made_up(), ROWS)] == ["alive", "time (time, not judged)"]
    one = dataclasses.replace(made_up(), checks=({"measured": {"metric": "taken_ms"}},))
    assert [caption for caption, _, _ in table.sheets(one, ROWS)] == ["alive", "time (time, judged as a ratio)"]


def judge_first(one, *rows):
    """How the first check ended at all its points, of rows (engine, point, alive)."""
    rows = [{"engine": engine, "point": point, "run": 1} | ({} if alive is None else {"alive": alive}) for engine, point, alive in rows]
    ends = [check["holds"] for check in checks.judged(one, rows) if check["name"].startswith(one.checks[0]["name"])]
    return False if False in ends else None if None in ends else True


def test_what_is_to_be_so_at_each_point_is_judged_at_those_of_a_quick_run_alone(made_up):
    """No gap of a quick run's keeps it open; of what is judged by the best or the middle of all there are no parts, nor of what is measured against other points."""
    quick, whole = ROWS[:1], ROWS
    parts = ("all live (model, at points of QUICK=1)", "all live (model, at other points)")
    assert [(check["name"], check["holds"], check["measured"]) for check in checks.judged(made_up(), quick)[:2]] == [(parts[0], True, 8), (parts[1], None, None)]
    assert [(check["name"], check["holds"], check["measured"]) for check in checks.judged(made_up(), whole)[:2]] == [(parts[0], True, 8), (parts[1], True, 9)]
    for name, old, new in (
        ("all live (software)", 'engines = ["model", "zram", "none"]', 'engines = ["model", "software", "zram", "none"]'),  # whose points are no quick run's
        ("all live (model)", 'take = "min" }', 'take = "max" }'),
        ("all live (model)", 'take = "min" }', 'point = "small", take = "min" }'),
        ("all live (model)", "wanted = 8", 'wanted = { metric = "alive", engine = "none", take = "max" }'),
        ("all live", 'engine = "pagepress", take = "min" }', 'engine = "none", take = "min" }'),
    ):
        rows = [row | {"engine": "software"} if "software" in name else row for row in quick]
        assert checks.judged(made_up(old, new), rows)[0]["name"] == name


def test_checks_that_need_what_a_quick_run_leaves_out_are_told(made_up):
    """Points, engines, and guests that a figure is made of; whatever has been run."""
    one = made_up('label = "time" }', SPEED_UP)
    one = dataclasses.replace(one, checks=(*one.checks, {"name": "quick", "measured": {"metric": "speed_up", "engine": "model", "point": "small"}, "relation": ">=", "wanted": 2}))
    names = ["all live (model, at other points)", "a quarter more than without", "as many as zram (model)", "quick"]
    assert checks.beyond_quick(one, ROWS) == names
    assert checks.beyond_quick(one, []) == ["all live", *(name.replace(" (model)", "") for name in names[1:])]
    assert checks.beyond_quick(one, [], [{"engine": "model", "point": "small", "run": 1, "why": "it hung"}]) == names
    with_none = dataclasses.replace(one, quick_engines=("model", "none"))
    assert checks.beyond_quick(with_none, ROWS) == names[:3]


def test_a_check_is_open_while_a_point_that_it_needs_was_not_run(made_up):
    """Of every point, or of those named; what was run already can make it fail, not hold. A point that is not built yet is not waited for."""
    for one in (made_up(), made_up('engine = "pagepress", take = "min" }', 'engine = "pagepress", points = ["small", "large × 2"], take = "min" }')):
        small, large = ("model", "small"), ("model", "large × 2")
        assert judge_first(one, (*small, 8)) is None and judge_first(one, (*small, 8), (*large, 9)) is True
        assert judge_first(one, (*small, 7)) is False and judge_first(one, (*large, 8), (*small, 7)) is False
        # A guest that ran and reported nothing is no hole in what was run.
        assert judge_first(one, (*small, 8), (*large, None)) is False
    none_wrong = made_up('take = "min" }\nrelation = ">="\nwanted = 8', 'take = "max" }\nrelation = "=="\nwanted = 0')
    assert [judge_first(none_wrong, *rows) for rows in ([("model", "small", 0)], [("model", "small", 1)], [("model", "small", 0), ("model", "large × 2", 0)])] == [None, False, True]
    # The middle of all may be anywhere as long as one is missing.
    middle = made_up('engine = "pagepress", take = "min" }', 'engine = "pagepress" }')
    assert judge_first(middle, ("model", "small", 9)) is None and judge_first(middle, ("model", "small", 7)) is None


def test_no_run_that_did_not_report_is_left_out(made_up):
    """Of three at one point: what the others found is not the least, the most or the middle of all."""
    small = ("model", "small")
    for take, relation in (("min", ">="), ("median", ">="), ("max", "==")):
        one = made_up('engine = "pagepress", take = "min" }\nrelation = ">="', f'engine = "pagepress", point = "small", take = "{take}" }}\nrelation = "{relation}"')
        assert judge_first(one, (*small, 8), (*small, 8), (*small, 8)) is True and judge_first(one, (*small, 8), (*small, None), (*small, 8)) is False


SPEED_UP = 'label = "time" }\nspeed_up = { class = "ratio", label = "speed-up", of = "taken_ms", engine = "none" }'


@pytest.mark.parametrize(
    "ours, theirs, holds",
    [([100, 100], [200], True), ([100, None], [200], False), ([None], [200], False), ([None], [], False), ([100], [], None), ([], [200], None), ([100], [200, None], False), ([100], [None], False)],
)
def test_what_is_made_of_another_metric_is_missing_where_that_was_not_reported(ours, theirs, holds, made_up, tmp_path):
    """By a program of ours that was killed, or by one of those that it is measured against; what was not run is open."""
    one = dataclasses.replace(made_up('label = "time" }', SPEED_UP), checks=({"name": "quick", "measured": {"metric": "speed_up", "engine": "model", "point": "large × 2"}, "relation": ">=", "wanted": 2},))
    store = plan.Store(tmp_path / "cells", plan.fingerprint(one))
    for engine, times in (("model", ours), ("none", theirs)):
        for run, taken in enumerate(times, 1):
            keep(store, plan.Cell(engine, "large × 2", run), {"fill_mb": 2}, outcome(**({} if taken is None else {"taken_ms": taken})))
    assert result.content_of(one, store)[0]["checks"][0]["holds"] is holds


def test_programs_that_made_nothing_are_not_right(made_up, tmp_path):
    """What nobody made too is open; a guest that ran and made nothing is no guest that was not run."""
    one = made_up('label = "time" }', 'label = "time" }\nwrong = { class = "count", outputs = true }')
    one = dataclasses.replace(one, checks=({"name": "right", "measured": {"metric": "wrong", "engine": "model", "point": "small", "take": "max"}, "relation": "==", "wanted": 0},))
    store = plan.Store(tmp_path / "cells", plan.fingerprint(one))

    def judge(engine, run, *outputs):
        keep(store, plan.Cell(engine, "small", run), {"fill_mb": 1}, outcome(*outputs, alive=1))
        return result.content_of(one, store)[0]["checks"][0]["holds"]

    assert [judge("model", 1, ("sort", "a")), judge("none", 1, ("sort", "a")), judge("model", 2)] == [None, True, False]
    assert judge("model", 2, ("fft", "f")) is None  # which nobody else made: the other run does not stand for it


def test_an_engine_is_judged_where_it_has_all_points_of_a_check(made_up):
    """One that lacks a point is not "not run" there for ever."""
    one = made_up('engines = ["model", "zram", "none"]', 'engines = ["model", "software", "zram", "none"]')
    check = {"name": "all", "measured": {"metric": "alive", "engine": "pagepress", "points": ["small", "large × 2"], "take": "min"}, "relation": ">=", "wanted": 8}
    one = dataclasses.replace(one, checks=(check,))
    rows = [{"engine": engine, "point": point, "run": 1, "alive": 8} for engine, point in (("model", "small"), ("model", "large × 2"), ("software", "small"))]
    assert [(check["name"], check["holds"]) for check in checks.judged(one, rows)] == [("all (model, at points of QUICK=1)", True), ("all (model, at other points)", True)]


def test_the_best_of_points_that_were_not_all_run_is_open(made_up):
    """A check that wants the best of several fails when the last of them was run, and holds as soon as one suffices."""
    one = made_up('engine = "pagepress", take = "min" }', 'engine = "model", points = ["small", "large × 2"], take = "max" }')

    def holds(*alive):
        return judge_first(one, *(("model", point, number) for point, number in zip(("small", "large × 2"), alive)))

    assert (holds(7), holds(8), holds(7, 7), holds(7, 9)) == (None, True, False, True)


def test_what_is_wanted_of_points_that_were_not_all_run_is_open(made_up):
    """At most 1.5 times the least of several: one that was not run could be less; more than 1.5 times one that was run is too much already."""
    one = made_up('engine = "pagepress", take = "min" }\nrelation = ">="\nwanted = 8',
                  'engine = "pagepress", point = "small" }\nrelation = "<="\nwanted = { metric = "alive", points = ["small", "large × 2"], engine = "none", take = "min", times = 1.5 }')
    ours = ("model", "small", 15)
    assert judge_first(one, ours) is None and judge_first(one, ours, ("none", "small", 10)) is None and judge_first(one, ours, ("none", "small", 9)) is False
    assert judge_first(one, ours, ("none", "small", 10), ("none", "large × 2", 11)) is True


def test_table_shows_the_original_and_the_spread(made_up):
    tables = {metric: (header, lines) for metric, _, _, header, lines in table.tables(made_up(), ROWS)}
    header, lines = tables["alive"]
    assert header == ["point", "original", "model", "none"]
    assert lines == [["small", "6", "8", "–"], ["large × 2", "–", "10 (9–11)", "8"], ["to come", "–", "not built yet", "not built yet"]]
    assert tables["taken_ms"][1][0] == ["large × 2", "200 (100–300)"]
