# SPDX-License-Identifier: Apache-2.0
"""core at the ends of its parameters, and with some drawn from the seed: each is generated, linted, does pages both ways and is synthesised.

Each is a core to compile, so most of them wait for the night.
"""
import os
import random
import re
import sys
from pathlib import Path

import cocotb
import pytest
from cocotb.triggers import gather

import lzo
from cold import cold_compress, zstd_decompress
from configured import configured
from core_package import lint
from core_bench import QUIET, CoreBench
from crc32c import crc32c
from pagepress_cold import COLD_TABLES_VERSION
from pagepress_interface import *  # noqa: F403 (registers, statuses, entries)
from runner import run

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.append(str(REPOSITORY / "sim/soc"))

from fusesoc_target import fusesoc  # noqa: E402

OWN_CLOCK = 300000  # kilohertz, of the engines
LEGAL = {"queues": range(1, 65), "bus": (8, 16, 32, 64), "pages": (4096, 8192, 16384, 32768, 65536), "depth": range(3, 13),
         "compressors": (1, 2, 3, 4), "decompressors": (1, 2, 3, 4), "engine-clock": (0, OWN_CLOCK), "compressor-bytes": (0, 4, 8, 16),
         "decompressor-tokens": (1, 2)}
USUAL = {"queues": 4, "bus": 16, "pages": 4096, "depth": 10, "compressors": 1, "decompressors": 1, "engine-clock": 0,
         "compressor-bytes": 0, "decompressor-tokens": 2, "cold-format": 0}
CORNERS = {
    "least": {"queues": 1, "bus": 8, "depth": 3, "compressor-bytes": 4, "decompressor-tokens": 1},
    "small-engines": {"bus": 32, "compressors": 2, "compressor-bytes": 4, "decompressor-tokens": 1, "engine-clock": OWN_CLOCK},
    "odd": {"queues": 63, "bus": 8, "pages": 16384, "depth": 12, "decompressors": 2, "engine-clock": OWN_CLOCK},
    "most-queues": {"queues": 64, "bus": 32, "depth": 12, "decompressors": 4, "engine-clock": OWN_CLOCK},
    "large-pages": {"queues": 2, "bus": 64, "pages": 65536, "depth": 3, "decompressors": 3},
    "cold": {"queues": 2, "pages": 8192, "cold-format": 1},
    "many-compressors": {"queues": 3, "bus": 64, "compressors": 4, "engine-clock": OWN_CLOCK},
}
# The formats, with those who write and read their streams.
CODECS = ((FORMAT_LZO1X, lambda page: lzo.compress(page, "lzo1x_1"), lzo.kernel_decompress),
          (FORMAT_COLD, lambda page: cold_compress(page, len(page) + 9)[1], zstd_decompress))


def drawn(seed, number):
    """Any core; no more engines than compile in minutes."""
    choice = random.Random(f"{seed} {number}")
    core = {name: choice.choice(values) for name, values in LEGAL.items()}
    core["compressors"] = min(core["compressors"], 2)
    core["compressor-bytes"] = min(core["compressor-bytes"], core["bus"])
    return core


def parameters():
    """Of the core under test, by the words of its environment."""
    return {name: int(os.environ[f"CORNER_{name.upper()}"]) for name in USUAL}


