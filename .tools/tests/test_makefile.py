# SPDX-License-Identifier: Apache-2.0
"""The root Makefile's own logic, in a tree where Maven is a shell script; and what every Makefile of the tree refuses, and takes from nobody."""
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

MAKEFILE = Path(__file__).resolve().parents[2] / "Makefile"
REPOSITORY = MAKEFILE.parent
sys.path.append(str(REPOSITORY / ".tools"))

from tree_files import tree_files  # noqa: E402

MAKEFILES = [name for name in tree_files(REPOSITORY) if name.split("/")[-1] == "Makefile"]
FLAGS = {"CFLAGS", "CPPFLAGS", "CXXFLAGS", "VERILATED_FLAGS"}  # which packagers export, and nobody exports by accident


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A function: tree(text) makes `text` the Maven of a tree with one Scala file; returns its root."""
    monkeypatch.delenv("BY_DAY", raising=False)  # of the `make test` that runs this
    (tmp_path / "tools").mkdir()

    def make(maven):
        shutil.copy(MAKEFILE, tmp_path)
        (tmp_path / ".tools").mkdir()
        shutil.copy(MAKEFILE.parent / ".tools/generate-verilog", tmp_path / ".tools")
        for folder in ("rtl/interface/generated", "rtl/top", "build/tools"):
            (tmp_path / folder).mkdir(parents=True)
        (tmp_path / "rtl/One.scala").touch()
        for name in ("pagepress_interface.h", "pagepress_interface.vh", "pagepress.rdl", "pagepress.svd", "pagepress_core.core", "pagepress_core.ipxact.xml"):
            (tmp_path / "rtl/interface/generated" / name).touch()
        (tmp_path / "rtl/top/lint.vlt").touch()
        (tmp_path / "sim/soc").mkdir(parents=True)
        for name in ("one_page.sv", "synthesise.tcl"):
            (tmp_path / "sim/soc" / name).touch()
        (tmp_path / "build/tools/env.sh").write_text(f'PATH="{tmp_path}/tools:$PATH"\n')
        for path, text in ((".tools/install-rtl", "exit 0"), (".tools/install-management", "exit 0"), ("tools/mvn", maven)):
            (tmp_path / path).write_text(f"#!/bin/sh\n{text}\n")
            (tmp_path / path).chmod(0o755)
        return tmp_path

    return make


def verilog(root):
    return subprocess.Popen(["make", "verilog"], cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_makefile_generates_verilog_once_for_two_at_a_time(tree):
    root = tree("sleep 1; echo ran >>times; echo chatter")
    running = [verilog(root) for _ in range(3)]
    shown = [process.communicate(timeout=600) for process in running]
    assert [process.returncode for process in running] == [0, 0, 0], shown
    assert (root / "times").read_text() == "ran\n"
    text = "".join(out for out, _ in shown)
    assert text.count("[verilog] ") == 1 and "chatter" not in text


def test_makefile_shows_what_maven_complains_of(tree):
    root = tree("echo chatter; echo '[ERROR] One.scala:1: not a word of Scala'; exit 1")
    process = verilog(root)
    out, errors = process.communicate(timeout=600)
    assert process.returncode != 0
    ours = [line for line in errors.splitlines() if not line.startswith("make")]
    assert ours == ["[ERROR] One.scala:1: not a word of Scala", "verilog: SpinalHDL or Scala failed: see build/verilog/generate.log"]
    assert "chatter" in (root / "build/verilog/generate.log").read_text()
    assert verilog(root).wait(60) != 0  # a failure is not remembered as done


def generate(root, *blocks, **environment):
    done = subprocess.run([root / ".tools/generate-verilog", *blocks], capture_output=True, text=True, env={**os.environ, **environment})
    assert done.returncode == 0, done
    path = root / "times"
    ran = path.read_text().splitlines() if path.exists() else []
    path.unlink(missing_ok=True)
    return ran


def test_only_the_blocks_asked_for_are_generated(tree):
    root = tree('for word; do case $word in -Dexec.args=*) echo "${word#-Dexec.args=}" >>times; exit 0;; esac; done; echo all >>times')
    assert generate(root, "one", "two") == ["--only one,two"]
    assert generate(root, "two") == [] and generate(root, "two", "three") == ["--only three"]
    assert generate(root) == ["all"] and generate(root, "four") == [] == generate(root)
    os.utime(root / "rtl/One.scala", (time.time() + 5,) * 2)
    assert generate(root, "two") == ["--only two"]
    assert generate(root) == ["all"]


def test_blocks_of_the_night_are_generated_when_asked_for(tree):
    """`make test` leaves them out; what it made is not made again."""
    root = tree('for word; do case $word in -Dexec.args=*) echo "${word#-Dexec.args=}" >>times; exit 0;; esac; done; echo all >>times')
    words, = generate(root, BY_DAY="1")
    option, names = words.split()
    assert option == "--without" and "core_many" in names.split(",")
    assert generate(root, BY_DAY="1") == generate(root, "core") == []
    assert generate(root, "core", "core_many") == ["--only core_many"]
    assert generate(root) == [f"--only {names}"]
    assert generate(root) == generate(root, "core_many") == generate(root, BY_DAY="1") == []
    os.utime(root / "rtl/One.scala", (time.time() + 5,) * 2)
    assert generate(root, "core", BY_DAY="1") == ["--only core"] and generate(root, BY_DAY="1") == [words]


def make(*words, **environment):
    """Make, called by nobody, with `environment` beside what is there."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    return subprocess.run(["make", *map(str, words)], env={**kept, **environment}, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", MAKEFILES)
