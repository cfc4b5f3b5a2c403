# SPDX-License-Identifier: Apache-2.0
"""pagepressctl in a real pseudo-terminal: the screen is drawn again, keys and interrupts end it, colours appear there alone."""

import errno
import fcntl
import os
import platform
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path

import pytest
from single_step import POLLS, signal_just_before_poll

SECONDS = 600  # for a program on a busy machine
COLOUR = re.compile(r"\033\[\d+m")
ALTERNATE, NORMAL, HIDDEN, SHOWN, HOME = "\033[?1049h", "\033[?1049l", "\033[?25l", "\033[?25h", "\033[H"


class Terminal:
    """A program whose standard streams are a terminal of this size."""

    def __init__(self, command, environment, rows=24, columns=80):
        self.master, slave = pty.openpty()
        self.slave = os.dup(slave)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.settings = termios.tcgetattr(slave)
        self.process = subprocess.Popen(["setsid", "--ctty", *command], stdin=slave, stdout=slave, stderr=slave, env=environment)
        os.close(slave)
        self.seen = ""

    def until(self, text, times=1):
        """Reads until this text was seen so many times."""
        while self.seen.count(text) < times:
            self.read()

    def read(self):
        assert select.select([self.master], [], [], SECONDS)[0], f"the program says nothing: {self.seen[-2000:]}"
        try:
            part = os.read(self.master, 65536)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            part = b""
        assert part, f"the program ended: {self.seen[-2000:]}"
        self.seen += part.decode()

    def until_in_system_call(self, *numbers):
        """It waits in one of these system calls."""
        end = time.monotonic() + SECONDS
        while Path(f"/proc/{self.process.pid}/syscall").read_text().split()[0] not in map(str, numbers):
            assert time.monotonic() < end, "it does not wait there"
            time.sleep(0.01)

    def until_stopped(self):
        """It has stopped, as a shell sees it; the terminal is as it was."""
        end, status = time.monotonic() + SECONDS, 0
        while not os.WIFSTOPPED(status):
            assert time.monotonic() < end, "it does not stop"
            time.sleep(0.05)
            status = os.waitpid(self.process.pid, os.WUNTRACED | os.WNOHANG)[1]
        assert termios.tcgetattr(self.slave) == self.settings
        self.until(SHOWN + NORMAL)

    def end(self, status):
        """It ends by itself; the terminal is as it was. Returns all it printed."""
        assert self.process.wait(timeout=600) == status
        assert termios.tcgetattr(self.slave) == self.settings
        os.set_blocking(self.master, False)
        try:
            while part := os.read(self.master, 65536):
                self.seen += part.decode()
        except OSError:
            pass
        os.close(self.slave)
        os.close(self.master)
        return self.seen


@pytest.fixture
def terminal(machine):
    """A function: starts pagepressctl with these words; NAME=value goes to its environment."""
    machine.disk()
    machine.card()
    machine.latencies()
    started = []

    def start(*words, rows=24, columns=80, **environment):
        plain = {name: value for name, value in machine.environment.items() if name not in ("NO_COLOR", "TERM")}
        started.append(Terminal([machine.program, *words], {**plain, "TERM": "xterm", **environment}, rows, columns))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.wait()


def test_control_top_in_a_terminal(terminal):
    top = terminal("top", "--interval", "0.1")
    top.until(HOME, 3)  # drawn again and again
    assert "\033[1mpagepress\033[0m" in top.seen and "\033[32mready\033[0m" in top.seen
    os.write(top.master, b"x q")
    seen = top.end(0)
    assert seen.startswith(ALTERNATE + HIDDEN) and seen.endswith(SHOWN + NORMAL)


def test_control_top_draws_at_once_for_the_space_bar(terminal):
    top = terminal("top", "--interval", "3600")
    top.until("LATENCY")
    os.write(top.master, b" ")
    top.until(HOME, 2)
    os.write(top.master, b"q")
    top.end(0)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_control_top_leaves_the_terminal_as_it_was(terminal, number):
    top = terminal("top", "--interval", "3600")
    top.until("LATENCY")
    if number == signal.SIGINT:
        os.write(top.master, b"\x03")
    else:
        top.process.send_signal(number)
    assert top.end(0).endswith(SHOWN + NORMAL)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="it knows x86-64's number of write()")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP])
