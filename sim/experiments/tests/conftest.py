# SPDX-License-Identifier: Apache-2.0
"""Make the packages `experiments` and `system` importable; and a scenario that is made up."""
import sys
from pathlib import Path

import pytest

# Last: other rooms below sim/ have names of well-known packages.
sys.path.append(str(Path(__file__).resolve().parents[2]))
sys.path.append(str(Path(__file__).resolve().parent))

from experiments import scenario  # noqa: E402
from made_up import TOML  # noqa: E402


@pytest.fixture
def made_up(tmp_path):
    """A function: made_up(old, new) loads the scenario of made_up.py, changed so, with nothing that every scenario has."""

    def load(old="", new=""):
        assert old in TOML
        (tmp_path / "made-up.toml").write_text(TOML.replace(old, new) if old else TOML)
        return scenario.load("made-up", tmp_path, {"metrics": {}, "checks": []})

    return load
