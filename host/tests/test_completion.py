# SPDX-License-Identifier: Apache-2.0
"""What pagepressctl completion prints, read by the shells themselves."""

import os
import pty
import re
import select
import subprocess
import time
from pathlib import Path

import pytest

SECONDS = 600  # for a shell on a busy machine
COMMANDS = "status list setup reset adopt top doctor regs selftest log telemetry lanes firmware trace metrics bench image completion".split()


@pytest.fixture(scope="module")
def script(program, tmp_path_factory, built):
    built("packaging-tools")  # zsh
    folder = tmp_path_factory.mktemp("completion")
    for shell, name in {"bash": "pagepressctl", "zsh": "_pagepressctl"}.items():
        (folder / name).write_text(subprocess.run([program, "completion", shell], capture_output=True, text=True, check=True).stdout)
    return folder


def bash(script, *words):
    """What bash offers for the last of the words."""
    lines = f'. {script}/pagepressctl; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pagepressctl; printf "%s\\n" "${{COMPREPLY[@]}}"'
    command = ["bash", "-c", lines, "bash", "pagepressctl", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stderr) == (0, ""), done
    return set(done.stdout.split())


def options_in_help(program, command):
    text = subprocess.run([program, command, "--help"], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^  ((?:-\w,)?(?:--?[\w-]+))(?= |$)", text, re.M)
    return {form for forms in found for form in forms.split(",")}


def test_completion_in_bash(script, program):
    assert bash(script, "") == {*COMMANDS, "--help", "--version"}
    assert bash(script, "re") == {"reset", "regs"}
    for command in COMMANDS:
        offered = options_in_help(program, command)
        assert {"--help", "-h", "--sysfs"} <= offered and bash(script, command, "-") == offered, command
    assert bash(script, "trace", "--format", "") == {"text", "json", "chrome"}
    assert bash(script, "completion", "z") == {"zsh"} and bash(script, "image", "p") == {"pack"}
    assert bash(script, "trace", "--input", f"{script}/_page") == {f"{script}/_pagepressctl"}


def test_manual_page_tells_every_option(program):
    page = (Path(__file__).resolve().parents[1] / "pagepressctl.8").read_text().replace(r"\-", "-")
    commands = page[page.index(".SH COMMANDS") : page.index(".SH EXIT STATUS")]
    begins = {command: re.search(rf"^\.BR {command} ", commands, re.M).start() for command in COMMANDS}
    for command, begin in begins.items():
        said = commands[begin : min([other for other in begins.values() if other > begin], default=len(commands))]
        told = set(re.findall(r"(?<![\w-])--?[a-z0-9][\w-]*", said))
        offered = options_in_help(program, command) - {"-h", "--help", "--sysfs"}
        assert offered <= told, (command, offered - told)
        assert told <= set().union(*(options_in_help(program, other) for other in COMMANDS)), command


def zsh(script, line, wanted):
    """What a zsh at a terminal shows, given a line and the tabulator key twice, until it has shown all that is wanted."""
    pid, terminal = pty.fork()
    if not pid:
        os.execvpe("zsh", ["zsh", "-f", "-i"], {**os.environ, "TERM": "dumb", "ZDOTDIR": str(script), "PS1": "ready> ", "COLUMNS": "200"})
    shown = b""

    def read_until(phrase):
        nonlocal shown
        end = time.monotonic() + SECONDS
        while phrase not in shown and time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                shown += os.read(terminal, 65536)
        assert phrase in shown, shown

    try:
        os.write(terminal, f"fpath=({script} $fpath); autoload -U compinit; compinit -u -D; LISTMAX=0; echo lo''aded\n".encode())
        read_until(b"loaded\r\n")
        os.write(terminal, line.encode() + b"\t\t")
        for phrase in wanted:
            read_until(phrase.encode())
        os.write(terminal, b"\x15echo en''ded\n")  # away with the line
        read_until(b"ended\r\n")
    finally:
        os.close(terminal)
        os.waitpid(pid, 0)
    return shown.decode(errors="replace").split("loaded\r\n", 1)[1]


def test_completion_in_zsh(script):
    assert "bench" not in zsh(script, "pagepressctl re", ["reset", "registers"])
    shown = zsh(script, "pagepressctl setup --", ["--size", "--mem-limit", "--no-swapon"])
    assert "error" not in shown and "bad" not in shown
    shown = zsh(script, "pagepressctl image ", ["pack", "verify", "info"])
    assert "error" not in shown and "doubled" not in shown
