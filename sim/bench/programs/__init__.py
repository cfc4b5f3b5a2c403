# SPDX-License-Identifier: Apache-2.0
"""The programs whose memory is measured, one a file; the file's name is the set's.

Each has a TITLE, and `at_work(place)` that starts the program in a Workplace, brings it to a moment at which its
memory is full of what it works on, and returns the process ids to look into. Where it can, that moment is a place
in the program's work (bytes written, a line printed), so that fast and slow machines stop at the same one.
Trouble says why a program cannot be had; the others are measured without it.
"""
import importlib
import pkgutil


def names():
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def program(name):
    return importlib.import_module(f"{__name__}.{name}")
