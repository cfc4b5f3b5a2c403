# SPDX-License-Identifier: Apache-2.0
"""`make bench`: both engines on the memory of real programs, beside the codecs that software would use."""
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = REPOSITORY / "build"
RESULTS = BUILD / "bench"
TOOLS = BUILD / "tools/bench"
PAGE_BYTES = 4096  # what swapping on x86 uses; page files are cut into these
SEED = 20210  # of every random choice, so that two runs differ only by what the programs did


class Trouble(Exception):
    """What stopped the bench or one part of it, as one line that says what is wrong and what to do."""
