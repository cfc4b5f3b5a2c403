# SPDX-License-Identifier: Apache-2.0
"""`make experiments`: the experiments of five classic compressed-swap systems, run again on this one."""
from pathlib import Path

ROOM = Path(__file__).resolve().parent
BUILD = ROOM.parents[1] / "build"
RESULTS = BUILD / "experiments"
TOOLS = BUILD / "tools/experiments"
