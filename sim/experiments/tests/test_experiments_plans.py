# SPDX-License-Identifier: Apache-2.0
"""What is to be run, what an earlier run has measured, and guests beside each other."""
import dataclasses
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import types
from pathlib import Path

import pytest
from experiments import ROOM, data, engines, guest, jobs, main, plan, result, scenario, versions
from experiments.engines import ENGINES
from made_up import keep, outcome
from system import Trouble, kernels


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
    keep(store, cell, settings, outcome(alive=8))
    assert store.read(cell, settings)["metrics"] == {"alive": 8}
    # Of other settings, or of a guest that does something else, it is not used again; nor is half a file.
    assert store.read(cell, {"fill_mb": 2}) is None
    other = plan.fingerprint(dataclasses.replace(one, memory="128M"))
    assert other != plan.fingerprint(one) and plan.Store(tmp_path / "cells", other).read(cell, settings) is None
    assert plan.Store(tmp_path / "cells", store.stamp, lambda engine, kernel: f"another driver and card of {engine}").read(cell, settings) is None
    for text in ('{"stamp"', "", "[]", "3", json.dumps({"stamp": store.stamp})):
        (tmp_path / "cells" / cell.file).write_text(text)
        assert store.read(cell, settings) is None


def test_what_is_measured_afresh_is_known_no_more(made_up, tmp_path, monkeypatch, capsys):
    """From the beginning: neither is an old outcome a result where its guest fails, nor does a run that goes on after a kill skip it."""
    one, ran = made_up(), []
    cells = plan.cells(one, engines=("model",))
    monkeypatch.setattr(main.scenario, "load", lambda name: one)
    monkeypatch.setattr(main, "RESULTS", tmp_path)
    monkeypatch.setattr(result, "RESULTS", tmp_path)
    monkeypatch.setattr(result.write, "__defaults__", (tmp_path,))
    monkeypatch.setattr(main.system_run, "check_tools", lambda: None)
    monkeypatch.setattr(data, "root_image", lambda say: None)
    monkeypatch.setattr(data, "programs", lambda names: [])
    monkeypatch.setitem(sys.modules, "experiments.page", types.SimpleNamespace(write=lambda say: None))
    monkeypatch.setattr("experiments.page", sys.modules["experiments.page"], raising=False)

    def run_all(words, killed_after):
        """The guests that began; those after so many are killed."""
        ran.clear()

        def side_by_side(wanted, work, at_once, kind):
            for task in wanted:
                if len(ran) == killed_after:
                    raise KeyboardInterrupt
                ran.append(task[1])
                yield task, 0 if work(task) else jobs.NOT_WELL

        monkeypatch.setattr(jobs, "side_by_side", side_by_side)
        main.experiments(["NAME=djpeg", "ENGINES=model", *words])

    monkeypatch.setattr(guest, "run_cell", lambda *words: outcome(alive=7))
    run_all([], None)
    assert ran == cells
    run_all([], None)
    assert ran == []
    monkeypatch.setattr(guest, "run_cell", lambda *words: outcome(alive=8))
    with pytest.raises(KeyboardInterrupt):
        run_all(["FRESH=1"], 1)
    run_all([], None)
    assert ran == cells[1:]

    def run_cell(*words):
        raise Trouble("the guest did not end")

    monkeypatch.setattr(guest, "run_cell", run_cell)
    run_all(["FRESH=1", "POINT=small"], None)
    content = json.loads((tmp_path / "made-up/result.json").read_text())
    assert {row["point"] for row in content["rows"]} == {"large × 2"} and len(ran) == 2
    assert [(one["point"], one["run"], one["why"]) for one in content["failures"]] == [("small", run, "the guest did not end") for run in (1, 2)]
    run_all([], None)
    assert [cell.point for cell in ran] == ["small", "small"]


