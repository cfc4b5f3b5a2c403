# SPDX-License-Identifier: Apache-2.0
"""The C++ compiler proper on Verilator's run-time library, while it writes its assembly code."""
import shlex
import subprocess

from .. import BUILD, Trouble
from ..workplace import installed

TITLE = "GCC compiling a large C++ file"
INCLUDE = BUILD / "tools/verilator/include"
WRITTEN = 1 << 20  # bytes of assembly code: well inside the back end, the whole file parsed


def at_work(place):
    if not (INCLUDE / "verilated.cpp").exists():
        raise Trouble("Verilator's sources are missing: run .tools/install-rtl")
    assembly = place.folder / "verilated.s"
    process = place.start(*compiler_command("-O2", "-g", "-S", "-std=gnu++20", f"-I{INCLUDE}", f"-I{INCLUDE}/vltstd",
                                            INCLUDE / "verilated.cpp", "-o", assembly))
    place.wait_until(process, "writing its assembly code",
                     lambda: assembly.exists() and assembly.stat().st_size >= WRITTEN)
    return [process.pid]


def compiler_command(*options):
    """What g++ would start for these options: the compiler proper, whose memory it is."""
    dry = subprocess.run([installed("g++"), "-###", *options], capture_output=True, text=True, check=True).stderr
    return next(words for words in map(shlex.split, dry.splitlines()) if words and words[0].endswith("/cc1plus"))
