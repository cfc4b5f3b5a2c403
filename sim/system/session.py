# SPDX-License-Identifier: Apache-2.0
"""One run of a guest: its console shown live, its reports handed on, its end judged.

The guest reports on its second serial port, a line each: a name, a blank, a value. `booted` is its
first report, before any module is loaded; `exit <status>` its last; `trouble <text>` says why it could not even start the script.
"""
import os
import re
import selectors
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from system import Trouble
from system.boot import command
from system.processes import start

POLL_SECONDS = 0.05
SILENCE_SECONDS = 240  # far beyond what lies between two lines of a boot on a busy machine
# The host was too busy while the kernel measured its clock: it takes the value that the other one contradicts, and time goes several times too fast.
WRONG_CLOCK = b"tsc: PIT calibration deviates from "
# Lines of the kernel's log begin with a time: what the script itself prints is none.
LOGGED = re.compile(rb"^\[ *\d+\.\d+\] ([^\r\n]*)", re.MULTILINE)
SPLAT = re.compile(
    rb"Kernel panic|BUG: |WARNING: |INFO: (?:task|possible|trying)|Oops: |general protection fault|DMA-API: |pagealloc: |Call Trace:"
)
# The last one's error is EINVAL, whatever it lacks.
LACK_OF_MEMORY = re.compile(
    rb" invoked oom-killer: |: page allocation failure: |: vmalloc error: |kmem_cache_create_usercopy\(\S+\) failed with error "
)


def complaints(log):
    """What the kernel complains of in a console's log. A lack of memory is no bug, though it shows a trace as well."""
    pardoned = False
    for line in LOGGED.findall(log):
        if LACK_OF_MEMORY.search(line):
            pardoned = True
        elif pardoned and line.startswith(b"Call Trace:"):
            pardoned = False
        elif SPLAT.match(line):
            yield line.decode(errors="replace")


@dataclass
class Outcome:
    """status: exit status of the guest's script; reports: name → last value; splats: kernel
    complaints seen on the console; seconds: how long the guest ran."""

    status: int | None = None
    reports: dict = field(default_factory=dict)
    splats: list = field(default_factory=list)
    seconds: float = 0.0


class FailedBoot(Trouble):
    """The guest's kernel fell silent before it had booted, or has a wrong clock: nothing has run in it."""


class OutOfTime(Trouble):
    """The guest did not do `what` within so many seconds; `more` gives it more."""

    def __init__(self, what, seconds, more):
        super().__init__(f"the guest did not {what} within {seconds} s: allow more with {more}")
        self.what, self.more = what, more


class Session:
    """Runs `machine` once. `folder` receives console.log and qemu.err; `show`, a binary stream or
    None, receives the console; `on_report(name, value)` is called for each report as it comes. `silence`:
    after so many seconds without a word a boot has failed. `steps`: name of the reports whose first two words, phase and
    count, say how far the guest is; each that says something else gives it its time anew, so a slow machine is waited for while it gets on. `more`: what
    gives it more time."""

    def __init__(self, machine, folder, show=None, on_report=None, qemu_command=None, silence=SILENCE_SECONDS, steps=None, more="TIMEOUT=seconds"):
        self.machine = machine
        self.console_log = Path(folder) / "console.log"
        self.qemu_errors = Path(folder) / "qemu.err"
        self.show = show
        self.on_report = on_report or (lambda name, value: None)
        self.command = qemu_command or command(machine)
        self.silence = silence
        self.more = more
        self.steps, self.reached = steps, None
        self.seconds = self.deadline = None
        self.outcome = Outcome()
        self.report_bytes = b""
        self.report_offset = 0

    def run(self, seconds):
        """Runs to the guest's end, for so many seconds at most, from step to step if it has some. Raises Trouble when there was no proper
        end, FailedBoot when it did not even boot as it should."""
        began = time.monotonic()
        self.seconds, self.deadline = seconds, began + seconds
        self.machine.report.write_bytes(b"")
        with open(self.qemu_errors, "wb") as errors, open(self.console_log, "wb") as log:
            qemu = start(self.command, stdout=subprocess.PIPE, stderr=errors)
            try:
                self.watch(qemu, log)
            finally:
                qemu.kill()
                qemu.wait()
                qemu.stdout.close()
        self.outcome.seconds = time.monotonic() - began
        self.judge(qemu.returncode)
        return self.outcome

    def watch(self, qemu, log):
        os.set_blocking(qemu.stdout.fileno(), False)
        heard = time.monotonic()
        with selectors.DefaultSelector() as selector:
            selector.register(qemu.stdout, selectors.EVENT_READ)
            while True:
                selector.select(POLL_SECONDS)
                ended = qemu.poll() is not None
                if self.read_console(qemu.stdout, log):
                    heard = time.monotonic()
                    if not self.outcome.reports and WRONG_CLOCK in self.console_log.read_bytes():
                        raise FailedBoot(f"the guest's kernel measured its clock wrongly, on a host that was too busy: see {self.console_log}")
                self.read_reports()
                if ended:
                    return
                if self.machine.counted and log.tell():
                    self.wake(qemu)
                if time.monotonic() > self.deadline:
                    raise OutOfTime("get any further" if self.reached else "end", self.seconds, self.more)
                if not self.outcome.reports and time.monotonic() > heard + self.silence:
                    raise FailedBoot(f"the guest said nothing for {self.silence} s while it booted: see {self.console_log}")

    @staticmethod
    def wake(qemu):
        """While all processors of a guest are idle whose time is instructions, QEMU advances it by a timer of the host, set when its main
        loop has waited for something. One that goes off when the guest's next event has been put off meanwhile is not set again (11.1 at
        least), and the guest stands still until something else ends that wait. SIGALRM does, and nothing more, as soon as QEMU takes
        signals by signalfd(2): before its guest says anything."""
        qemu.send_signal(signal.SIGALRM)

    def read_console(self, stream, log):
        """Whether there was something."""
        before = log.tell()
        while data := stream.read(65536):
            log.write(data)
            if self.show:
                self.show.write(data.replace(b"\r\n", b"\n"))
                self.show.flush()
        log.flush()
        return log.tell() > before

    def read_reports(self):
        with open(self.machine.report, "rb") as stream:
            stream.seek(self.report_offset)
            new = stream.read()
        self.report_offset += len(new)
        *lines, self.report_bytes = (self.report_bytes + new).split(b"\n")
        for line in lines:
            name, _, value = line.decode(errors="replace").strip().partition(" ")
            if name:
                self.outcome.reports[name] = value
                self.look_for_step(name, value)
                self.on_report(name, value)

    def look_for_step(self, name, value):
        if name == self.steps and (step := value.split()[:2]) != self.reached:
            self.reached, self.deadline = step, time.monotonic() + self.seconds

    def judge(self, qemu_status):
        reports = self.outcome.reports
        self.outcome.splats = list(complaints(self.console_log.read_bytes()))
        if "trouble" in reports:
            raise Trouble(reports["trouble"])
        if "exit" in reports:
            if not reports["exit"].isdecimal():
                raise Trouble(f"the guest ended with no status but '{reports['exit']}': see {self.console_log}")
            self.outcome.status = int(reports["exit"])
        elif self.outcome.splats:
            raise Trouble(f"the guest's kernel failed: {self.outcome.splats[0]}: see {self.console_log}")
        elif qemu_status != 0:
            words = self.qemu_errors.read_text(errors="replace").strip().splitlines()
            raise Trouble(f"QEMU died with status {qemu_status}: {words[-1] if words else 'it said nothing'}")
        else:
            raise Trouble(f"the guest ended without a status: see {self.console_log}")
