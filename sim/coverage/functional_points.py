# SPDX-License-Identifier: Apache-2.0
"""Functional points of all simulations together, from the files that cocotb-coverage wrote (sim/cocotb/functional.py)."""
import yaml

# Points that a run of all tests must have brought. Those of blocks and of engines are made when they are first met, and would else be missed by nobody.
# Of stalls: the blocks whose streams a bench of sim/cocotb holds up, in the tests of `make test`.
REQUIRED = ("core.completion", "core.stopped", "core.queue", "compress.tokens", "decompress.tokens", *(f"stalls.{block}" for block in (
    "burst_arbiter", "cold_compressor", "cold_decompressor", "cold_encoder", "command_check", "command_dispatch", "completion_writer", "compress_lane_cold_tampered",
    "compress_lane_tampered", "crc32c", "decompress_lane_cold_tampered", "decompress_lane_tampered", "engine_guard", "entry_writer", "management_host",
    "page_compressor", "page_copier", "page_copier_tampered", "page_decompressor", "page_reader", "page_reader_wide", "register_file", "stream_encoder", "stream_verifier_tampered",
    "stream_writer", "stream_writer_wide", "submission_fetch")))


def merged(paths):
    """{point: {bin: hits}}."""
    found = {}
    for path in paths:
        for name, item in (yaml.unsafe_load(path.read_text()) or {}).items():
            for met, hits in (item.get("bins:_hits") or {}).items():
                bins = found.setdefault(name, {})
                bins[str(met)] = bins.get(str(met), 0) + hits
    return found


def required(found):
    """These points, with one bin that nothing met for each that is required and was not made."""
    return {**{name: {"anything": 0} for name in REQUIRED}, **found}
