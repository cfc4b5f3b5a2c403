# SPDX-License-Identifier: GPL-2.0-only
"""What guests run besides scripts, built from the sources in this folder. KERNEL in the environment names the kernel they run."""
import os
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
KERNEL = os.environ.get("KERNEL") or "6.1"
HEADERS = HERE.parents[1] / "build/tools/kernels" / KERNEL / "build"
ANNOUNCED = r"\[ *\d+\.\d+\] "  # before what guest/common.sh announces; something unfinished may stand before it
BACKING = HERE / "guest/backing.sh"


def compiled(name, folder):
    """A static program for the guest, from <name>.c."""
    program = folder / name
    command = ["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-static", "-o", program, HERE / f"{name}.c"]
    subprocess.run(command, check=True)
    return program


def kernel_module(name, folder):
    """A kernel module for the guest, from the folder <name>."""
    tree = folder / f"{name}-module"
    shutil.copytree(HERE / name, tree)
    command = ["make", "-s", "-C", HEADERS, f"M={tree}", "CONFIG_DEBUG_INFO_BTF_MODULES=", "modules"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["strip", "--strip-debug", tree / f"{name}.ko"], check=True)
    return tree / f"{name}.ko"
