# SPDX-License-Identifier: Apache-2.0
"""Cores of the release beside each other in one design: no module of one has a name of the other's."""
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(REPOSITORY / "sim/cocotb"), str(REPOSITORY / "rtl/interface")]

from configured import released  # noqa: E402
from generator.model import load, parameters_of, released_module  # noqa: E402

NAMES = ("small", "tiny")  # of the same ports, with other engines


def design():
    """Verilog of a module with both, whose ports are theirs."""
    configurations = tomllib.loads((REPOSITORY / "rtl/top/configurations.toml").read_text())
    ports, instances = [], []
    for name in NAMES:
        core = load(REPOSITORY / "rtl/interface", parameters_of(REPOSITORY / "rtl/interface", configurations[name]["options"]), module=released_module(name)).core
        ports += [f"  {port.direction}put wire [{port.bits - 1}:0] {name}_{port.name}" for port in core.ports]
        instances.append(f"  {core.module} {name}_core ({', '.join(f'.{port.name}({name}_{port.name})' for port in core.ports)});")
    return "\n".join(["`default_nettype none", "`timescale 1ns/1ps", "module several (", ",\n".join(ports), ");", *instances, "endmodule", "`default_nettype wire", ""])


@pytest.mark.night("test-parameters")
def test_several_cores(tmp_path):
    """Under -Wall, which says of each module that is there twice."""
    (tmp_path / "several.v").write_text(design())
    done = subprocess.run(["verilator", "--lint-only", "-Wall", "--top-module", "several", REPOSITORY / "rtl/top/lint.vlt", tmp_path / "several.v",
                           *(released(name) / "core.v" for name in NAMES)], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "%Warning" not in done.stderr, done.stderr[:4000]
