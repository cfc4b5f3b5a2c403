# SPDX-License-Identifier: Apache-2.0
# Made by constraints/boards/generate.py. Do not edit: change the TOML files there and run it again. Not run in Vivado.
# Constrains the crossing between clk and engine_clk in every instance of lane_crossing, also of cores with names of their own; for the synthesised design (build.tcl).
# Source it in a project that takes core.v or card.v in, too: it finds the instances wherever they are.

# The registers of one name in a cell.
proc registers_of {cell name} {
    set found [get_cells -quiet $cell/${name}_reg*]
    if {[llength $found] == 0} { error "lane_crossing.tcl: no register $name in $cell" }
    return $found
}

proc clock_of {cell name} { return [get_clocks -of_objects [registers_of $cell $name]] }
proc period_of {cell name} { return [get_property -min PERIOD [clock_of $cell $name]] }

# Limits a path by the period of the reader's clock, or of the faster one.
proc constrain_path {cell from to skew faster} {
    set limit [period_of $cell $to]
    if {$faster} { set limit [expr {min($limit, [period_of $cell $from])}] }
    if {$skew} { set_bus_skew -from [registers_of $cell $from] -to [registers_of $cell $to] $limit }
    set_max_delay -datapath_only -from [registers_of $cell $from] -to [registers_of $cell $to] $limit
}

# Limits all that comes from the clock of `writer` to the registers `to`.
proc constrain_read {cell writer to} {
    set_max_delay -datapath_only -from [clock_of $cell $writer] -to [registers_of $cell $to] [period_of $cell $to]
}

# Has the placer copy a register for each clock region, and again for every `loads` of what is left.
proc replicate {cell name loads} {
    set net [get_nets -of_objects [get_pins $cell/${name}_reg/Q]]
    set_property MAX_FANOUT_MODE CLOCK_REGION $net
    set_property FORCE_MAX_FANOUT $loads $net
}

proc constrain_crossing {crossing} {
    foreach fifo [get_cells $crossing/streamFifoCC_*] {
        constrain_path $fifo pushCC_pushPtrGray pushToPopGray_buffercc/buffers_0 1 1 ;# successive pointers differ in one bit, and must do so where they are sampled
        constrain_path $fifo popCC_ptrToPush popToPushGray_buffercc/buffers_0 1 1 ;# the same on the way back
        constrain_read $fifo pushCC_pushPtrGray ram_spinal_port1 ;# LUT memory is read without a clock, a word two cycles after its pointer has come: it is at rest
    }
    constrain_path $crossing handshake_asked handshake_asked_buffercc/buffers_0 0 1 ;# a single bit
    constrain_path $crossing handshake_laneReset handshake_laneReset_buffercc/buffers_0 0 1 ;# a single bit
    replicate $crossing handshake_laneReset 500 ;# resets a whole lane: a compressor has 13,000 flip-flops
}

set crossings [get_cells -quiet -hierarchical -filter {REF_NAME =~ *lane_crossing* || ORIG_REF_NAME =~ *lane_crossing*}]
if {[llength $crossings] == 0} { error "lane_crossing.tcl: there is no instance of lane_crossing: was the hierarchy flattened?" }
foreach crossing $crossings { constrain_crossing $crossing }
