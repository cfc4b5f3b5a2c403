# SPDX-License-Identifier: Apache-2.0
"""The card process: the RTL or its model behind a vfio-user socket."""
import json
import select
import signal
import socket
import subprocess
import time
from pathlib import Path

from system import CARD, Trouble, arguments, require
from system.processes import start

ENGINES = ("rtl", "model")
LEVELS = ("pcie", "axi")  # the default first
LEVEL = arguments.Option("LEVEL", f"where the host meets CARD=rtl: at its PCIe packets or its core's AXI buses ({LEVELS[0]} unless given)",
                         None, arguments.one_of(*LEVELS))
LONGEST_SOCKET_PATH = 107  # bytes, of a Unix socket's address


def level_of(options):
    """The level of the card that `options` ask for: the hardware's, or none for whatever has no hardware."""
    if options["CARD"] == "rtl":
        return options["LEVEL"] or LEVELS[0]
    if options["LEVEL"]:
        raise Trouble(f"LEVEL={options['LEVEL']}: only the hardware has levels: use CARD=rtl")
    return "none"


def check_socket(path):
    """Trouble when a card cannot listen at `path`."""
    if len(str(path).encode()) > LONGEST_SOCKET_PATH:
        raise Trouble(f"the socket's path is too long ({LONGEST_SOCKET_PATH} bytes at most): {path}")
    if not Path(path).parent.is_dir():
        raise Trouble(f"the folder of socket {path} does not exist: create it or choose another SOCKET")
    if Path(path).exists():
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.connect(str(path))
            except OSError:
                why = "a file of that name is in the way: remove it"
            else:
                why = "another process listens there: stop it"
        raise Trouble(f"socket {path} is in use: {why} or choose another SOCKET")


def parameters_for(engine):
    """Parameters of the driver for a card of this engine: simulated hardware is thousands of times slower than real one, and pages must
    wait for it all the same."""
    return "card_wait_ms=60000" if engine == "rtl" else ""


class Card:
    """A running card. Attributes: process, engine, level, socket, control (a socket that takes faults, or None); `counters` (a dict name → number) is
    None until the card has written them, by `freeze` or `stop`."""

    def __init__(self, engine, level, path, folder, program=CARD, ready_seconds=60, controlled=False, page_shift=None, instant=False, cold=False):
        """Starts the card and waits until it listens; its log and counters lie in `folder`, its control
        socket, if `controlled`, beside `path`. `page_shift`: log2 of the page of engine `model`, if not 4 KiB; `instant`: it
        takes no time; `cold`: it has the cold format."""
        require(program, "run `make card`")
        check_socket(path)
        self.engine, self.level = engine, level
        self.socket = Path(path)
        self.control = Path(f"{path}.control") if controlled else None
        self.counters = None
        self.killed = False
        self.log = folder / "card.log"
        self.counters_file = folder / "card-counters.json"
        self.counters_file.unlink(missing_ok=True)
        command = [program, "--socket", path, "--engine", engine]
        command += ["--level", level] if level != "none" else []
        command += ["--log", self.log, "--counters", self.counters_file]
        command += ["--page-shift", page_shift] if page_shift else []
        command += ["--instant", "yes"] if instant else []
        command += ["--cold-format", "yes"] if cold else []
        if self.control:
            check_socket(self.control)
            command += ["--control", self.control]
        self.errors = open(folder / "card.err", "w+", encoding="utf-8", errors="replace")
        self.process = start(
            [str(part) for part in command], stdout=subprocess.PIPE, stderr=self.errors, text=True
        )
        try:
            self.await_ready(ready_seconds)
        except BaseException:
            self.kill()
            raise

    def await_ready(self, seconds):
        readable, _, _ = select.select([self.process.stdout], [], [], seconds)
        line = self.process.stdout.readline().strip() if readable else None
        if line is None:
            raise Trouble(f"the card did not say `ready` within {seconds} s: see {self.log}")
        if line != "ready":
            raise Trouble(f"the card did not start: {self.last_words() or line or 'it said nothing'}")

    def last_words(self):
        """The last line of the card's standard error."""
        self.errors.seek(0)
        lines = self.errors.read().strip().splitlines()
        return lines[-1] if lines else ""

    @property
    def running(self):
        return self.process.poll() is None

    @property
    def crashed(self):
        """Ended by itself and not well. (Without its client it ends by itself and well.)"""
        return not self.running and self.process.returncode != 0 and not self.killed

    def obituary(self):
        return f"the card ended with status {self.process.returncode}: {self.last_words() or 'it said nothing'}"

    def ask(self, line, seconds=60):
        """Sends a line to the control socket; the card's answer."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(seconds)
            try:
                connection.connect(str(self.control))
                connection.sendall(f"{line}\n".encode())
                answer = connection.makefile().readline().strip()
            except OSError as error:
                raise Trouble(f"the card's control socket does not answer: {error}") from error
        if not answer or answer.startswith("error"):
            raise Trouble(f"the card does not take `{line}`: {answer or 'it said nothing'}")
        return answer

    def freeze(self, seconds=60):
        """Makes a running card write its counters and stand still, at once (SIGUSR2); returns them."""
        before = self.stamp()
        self.process.send_signal(signal.SIGUSR2)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self.stamp() == before:
            if not self.running:
                raise Trouble(f"the card died while asked for its counters: {self.last_words()}")
            time.sleep(0.001)
        if self.stamp() == before:
            raise Trouble(f"the card wrote no counters within {seconds} s of SIGUSR2")
        return self.read_counters()

    def go_on(self):
        """Ends the standstill that `freeze` began."""
        self.process.send_signal(signal.SIGCONT)

    def stamp(self):
        try:
            status = self.counters_file.stat()
        except FileNotFoundError:
            return None
        return status.st_ino, status.st_mtime_ns, status.st_size

    def read_counters(self):
        try:
            raw = json.loads(self.counters_file.read_text())
            engine, level = raw.pop("engine"), raw.pop("level")
            self.counters = {name: int(value) for name, value in raw.items()}
        except (OSError, ValueError, AttributeError, KeyError, TypeError) as error:
            raise Trouble(f"the card's counters cannot be read from {self.counters_file}: {error!r}") from error
        if (engine, level) != (self.engine, self.level):
            raise Trouble(f"the card ran its engine {engine} at level {level}, not {self.engine} at {self.level}")
        return self.counters

    def kill(self):
        """Ends the card as a crash would (SIGKILL); its counters are lost."""
        self.killed = True
        self.process.kill()
        self.process.wait()
        self.close()

    def stop(self, seconds=60):
        """Ends the card in good order, unless QEMU's end already did, and returns its counters.
        Trouble when it crashed before."""
        self.process.terminate()
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Trouble(f"the card did not stop within {seconds} s of SIGTERM: see {self.log}") from None
        crashed, obituary = self.crashed, self.obituary()
        self.close()
        if crashed:
            raise Trouble(obituary)
        return self.read_counters()

    def close(self):
        self.process.stdout.close()
        self.errors.close()
        self.socket.unlink(missing_ok=True)
