# SPDX-License-Identifier: Apache-2.0
"""Pages of documentation name the areas that results.toml has."""
import re
import sys
from pathlib import Path

import pytest

CONSTRAINTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CONSTRAINTS))

from results import recorded

LUTS = {block: figures["luts"] for block, figures in recorded().items() if "luts" in figures}


@pytest.mark.parametrize("page, figures", [
    ("rtl/README.md", [LUTS[block] for block in ("core_default", "core_small", "core_tiny", "core_without_engines", "page_compressor", "page_decompressor",
                                                 "pcie_adapter_wide", "management", "lane_crossing")]),
    ("constraints/README.md", [LUTS["core_small"]]),
    ("sim/bench/README.md", [LUTS["core_without_engines"], LUTS["pcie_adapter_wide"], LUTS["core_default"] - LUTS["core_without_engines"]])],
    ids=lambda word: word if isinstance(word, str) else "")
def test_figures_are_those_recorded(page, figures):
    text = (CONSTRAINTS.parent / page).read_text()
    gone = [f"{figure:,}" for figure in figures if not re.search(rf"(?<![\d,]){figure:,}(?!\d|,\d)", text)]
    assert not gone