def test_a_script_that_changed_is_measured_again(made_up, tmp_path, monkeypatch):
    room = tmp_path / "room"
    shutil.copytree(ROOM / "guest", room / "guest")
    for name in ("data.py", "engines.py", "versions.py", "guest.py"):
        shutil.copy(ROOM / name, room)
    shutil.copytree(ROOM.parent / "system", tmp_path / "system")
    monkeypatch.setattr(plan, "ROOM", room)
    monkeypatch.setattr(plan, "SYSTEM", tmp_path / "system")
    one, seen = made_up(), set()
    changed = ("guest/fillmem.sh", "guest/common.sh", "guest.py", "data.py", "../system/boot.py", "../system/inside/init")
    for name in changed:
        plan.sources.cache_clear()
        seen.add(plan.fingerprint(one))
        with open(room / name, "a") as file:
            file.write("# another")
    # Python that is written to while a run goes on is not what it runs; its next one measures again.
    assert plan.fingerprint(one) in seen
    plan.sources.cache_clear()
    assert len({*seen, plan.fingerprint(one)}) == 1 + len(changed)
    plan.sources.cache_clear()


@pytest.fixture
def inputs(tmp_path, monkeypatch):
    """{what the disk of programs and data is made of: a file that stands in for it}."""
    for module, name in ((data, "TOOLS"), (data, "GUEST_PROGRAMS"), (data.sample_pages, "CORPUS")):
        monkeypatch.setattr(module, name, tmp_path / name)
    monkeypatch.setattr(versions, "CONTROL", tmp_path / "pagepressctl")
    monkeypatch.setattr(data.sample_pages, "__file__", str(tmp_path / "sample_pages.py"))
    for name in ("TOOLS/packages.json", "GUEST_PROGRAMS/bin/sort", "CORPUS/pages.xz", "CORPUS/pages.json", "pagepressctl", "sample_pages.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("one")
    monkeypatch.setattr(versions, "releases", lambda: ["7.1"])
    data.stamp.cache_clear()
    yield [path for path in tmp_path.rglob("*") if path.is_file()]
    data.stamp.cache_clear()


def test_whatever_the_disk_is_made_of_is_in_the_key_of_disk_and_cells(made_up, inputs, monkeypatch):
    """A disk made of something else is made anew, and what guests measured of it is measured again."""
    one, stamps, keys = made_up(), [data.stamp()], [plan.fingerprint(made_up())]

    def look():
        data.stamp.cache_clear()
        stamps.append(data.stamp())
        keys.append(plan.fingerprint(one))

    assert len(inputs) == 6
    for path in inputs:
        path.write_text("another")
        look()
    monkeypatch.setattr(versions, "releases", lambda: ["7.2"])
    look()

    def none():
        raise Trouble("there are no headers")

    monkeypatch.setattr(versions, "releases", none)
    inputs[0].unlink()  # results are shown all the same
    look()
    assert len(set(stamps)) == len(set(keys)) == 9


def test_the_sum_of_a_picture_is_of_what_is_made_of_it_here(tmp_path, monkeypatch):
    """Which does not go to the guest."""
    monkeypatch.setattr(data, "on_host", lambda program, *words: words[2].write_bytes(b"made of " + words[3].name.encode()))
    data.sum_of_picture(tmp_path, "baseline")
    assert [path.name for path in tmp_path.iterdir()] == ["baseline.sum"]
    assert (tmp_path / "baseline.sum").read_text() == hashlib.md5(b"made of baseline.jpg").hexdigest() + "\n"


def test_a_module_is_built_anew_for_another_kernel_of_that_name(tmp_path, monkeypatch):
    """Which is installed where the one lay that it was built for."""
    monkeypatch.setattr(data, "RESULTS", tmp_path)
    monkeypatch.setattr(kernels, "BUILD", tmp_path)
    release = kernels.STOCK.folder / "release"
    release.parent.mkdir(parents=True)
    release.write_text("6.1.0-1")
    built = tmp_path / "programs" / kernels.STOCK.name / "disk_with_arm.ko"
    builds = []

    def run(command, **words):
        if command[0] == "make":
            builds.append(command)
            Path(next(word[2:] for word in command if word.startswith("M=")), built.name).write_bytes(b"module")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(data.subprocess, "run", run)
    for age, wanted in ((-60, 1), (-60, 1), (60, 2)):  # seconds by which the kernel is newer
        if built.exists():
            os.utime(release, (built.stat().st_mtime + age,) * 2)
        assert data.disk_with_arm(kernels.STOCK) == built and len(builds) == wanted


def test_what_a_killed_build_left_is_no_program(tmp_path, monkeypatch):
    """gcc, ld and strip may end anywhere in a file; the next run builds it anew."""
    monkeypatch.setattr(data, "RESULTS", tmp_path)
    monkeypatch.setattr(kernels, "BUILD", tmp_path)
    (kernels.STOCK.folder).mkdir(parents=True)
    (kernels.STOCK.folder / "release").write_text("6.1.0-1")
    whole = False

    def run(command, **words):
        module = next((word[2:] for word in map(str, command) if word.startswith("M=")), None)
        written = Path(module, "disk_with_arm.ko") if module else Path(command[-1] if command[0] == "strip" else command[command.index("-o") + 1])
        written.write_bytes(b"whole" if whole else b"wh")
        if not whole and command[0] != "make":
            raise KeyboardInterrupt
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(data.subprocess, "run", run)
    for build in (lambda: data.programs(["fill"])[0], lambda: data.disk_with_arm(kernels.STOCK)):
        whole = False
        with pytest.raises(KeyboardInterrupt):
            build()
        whole = True
        assert build().read_bytes() == b"whole"


def test_a_program_is_built_anew_when_what_builds_it_has_changed(tmp_path, monkeypatch):
    """Its source, the command that compiles it, or packages, of which it has a library."""
    source, command, packages = tmp_path / "fill.c", tmp_path / "data.py", tmp_path / "packages.json"
    for name, value in (("RESULTS", tmp_path), ("TOOLS", tmp_path), ("__file__", str(command)), ("program", lambda name: tmp_path / name)):
        monkeypatch.setattr(data, name, value)
    built = []

    def run(command, **words):
        built.append(command)
        Path(command[command.index("-o") + 1]).write_bytes(b"program")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(data.subprocess, "run", run)
    for path in (source, command, packages):
        path.write_text("")
        os.utime(path, (1, 1))
    for number, changed in enumerate((source, command, packages), 1):
        program, = data.programs(["fill"])
        data.programs(["fill"])
        assert len(built) == number
        os.utime(changed, (program.stat().st_mtime + 60,) * 2)
        data.programs(["fill"])
        assert len(built) == number + 1
        os.utime(changed, (1, 1))


def test_driver_and_card_older_than_their_sources_are_measured_again(tmp_path, monkeypatch):
    """Also the driver for a kernel that this run has not built it for; what an older one measured is not this tree's."""

    def all_builds():
        plan.builds.cache_clear()
        return {name: plan.builds(*name) for name in [*((engine, None) for engine in ENGINES), ("model", "7.x")]}

    def changed(path):
        """What is measured again when that is newer than all that was built; and not when it was built then."""
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
        os.utime(tmp_path / path, (2000, 2000))
        after = all_builds()
        os.utime(tmp_path / path, (0, 0))
        assert all_builds() == before
        return {name for name in before if after[name] != before[name]}

    monkeypatch.setattr(plan, "REPOSITORY", tmp_path)
    monkeypatch.setattr(kernels, "BUILD", tmp_path / "build")
    monkeypatch.setattr(plan, "CONTROL", tmp_path / "build/pagepressctl")
    for name in ("CARD", "MODEL_CARD"):
        monkeypatch.setattr(engines, name, tmp_path / "build" / name)
    for path in (engines.CARD, engines.MODEL_CARD, kernels.STOCK.driver, kernels.Kernel("7.x").driver):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"one")
        os.utime(path, (1000, 1000))
    before = all_builds()
    ours, models = {("rtl", None), ("model", None), ("software", None), ("model", "7.x")}, {("rtl", None), ("model", None), ("model", "7.x")}
    assert changed("driver/block/bio.c") == changed("driver/main.c") == ours
    assert changed("sim/verilator/main.cpp") == changed("rtl/interface/generated/pagepress_interface.h") == models
    assert changed("rtl/main/engine/Engine.scala") == {("rtl", None)}
    assert changed("driver/tests/fill.c") == changed("driver/docs/sysfs.md") == changed("rtl/test/EngineTest.scala") == set()
    plan.builds.cache_clear()


