# SPDX-License-Identifier: Apache-2.0
"""Every AXI port of the blocks is found and watched, with its own widths; a block without one is left alone."""
import re

import pytest
from axi_ports import PROMISES, bindings
from runner import VERILOG

CORE = {("s_axi", "axi4_lite"), ("m_axi", "axi4")}
BOUND = re.compile(r"^bind (\w+) (axi4|axi4_lite)_rules #\((.*?)\) (\w+)_rules \(", re.M)


@pytest.mark.parametrize("block, ports", [
    ("core", CORE), pytest.param("core_many", CORE, marks=pytest.mark.night("test-parameters")), ("core_tampered", CORE), ("pcie_adapter", CORE), ("register_file", {("s_axi", "axi4_lite")}),
    ("kernel_front", {("s_axi_control", "axi4_lite"), ("m_axi_core", "axi4_lite")}),
    ("pagepress_kernel", {("s_axi_control", "axi4_lite"), ("m_axi", "axi4")}), ("page_reader", set())])
def test_axi_ports_of_a_block_are_watched(block, ports):
    found = BOUND.findall(bindings((VERILOG / f"{block}.v").read_text()))
    assert {(prefix, kind) for module, kind, _, prefix in found if module == block} == ports


def test_axi_ports_inside_a_card_are_watched():
    found = BOUND.findall(bindings((VERILOG / "card.v").read_text()))
    assert {(module, prefix) for module, _, _, prefix in found} >= {
        ("Core", "s_axi"), ("Core", "m_axi"), ("PcieAdapter", "s_axi"), ("PcieAdapter", "m_axi")}
    promised = {module: f".MOST_WRITES({PROMISES['MOST_WRITES']})" in parameters for module, kind, parameters, _ in found if kind == "axi4"}
    assert promised == {"Core": True, "PcieAdapter": False}, "only a manager is held to a manager's promises"


@pytest.mark.parametrize("written", ["(reset || functionReset_io_restart)", "reset || functionReset_io_restart", "mutant == 7 ? 1'h1 : _066_"])
def test_axi_ports_of_an_adapter_begin_anew_with_a_function_reset(written):
    """As SpinalHDL writes that, and yosys, a mutant in it or none."""
    text, count = re.subn(r"(assign requests_newReset = ).*;", rf"\g<1>{written};", (VERILOG / "card.v").read_text())
    found = {line.split("_rules #")[0]: line for line in bindings(text).splitlines()}
    assert count == 1 and all(".reset(requests_newReset)" in found[f"bind PcieAdapter axi4{kind}"] for kind in ("", "_lite"))


def test_axi_port_takes_its_reset_where_registers_have_it():
    ports = "".join(f"  input wire [7:0] p_{name},\n" for name in ("awvalid", "awready", "awaddr", "wdata"))
    text = f"module inner (\n{ports}  input wire ck\n);\n  always @(posedge ck) begin\n    if(!low) begin\n    end\n  end\nendmodule\n"
    assert ".clk(ck), .reset(!low), .awvalid(p_awvalid)" in bindings(text)


def test_axi_port_is_watched_at_the_edges_that_count():
    ports = "".join(f"  input wire [7:0] p_{name},\n" for name in ("awvalid", "awready", "awaddr", "wdata"))
    text = f"module core (\n{ports}  input wire clk,\n  input wire clk_enable,\n  input wire resetn\n);\nendmodule\n"
    assert ".clk(clk && clk_enable), .reset(!resetn), .awvalid(p_awvalid)" in bindings(text)
