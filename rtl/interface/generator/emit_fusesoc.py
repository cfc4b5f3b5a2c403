# SPDX-License-Identifier: Apache-2.0
"""FuseSoC: the core as a package (CAPI=2) whose files lie beside its description: `make verilog` puts all of them into build/verilog."""

from .model import GENERATED_BY

TEXT = """\
CAPI=2:
# SPDX-License-Identifier: Apache-2.0
# Made by {command}. Do not edit: change the generator and run it again.
#
#     fusesoc --cores-root FOLDER run --target lint|elaborate pagepress:pagepress:core
name: pagepress:pagepress:core:{version}
description: {description}

filesets:
  rtl:
    files: [core.v]
    file_type: verilogSource
  waivers:
    files: [lint.vlt]
    file_type: vlt

targets:
  default: &default
    filesets: [rtl]
    toplevel: core

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
"""


def emit(interface):
    core = interface.core
    return TEXT.format(command=GENERATED_BY, version=interface.version_text, description=core.description)
