# SPDX-License-Identifier: Apache-2.0
"""How programs of the tree end early: one line, and the status that a shell knows; never a traceback."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.append(str(REPOSITORY / ".tools"))

import command_line  # noqa: E402
from tree_files import tree_files  # noqa: E402


def run(*command, **options):
    return subprocess.run([REPOSITORY / command[0], *command[1:]], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False, **options)


@pytest.mark.parametrize("command", ["constraints/boards/generate.py --check", "constraints/synth --help", ".docs/site --check", ".tools/testplan.py",
                                     "sim/experiments/run --help"])
def test_program_that_nobody_reads_ends_without_a_word(command):
    """As in `program | true`."""
    read, written = os.pipe()
    os.close(read)
    done = run(*command.split(), stdout=written)
    os.close(written)
    assert (done.returncode, done.stderr) == (command_line.UNREAD, "")


@pytest.mark.parametrize("error,status,said", [
    (KeyboardInterrupt(), 130, "name: interrupted\n"),
    (command_line.Trouble("no card: plug one in"), 1, "name: no card: plug one in\n"),
])
def test_program_that_is_stopped_says_one_line(error, status, said, capsys):
    def stopped(words):
        raise error
    with pytest.raises(SystemExit) as caught:
        command_line.main("name", stopped, [])
    assert (caught.value.code, capsys.readouterr().err) == (status, said)


@pytest.mark.parametrize("program", ["constraints/synth", "constraints/boards/check.py", "constraints/boards/generate.py", "constraints/boards/open/build"])
def test_program_takes_no_end_of_its_own(program):
    """Ctrl-C ends each by the same function."""
    assert (REPOSITORY / program).read_text().rpartition('if __name__ == "__main__":\n    ')[2].startswith("command_line.main(")


@pytest.mark.parametrize("command", [".docs/site --check", ".tools/release", ".tools/layout.py", ".tools/testplan.py"])
def test_checkout_of_somebody_else_and_no_git_get_one_line(command, tmp_path):
    """Root in a container reads a user's checkout."""
    if not (REPOSITORY / ".git").exists():
        pytest.skip("not a checkout")
    done = run(*command.split(), stdout=subprocess.PIPE, env={**os.environ, "GIT_TEST_ASSUME_DIFFERENT_OWNER": "1", "GIT_CONFIG_GLOBAL": "/dev/null"})
    assert done.returncode == 1 and "detected dubious ownership in repository" in done.stderr and "safe.directory" in done.stderr, done
    assert len(done.stderr.splitlines()) == 1
    for name in ("python3", "env"):
        (tmp_path / name).symlink_to(shutil.which(name))
    done = run(*command.split(), stdout=subprocess.PIPE, env={**os.environ, "PATH": str(tmp_path)})
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1) and "git is not installed" in done.stderr, done


# Commands that nobody calls but make, dpkg, Kbuild or another program, and sim/bench's, which want packages of their own (test_bench_summary).
OF_PROGRAMS = re.compile(r"\.ci/|\.tools/(install-|generate-verilog|mend-verilator|run-tests)|.*/debian/rules|driver/(packaging/check-headers|probe-kernel)|firmware/tools/|"
                         r"host/packaging/build-when-changed|sim/bench/(run|run-card|run-energy|record-corpus)$|sim/system/inside/|sim/xrt/pages\.py")
COMMANDS = [name for name in tree_files(REPOSITORY) if os.access(REPOSITORY / name, os.X_OK) and not OF_PROGRAMS.match(name)]


@pytest.mark.parametrize("program", COMMANDS)
def test_command_says_what_it_does_and_does_nothing(program, tmp_path):
    """At --help each has a usage, whatever it would do without."""
    for word in ("--help", "-h"):
        done = run(program, word, stdout=subprocess.PIPE, cwd=tmp_path, timeout=60)
        assert (done.returncode, done.stderr) == (0, "") and "usage: " in done.stdout.lower(), done
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("program", [".docs/diagrams/draw", ".docs/site", ".tools/layout.py", ".tools/lock-python", ".tools/testplan.py", "constraints/boards/check.py",
                                     "constraints/boards/generate.py", "constraints/boards/open/build", "host/packaging/build", "sim/bench/run-gating", "sim/formal/prove",
                                     "sim/soc/litex/run"])
def test_command_refuses_words_that_it_does_not_know(program, tmp_path):
    done = run(program, "--frob", stdout=subprocess.PIPE, cwd=tmp_path, timeout=60)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1), done


@pytest.mark.parametrize("program", ["driver/packaging/build", "driver/tests/debug", "driver/tests/kernels", "driver/tests/selftests", "driver/tests/zswap",
                                     "host/packaging/build", "sim/soc/fusesoc", "sim/xrt/check", "sim/xrt/run"])
def test_shell_program_says_what_it_does_and_does_nothing(program, tmp_path):
    for word in ("--help", "-h"):
        done = run(REPOSITORY / program, word, stdout=subprocess.PIPE, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "") and "#" not in done.stdout
        assert f"{Path(program).name} " in done.stdout.partition("usage: ")[2].split("\n")[0]
    assert not list(tmp_path.iterdir())


def test_packages_are_not_built_over_what_is_no_package(tmp_path):
    (tmp_path / "mine").write_text("mine")
    for word, said in ((tmp_path, "holds other than packages"), ("--frob", "no option is known")):
        done = run(REPOSITORY / "driver/packaging/build", word, stdout=subprocess.PIPE)
        assert done.returncode == 2 and said in done.stderr and len(done.stderr.splitlines()) == 1, done
    assert (tmp_path / "mine").read_text() == "mine"