@cocotb.test()
async def what_it_is_and_does(dut):
    """It says what it is made of, and its first, last and some other queues do pages both ways and go round."""
    core, bench = parameters(), await CoreBench.start(dut)
    capabilities, engines = await bench.read(REGISTER_CAPABILITIES), await bench.read(REGISTER_ENGINES)
    assert capabilities & ~(CAPABILITIES_PUSH_MASK | CAPABILITIES_WEIGHTS_MASK) == (
        (COLD_TABLES_VERSION << CAPABILITIES_COLD_TABLES_SHIFT) * core["cold-format"] | core["pages"].bit_length() - 1 << CAPABILITIES_PAGE_SHIFT_SHIFT | core["queues"] << CAPABILITIES_QUEUE_PAIRS_SHIFT
        | core["depth"] << CAPABILITIES_MAX_DEPTH_LOG2_SHIFT)
    assert engines == (core["compressors"] << ENGINES_COMPRESSORS_SHIFT | core["decompressors"] << ENGINES_DECOMPRESSORS_SHIFT
                       | core["bus"] << ENGINES_STREAM_BYTES_SHIFT)
    assert len(dut.interrupt) == core["queues"] + 1 and hasattr(dut, "engine_clk") == bool(core["engine-clock"])
    await bench.enable()
    size = core["pages"]
    chosen = sorted({0, core["queues"] - 1, *random.sample(range(core["queues"]), min(2, core["queues"]))})
    rings = [await bench.ring(index, random.choice((MIN_DEPTH_LOG2, 3, core["depth"]))) for index in chosen]

    async def use(ring):
        pages = [*lzo.sample_pages(2 if size > 4096 else 4, random.getrandbits(32), size), bytes(size)]
        jobs = []
        for format_, stream_of, _ in CODECS[:1 + core["cold-format"]]:
            jobs += [bench.compress(page, capacity=size, format=format_) for page in pages]
            jobs += [bench.decompress(stream_of(page), page, crc=crc32c(page), format=format_) for page in pages]
        random.shuffle(jobs)
        jobs += [bench.nop() for _ in range(10)]
        await ring.run(jobs)
        for job in jobs:
            if job.entry.opcode == OPCODE_NOP:
                assert job.completion.status == STATUS_SUCCESS
            elif job.entry.opcode == OPCODE_DECOMPRESS:
                assert job.completion.status == STATUS_SUCCESS and bench.output(job) == job.plain, job
            elif job.completion.status == STATUS_SUCCESS:
                decompress, = (decompress for format_, _, decompress in CODECS if format_ == job.entry.format)
                assert decompress(bench.output(job), size) == job.plain, job
            else:
                assert job.completion.status == (STATUS_INCOMPRESSIBLE if any(job.plain) else STATUS_SAME_FILLED), job
        assert await ring.read(REGISTER_COMPLETION_TAIL) == len(jobs) % ring.depth

    await gather(*map(use, rings))
    found = await bench.counters()
    assert found["commands"] == found["completions"] and not found["commands_failed"] and not found["commands_refused"]
    await rings[-1].disable()
    if core["depth"] < MAX_DEPTH_LOG2:
        ring = await bench.ring(chosen[-1], core["depth"] + 1)
        assert await ring.read(REGISTER_QUEUE_STATUS) & QUEUE_STATUS_ERROR_MASK, "a ring deeper than it has"
    await bench.disable()
    bench.finish()


def generated(name, changes):
    """The folder of this core, lint-free, and its parameters."""
    core = USUAL | changes
    options = [word for name, value in core.items() if name != "cold-format" for word in (f"--{name}", value)] + ["--cold-format"] * core["cold-format"]
    folder = configured(f"corner-{name}", options)
    assert not lint(folder, options)
    return folder, core


def generated_and_run(name, changes):
    folder, core = generated(name, changes)
    run("core", module=__name__, verilog=folder, environment={**QUIET, **{f"CORNER_{word.upper()}": str(value) for word, value in core.items()}})


def synthesised(built, name, changes):
    """Yosys maps it to cells of UltraScale+, none of them a latch, and counts more flip-flops than its queues alone have."""
    built("soc-tools")
    folder, core = generated(name, changes)
    total, _ = fusesoc(folder, "synthesise", REPOSITORY / f"build/corners-synthesised/{name}")
    cells = {cell: int(count) for count, cell in re.findall(r"^\s+(\d+)\s+(\w+)$", total, re.M)}
    assert sum(cells.get(flip_flop, 0) for flip_flop in ("FDRE", "FDSE", "FDCE", "FDPE")) > 100 * core["queues"], cells
    assert not [cell for cell in cells if cell.startswith("LD")], cells


@pytest.mark.night("test-parameters")
@pytest.mark.parametrize("name", CORNERS)
def test_core_corner(name):
    generated_and_run(name, CORNERS[name])


@pytest.mark.night("test-parameters")
@pytest.mark.parametrize("name", CORNERS)
def test_core_corner_is_synthesised(built, name):
    synthesised(built, name, CORNERS[name])


@pytest.mark.night("test-parameters")
@pytest.mark.parametrize("number", range(3))
def test_core_drawn(number, seed):
    core = drawn(seed, number)
    print("drawn:", core)
    generated_and_run(f"drawn-{number}", core)


@pytest.mark.night("test-parameters")
@pytest.mark.parametrize("number", range(3))
def test_core_drawn_is_synthesised(built, number, seed):
    synthesised(built, f"drawn-{number}", drawn(seed, number))
