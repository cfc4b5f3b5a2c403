# SPDX-License-Identifier: Apache-2.0
"""card at a link of four lanes, whose block moves 16 bytes a cycle: what is true of the usual card, and whole TLPs on every stream."""
import pytest

from core_bench import QUIET
from runner import run


@pytest.mark.night("test-whole")
def test_card_narrow():
    run("card_narrow", module="test_card_traffic", environment=QUIET)


@pytest.mark.night("test-whole")
def test_card_narrow_link_faults():
    run("card_narrow", module="test_card_link_faults", environment=QUIET)
