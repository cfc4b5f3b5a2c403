# SPDX-License-Identifier: Apache-2.0
# Made by constraints/boards/generate.py. Do not edit: change the TOML files there and run it again. Not run in Vivado.
# What build.tcl and flash.tcl want to know of this board.
set board [dict create \
    name {zcu106} \
    part {xczu7ev-ffvc1156-2-e} \
    on_cable {xczu7} \
    top {pagepress_zcu106} \
    block {pcie4_uscale_plus_0} \
    options {--link 16 --bus 16} \
    crossings {0} \
    memory {mt25qu512-qspi-x8-dual_parallel} \
    boot {zynqmp} \
]