def test_control_top_takes_a_signal_in_the_middle_of_a_screen(terminal, number):
    top = terminal("top", "--interval", "3600")
    top.until("LATENCY")
    termios.tcflow(top.slave, termios.TCOOFF)
    os.write(top.master, b" ")
    top.until_in_system_call(1)
    top.process.send_signal(number)
    if number != signal.SIGTSTP:
        top.until_in_system_call(1)  # now it writes how it leaves
    termios.tcflow(top.slave, termios.TCOON)
    if number == signal.SIGTSTP:
        top.until_stopped()
        top.process.send_signal(signal.SIGCONT)
        # A screen of its own; how much of those before it came out is chance.
        top.until(ALTERNATE + HIDDEN, 2)
        while "LATENCY" not in top.seen.rpartition(ALTERNATE + HIDDEN)[2]:
            top.read()
        os.write(top.master, b"q")
    assert top.end(0).endswith(SHOWN + NORMAL)


def test_control_top_stops_and_goes_on_as_shells_want(terminal):
    top = terminal("top", "--interval", "3600")
    top.until("LATENCY")
    os.write(top.master, b"\x1a")
    top.until_stopped()
    top.process.send_signal(signal.SIGCONT)
    top.until("LATENCY", 2)
    assert top.seen.count(ALTERNATE + HIDDEN) == 2
    os.write(top.master, b"q")
    top.end(0)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="it is driven by x86-64's registers")
@pytest.mark.parametrize("number", [signal.SIGTSTP, signal.SIGINT])
def test_control_top_heeds_a_signal_that_comes_just_before_its_sleep(terminal, number):
    top = terminal("top", "--interval", "3600")
    top.until("LATENCY")
    top.until_in_system_call(*POLLS)
    signal_just_before_poll(top.process.pid, number, wake=lambda: os.write(top.master, b" "))
    if number == signal.SIGTSTP:
        top.until_stopped()
        top.process.send_signal(signal.SIGCONT)
        top.until("LATENCY", 3)
        os.write(top.master, b"q")
    top.end(0)


def test_control_top_fits_its_window(terminal):
    top = terminal("top", "--count", "1", rows=6, columns=30)
    seen = top.end(0)
    lines = [re.sub(r"\033\[[?0-9;]*[A-Za-z]", "", line) for line in seen.split("\r\n")]
    assert len(lines) <= 6 and max(map(len, lines)) == 30


def test_control_top_shows_the_last_character_of_a_full_line(terminal):
    """To clear what is behind it would clear it: the cursor of a terminal stays on the last column."""
    seen = terminal("top", "--count", "1", rows=6, columns=30).end(0)
    for line in seen.split("\r\n")[:-1]:
        assert line.count("\033[K") == 1 and COLOUR.sub("", line.replace(ALTERNATE + HIDDEN + HOME, "")).startswith("\033[K"), line


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM])
def test_control_top_leaves_signals_ignored_that_its_caller_ignores(machine, number):
    """As nohup does: the program goes on."""
    machine.disk()
    words = ["env", f"--ignore-signal={number.name}", machine.program, "top", "--json", "--interval", "0.05"]
    process = subprocess.Popen(words, env=machine.environment, stdout=subprocess.PIPE)
    assert process.stdout.readline()
    process.send_signal(number)
    seen = [process.stdout.readline() for _ in range(20)]
    process.send_signal(signal.SIGTERM if number != signal.SIGTERM else signal.SIGINT)
    process.stdout.read()
    assert all(seen) and process.wait(timeout=SECONDS) == 0


@pytest.mark.parametrize("kind", ["dumb", ""])
def test_control_top_on_a_terminal_that_only_prints(terminal, kind):
    seen = terminal("top", "--count", "2", "--interval", "0.1", TERM=kind).end(0)
    assert "\033" not in seen and seen.count("LATENCY") == 2


def test_control_top_that_fails_leaves_the_terminal_as_it_was(terminal, machine):
    top = terminal("top", "--interval", "0.1")
    top.until(HOME)
    machine.put("block/pagepress0/pagepress/NumReads", "broken")
    seen = top.end(3)
    assert SHOWN + NORMAL in seen and seen.rstrip().endswith("not a whole number")


@pytest.mark.parametrize("words", [["doctor"], ["list"], ["status"], ["top", "--once"]])
def test_control_colours_are_for_terminals(terminal, machine, words):
    coloured = terminal(*words).end(0)
    assert COLOUR.search(coloured)
    plain = COLOUR.sub("", coloured).replace("\r\n", "\n")
    for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert terminal(*words, **environment).end(0).replace("\r\n", "\n") == plain
    done = machine.run(*words, TERM="xterm")
    assert done.stdout == plain
