# SPDX-License-Identifier: Apache-2.0
# Writes what build.tcl has made to the card that hangs on this machine's JTAG cable: into the device (gone with the power), or into its
# flash, too. Not run in Vivado.
#
#   vivado -mode batch -source constraints/boards/flash.tcl -tclargs alveo-u50          until the next power cycle
#   vivado -mode batch -source constraints/boards/flash.tcl -tclargs alveo-u50 keep     into the flash, read back and compared
#   vivado -mode batch -source constraints/boards/flash.tcl -tclargs zcu106 keep zynqmp_fsbl.elf
#                                  the flash of a part with processors, behind their first-stage boot loader, which the board's maker has
if {[llength $argv] ni {1 2 3} || [lindex $argv 1] ni {"" keep}} { error "flash.tcl: say which board, and keep for its flash: -tclargs alveo-u50 keep" }
set here [file dirname [file normalize [info script]]]
set folder [file join $here [lindex $argv 0]]
if {![file exists [file join $folder board.tcl]]} { error "flash.tcl: no board [lindex $argv 0]" }
source [file join $folder board.tcl]
set made [file normalize [file join $here .. .. build boards [dict get $board name] [dict get $board top]]]
set boot [dict get $board boot]
foreach kind [expr {$boot eq "" ? {bit mcs} : {bit}}] {
    if {![file exists $made.$kind]} { error "flash.tcl: $made.$kind is missing: run build.tcl" }
}
set loader [lindex $argv 2]
if {($boot ne "" && [lindex $argv 1] eq "keep") != ($loader ne "")} {
    error "flash.tcl: a first-stage boot loader belongs behind keep where processors load the bitstream, and only there"
}
if {$loader ne ""} {
    if {![file exists $loader]} { error "flash.tcl: there is no $loader" }
    set described [open $made.bif w]
    puts $described "all: {\n  \[bootloader, destination_cpu=a53-0\] [file normalize $loader]\n  \[destination_device=pl\] $made.bit\n}"
    close $described
    exec bootgen -arch $boot -image $made.bif -w on -o $made.bin
}

open_hw_manager
connect_hw_server
open_hw_target
set device [lindex [get_hw_devices] 0]
current_hw_device $device
refresh_hw_device $device
set wired [get_property PART $device]
if {$wired ne [dict get $board on_cable]} { error "flash.tcl: on the cable is a $wired, not a [dict get $board on_cable]" }
if {[lindex $argv 1] eq "keep"} {
    create_hw_cfgmem -hw_device $device [lindex [get_cfgmem_parts [dict get $board memory]] 0]
    set memory [get_property PROGRAM.HW_CFGMEM $device]
    set_property PROGRAM.FILES [list [expr {$boot eq "" ? "$made.mcs" : "$made.bin"}]] $memory
    if {$boot ne ""} { set_property PROGRAM.ZYNQ_FSBL $loader $memory }
    set_property PROGRAM.ADDRESS_RANGE use_file $memory
    set_property PROGRAM.ERASE 1 $memory
    set_property PROGRAM.CFG_PROGRAM 1 $memory
    set_property PROGRAM.VERIFY 1 $memory
    set_property PROGRAM.UNUSED_PIN_TERMINATION pull-none $memory
    if {$boot eq ""} {
        create_hw_bitstream -hw_device $device [get_property PROGRAM.HW_CFGMEM_BITFILE $device]
        program_hw_devices $device
    }
    program_hw_cfgmem -hw_cfgmem $memory
    if {$boot eq ""} { boot_hw_device $device } ;# processors start from it at the next power cycle
} else {
    set_property PROGRAM.FILE $made.bit $device
    program_hw_devices $device
}
