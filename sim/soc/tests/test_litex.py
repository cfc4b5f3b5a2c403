# SPDX-License-Identifier: Apache-2.0
"""The LiteX module elaborates in a system and fits the core's ports; `make litex` simulates it, and the nightly run a board's."""
import os
import re
import subprocess
from pathlib import Path

from at_night import at_night

REPOSITORY = Path(__file__).resolve().parents[3]
RUN = REPOSITORY / "sim/soc/litex/run"


def run(*words, seed):
    return subprocess.run([RUN, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          env=dict(os.environ, SEED=str(seed)))


def test_litex_system_fits_the_core(built, tmp_path, seed):
    """Program, system and bench, as far as Verilator's lint around the core's ports."""
    for target in ("litex-tools", "firmware-tools"):
        built(target)
    done = run("--lint", tmp_path, seed=seed)
    assert (done.returncode, done.stdout) == (0, "the system lints\n")
    assert "pagepress_core_small pagepress" in (tmp_path / "soc.v").read_text()


def test_litex_takes_no_core_whose_addresses_it_would_cut_off(built, tmp_path):
    """The module looks at the Verilog's own addresses: 32 bits, as the bus has, and no others."""
    python = built("litex-tools") / "python3"
    for width, refused in ((32, False), (40, True), (64, True)):
        core = tmp_path / f"core{width}.v"
        core.write_text(f"module core (\n  output wire [{width - 1}:0]   m_axi_awaddr,\n  output wire [{width - 1}:0]   m_axi_araddr\n);\nendmodule\n")
        done = subprocess.run([python, "-c", "import sys; from litex.build.generic_platform import GenericPlatform; from pagepress_litex import Pagepress; "
                               "Pagepress(GenericPlatform('none', []), sys.argv[1])", core], cwd=RUN.parent, capture_output=True, text=True, check=False)
        assert (done.returncode != 0) == refused, done.stderr
        assert not refused or done.stderr.splitlines()[-1] == f"ValueError: {core} has addresses of {width} bits, the bus of 32: make it with --address-width 32"


def test_litex_boards_there_are(tmp_path, seed):
    done = run("--lint", "--board", "ulx4s", tmp_path, seed=seed)
    assert (done.returncode, done.stdout) == (1, "litex: no board ulx4s (there are ulx3s-85f)\n")


def test_litex_seeds(tmp_path):
    """A word that is no number gets one line, and `random` is a word of make test's."""
    for seed in ("seven", "-1", 2**32):
        done = run("--lint", "--board", "ulx4s", tmp_path, seed=seed)
        assert (done.returncode, done.stdout) == (1, f"litex: SEED must be a whole number below {2**32} or 'random', not '{seed}'\n")
    done = run("--lint", "--board", "ulx4s", tmp_path, seed="random")
    assert done.returncode == 1 and re.fullmatch(r"\[litex\] SEED=\d+\nlitex: no board ulx4s .*\n", done.stdout), done.stdout


@at_night("test-parameters")
def test_litex_board(built, tmp_path, seed):
    """The system of `make board`, with its own core: what leaves by the serial line ends with PASS, and liblzo2 finds the page in the stream."""
    for target in ("litex-tools", "firmware-tools"):
        built(target)
    done = run("--board", "ulx3s-85f", tmp_path, seed=seed)
    assert done.returncode == 0 and done.stdout.startswith("PASS: 4096 bytes in "), done.stdout
