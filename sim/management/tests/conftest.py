# SPDX-License-Identifier: Apache-2.0
"""Images for the Verilated management part."""
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "sim/management"))


@pytest.fixture(scope="session")
def image(built, tmp_path_factory):
    """A function: image("1.2.3", inject=True) builds and signs one, and returns its bytes."""
    built("management")
    made = {}

    def make(version="1.0.0", floor="0.0.1", inject=False):
        if (version, floor, inject) not in made:
            folder = tmp_path_factory.mktemp("image")
            done = subprocess.run(["make", "-s", "-C", REPOSITORY / "firmware", f"OUTPUT={folder}", f"VERSION={version}", f"FLOOR={floor}",
                                   *(["INJECT=1"] if inject else [])], capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            made[version, floor, inject] = (folder / ("firmware-inject.img" if inject else "firmware.img")).read_bytes()
        return made[version, floor, inject]

    return make
