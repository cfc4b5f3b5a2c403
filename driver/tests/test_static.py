# SPDX-License-Identifier: GPL-2.0-only
"""The driver's sources under the kernel's own checkers, and its build given wrong headers."""
import os
import re
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
DRIVER = REPOSITORY / "driver"
SOURCES = [path for folder in (".", "acomp", "block", "path", "policy", "store", "backing", "origin", "card", "management", "observe", "page", "uapi")
           for path in (DRIVER / folder).glob("*.[ch]")]
CHECKPATCH = REPOSITORY / "build/tools/linux-source/scripts/checkpatch.pl"
# What checkpatch says of deliberate things, and why they stay:
IGNORED = {
    "CAMELCASE": "the classical names (NumReads ...) are those of the files in sysfs",
    "COMPLEX_MACRO": "lists that take a macro X: one place for a statistic's name",
    "MACRO_ARG_REUSE": "the same",
    "TRAILING_SEMICOLON": "the same: each X makes a definition",
    "LINE_SPACING": "the same: checkpatch takes the list for a statement",
    "SPACING": "the same: it takes & before an attribute for an operator",
}
# The same of trace.h alone, whose form is that of every trace header of the kernel.
TRACE_HEADER = ("OPEN_ENDED_LINE", "PARENTHESIS_ALIGNMENT")


def make(out, *words):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    return subprocess.run(["make", "-s", "-C", DRIVER, f"OUT={out}", *words],
                          env=environment, capture_output=True, text=True)


def test_driver_builds_without_warnings_under_sparse(packages):
    """As the packages have it: every file is compiled and checked, and nothing is said of any."""
    log = (packages / "build.log").read_text()
    for step in ("CC \\[M\\]", "CHECK"):
        seen = set(re.findall(rf"^  {step} +\S+/debian/build/(\S+)\.[co]$", log, re.M))
        assert seen >= {str(path.relative_to(DRIVER).with_suffix("")) for path in SOURCES if path.suffix == ".c"}, step
    said = [line for line in log.splitlines() if re.search(r"^\S+:\d+:|warning|WARNING|error:", line) and not line.startswith("dpkg")]
    assert not said, "\n".join(said)


def test_driver_builds_for_kernels_without_tasks_rcu(headers, tmp_path):
    """Those that neither trace nor run BPF programs may have no such grace periods; the ordinary ones take their place."""
    missing = tmp_path / "missing.h"
    missing.write_text("#undef CONFIG_TASKS_RCU\n#undef CONFIG_TASKS_RCU_GENERIC\n")
    done = make(tmp_path / "out", f"KDIR={headers}", "GOAL=main.o", f"KCFLAGS=-Werror -include {missing}")
    assert done.returncode == 0, done.stdout + done.stderr
    calls = subprocess.run(["nm", "-u", tmp_path / "out/main.o"], capture_output=True, text=True, check=True).stdout.split()
    assert "synchronize_rcu" in calls and "synchronize_rcu_tasks" not in calls, calls


def test_driver_builds_for_kernels_without_pci(headers, tmp_path):
    """Those of some systems on chip: the core is a platform device, and nothing asks for the other bus."""
    missing = tmp_path / "missing.h"
    missing.write_text("#undef CONFIG_PCI\n#undef CONFIG_PCI_MSI\n")
    objects = ("card/probe.o", "card/platform.o", "card/power.o", "card/events.o", "path/offload.o", "observe/debugfs.o", "management/upload.o")
    done = make(tmp_path / "out", f"KDIR={headers}", "CONFIG_PCI_MSI=", f"GOAL={' '.join(objects)}", f"KCFLAGS=-Werror -include {missing}")
    assert done.returncode == 0, done.stdout + done.stderr
    calls = subprocess.run(["nm", "-u", *(tmp_path / "out" / name for name in objects)], capture_output=True, text=True, check=True).stdout.split()
    assert "pagepress_platform_register" in calls and not [name for name in calls if re.match("pci|pagepress_pci", name)], calls


def test_sparse_is_really_run(headers, tmp_path):
    """A value in the wrong byte order must be noticed."""
    work = tmp_path / "driver"
    subprocess.run(["cp", "-r", DRIVER, work], check=True)
    queue = work / "card/queue.c"
    text = queue.read_text()
    assert "cpu_to_le32(request->tag)" in text
    queue.write_text(text.replace("cpu_to_le32(request->tag)", "request->tag"))
    (tmp_path / "rtl").symlink_to(REPOSITORY / "rtl")
    done = subprocess.run(["make", "-s", "-C", work, f"KDIR={headers}", "C=2", "CF=-D__CHECK_ENDIAN__",
                           "GOAL=card/queue.o"], capture_output=True, text=True)
    assert "incorrect type in assignment" in done.stdout + done.stderr


def test_driver_passes_checkpatch(headers, tmp_path):
    sources = sorted(path for path in SOURCES if path.name != "trace.h")
    for ignored, files in ((IGNORED, sources), ((*IGNORED, *TRACE_HEADER), [DRIVER / "observe/trace.h"])):
        command = ["perl", CHECKPATCH, "--no-tree", "--strict", "--terse", "--no-summary",
                   "--ignore", ",".join(ignored), "-f", *map(str, files)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.stdout == "", done.stdout


@pytest.mark.parametrize(
    ("kind", "phrase"),
    [("missing", "no kernel headers at"), ("empty", "is not a kernel build tree"),
     ("old", "is for kernel 4.19.0-1-amd64, this driver is for 6.1 (Debian 12) or newer"),
     ("poor", "was built without CONFIG_ZSMALLOC"), ("busless", "was built without CONFIG_PCI_MSI and without CONFIG_OF")],
)
def test_wrong_headers_give_one_clear_line(tmp_path, kind, phrase):
    kdir = tmp_path / "headers"
    if kind != "missing":
        kdir.mkdir()
    if kind in ("old", "poor", "busless"):
        release = "4.19.0-1-amd64" if kind == "old" else "6.1.0-1-amd64"
        for name in ("include/config", "include/generated"):
            (kdir / name).mkdir(parents=True)
        for name in ("Makefile", "Module.symvers"):
            (kdir / name).write_text("")
        options = ["BLOCK", "PCI_MSI"] if kind != "busless" else ["BLOCK", "ZSMALLOC", "LZO_COMPRESS", "LZO_DECOMPRESS", "CRYPTO_HASH"]
        (kdir / "include/config/auto.conf").write_text("".join(f"CONFIG_{option}=y\n" for option in options))
        (kdir / "include/generated/utsrelease.h").write_text(f'#define UTS_RELEASE "{release}"\n')
    done = make(tmp_path / "out", f"KDIR={kdir}")
    assert done.returncode != 0
    lines = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert len(lines) == 1 and lines[0].startswith("pagepress: ") and phrase in lines[0], done.stderr
    assert not (tmp_path / "out/pagepress.ko").exists()
