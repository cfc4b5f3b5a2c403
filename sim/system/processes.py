# SPDX-License-Identifier: Apache-2.0
"""Child processes that never outlive this one."""
import ctypes
import os
import shutil
import signal
import subprocess

from system import Trouble

SET_PARENT_DEATH_SIGNAL = 1  # prctl(2)
_libc = ctypes.CDLL(None, use_errno=True)


def start(command, **options):
    """Popen in a session of its own, so that Ctrl-C reaches only us and we end the children in order; when we are killed outright the
    kernel kills them: setpriv(1) asks for that and becomes the program. (Python between fork and exec may hang where there are threads.)"""
    if not shutil.which(command[0]):
        raise Trouble(f"cannot start {command[0]}: there is no such program")
    return subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *command], stdin=subprocess.DEVNULL, start_new_session=True, **options)


def end_on_signals():
    """Makes SIGTERM and SIGHUP end the program as Ctrl-C does, through its clean-up."""

    def interrupt(number, frame):
        raise KeyboardInterrupt

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)


def end_with(parent, number):
    """For a process that was forked: signal `number` when its parent, of process `parent`, ends in whatever way."""
    _libc.prctl(SET_PARENT_DEATH_SIGNAL, number)
    if os.getppid() != parent:  # it was quicker
        os.kill(os.getpid(), number)
