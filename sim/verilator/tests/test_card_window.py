# SPDX-License-Identifier: Apache-2.0
"""The management part's window in BAR0, as a client finds it: 0 at the level of the core, which has none."""

import pagepress_management as management
import pytest
from pagepress_interface import MAGIC_VALUE, REGISTER_MAGIC
from vfio_user import Client

WINDOW = management.MANAGEMENT_WINDOW_OFFSET
CONTROL = WINDOW + management.REGISTER_CORE_CONTROL


@pytest.fixture
def client(card):
    with Client(card.socket) as connected:
        yield connected


def test_management_window(client, engine):
    there = engine in ("pcie", "model")
    assert client.read(WINDOW + management.REGISTER_MANAGEMENT_MAGIC) == management.MANAGEMENT_MAGIC_VALUE * there
    assert client.read(WINDOW + management.REGISTER_MANAGEMENT_VERSION) == management.MANAGEMENT_INTERFACE_VERSION_VALUE * there
    for value in (management.CORE_CONTROL_HOLD_MASK, 0):
        client.write(CONTROL, value)
        assert client.read(CONTROL) == value * there
    assert client.read(REGISTER_MAGIC) == MAGIC_VALUE


def test_management_outlives_a_function_level_reset(client, engine):
    client.write(CONTROL, management.CORE_CONTROL_HOLD_MASK)
    client.reset()
    assert client.read(CONTROL) == management.CORE_CONTROL_HOLD_MASK * (engine in ("pcie", "model"))
