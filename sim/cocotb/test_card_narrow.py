# SPDX-License-Identifier: Apache-2.0
"""card at a link of four lanes, whose block moves 16 bytes a cycle: what is true of the usual card, and whole TLPs on every stream."""
from at_night import at_night
from core_bench import QUIET
from runner import run


@at_night("test-whole")
def test_card_narrow():
    run("card_narrow", module="test_card_traffic", environment=QUIET)


@at_night("test-whole")
def test_card_narrow_link_faults():
    run("card_narrow", module="test_card_link_faults", environment=QUIET)
