# SPDX-License-Identifier: Apache-2.0
"""One pagepress-card process, started and ended by a test."""

import json
import os
import signal
import subprocess

# What stands behind BAR0, and the options that choose it.
ENGINES = {"model": ["--engine", "model"], "axi": ["--engine", "rtl", "--level", "axi"],
           "pcie": ["--engine", "rtl", "--level", "pcie"]}


class CardProcess:
    """Context manager around a running card; files lie in `folder`. `socket` is where it listens."""

    def __init__(self, program, engine, folder, socket=None, control=None, flash=None, counters=True, options=()):
        self.engine = engine
        self.socket = str(socket or folder / "card.socket")
        self.log_file, self.counters_file = folder / "card.log", folder / "card.json"
        self._errors = open(folder / "card.err", "w+", encoding="utf-8", errors="replace")
        self.process = subprocess.Popen(
            [str(program), "--socket", self.socket, *ENGINES[engine], "--log", str(self.log_file),
             *(["--counters", str(self.counters_file)] if counters else []), *(["--control", str(control)] if control else []),
             *(["--flash", str(flash)] if flash else []), *map(str, options)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._errors, text=True)
        line = self.process.stdout.readline()
        if line != "ready\n":
            self.process.wait()
            raise RuntimeError(f"the card did not start: {self.errors()}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self._errors.close()

    def errors(self):
        """What it wrote to standard error."""
        self._errors.seek(0)
        return self._errors.read()

    def log(self):
        """Its log and its standard error, for messages of failed tests."""
        return (self.log_file.read_text() if self.log_file.exists() else "") + self.errors()

    def stop(self, number=signal.SIGTERM):
        """End it by a signal if it still runs; its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(600)

    def wait(self):
        """Its exit status once it ends by itself."""
        return self.process.wait(600)

    def counters(self):
        """The counters file."""
        return json.loads(self.counters_file.read_text())

    def descriptors(self):
        """How many file descriptors it has open."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def processor_ticks(self):
        """Processor time it has used, in clock ticks (100 a second)."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])
