# SPDX-License-Identifier: Apache-2.0
"""Runs side by side: each has a folder of its own, and nothing but its own end removes it."""
import shutil
import subprocess
from pathlib import Path

import pytest

from system import Trouble, run

MAKEFILE = Path(__file__).resolve().parents[3] / "Makefile"


@pytest.fixture
def build(tmp_path, monkeypatch):
    """The build folder of a tree that has nothing but the project's Makefile."""
    shutil.copy(MAKEFILE, tmp_path)
    monkeypatch.setattr(run, "BUILD", tmp_path / "build")
    (tmp_path / "build/tools").mkdir(parents=True)
    (tmp_path / "build/card").mkdir()
    return tmp_path / "build"


def clean(build):
    return subprocess.run(["make", "clean"], cwd=build.parent, capture_output=True, text=True)


def test_run_ends_with_its_own_folder_only(build):
    with run.folder("demo") as one:
        with run.folder("demo") as other:
            assert one != other and one.is_dir() and other.is_dir()
        assert one.is_dir() and not other.exists()
        with pytest.raises(Trouble), run.folder("guest") as failed:
            (failed / "console.log").touch()
            raise Trouble("on purpose")
        assert one.is_dir() and failed.is_dir()
    assert not one.exists() and failed.is_dir()


def test_run_is_safe_from_make_clean(build):
    with run.folder("demo") as one, run.folder("guest"):
        done = clean(build)
        assert done.returncode != 0
        assert [line for line in done.stderr.splitlines() if line.startswith("clean: ")] == [
            "clean: a demo or guest is running: end it, then try again"
        ]
        assert one.is_dir() and (build / "card").is_dir()


def test_run_leaves_no_lock_behind(build):
    with pytest.raises(Trouble), run.folder("demo") as failed:
        (failed / "card.log").touch()
        raise Trouble("on purpose")
    assert failed.is_dir()
    done = clean(build)
    assert done.returncode == 0, done
    assert [path.name for path in build.iterdir()] == ["tools"]
    assert clean(build).returncode == 0
    shutil.rmtree(build)
    assert clean(build).returncode == 0
