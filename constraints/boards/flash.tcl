# SPDX-License-Identifier: Apache-2.0
# Writes what build.tcl has made to the card that hangs on this machine's JTAG cable: into the device (gone with the power), or into its
# flash, too. Not run in Vivado.
#
#   vivado -mode batch -source constraints/boards/flash.tcl -tclargs alveo-u50          until the next power cycle
#   vivado -mode batch -source constraints/boards/flash.tcl -tclargs alveo-u50 keep     into the flash, read back and compared
if {[llength $argv] ni {1 2} || [lindex $argv 1] ni {"" keep}} { error "flash.tcl: say which board, and keep for its flash: -tclargs alveo-u50 keep" }
set here [file dirname [file normalize [info script]]]
set folder [file join $here [lindex $argv 0]]
if {![file exists [file join $folder board.tcl]]} { error "flash.tcl: no board [lindex $argv 0]" }
source [file join $folder board.tcl]
set made [file normalize [file join $here .. .. build boards [dict get $board name] [dict get $board top]]]
foreach kind {bit mcs} {
    if {![file exists $made.$kind]} { error "flash.tcl: $made.$kind is missing: run build.tcl" }
}

open_hw_manager
connect_hw_server
open_hw_target
set device [lindex [get_hw_devices] 0]
current_hw_device $device
refresh_hw_device $device
# A part's name on the cable is the beginning of its full name.
set wired [get_property PART $device]
if {![string match "$wired*" [dict get $board part]]} { error "flash.tcl: on the cable is a $wired, not a [dict get $board part]" }
if {[lindex $argv 1] eq "keep"} {
    create_hw_cfgmem -hw_device $device [lindex [get_cfgmem_parts [dict get $board memory]] 0]
    set memory [get_property PROGRAM.HW_CFGMEM $device]
    set_property PROGRAM.FILES [list $made.mcs] $memory
    set_property PROGRAM.ADDRESS_RANGE use_file $memory
    set_property PROGRAM.ERASE 1 $memory
    set_property PROGRAM.CFG_PROGRAM 1 $memory
    set_property PROGRAM.VERIFY 1 $memory
    set_property PROGRAM.UNUSED_PIN_TERMINATION pull-none $memory
    create_hw_bitstream -hw_device $device [get_property PROGRAM.HW_CFGMEM_BITFILE $device]
    program_hw_devices $device
    program_hw_cfgmem -hw_cfgmem $memory
    boot_hw_device $device
} else {
    set_property PROGRAM.FILE $made.bit $device
    program_hw_devices $device
}
