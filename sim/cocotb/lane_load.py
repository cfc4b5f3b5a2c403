# SPDX-License-Identifier: Apache-2.0
"""core_gated at a load: for how many cycles each lane's clock runs. The file ACTIVITY takes what was counted; LOAD is in percent of the time."""
import json
import os
import random
from pathlib import Path

import cocotb

from core_bench import CoreBench
from core_checks import check
from test_core_faults import KINDS, make, real_pages

WARM = 600  # cycles: clocks stand that have nothing to do
CYCLES = 12000  # of the measurement, about
IN_FLIGHT = 6  # of each kind, at full load


def clocks(dut):
    units = [(f"{kind}Units_{index}", getattr(dut, f"{kind}Units_{index}")) for kind in ("compress", "decompress") for index in range(2)]
    return {name: unit.stop.io_run for name, unit in units}


@cocotb.test()
async def load(dut):
    share = int(os.environ["LOAD"]) / 100
    bench = await CoreBench.start(dut, stalls=0)
    await bench.enable()
    ring = await bench.ring(0, 5)
    await bench.cycles(WARM)
    ran, begin, pages = dict.fromkeys(clocks(dut), 0), bench.cycle, 0
    done = False

    async def count():
        while not done:
            await bench.cycles(1)
            for name, run in clocks(dut).items():
                ran[name] += int(run.value)
    counting = cocotb.start_soon(count())
    while bench.cycle - begin < CYCLES:
        if not share:
            await bench.cycles(1000)
            continue
        before = bench.cycle
        jobs = [make(bench, kind, page) for page in real_pages(IN_FLIGHT if share == 1 else 2) for kind in KINDS]
        random.shuffle(jobs)
        await ring.run(jobs)
        for job in jobs:
            check(bench, job)
        pages += len(jobs)
        await bench.cycles(round((bench.cycle - before) * (1 / share - 1)) + 1)
    done = True
    await counting
    Path(os.environ["ACTIVITY"]).write_text(json.dumps({"cycles": bench.cycle - begin, "pages": pages, "ran": ran}))
    await bench.disable()
    bench.finish()