def test_driver_and_card_built_anew_are_measured_again(tmp_path, monkeypatch):
    def builds(engine):
        plan.builds.cache_clear()
        return plan.builds(engine)

    cards = {"CARD": tmp_path / "card", "MODEL_CARD": tmp_path / "model"}
    for name, card in cards.items():
        monkeypatch.setattr(engines, name, card)
    monkeypatch.setattr(kernels, "BUILD", tmp_path)
    monkeypatch.setattr(plan, "CONTROL", tmp_path / "pagepressctl")
    before = {engine: builds(engine) for engine in ENGINES}
    cards["CARD"].write_bytes(b"another")
    assert {engine for engine in before if builds(engine) != before[engine]} == {"rtl"}
    cards["MODEL_CARD"].write_bytes(b"another")
    assert {engine for engine in before if builds(engine) != before[engine]} == {"rtl", "model"}
    driver = tmp_path / "driver/pagepress.ko"
    driver.parent.mkdir()
    driver.write_bytes(b"another")
    assert {engine for engine in before if builds(engine) != before[engine]} == {"rtl", "model", "software"}
    before = {engine: builds(engine) for engine in ENGINES}
    (tmp_path / "pagepressctl").write_bytes(b"another")
    assert {engine for engine in before if builds(engine) != before[engine]} == {"rtl", "model", "software"}
    kernels.GENERIC.image.parent.mkdir(parents=True)
    kernels.GENERIC.image.write_bytes(b"another")
    assert {engine for engine in before if builds(engine) != before[engine]} == {"rtl", "model", "software", "zswap"}
    plan.builds.cache_clear()


