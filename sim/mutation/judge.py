# SPDX-License-Identifier: Apache-2.0
"""What a block's tests say of one mutant."""
import json
import os
import signal
import subprocess
import sys
import time

from mutants import REPOSITORY, Trouble

PATHS = [REPOSITORY / "sim/cocotb", REPOSITORY / "sim/reference", REPOSITORY / "rtl/interface/generated"]
LONGEST = 900  # seconds of the sound block's tests
RUN = """
import json, sys, runner
block, modules, environment, limit = json.loads(sys.argv[1])
try:
    for module in modules:
        runner.run(block, module, environment=environment, limit=limit)
except runner.BlockFailure as failure:
    print(failure)
    sys.exit({"failed": 3, "hung": 5}.get(failure.kind, 4))
"""


def simulate(block, entry, folder, number, limit):
    """"passed", "failed" or "hung", and the seconds it took. `entry`: the block's in blocks.toml; `limit`: seconds."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, PATHS)), "COCOTB_MAX_FAILURES": "1",
                   "COCOTB_RANDOM_SEED": "1",  # a verdict is the same each time
                   "PAGEPRESS_VERILOG": str(folder), "PAGEPRESS_COCOTB": str(folder / "cocotb"),
                   "PAGEPRESS_PLUSARGS": f"+mutant={number}",
                   "PYTEST_XDIST_WORKER": f"-mutant{number}"}  # the runner's folder for what runs side by side
    environment.pop("WAVES", None)
    job = json.dumps([block, entry["modules"], entry.get("environment", {}), limit])
    begun = time.monotonic()
    process = subprocess.Popen([sys.executable, "-c", RUN, job], cwd=REPOSITORY, env=environment, text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        said, _ = process.communicate(timeout=len(entry["modules"]) * limit + 600)  # and the build, which the sound run does
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    verdict = {0: "passed", 3: "failed", 5: "hung"}.get(process.returncode)
    if not verdict:
        raise Trouble(f"{block}, mutant {number}: the simulation did not run:\n{said[-2000:]}")
    return verdict, time.monotonic() - begun
