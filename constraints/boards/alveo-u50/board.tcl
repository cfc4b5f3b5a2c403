# SPDX-License-Identifier: Apache-2.0
# Made by constraints/boards/generate.py. Do not edit: change the TOML files there and run it again. Not run in Vivado.
# What build.tcl and flash.tcl want to know of this board.
set board [dict create \
    name {alveo-u50} \
    part {xcu50-fsvh2104-2-e} \
    on_cable {xcu50_u55n} \
    top {pagepress_alveo_u50} \
    block {pcie4c_uscale_plus_0} \
    options {--compressors 3 --decompressors 3 --engine-clock 300000} \
    crossings {1} \
    memory {mt25qu01g-spi-x1_x2_x4} \
    boot {} \
    megabytes {128} \
    interface {SPIx4} \
    start {0x01002000} \
]
