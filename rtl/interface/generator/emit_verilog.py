# SPDX-License-Identifier: Apache-2.0
"""Verilog macros, for test benches and for logic that writes the core's registers itself."""

import tomllib
from pathlib import Path

from .model import GENERATED_BY, load, parameters_of, released_module
from .names import constants

RTL = Path(__file__).resolve().parents[2]


def emit(interface):
    lines = ["// SPDX-License-Identifier: Apache-2.0",
             f"// Made by {GENERATED_BY}. Do not edit: change the TOML files there and run it again.",
             f"`ifndef {interface.guard}", f"`define {interface.guard}"]
    section = None
    for where, name, value, description in constants(interface):
        if where != section:
            lines.extend(["", f"// {where}"])
            section = where
        lines.append(f"`define PAGEPRESS_{name} 32'h{value:x} // {description}")
    return "\n".join([*lines, "", "`endif", ""])


def ports_alone(core):
    """The core with nothing in it, for lint of what is around."""
    ports = ",\n".join(f"  {port.direction}put wire {f'[{port.bits - 1}:0] ' if port.bits > 1 else ''}{port.name}" for port in core.ports)
    return f"`default_nettype none\n/* verilator lint_off UNDRIVEN */\nmodule {core.module} (\n{ports}\n);\nendmodule\n`default_nettype wire\n"


def released_ports(name):
    """The same of a core of rtl/top/configurations.toml, as `make release` makes it."""
    options = tomllib.loads((RTL / "top/configurations.toml").read_text())[name]["options"]
    return ports_alone(load(RTL / "interface", parameters_of(RTL / "interface", options), module=released_module(name)).core)
