# SPDX-License-Identifier: Apache-2.0
"""The command line, also as make hands it on, and the exit status."""
import os
import subprocess
import sys
import types

import pytest
from experiments import ROOM, main, scenario
from experiments.engines import ENGINES
from system import Trouble


@pytest.mark.parametrize("failed, failing, status", [(0, 0, 0), (1, 0, 1), (0, 1, 1)])
def test_exit_status_tells_guests_and_checks(monkeypatch, capsys, failed, failing, status):
    monkeypatch.setattr(main.system_run, "check_tools", lambda: None)
    monkeypatch.setattr(main, "measure", lambda *words: failed)
    monkeypatch.setattr(main, "judge", lambda *words: failing)
    monkeypatch.setitem(sys.modules, "experiments.page", types.SimpleNamespace(write=lambda say: None))
    monkeypatch.setattr("experiments.page", sys.modules["experiments.page"], raising=False)
    assert main.experiments(["NAME=recompress"]) == status


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
        (["NAME=lookaside", "ENGINES=rtl none"], "none of lookaside has anything to run on rtl none: choose of disk model software"),
        (["NAME=djpeg", "POINT=card killed", "ENGINES=disk"], "none of djpeg has anything to run on disk with POINT=card killed"),
    ],
)
def test_words_that_leave_nothing_to_run_get_one_line(words, answer):
    with pytest.raises(Trouble) as trouble:
        main.experiments([*words, "--check"])
    assert str(trouble.value).startswith(answer) and "\n" not in str(trouble.value)


EVERY_ENGINE = "ENGINES=rtl model software zram zswap disk none"


@pytest.mark.parametrize("name", ["", *scenario.names()])
def test_engines_that_an_experiment_does_not_have_are_left_out(name, capsys):
    """The command line that names all of them runs whatever each has."""
    assert main.experiments([*([f"NAME={name}"] if name else []), EVERY_ENGINE, "--check"]) == 0
    assert capsys.readouterr().out == ""


def test_what_is_left_out_gets_one_line_for_each_experiment():
    chosen = [scenario.load("lookaside"), scenario.load("djpeg"), scenario.load("recompress")]
    assert list(main.left_out(chosen, ("rtl", "model"))) == ["left out: lookaside does not run on rtl", "left out: recompress does not run on rtl"]
    assert list(main.left_out(chosen[:2], ("rtl",))) == ["left out: lookaside does not run on rtl, so none of it runs: it has disk model software"]


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
