# SPDX-License-Identifier: GPL-2.0-only
"""What guests run besides scripts, built from the sources in this folder, and how the programs that boot guests end. KERNEL in the
environment names the kernel they run."""
import fcntl
import json
import lzma
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
KERNEL = os.environ.get("KERNEL") or "6.1"
KERNELS = HERE.parents[1] / "build/tools/kernels"
HEADERS = KERNELS / KERNEL / "build"
ANNOUNCED = r"\[ *\d+\.\d+\] "  # before what guest/common.sh announces; something unfinished may stand before it
BACKING = HERE / "guest/backing.sh"
INTERFACE = HERE.parents[1] / "rtl/interface/generated"
RECORDED = HERE.parents[1] / "sim/reference/corpus"
SECONDS = 1500 if KERNEL != "debug" else 2400  # far beyond what a guest takes on a machine as busy as can be: only a hang takes as long
NIGHTLY = bool(os.environ.get("NIGHTLY", "").strip("0"))
THOROUGH = NIGHTLY or KERNEL == "debug"  # guests go through all that they otherwise draw from
# A busy host makes a card late that is not: nobody tires of it for a minute at least (a page waits a quarter of card_wait_ms).
PATIENT = "card_wait_ms=240000 timeout_ms=60000"
UNREAD = 141  # what a shell gives when nobody reads any more what a program prints


def finish(main):
    """Runs `main` with the program's arguments and exits with its status."""
    try:
        status = main(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is still to be flushed
        status = UNREAD
    sys.exit(status)


def compiled(name, folder):
    """A static program for the guest, from <name>.c."""
    program = folder / name
    command = ["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-static", "-o", program, HERE / f"{name}.c"]
    subprocess.run(command, check=True)
    return program


def recorded_pages(kind=None):
    """Memory pages of real programs, the same on every machine, one after the other; of one kind or all."""
    data, at = lzma.decompress((RECORDED / "pages.xz").read_bytes()), 0
    for name, count in json.loads((RECORDED / "pages.json").read_text()).items():
        if name == kind:
            return data[at:at + count * 4096]
        at += count * 4096
    return data


def shared(tmp_path_factory, name, make):
    """A folder that one worker of this run fills by make(folder), and that all of them use; the others wait for it."""
    root = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        root = root.parent  # the run's, around the workers' own
    folder = root / f"shared-{name}"
    with open(root / f"shared-{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "made").exists():  # absent, too, when a worker failed half-way
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            (folder / "made").touch()
    return folder


def kernel_module(name, folder, kernel=KERNEL):
    """A kernel module for the guest that runs `kernel`, from the folder <name>."""
    tree = folder / f"{name}-module"
    shutil.copytree(HERE / name, tree)
    command = ["make", "-s", "-C", KERNELS / kernel / "build", f"M={tree}", f"INTERFACE={INTERFACE}", "CONFIG_DEBUG_INFO_BTF_MODULES=", "modules"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["strip", "--strip-debug", tree / f"{name}.ko"], check=True)
    return tree / f"{name}.ko"
