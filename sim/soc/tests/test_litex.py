# SPDX-License-Identifier: Apache-2.0
"""The LiteX module elaborates in a system and fits the core's ports; `make litex` simulates it."""
import os
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
RUN = REPOSITORY / "sim/soc/litex/run"


def run(*words, seed):
    return subprocess.run([RUN, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          env=dict(os.environ, SEED=str(seed)))


def test_litex_system_fits_the_core(built, tmp_path, seed):
    """Program, system and bench, as far as Verilator's lint; build/verilog/core.v is the core's."""
    for target in ("litex-tools", "firmware-tools"):
        built(target)
    done = run("--lint", tmp_path, seed=seed)
    assert (done.returncode, done.stdout) == (0, "the system lints\n")
    assert "core pagepress" in (tmp_path / "soc.v").read_text()
