# SPDX-License-Identifier: Apache-2.0
"""Card and guest together, started and ended in order, with one folder for their traces."""
import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from pathlib import Path

import command_line
from system import BUILD, CARD, QEMU, Trouble, require
from system.card import Card
from system.processes import end_on_signals
from system.session import FailedBoot, OutOfTime

BOOTS = 6  # of a guest, until one is as it should be: three in a row measured a wrong clock on a host with eight to run on two processors


@contextlib.contextmanager
def locked(path, how):
    """A lock (flock) on a file or folder, shared or exclusive; ends with the block or the process."""
    descriptor = os.open(path, os.O_RDONLY | (0 if Path(path).is_dir() else os.O_CREAT))
    try:
        fcntl.flock(descriptor, how)
        yield
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def alone(name):
    """One run at a time in here: whatever several runs share in build/system is made under this lock."""
    (BUILD / "system").mkdir(parents=True, exist_ok=True)
    with locked(BUILD / f"system/{name}.lock", fcntl.LOCK_EX):
        yield


@contextlib.contextmanager
def folder(label):
    """A new folder for one run under build/system, deleted at the end by nobody but this run; kept
    when a guest ran into Trouble. `make clean` refuses to work while a run shares the lock on build/."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with locked(BUILD, fcntl.LOCK_SH):
        (BUILD / "system").mkdir(exist_ok=True)
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
def card(engine, level, run_folder, path=None, controlled=False, page_shift=None, instant=False, cold=False, program=CARD):
    """A running card, with a control socket if `controlled`, pages of 2^`page_shift` bytes, taking no time if `instant`, and with the cold format if `cold`; or None for engine `none`. Killed if still running at the end."""
    if engine == "none":
        yield None
        return
    # Not in the run's folder: a socket's path is at most 107 bytes long.
    with tempfile.TemporaryDirectory(prefix="pagepress-") as short:
        started = Card(engine, level, path or Path(short, "card"), run_folder, program, controlled=controlled, page_shift=page_shift, instant=instant, cold=cold)
        try:
            yield started
        except Trouble as trouble:
            if started.crashed:  # the rest only followed
                raise Trouble(f"{started.obituary()}; then: {trouble}") from trouble
            raise
        finally:
            if started.running:
                started.kill()


def booted(attempt, seconds):
    """What `attempt(seconds)` returns, which starts a card and a guest and runs it; again, BOOTS times at most and in the time that is left,
    when that guest did not boot as it should, so that nothing had run in it."""
    began = time.monotonic()
    for boot in range(1, BOOTS + 1):
        try:
            return attempt(max(1, round(seconds - (time.monotonic() - began))))
        except FailedBoot as failed:
            if boot == BOOTS:
                raise
            print(f"[guest] {failed}; starting it once more", flush=True)
        except OutOfTime as late:  # boots that failed have had some of it
            raise OutOfTime(late.what, seconds, late.more) from None


def check_tools():
    require(QEMU, "run `make tools`")


def main(program, run, arguments):
    """As command_line.main; a signal that ends programs is as Ctrl-C."""
    end_on_signals()
    command_line.main(program, run, arguments)
