# SPDX-License-Identifier: Apache-2.0
"""Child processes that never outlive this one."""
import ctypes
import os
import signal
import subprocess

from system import Trouble

SET_PARENT_DEATH_SIGNAL = 1  # prctl(2)
_libc = ctypes.CDLL(None, use_errno=True)


def start(command, **options):
    """Popen in a session of its own, so that Ctrl-C reaches only us and we end the children in
    order; when we are killed outright the kernel kills them."""

    def before_exec():
        _libc.prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)

    try:
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=before_exec, **options
        )
    except OSError as error:
        raise Trouble(f"cannot start {command[0]}: {os.strerror(error.errno)}") from error


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
