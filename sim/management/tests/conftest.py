# SPDX-License-Identifier: Apache-2.0
"""Images for the Verilated management part."""
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "sim/management"))

import images  # noqa: E402


@pytest.fixture(scope="session")
def image(built, tmp_path_factory):
    """A function: image("1.2.3", inject=True) builds and signs one, and returns its bytes."""
    built("management")
    made = {}

    def make(version="1.0.0", floor="0.0.1", inject=False):
        if (version, floor, inject) not in made:
            made[version, floor, inject] = images.made(tmp_path_factory.mktemp("image"), version, floor, inject)
        return made[version, floor, inject]

    return make
