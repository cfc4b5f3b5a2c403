# SPDX-License-Identifier: Apache-2.0
"""What packages and links the kernel in Vitis, as far as one can tell without Vitis: the script runs in tclsh on stubs that know the kernel's
ports, and the link files name what there is."""

import re
import subprocess
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
VITIS = REPOSITORY / "host/xrt/vitis"
BOARDS = {"u50": "HBM", "u55c": "HBM", "u250": "DDR"}  # and the memory that each has
# Commands that the script may use; each prints its words. Files must be there, pins and buses be the kernel's.
STUBS = """
set ports {%s}
namespace eval ipx {}
proc say {name words} { puts "$name $words" }
foreach name {create_project set_property update_compile_order ipx::package_project ipx::update_checksums ipx::save_core close_project} {
    proc $name args "say $name \\$args"
}
proc current_fileset {} { return sources_1 }
proc ipx::current_core {} { return core }
proc there {path} { if {![file exists $path]} { error "$path is not there" } }
proc add_files args { there [lindex $args end]; say add_files $args }
proc ipx::infer_bus_interface {pin kind core} { if {$pin ni $::ports} { error "no port $pin" } }
proc ipx::associate_bus_interfaces args {
    set words [lrange $args 0 end-1]
    if {"[dict get $words -busif]_awvalid" ni $::ports || [dict get $words -clock] ni $::ports} { error "no such bus or clock: $args" }
}
proc package_xo args {
    there [dict get [lrange $args 1 end] -kernel_xml]
    say package_xo $args
}
set argv {xcu50-fsvh2104-2-e out.xo}
set argc 2
source %s
"""


@pytest.fixture(scope="module")
def ports(built):
    text = (built("verilog") / "pagepress_kernel.v").read_text()
    return re.findall(r"^  (?:input|output) +wire +(?:\[\d+:0\] +)?(\w+)", text[text.index("module pagepress_kernel (") :].split(");")[0], re.M)


@pytest.fixture(scope="module")
def kernel():
    return xml.parse(REPOSITORY / "rtl/interface/generated/pagepress_kernel.xml").getroot().find("kernel")


def test_vitis_script_packages_the_kernel(built, ports, kernel, tmp_path):
    built("boards-tools")
    (tmp_path / "run.tcl").write_text(STUBS % (" ".join(ports), VITIS / "package_kernel.tcl"))
    done = subprocess.run(["tclsh", tmp_path / "run.tcl"], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done
    assert f"-kernel_name {kernel.get('name')} " in done.stdout and "pagepress_kernel.v" in done.stdout and "set_property top pagepress_kernel" in done.stdout
    for argument in ([], ["part"], ["a", "b", "c"]):
        done = subprocess.run(["tclsh", VITIS / "package_kernel.tcl", *argument], capture_output=True, text=True, timeout=600)
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1) and "usage:" in done.stderr


def test_vitis_description_names_the_ports(ports, kernel):
    assert {"ap_clk", "ap_rst_n", "interrupt"} < set(ports) and kernel.get("interrupt") == "true"
    for port in kernel.iter("port"):
        assert f"{port.get('name')}_awvalid" in ports
    assert {argument.get("port") for argument in kernel.iter("arg")} == {port.get("name") for port in kernel.iter("port")}


@pytest.mark.parametrize("board", BOARDS)
def test_vitis_links_the_kernel(kernel, board):
    """One instance of the kernel, its master at the board's memory, at the clock that its register tells; labelled as not run."""
    text = (VITIS / f"{board}.cfg").read_text()
    assert "not run in Vitis" in text
    name = kernel.get("name")
    settings = dict(line.split("=", 1) for line in text.splitlines() if re.match(r"\w+=", line))
    assert f"_{board}_" in settings["platform"] and settings["nk"] == f"{name}:1:{name}_1"
    (master,) = [port.get("name") for port in kernel.iter("port") if port.get("mode") == "master"]
    assert re.fullmatch(rf"{name}_1\.{master}:{BOARDS[board]}\[[\d:]+\]", settings["sp"]) and settings["slr"] == f"{name}_1:SLR0"
    clock = re.search(r"clockKilohertz: Int = ([\d_]+)", (REPOSITORY / "rtl/top/CoreConfig.scala").read_text())[1].replace("_", "")
    assert settings["freqHz"] == f"{int(clock) * 1000}:{name}_1.ap_clk"