def test_a_cell_is_known_by_what_its_guest_ran(made_up, tmp_path, monkeypatch):
    """A driver that is built while the guest runs is not the one that was measured: the cell is measured again."""
    one = made_up()
    cell, settings = plan.cells(one)[0], {"fill_mb": 1}
    monkeypatch.setattr(main, "RESULTS", tmp_path)
    monkeypatch.setattr(result.write, "__defaults__", (tmp_path,))
    monkeypatch.setattr(data, "root_image", lambda say: None)
    monkeypatch.setattr(data, "programs", lambda names: [])
    monkeypatch.setattr(kernels, "BUILD", tmp_path)
    driver = tmp_path / "driver/pagepress.ko"
    driver.parent.mkdir()
    driver.write_bytes(b"one")

    def run_cell(*words):
        driver.write_bytes(b"another")
        return outcome(alive=8)

    monkeypatch.setattr(guest, "run_cell", run_cell)

    def known():
        plan.builds.cache_clear()
        return main.store_of(one).read(cell, settings) is not None

    assert main.measure([(one, cell)], 1, main.Progress(1)) == 0 and not known()
    driver.write_bytes(b"one")
    assert known()
    driver.write_bytes(b"another")
    assert main.measure([(one, cell)], 1, main.Progress(1)) == 0 and known()
    plan.builds.cache_clear()


def test_side_by_side_runs_all_and_ends_all(tmp_path):
    """So many at a time; each one's outcome; whatever ends the parent's loop ends the children, who clean up."""

    def meet(task):
        (tmp_path / f"began-{task}").touch()
        until = time.monotonic() + 60
        while len(list(tmp_path.glob("began-*"))) < 2:  # goes on only where two run at a time
            assert time.monotonic() < until
            time.sleep(0.01)
        return task != "b"

    assert dict(jobs.side_by_side("abc", meet, 2)) == {"a": 0, "b": jobs.NOT_WELL, "c": 0}

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

    assert dict(jobs.side_by_side("abc", alone, 1, kind=str.isupper)) == {"a": 0, "b": 0, "c": 0}

    def sleep(task):
        try:
            (tmp_path / f"sleeps-{task}").touch()
            time.sleep(30 if task else 0)
        except KeyboardInterrupt:
            (tmp_path / f"cleaned-{task}").touch()
            raise

    with pytest.raises(RuntimeError):
        for task, status in jobs.side_by_side([0, 1], sleep, 2):
            assert (task, status) == (0, jobs.NOT_WELL)
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
    try:
        (folder / f"began-{task}").touch()
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


