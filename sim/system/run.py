# SPDX-License-Identifier: Apache-2.0
"""Card and guest together, started and ended in order, with one folder for their traces."""
import contextlib
import shutil
import sys
import tempfile
from pathlib import Path

from system import BUILD, KERNEL, QEMU, Trouble, require
from system.card import Card
from system.processes import end_on_signals

INTERRUPTED = 130  # what a shell gives for Ctrl-C


@contextlib.contextmanager
def folder(label):
    """A new folder for one run under build/system; kept only when a guest ran into Trouble."""
    (BUILD / "system").mkdir(parents=True, exist_ok=True)
    path = Path(tempfile.mkdtemp(prefix=f"{label}-", dir=BUILD / "system"))
    keep = False
    try:
        yield path
    except Trouble:
        keep = (path / "card.log").exists() or (path / "console.log").exists()
        raise
    finally:
        if not keep:
            shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def card(engine, run_folder, path=None):
    """A running card, or None for engine `none`. Killed if still running at the end."""
    if engine == "none":
        yield None
        return
    # Not in the run's folder: a socket's path is at most 107 bytes long.
    with tempfile.TemporaryDirectory(prefix="pagepress-") as short:
        started = Card(engine, path or Path(short, "card"), run_folder)
        try:
            yield started
        except Trouble as trouble:
            if started.crashed:  # the rest only followed
                raise Trouble(f"{started.obituary()}; then: {trouble}") from trouble
            raise
        finally:
            if started.running:
                started.kill()


def check_tools():
    require(KERNEL / "vmlinuz", "run `make tools`")
    require(QEMU, "run `make tools`")


def main(program, run, arguments):
    """Runs `run(arguments)` and exits with its status; a Trouble becomes one line."""
    end_on_signals()
    try:
        status = run(arguments)
    except Trouble as trouble:
        print(f"{program}: {trouble}", file=sys.stderr)
        status = 1
    except KeyboardInterrupt:
        print(f"{program}: interrupted", file=sys.stderr)
        status = INTERRUPTED
    sys.exit(status)
