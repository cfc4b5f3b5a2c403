# SPDX-License-Identifier: Apache-2.0
"""What the host's tests share: this folder's modules, pagepressctl, and made-up machines for it."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))

from made_up_machine import MadeUpMachine  # noqa: E402 (found by the line above)


@pytest.fixture(scope="session")
def program(built):
    """pagepressctl's path."""
    return built("host")


@pytest.fixture
def machine(program, tmp_path):
    """A machine with the module loaded, and no disk and no card yet."""
    return MadeUpMachine(program, tmp_path)