def test_a_run_that_nobody_reads_ends_without_a_word(monkeypatch):
    """As in `make experiments | head`: neither a guest's process nor the one that started it takes it for a full disk."""
    program = """
from experiments import jobs, main
from system import run
say = main.Progress(2).line
def guests(words):
    assert dict(jobs.side_by_side("ab", say, 2)) == {"a": 141, "b": 141}
    say("both ended")
run.main("experiments", guests, [])
"""
    read, written = os.pipe()
    os.close(read)
    done = subprocess.run([sys.executable, "-c", program], env=os.environ | {"PYTHONPATH": f"{ROOM.parent}:{ROOM.parent}/reference"}, stdout=written, stderr=subprocess.PIPE, text=True)
    os.close(written)
    assert (done.returncode, done.stderr) == (141, "")

    def unread(words):
        raise BrokenPipeError
    monkeypatch.setattr(main, "experiments", unread)
    with pytest.raises(BrokenPipeError):
        main.main([])


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
    assert "[experiments] ended: made-up, small, model, run 1: 3 s, 1 until it had booted, 2 of a processor\n" in capfd.readouterr().out


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


@pytest.mark.parametrize("how, said", [(lambda: os.kill(os.getpid(), signal.SIGKILL), "was ended by signal 9"), (lambda: 1 / 0, "failed with status 1"), (lambda: os.kill(os.getpid(), signal.SIGTERM), "failed with status 130")], ids=["killed", "mistaken", "told to end"])
def test_a_guest_whose_process_ends_is_a_failure(how, said, made_up, tmp_path, monkeypatch, capfd):
    """Be it that the host has no memory left, that this program has a mistake, or that somebody ends it: the others are measured, and it is not just left out."""
    one = made_up()
    ended, lives = plan.cells(one)[:2]

    def run_cell(scenario, cell, *words):
        if cell == ended:
            how()
            time.sleep(60)  # a signal may take its time
        return outcome(alive=8)

    monkeypatch.setattr(main, "RESULTS", tmp_path)
    monkeypatch.setattr(result.write, "__defaults__", (tmp_path,))
    monkeypatch.setattr(data, "root_image", lambda say: None)
    monkeypatch.setattr(data, "programs", lambda names: [])
    monkeypatch.setattr(guest, "run_cell", run_cell)
    assert main.measure([(one, ended), (one, lives)], 1, main.Progress(2)) == 1
    content = json.loads((tmp_path / "made-up/result.json").read_text())
    assert content["failures"] == [{"engine": ended.engine, "point": ended.point, "run": ended.run, "why": f"the process that ran its guest {said}"}]
    assert [(row["engine"], row["run"]) for row in content["rows"]] == [(lives.engine, lives.run)]
    assert f"FAILED made-up, {ended.point}, {ended.engine}, run {ended.run}: the process that ran its guest {said}" in capfd.readouterr().out


def test_reports_of_a_guest():
    said = []
    reports = guest.Reports(said.append)
    for name, value in [("metric", "open 5"), ("metric", "share 0.25"), ("metric", "change -3"), ("sample", "3 free=7 pool=0.5"), ("say", "half done"), ("output", "d41d8cd9 sort 20"), ("exit", "0")]:
        reports(name, value)
    assert reports.metrics == {"open": 5, "share": 0.25, "change": -3} and reports.samples == [{"step": "3", "free": 7, "pool": 0.5}] and said == ["half done"]
    assert reports.outputs == [["sort 20", "d41d8cd9"]] and reports.boot_seconds is None
    reports.began -= 7
    reports("booted", "")
    assert 7 <= reports.boot_seconds < 60
    with pytest.raises(Trouble, match="the output 'd41d8cd9'"):
        reports("output", "d41d8cd9")
    with pytest.raises(Trouble, match="'many' where a number"):
        reports("metric", "open many")


def test_scripts_of_the_guest_are_shell():
    for path in (ROOM / "guest").glob("*.sh"):
        done = subprocess.run(["sh", "-n", path], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
