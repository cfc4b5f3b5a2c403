# SPDX-License-Identifier: Apache-2.0
"""A guest's script run here, with programs that are made up: what it reports is arithmetic on what files of /proc and /sys say."""
import contextlib
import os
import signal
import subprocess

from experiments import ROOM
from experiments.guest import Reports

# What needs a guest: the tail of common.sh, its clock, what makes swap, and where programs of Debian lie.
STAND_INS = """
uptime_ms() { echo $(($(date +%s%N) / 1000000)); }
"""
PROGRAMS = {
    "measure": 'out=$1; shift; "$@"; status=$?; echo "$status 1000 20 10 3 4" >"$out"; exit 0',
    "chroot": 'exec "$(basename "$2")" "${@:3}"',
    "modprobe": ":", "mkswap": ":", "swapon": 'echo "$3" >>/swaps',
}  # fmt: skip
PLACES = ("/tmp/", "/sys/", "/proc/", "/debian/", "/work/")
SWAPS = "/swaps"  # what was swapped on, a line each
SYSFS = ("/sys/block/pagepress0/", "/sys/block/zram0/", "/sys/module/zswap/parameters/")  # which making swap writes to


def run_script(name, folder, settings, programs, files):
    """The Reports of guest/NAME, run in `folder`. settings: its variables; programs: {name: text of a shell script}; files: {path in the guest: text}."""
    work, root = folder / "scripts", folder / "root"
    for path, text in files.items():
        (root / path.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
        (root / path.lstrip("/")).write_text(text)
    for place in (*(root / one.strip("/") for one in (*PLACES, *SYSFS)), work):
        place.mkdir(parents=True, exist_ok=True)

    def moved(text):
        for place in (*PLACES, SWAPS):
            text = text.replace(place, f"{root}{place}")
        return text.replace(">/dev/ttyS1", f">>{folder}/reports")

    for path in (ROOM / "guest").glob("*.sh"):
        text = path.read_text()
        if path.name == "common.sh":
            text = text[: text.index("mount -t debugfs")] + STAND_INS
        (work / path.name).write_text(moved(text))
    (work / "settings").write_text("".join(f"{name}='{value}'\n" for name, value in settings.items()))
    for one, text in (PROGRAMS | programs).items():
        (work / one).write_text("#!/bin/bash\n" + moved(text) + "\n")
        (work / one).chmod(0o755)
    with open(folder / "said", "w") as said:
        script = subprocess.Popen(["bash", name], cwd=work, env=os.environ | {"PATH": f"{work}:{os.environ['PATH']}"}, stdout=said, stderr=said, start_new_session=True)
    try:
        assert script.wait(timeout=120) == 0, (folder / "said").read_text()
    finally:
        with contextlib.suppress(ProcessLookupError):  # nothing is left
            os.killpg(script.pid, signal.SIGKILL)  # viewers and players, which a guest's end would end
    reports = Reports(lambda words: None)
    for line in (folder / "reports").read_text().splitlines():
        reports(*line.split(" ", 1))
    return reports