def test_makefile_refuses_a_path_with_blanks(name, tmp_path):
    """Make takes it for several: `clean` would remove what is called as its first word. It is only asked what it would do."""
    copy = tmp_path / "My Projects/pagepress" / name
    copy.parent.mkdir(parents=True)
    shutil.copy(REPOSITORY / name, copy)
    done = make("-n", "-C", copy.parent, "clean")
    assert done.returncode == 2 and f"has blanks, which make takes for several paths: {copy.parent}.  Stop." in done.stderr, done
    assert len([line for line in done.stderr.splitlines() if "***" in line]) == 1 and "rm -rf" not in done.stdout


@pytest.mark.parametrize("program, folder", [(".tools/release", "release"), (".docs/site", "docs"), ("sim/soc/fusesoc", "fusesoc"), ("constraints/synth", "synth"), ("constraints/boards/check.py", "boards")])
def test_makefile_lets_nobody_else_write_there(program, folder):
    """Two makes at a time, or two targets that write the same folder."""
    lines = [line for line in MAKEFILE.read_text().splitlines() if line.startswith("\t") and f" {program}" in line]
    assert lines and all(f"$(call alone,{folder}) {program}" in line for line in lines), lines


@pytest.mark.parametrize("room,variable", [("driver", "OUT"), ("firmware", "OUTPUT"), ("firmware/soc", "OUTPUT"), ("host", "output")])
def test_clean_removes_no_folder_that_the_environment_names(room, variable, tmp_path):
    """Android's build shells export OUT."""
    copy, other = tmp_path / "tree" / room, tmp_path / "other"
    copy.mkdir(parents=True)
    shutil.copy(REPOSITORY / room / "Makefile", copy)
    (other / "control").mkdir(parents=True)
    assert make("-C", copy, "clean", **{variable: str(other)}).returncode == 0
    assert (other / "control").is_dir()
    assert make("-C", copy, "clean", f"{variable}={other}").returncode == 0
    assert not (other / "control").exists()


def test_driver_refuses_a_folder_with_blanks(tmp_path):
    (tmp_path / "my").mkdir()
    done = make("-C", REPOSITORY / "driver", "clean", f"OUT={tmp_path}/my work")
    assert done.returncode == 2 and f"OUT has blanks, which make takes for several paths: {tmp_path}/my work.  Stop." in done.stderr, done
    assert (tmp_path / "my").is_dir()


def test_experiments_have_their_own_kernel():
    """Their guests and tools are those of 6.1, whatever KERNEL is, beside the versions whose headers are compared."""
    done = make("-n", "experiments", "KERNEL=debug", "NAME=djpeg", "ENGINES=disk")
    assert set(re.findall(r"\.tools/install-(?:debug-)?kernel.*", done.stdout)) == {f".tools/install-kernel {name}" for name in ("6.1", "6.12", "7.x")}, done
    assert "M=" + str(REPOSITORY / "build/driver") + " " in done.stdout and "build/driver-" not in done.stdout


@pytest.mark.parametrize("target", ["board", "litex"])
def test_a_board_that_there_is_not_is_refused_at_once(tree, target):
    """Before any tool is installed."""
    root = tree("exit 1")
    (root / "constraints/boards/open/mine").mkdir(parents=True)
    (root / "constraints/boards/open/mine/board.toml").touch()
    (root / ".tools/install-rtl").write_text("#!/bin/sh\necho installing >&2; exit 1\n")
    done = make("-C", root, target, "BOARD=nope")
    assert done.returncode == 2 and f"{target}: no board nope (there are mine)" in done.stderr.splitlines() and "installing" not in done.stderr, done
    for words in (["BOARD=mine"], [] if target == "litex" else ["BOARD=mine"]):
        done = make("-C", root, target, *words)
        assert "no board" not in done.stderr and "installing" in done.stderr, done


def test_variables_that_others_export_choose_nothing():
    """WSL exports NAME, and many a shell VERSION: neither chooses an experiment or the version of an image."""
    names = re.findall(r"^([A-Z]+) *[:?]=#", MAKEFILE.read_text(), re.M)
    assert {"NAME", "VERSION", "SEED", "T"} <= set(names)
    shown = ("-f", MAKEFILE, "--eval", "shown: ; @echo " + " ".join(f"{name}:$({name})" for name in names), "shown")
    stray = {line.split(":")[0] for line in make(*shown, **dict.fromkeys(names, "stray")).stdout.split() if line.endswith(":")}
    assert stray == {"NAME", "VERSION"}
    assert "NAME:djpeg" in make(*shown, "NAME=djpeg", NAME="stray").stdout.split()


@pytest.mark.parametrize("name", sorted({*MAKEFILES} - {"Makefile", "driver/Makefile"}))
def test_rooms_makefiles_take_compilers_flags_alone_from_the_environment(name):
    assert set(re.findall(r"^(\w+) *\?=", (REPOSITORY / name).read_text(), re.M)) <= FLAGS
