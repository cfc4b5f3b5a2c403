# SPDX-License-Identifier: Apache-2.0
"""A small nightly run, and codecs and engines that are wrong on purpose: the run must notice."""
import json
import os
import random
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from sample_pages import sample_pages
from sampled import sampled

REPOSITORY = Path(__file__).resolve().parents[3]
NIGHTLY = REPOSITORY / "sim/nightly"
sys.path.append(str(NIGHTLY))
BUILD = REPOSITORY / "build/nightly"
REFERENCE = REPOSITORY / "build/reference"
CODEC_ALONE = ("--pages", 0, "--streams", 0)  # optimised engines take a minute of a processor to compile


def nightly(*words):
    return subprocess.run([NIGHTLY / "run", *map(str, words)], capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def programs():
    """The codec is built; other workers wait for the one that builds it."""
    done = nightly("--build", "--seed", 1, *CODEC_ALONE)
    assert done.returncode == 0, done.stdout + done.stderr


def test_nightly_finds_nothing_wrong_and_meets_every_status(tmp_path, seed):
    """By day the codec; by night the engines as well."""
    real = tmp_path / "recorded.pages"
    real.write_bytes(b"".join(sample_pages(300, seed)))
    engines = sampled(("--pages", 128, "--streams", 10_500), CODEC_ALONE)
    done = nightly(real, "--seed", seed, "--codec", 4_000, *engines, "--counts", tmp_path / "counts.json")
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads((tmp_path / "counts.json").read_text())["parts"]
    assert found["codec"]["pages"] >= 4_000
    for part in found.keys() & {"codec", "streams"}:
        for status in ("SUCCESS", "MALFORMED_STREAM", "OUTPUT_OVERRUN", "OUTPUT_UNDERRUN"):
            assert found[part][status] > 0.005 * found[part]["broken streams"], (part, status)
    if engines is not CODEC_ALONE:
        assert found["pages"]["pages"] >= 128 and found["streams"]["broken streams"] >= 10_500
        assert found["pages"]["INCOMPRESSIBLE"] and found["pages"]["within their limit"]


@pytest.mark.parametrize("words, message", [
    (["no-such.pages"], "nightly: cannot read no-such.pages: No such file"),
    ([NIGHTLY], f"nightly: cannot read {NIGHTLY}: Is a directory"),
    ([NIGHTLY / "README.md"], "it must hold raw 4096-byte pages"),
    (["--from", "codec"], "'codec' is no PART:BATCH"),
    (["--pages", "many"], "'many' is no whole number"),
])
def test_nightly_bad_command_line(words, message):
    done = nightly("--build", *words)
    assert done.returncode and message in done.stderr.splitlines()[-1]


# A program of a part: fails, or interrupts the run as Ctrl-C does, once though two of them run, and ends when that has said so, or after a
# minute at least.
PROGRAMS = {"fails": "echo harm >&2; exit 1",
            "interrupts": "! mkdir ${0%/*}/struck 2>/dev/null || kill -INT $PPID\n"
                          "until grep -q interrupted ${0%/*}/said || [ $((turns += 1)) = 6000 ]; do sleep 0.01; done"}
RUN = """
import importlib.machinery, importlib.util, pathlib, sys
loader = importlib.machinery.SourceFileLoader("nightly", sys.argv[1])
nightly = importlib.util.module_from_spec(importlib.util.spec_from_loader("nightly", loader))
sys.modules["nightly"] = nightly
loader.exec_module(nightly)
nightly.BUILD, nightly.build = pathlib.Path(sys.argv[2]), lambda programs: None
sys.exit(nightly.main(sys.argv[3:]))
"""


@pytest.mark.parametrize("program, given, more", [
    ("fails", "--codec 5000", "--from codec:0 --batches 5"), ("fails", "--from pages:4 --batches 3", "--batches 3"),
    ("interrupts", "--codec 5000 --pages 0 --streams 70", "--from codec:0"), ("interrupts", "--from streams:7 --batches 30", "")])
def test_nightly_names_the_line_that_repeats(tmp_path, program, given, more):
    """With the options and the pages that were given, so that it is the same run again from there."""
    (tmp_path / "real.pages").write_bytes(bytes(4096))
    (tmp_path / "more pages").write_bytes(bytes(4096))
    for name in ("codec", "engines"):
        (tmp_path / name).write_text(f"#!/bin/sh\n{PROGRAMS[program]}\n")
        (tmp_path / name).chmod(0o755)
    files = [str(tmp_path / "real.pages"), str(tmp_path / "more pages")]
    words = ["--seed", "9", *given.split(), *files]
    with open(tmp_path / "said", "w") as file:
        done = subprocess.run([sys.executable, "-c", RUN, NIGHTLY / "run", tmp_path, *words], cwd=NIGHTLY, stdout=file, stderr=file, check=False)
    text = (tmp_path / "said").read_text()
    assert done.returncode == {"fails": 1, "interrupts": 130}[program], text
    line = re.search(r"(?:^again:|interrupted; go on with) (make nightly .*)", text, re.M)[1]
    said = dict(word.partition("=")[::2] for word in shlex.split(line)[2:])
    parse = runpy.run_path(str(NIGHTLY / "run"))["arguments"]
    assert parse(shlex.split(said["OPTIONS"]) + shlex.split(said["PAGES"])) == parse([*words, *more.split()])


# Stands before the codec's function and alters what it answers.
SABOTAGE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stddef.h>
uint8_t {function}(const uint8_t *source, size_t bytes, uint8_t *room, size_t limit, size_t *length)
{{
    static uint8_t (*codec)(const uint8_t *, size_t, uint8_t *, size_t, size_t *);
    if (!codec)
        codec = dlsym(RTLD_NEXT, "{function}");
    uint8_t status = codec(source, bytes, room, limit, length);
    {harm}
    return status;
}}
"""


@pytest.mark.parametrize("function, harm, message", [
    ("page_decompress", "room[limit] = 0;", "the decompressor wrote outside its destination"),
    ("page_decompress", "if (status == 10) status = 12;", "broken stream for"),
    ("page_decompress", "if (*length == 4000) room[3999] ^= 1;", "other bytes"),
    ("page_compress", "room[-1] = 0;", "the compressor wrote outside its destination"),
    ("page_compress", "if (*length > 3000) room[2000] ^= 1;", "does not give the page back"),
    ("page_compress", "if (status == 2) status = 0;", "status 0 within"),
])
def test_nightly_notices_a_wrong_codec(programs, tmp_path, function, harm, message):
    (tmp_path / "harm.c").write_text(SABOTAGE.format(function=function, harm=harm))
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", tmp_path / "harm.so", tmp_path / "harm.c", "-ldl"], check=True)
    real = tmp_path / "real.pages"
    real.write_bytes(random.randbytes(4096))
    done = subprocess.run([BUILD / "codec", "1", "0", "20", real, REFERENCE / "libkernel_lzo.so", tmp_path],
                          env={**os.environ, "LD_PRELOAD": str(tmp_path / "harm.so")}, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 1 and message in done.stderr, done.stdout + done.stderr
    assert done.stderr.startswith("batch ") and (tmp_path / "codec.stream").exists()


# Passes words on: the part `streams` needs no compressor.
IDLE_COMPRESSOR = """
module page_compressor(
    input io_source_valid, output io_source_ready, input io_source_payload_last,
    input [127:0] io_source_payload_fragment_data, input [4:0] io_source_payload_fragment_count, input [13:0] io_limit,
    output io_sink_valid, input io_sink_ready, output io_sink_payload_last,
    output [127:0] io_sink_payload_fragment_data, output [4:0] io_sink_payload_fragment_count,
    output reg io_result_valid, input io_result_ready, output [7:0] io_result_payload_status,
    output [13:0] io_result_payload_length, input clk, input reset);
  assign {io_source_ready, io_sink_valid} = {io_sink_ready, io_source_valid};
  assign io_sink_payload_last = io_source_payload_last;
  assign io_sink_payload_fragment_data = io_source_payload_fragment_data;
  assign io_sink_payload_fragment_count = io_source_payload_fragment_count;
  assign io_result_payload_status = 0;
  assign io_result_payload_length = 0;
  always @(posedge clk) io_result_valid <= !reset && io_source_valid && io_source_ready && io_source_payload_last;
endmodule
"""
# A page that follows a malformed stream has a bit wrong.
FORGETFUL = """
module page_decompressor({ports});
  wire [$bits(io_sink_payload_fragment_data) - 1:0] right;
  page_decompressor_sound sound(.io_sink_payload_fragment_data(right), .*);
  reg wish, disturbed;
  assign io_sink_payload_fragment_data = right ^ disturbed;
  always @(posedge clk)
    if (reset) {{wish, disturbed}} <= 0;
    else begin
      if (io_result_valid && io_result_ready) wish <= io_result_payload_status == 10;
      if (!io_sink_valid || io_sink_ready) disturbed <= wish; // a word stands until it is taken
    end
endmodule
"""


@pytest.mark.night("test-whole")
def test_nightly_notices_a_page_disturbed_by_the_stream_before(programs, tmp_path):
    sound = (REPOSITORY / "build/verilog/page_decompressor.v").read_text()
    ports = re.search(r"\bmodule page_decompressor \((.*?)\);", sound, re.S)[1]
    (tmp_path / "page_compressor.v").write_text(IDLE_COMPRESSOR)
    (tmp_path / "page_decompressor.v").write_text(
        re.sub(r"\bmodule page_decompressor\b", "module page_decompressor_sound", sound) + FORGETFUL.format(ports=ports))
    made = subprocess.run(["make", "-s", "-C", NIGHTLY, "engines", f"build={tmp_path}", f"verilog={tmp_path}", "VERILATED_FLAGS=-O0"],
                          capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    (tmp_path / "real.pages").write_bytes(random.randbytes(4096))
    done = subprocess.run([tmp_path / "engines", "streams", "1", "0", "1", tmp_path / "real.pages",
                           REFERENCE / "libkernel_lzo.so", tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "decompressed to other bytes" in done.stderr, done.stdout + done.stderr
