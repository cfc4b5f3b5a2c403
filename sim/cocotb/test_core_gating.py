# SPDX-License-Identifier: Apache-2.0
"""core_gated: lanes whose clock stands while they are idle. Pages, faults, tests of single lanes and stops are as with clocks that run."""
import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from core_bench import QUIET
from core_checks import check
from lanes_bench import COMPRESSORS, LANES, LanesBench
from runner import run
from test_core_faults import KINDS, make, real_pages

LINGER = 255  # cycles for which a clock goes on behind the last page
MARGIN = 20


def units(dut):
    """By lane."""
    return [*(getattr(dut, f"decompressUnits_{index}") for index in range(2)), *(getattr(dut, f"compressUnits_{index}") for index in range(2))]


def running(dut):
    return [int(unit.stop.io_run.value) for unit in units(dut)]


@cocotb.test()
async def stands(dut):
    """Each lane's clock runs while a page is in that lane, and stands else; no page waits for it."""
    bench = await LanesBench.start(dut, stalls=0)
    await bench.enable()
    ring = await bench.ring(0, 4)
    await bench.cycles(LINGER + MARGIN)
    assert not any(running(dut)), "clocks run in a card that has had nothing to do"
    ran = [0] * len(LANES)
    done = False

    async def watch():
        while not done:
            await RisingEdge(dut.clk)
            for lane, unit in enumerate(units(dut)):
                ran[lane] += int(unit.stop.io_run.value)
                # A unit is busy from the cycle on in which its lane may see the command: no page waits for its clock.
                assert unit.stop.io_run.value or unit.io_idle.value, f"lane {lane} has a page and no clock"
    watching = cocotb.start_soon(watch())
    for kind in KINDS:
        page = real_pages(1)[0]
        for pause in (LINGER + MARGIN, 3, LINGER + MARGIN, LINGER - 10 + random.randrange(20), random.randrange(LINGER)):
            await bench.cycles(pause)
            job = make(bench, kind, page)
            await ring.run([job])
            check(bench, job)
        await bench.cycles(LINGER + MARGIN)
        assert not any(running(dut)), kind
        used = [lane for lane in LANES if ran[lane]]
        assert used and all((lane in COMPRESSORS) == (kind == "compress") for lane in used), f"{kind}: clocks of lanes {used} ran"
        ran[:] = [0] * len(LANES)
    await bench.disable()
    await bench.cycles(LINGER + MARGIN)
    assert not any(running(dut)), "clocks run in a card that is not enabled"
    done = True
    await watching
    bench.finish()


@pytest.mark.night("test-whole")
def test_core_gating():
    run("core_gated", module=__name__, environment=QUIET)


@pytest.mark.night("test-whole")
def test_core_gating_lanes():
    for block in ("core_gated", "core_gated_apart"):
        run(block, module="test_core_lanes", environment=QUIET)
