# SPDX-License-Identifier: Apache-2.0
"""Pages of documentation say of each block what results.toml has: areas, levels and clocks, in the phrase or row that is about it."""
import sys
from pathlib import Path

import pytest

CONSTRAINTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CONSTRAINTS))

from results import recorded

PHRASES = [
    ("rtl/README.md", "| LUT, UltraScale+ mapping | {page_compressor[luts]:,} (25,000) | {page_decompressor[luts]:,} (20,000) | {core_without_engines[luts]:,} |"),
    ("rtl/README.md", "| LUT levels between registers | {page_compressor[levels]} (8) | {page_decompressor[levels]} (8) | {core_without_engines[levels]} (8) |"),
    ("rtl/README.md", "| routed clock, ECP5-85 speed 8, MHz | {page_compressor[megahertz]} (110) | **{page_decompressor[megahertz]}** (110) |"),
    ("rtl/README.md", "The whole core, its default, takes {core_default[luts]:,} LUTs and has {core_default[levels]} levels (goal 8)."),
    ("rtl/README.md", "{core_tiny[luts]:,} LUTs and {core_tiny[block_rams]:g} block RAMs by the UltraScale+ mapping, with {core_tiny[levels]} levels; "
                      "`small`, with the largest engines, {core_small[luts]:,} and {core_small[block_rams]:g}, with {core_small[levels]}."),
    ("rtl/README.md", "| LUT, UltraScale+ mapping | 12,363 | {pcie_adapter_wide[luts]:,} |"),
    ("rtl/README.md", "| block RAMs | 8 | {pcie_adapter_wide[block_rams]:g} |"),
    ("rtl/README.md", "{management[luts]:,} LUTs, {management[flip_flops]:,} flip-flops, {management[block_rams]:g} block RAMs"),
    ("rtl/README.md", "It has {management[levels]} levels, and is routed at {management[megahertz]} MHz"),
    ("rtl/README.md", "A crossing of 16-byte words takes {lane_crossing[luts]} LUTs (249 of them memory) and {lane_crossing[levels]} levels"),
    ("constraints/README.md", "(`core_small`: {core_small[luts]:,} LUTs on the other mapping)"),
    ("constraints/boards/README.md", "| LUT4 | {board_ulx3s-85f[ecp5_luts]:,} | 83,640 |"),
    ("constraints/boards/README.md", "| flip-flops | {board_ulx3s-85f[ecp5_flip_flops]:,} | 83,640 |"),
    ("constraints/boards/README.md", "| block RAMs of 18 Kib | {board_ulx3s-85f[ecp5_block_rams]} | 208 |"),
    ("constraints/boards/README.md", "| routed clock, speed grade 6 | {board_ulx3s-85f[megahertz]} MHz | 25 asked for |"),
    ("sim/bench/README.md", "({core_without_engines[luts]:,} and {pcie_adapter_wide[luts]:,} LUTs on this mapping, beside {engines:,} of one engine of each kind and a verifier)"),
]


@pytest.mark.parametrize("page, phrase", PHRASES)
def test_figures_are_those_recorded(page, phrase):
    text = " ".join((CONSTRAINTS.parent / page).read_text().split())
    blocks = recorded()
    assert phrase.format(**blocks, engines=blocks["core_default"]["luts"] - blocks["core_without_engines"]["luts"]) in text
