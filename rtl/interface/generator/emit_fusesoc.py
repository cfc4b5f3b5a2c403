# SPDX-License-Identifier: Apache-2.0
"""FuseSoC: the core as a package (CAPI=2) whose files lie beside its description: `make verilog` puts all of them into build/verilog."""

from .model import GENERATED_BY

TEXT = """\
CAPI=2:
# SPDX-License-Identifier: Apache-2.0
# Made by {command}. Do not edit: change the generator and run it again.
#
#     fusesoc --cores-root FOLDER run --target lint|elaborate|simulate|synthesise pagepress:pagepress:{package}
name: pagepress:pagepress:{package}:{release}
description: {description}; interface {version}

filesets:
  rtl:
    files: [core.v]
    file_type: verilogSource
  waivers:
    files: [lint.vlt]
    file_type: vlt
  bench:
    files:
      - pagepress_interface.vh: {{is_include_file: true}}
      - one_page.sv: {{file_type: systemVerilogSource}}
    file_type: verilogSource
  mapping:
    files: [synthesise.tcl: {{copyto: synthesise.tcl}}]
    file_type: user

parameters: # of the bench: this core's module and ports
  PAGEPRESS_CORE: {{datatype: str, default: {module}, paramtype: vlogdefine}}
{parameters}
targets:
  default: &default
    filesets: [rtl]
    toplevel: {module}

  lint: # clean under -Wall, but for what lint.vlt explains
    <<: *default
    description: Verilator's -Wall
    filesets_append: [waivers]
    flow: lint
    flow_options:
      tool: verilator
      verilator_options: [-Wall]

  elaborate: # some seconds: Yosys reads the core and finds every module and port
    <<: *default
    description: Yosys reads it, no more
    flow: generic
    flow_options:
      tool: yosys
      arch: xilinx
      output_format: verilog
      yosys_synth_options: [-family, xcup, -run, "begin:prepare"]

  simulate: # some minutes, most of them the compiler's: a page there and back, every byte compared
    <<: *default
    description: a self-checking bench sends one page through the core, with Verilator
    filesets_append: [waivers, bench]
    toplevel: one_page
    parameters: [PAGEPRESS_CORE, {names}]
    flow: sim
    flow_options:
      tool: verilator
      verilator_options: [--main, --timing, --output-split, "20000"]
      make_options: [-j2, OPT_FAST=-O0, OPT_SLOW=-O0] # the simulation takes seconds

  synthesise: # some minutes: Yosys maps all but LUTs to cells of AMD's UltraScale+; yosys.log ends with how many of each, module by module and in all
    <<: *default
    description: Yosys maps it to cells of UltraScale+, logic to gates, and counts them
    filesets_append: [mapping]
    flow: generic
    flow_options:
      tool: yosys
      arch: xilinx
      output_format: verilog
      yosys_template: synthesise.tcl
"""


def emit(interface):
    core = interface.core
    values = bench_parameters(core)
    parameters = "".join(f"  {name}: {{datatype: int, default: {value}, paramtype: vlogparam}}\n" for name, value in values.items())
    return TEXT.format(command=GENERATED_BY, package=core.package, module=core.module, release=interface.release, version=interface.version_text, description=core.description, parameters=parameters, names=", ".join(values))


def bench_parameters(core):
    """What one_page.sv wants to know of the core: name → value."""
    bits = {port.name: port.bits for port in core.ports}
    return {name: core.parameters[name] for name in ("BUS_BYTES", "ADDRESS_WIDTH", "USER_WIDTH", "ENGINE_CLOCK", "MEMORY_CONTROL")} | {
        "ID_WIDTH": bits["m_axi_awid"], "INTERRUPTS": bits["interrupt"]}
