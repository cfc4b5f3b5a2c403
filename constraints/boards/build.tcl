# SPDX-License-Identifier: Apache-2.0
# A board's bitstream, and the image of its flash where the part itself starts from one, from the committed files and the card's Verilog. Not run in Vivado.
#
#   make boards && vivado -mode batch -source constraints/boards/build.tcl -tclargs alveo-u50
#
# Everything comes to build/boards/<board>, what Vivado itself keeps to `vivado` there. A design that misses its timing, or the skew of a crossing's pointers, gets reports and no bitstream.
if {[llength $argv] != 1} { error "build.tcl: say which board: -tclargs alveo-u50" }
set here [file dirname [file normalize [info script]]]
set folder [file join $here [lindex $argv 0]]
if {![file exists [file join $folder board.tcl]]} { error "build.tcl: no board [lindex $argv 0]" }
source [file join $folder board.tcl]
set top [dict get $board top]
set output [file normalize [file join $here .. .. build boards [dict get $board name]]]
set verilog [file join $output card.v]
if {![file exists $verilog]} { error "build.tcl: $verilog is missing: run make boards" }
# Beside it stands what it was generated with: a card of other options may have other ports and clocks than top.v gives it.
set with [file join $output options]
set options ""
if {[file exists $with]} {
    set file [open $with]
    set options [read -nonewline $file]
    close $file
}
if {![file exists $with] || $options ne [dict get $board options]} { error "build.tcl: $verilog was made with other options than board.tcl has: run make boards" }

# Vivado makes the block where it stands, and not over one of the same name: an earlier build's, or another board's. So each build begins in an empty folder.
set work [file join $output vivado]
file delete -force $work
file mkdir $work
cd $work
create_project -in_memory -part [dict get $board part]
read_verilog [list $verilog [file join $folder top.v]]
source [file join $folder pcie_block.tcl]
generate_target all [get_ips [dict get $board block]]
synth_ip [get_ips [dict get $board block]]
read_xdc [file join $folder pins.xdc]

synth_design -top $top -flatten_hierarchy none
if {[dict get $board crossings]} { source [file join $here lane_crossing.tcl] }
write_checkpoint -force [file join $output synthesised.dcp]
opt_design
place_design
phys_opt_design
route_design
write_checkpoint -force [file join $output routed.dcp]
report_utilization -file [file join $output utilization.txt]
report_timing_summary -file [file join $output timing.txt]
report_bus_skew -file [file join $output bus_skew.txt]
report_cdc -file [file join $output clock_crossings.txt]
report_power -file [file join $output power.txt]

foreach {delay name} {max setup min hold} {
    set slack [get_property SLACK [get_timing_paths -delay_type $delay -max_paths 1]]
    if {$slack < 0} { error "build.tcl: $name is missed by [expr {-$slack}] ns: see $output/timing.txt; no bitstream is written" }
}
# What keeps pointers in Gray code right across clocks is in no path's slack.
set skew [report_bus_skew -return_string]
if {[string match "*Slack (VIOLATED)*" $skew]} { error "build.tcl: a bus skew is missed: see $output/bus_skew.txt; no bitstream is written" }
if {[dict get $board crossings] && ![string match "*Slack (MET)*" $skew]} {
    error "build.tcl: of the crossings' bus skew nothing is reported: see $output/bus_skew.txt; no bitstream is written"
}
set bitstream [file join $output $top.bit]
write_bitstream -force $bitstream
if {[dict get $board boot] ne ""} { return } ;# flash.tcl puts it into what the processors start from
write_cfgmem -force -format mcs -size [dict get $board megabytes] -interface [dict get $board interface] \
    -loadbit "up [dict get $board start] $bitstream" [file join $output $top.mcs]
