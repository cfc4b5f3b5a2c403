# SPDX-License-Identifier: Apache-2.0
"""The LiteX module elaborates in a system and fits the core's ports; `make litex` simulates it, and the nightly run a board's."""
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.append(str(REPOSITORY / "rtl/interface"))

from generator.emit_verilog import ports_alone
from generator.model import load

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


def elaborate(python, core, **parameters):
    """The last line of Python's complaints about a core in the module, or none."""
    program = ("import sys; from litex.build.generic_platform import GenericPlatform; from pagepress_litex import Pagepress; "
               f"Pagepress(GenericPlatform('none', []), sys.argv[1], **{parameters})")
    done = subprocess.run([python, "-c", program, core], cwd=RUN.parent, capture_output=True, text=True, check=False)
    return done.stderr.splitlines()[-1] if done.returncode else ""


def test_litex_takes_no_core_that_it_would_not_fit(built, tmp_path):
    """The module looks at the Verilog's own ports: addresses of 32 bits, as the bus has, widths as its parameters say, no input that it does not drive."""
    python = built("litex-tools") / "python3"
    core = tmp_path / "core.v"
    five = {"ADDRESS_WIDTH": 32, "QUEUE_PAIRS": 5, "BUS_BYTES": 8, "COMPRESSORS": 2, "DECOMPRESSORS": 3}
    fits = {"bus_bytes": 8, "queue_pairs": 5, "engines": 5}
    for changed, given, said in (
            ({}, {}, ""), ({"USER_WIDTH": 4}, {}, ""), ({"ONE_INTERRUPT": 1}, {"one_interrupt": True}, ""),
            ({"ADDRESS_WIDTH": 40}, {}, " has addresses of 40 bits, the bus of 32: make it with --address-width 32"),
            ({"ADDRESS_WIDTH": 64}, {}, " has addresses of 64 bits, the bus of 32: make it with --address-width 32"),
            ({}, {"bus_bytes": 16}, ": m_axi_wdata has 64 bits, not the 128 of bus_bytes=16"),
            ({}, {"engines": 2}, ": m_axi_arid has 3 bits, not the 2 of engines=2"),
            ({}, {"queue_pairs": 4}, ": interrupt has 6 bits, not the 5 of queue_pairs=4, one_interrupt=False"),
            ({"ONE_INTERRUPT": 1}, {}, ": interrupt has 1 bits, not the 6 of queue_pairs=5, one_interrupt=False"),
            ({"RESET_LOW": 1}, {}, " has inputs that this module does not drive: resetn"),
            ({"ENGINE_CLOCK": 300000, "MEMORY_CONTROL": 3}, {}, " has inputs that this module does not drive: engine_clk, memory_control")):
        core.write_text(ports_alone(load(REPOSITORY / "rtl/interface", five | changed).core))
        assert elaborate(python, core, **fits | given) == (said and f"ValueError: {core}{said}")


def test_litex_boards_there_are(tmp_path, seed):
    done = run("--lint", "--board", "ulx4s", tmp_path, seed=seed)
    assert (done.returncode, done.stdout) == (1, "litex: no board ulx4s (there are ulx3s-85f)\n")


@pytest.mark.parametrize("old, new", [('"tiny"', '"tinier"'), ("^baud = .*", "baud = 0"), ("^megahertz = .*\n", ""), ("^core *=", "core")])
def test_litex_boards_that_are_not_right(tmp_path, old, new):
    """`make boards` has a line for each."""
    described = runpy.run_path(str(RUN))["described"]
    text = (described.__globals__["BOARDS"] / "ulx3s-85f/board.toml").read_text()
    assert described("ulx3s-85f") == ("tiny", {"clock": 25000}, 25)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/board.toml").write_text(re.sub(old, new, text, count=1, flags=re.M))
    described.__globals__["BOARDS"] = tmp_path
    with pytest.raises(described.__globals__["Trouble"], match="^open/mine/board.toml is not right: `make boards` says what$"):
        described("mine")


def test_litex_seeds(tmp_path):
    """A word that is no number gets one line, and `random` is a word of make test's."""
    for seed in ("seven", "-1", 2**32):
        done = run("--lint", "--board", "ulx4s", tmp_path, seed=seed)
        assert (done.returncode, done.stdout) == (1, f"litex: SEED must be a whole number below {2**32} or 'random', not '{seed}'\n")
    done = run("--lint", "--board", "ulx4s", tmp_path, seed="random")
    assert done.returncode == 1 and re.fullmatch(r"\[litex\] SEED=\d+\nlitex: no board ulx4s .*\n", done.stdout), done.stdout


@pytest.mark.night("test-parameters")
def test_litex_board(built, tmp_path, seed):
    """The system of `make board`, with its own core: what leaves by the serial line ends with PASS, and liblzo2 finds the page in the stream."""
    for target in ("litex-tools", "firmware-tools"):
        built(target)
    done = run("--board", "ulx3s-85f", tmp_path, seed=seed)
    assert done.returncode == 0 and done.stdout.startswith("PASS: 4096 bytes in "), done.stdout
