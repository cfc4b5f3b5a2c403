# SPDX-License-Identifier: Apache-2.0
"""Functional points of all simulations together, from the files that cocotb-coverage wrote (sim/cocotb/functional.py)."""
import yaml


def merged(paths):
    """{point: {bin: hits}}."""
    found = {}
    for path in paths:
        for name, item in (yaml.unsafe_load(path.read_text()) or {}).items():
            for met, hits in (item.get("bins:_hits") or {}).items():
                bins = found.setdefault(name, {})
                bins[str(met)] = bins.get(str(met), 0) + hits
    return found
