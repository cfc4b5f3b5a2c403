# SPDX-License-Identifier: Apache-2.0
"""What the programs of programs/ are started with: their files, their environment, and an end for certain."""
import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from . import TOOLS, Trouble

ROOT = TOOLS / "root"
PYTHON = TOOLS / "venv/bin/python3"
PATIENCE = 90  # seconds until a program must be where it is to be stopped


class Workplace:
    """A folder of its own for one program, and the processes started in it; both gone at the end."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="pagepress-bench-"))
        self.started = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.started:
            # A group of its own: helpers that the program started end with it.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe:
                    with contextlib.suppress(OSError):
                        pipe.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def write(self, name, content):
        """Put a file into the folder; its path as text."""
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def start(self, *command, **options):
        """Start a program in the folder; messages go to the file `messages`."""
        with open(self.folder / "messages", "ab") as messages:
            options = {"stdin": subprocess.DEVNULL, "stdout": messages} | options
            process = subprocess.Popen([str(word) for word in command], cwd=self.folder, env=environment(command[0]),
                                       stderr=messages, start_new_session=True, **options)
        self.started.append(process)
        return process

    def wait_until(self, process, what, reached):
        """Wait until `reached()`; Trouble when the process ends or PATIENCE runs out before."""
        deadline = time.monotonic() + PATIENCE
        while not reached():
            if process.poll() is not None:
                raise Trouble(f"ended with status {process.returncode} before {what}{self._last_message()}")
            if time.monotonic() > deadline:
                raise Trouble(f"not {what} within {PATIENCE} s{self._last_message()}")
            time.sleep(0.01)

    def read(self, process, size, what):
        """Take `size` bytes of the process's output, so that it is known how far it came."""
        left = size
        while left:
            block = os.read(process.stdout.fileno(), min(left, 1 << 20))
            if not block:
                raise Trouble(f"ended before {what}{self._last_message()}")
            left -= len(block)

    def wait_for_line(self, process, line):
        """Read the process's output up to a line."""
        for text in process.stdout:
            if text.strip() == line.encode():
                return
        raise Trouble(f"ended before it said '{line}'{self._last_message()}")

    def _last_message(self):
        messages = (self.folder / "messages").read_text(errors="replace").strip().splitlines()
        return f": {messages[-1]}" if messages else ""


def unpacked(package, path):
    """A file of a Debian package that .tools/install-bench unpacked."""
    if not (ROOT / path).exists():
        with contextlib.suppress(OSError):
            for line in (TOOLS / "missing").read_text().splitlines():
                if line.startswith(f"{package}:"):
                    raise Trouble(f"not installed: {line} (delete build/tools/stamps/bench to try again)")
        raise Trouble(f"the package {package} is not unpacked: run .tools/install-bench")
    return ROOT / path


def installed(name):
    """A program that the machine or .tools/install-rtl provides."""
    path = shutil.which(name)
    if not path:
        raise Trouble(f"{name} is not installed: run .tools/install-rtl")
    return path


def environment(program):
    """The machine's own environment; an unpacked program also finds its libraries in the unpacked tree."""
    variables = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "LC_ALL": "C.UTF-8"}
    if ROOT in Path(program).parents:
        folders = [str(folder) for base in ("lib", "usr/lib") for below in ("", "/pulseaudio")
                   for folder in sorted((ROOT / base).glob(f"*-linux-gnu{below}"))]
        variables["LD_LIBRARY_PATH"] = ":".join(folders)
    return variables


def texts(limit):
    """Real text at hand on any machine that runs this: Python's own library, (name, text) in a stable order."""
    found, size = [], 0
    for path in sorted(Path(os.__file__).parent.glob("**/*.py")):
        if size < limit and "test" not in path.parts and "site-packages" not in path.parts:
            text = path.read_text(errors="replace")
            found.append((str(path), text))
            size += len(text)
    return found
