# SPDX-License-Identifier: Apache-2.0
"""`make experiments`: the experiments of five classic compressed-swap systems, run again on this one."""
from pathlib import Path

ROOM = Path(__file__).resolve().parent
BUILD = ROOM.parents[1] / "build"
RESULTS = BUILD / "experiments"
TOOLS = BUILD / "tools/experiments"
GUEST_PROGRAMS = BUILD / "tools/guest-programs"  # which all guests have, not those of experiments alone


def program(name):
    """The source of a guest's program: its own, or one that the driver's tests have."""
    own = ROOM / "programs" / name
    return own if own.exists() else ROOM.parents[1] / "driver/tests" / name


def write_whole(path, text):
    """Or not at all, should this be killed."""
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(text)
    fresh.replace(path)
