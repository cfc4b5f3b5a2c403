# SPDX-License-Identifier: Apache-2.0
# Stands for Vivado where there is none: the commands that a board's scripts use, with the options that Vivado gives them, on the ports,
# cells and clocks of a real design. Each effect is printed as a line for check.py; what Vivado would refuse ends with one line.
#   usage: tclsh stubs.tcl DESIGN SCRIPT [ARGUMENT...]     DESIGN: Tcl that sets ports, cells, kinds, clocks, part, slacks, skew (check.py writes it)
source [lindex $argv 0]
set script [lindex $argv 1]
set argv [lrange $argv 2 end]
set argc [llength $argv]

proc note {args} { puts [join $args "\t"] }

# Takes a command's words apart: flags stand alone, options have a value and come to the caller's `given`. The rest is returned.
proc parse {command words flags options} {
    upvar given given
    set given [dict create]
    set rest {}
    for {set index 0} {$index < [llength $words]} {incr index} {
        set word [lindex $words $index]
        if {$word in $flags} {
            dict set given $word 1
        } elseif {$word in $options} {
            if {[incr index] >= [llength $words]} { error "$command: $word has no value" }
            dict set given $word [lindex $words $index]
        } elseif {[regexp {^-[a-z_]+$} $word]} {
            error "$command: no option $word"
        } else {
            lappend rest $word
        }
    }
    return $rest
}

# Names that match a pattern of Vivado's, in which brackets stand for themselves.
proc matching {pattern names} {
    return [lsearch -all -inline -glob $names [string map [list "\[" "\\\[" "\]" "\\\]"] $pattern]]
}

proc found {command given pattern matches} {
    if {![llength $matches] && ![dict exists $given -quiet]} { error "$command: nothing is called $pattern" }
    return $matches
}

proc get_ports {args} {
    set pattern [lindex [parse get_ports $args {-quiet} {}] 0]
    return [found get_ports $given $pattern [matching $pattern $::ports]]
}

proc get_cells {args} {
    set pattern [lindex [parse get_cells $args {-quiet -hierarchical} {-filter}] 0]
    set matches {}
    if {[dict exists $given -hierarchical]} {
        if {![regexp {^REF_NAME =~ (\S+) \|\| ORIG_REF_NAME =~ (\S+)$} [dict get $given -filter] all kind original]} {
            error "get_cells: the filter is none that the checks know"
        }
        dict for {name of} $::kinds { if {[string match $kind $of]} { lappend matches $name } }
        return $matches
    }
    # A pattern does not reach below its own level.
    set level [join [lrange [split $pattern /] 0 end-1] /]
    if {[dict exists $::below $level]} { set matches [matching $pattern [dict get $::below $level]] }
    return [found get_cells $given $pattern $matches]
}

proc get_pins {args} {
    set pattern [lindex [parse get_pins $args {-quiet} {}] 0]
    if {![dict exists $::cells [join [lrange [split $pattern /] 0 end-1] /]]} { error "get_pins: nothing is called $pattern" }
    return $pattern
}

# A net is called by the pin that drives it.
proc get_nets {args} {
    parse get_nets $args {-quiet} {-of_objects}
    return [dict get $given -of_objects]
}

proc get_clocks {args} {
    set pattern [lindex [parse get_clocks $args {-quiet} {-of_objects}] 0]
    if {![dict exists $given -of_objects]} { return [found get_clocks $given $pattern [matching $pattern [dict keys $::clocks]]] }
    set matches {}
    foreach cell [dict get $given -of_objects] { lappend matches [dict get $::cells $cell] }
    return [lsort -unique $matches]
}

# What the hardware manager calls a device, where that is not the part's name up to its package. Not taken from board.toml, which is held against it.
set shown_as [dict create xcu50 xcu50_u55n xcu55c xcu280_u55c xczu7ev xczu7]

proc get_property {args} {
    lassign [parse get_property $args {-min -max} {}] name object
    switch $name {
        PERIOD { return [tcl::mathfunc::min {*}[lmap clock $object { dict get $::clocks $clock }]] }
        SLACK { return [dict get $::slacks $object] }
        PART {
            set device [lindex [split $::part -] 0]
            return [expr {[dict exists $::shown_as $device] ? [dict get $::shown_as $device] : $device}]
        }
        default { return "$name of $object" }
    }
}

proc set_property {args} {
    set rest [parse set_property $args {} {-dict}]
    if {[dict exists $given -dict]} {
        set values [dict get $given -dict]
    } else {
        set values [lrange $rest 0 1]
        set rest [lrange $rest 2 end]
    }
    if {[llength $values] % 2 || [llength $rest] != 1} { error "set_property: a property has no value, or there is no object: $args" }
    foreach object [lindex $rest 0] { dict for {name value} $values { note property $object $name $value } }
}

proc create_clock {args} {
    set port [parse create_clock $args {} {-name -period}]
    if {![string is double -strict [dict get $given -period]] || [dict get $given -period] <= 0} {
        error "create_clock: period [dict get $given -period] is no time"
    }
    note clock $port [dict get $given -period]
}

proc limited {command words flags} {
    set limit [parse $command $words $flags {-from -to}]
    if {![string is double -strict $limit] || $limit <= 0} { error "$command: limit '$limit' is no time" }
    foreach end {-from -to} {
        if {![dict exists $given $end] || ![llength [dict get $given $end]]} { error "$command: no $end" }
    }
    foreach to [dict get $given -to] { note $command $to $limit [join [dict get $given -from] ,] }
}
set skews 0
proc set_bus_skew {args} {
    limited set_bus_skew $args {}
    incr ::skews
}
# A line for each constraint that was set: all met, the last one as the design says; nothing where that is empty.
proc report_bus_skew {args} {
    parse report_bus_skew $args {-return_string} {-file}
    note command report_bus_skew {*}$given
    if {![dict exists $given -return_string] || $::skews == 0 || $::skew eq ""} { return }
    return "[string repeat "Slack (MET) : 0.1ns\n" [expr {$::skews - 1}]]Slack ($::skew) : 0.0ns\n"
}
proc set_max_delay {args} {
    if {"-datapath_only" ni $args} { error "set_max_delay: without -datapath_only the clocks' skew would count" }
    limited set_max_delay $args {-datapath_only}
}
proc set_false_path {args} {
    parse set_false_path $args {} {-from -to}
    dict for {end objects} $given { foreach object $objects { note false_path $end $object } }
}

# What has no value here and is noted only: command, its flags, its options.
foreach {command flags options} {
    create_project {-in_memory -force} {-part}          create_ip {} {-name -vendor -library -module_name}
    generate_target {} {}                               synth_ip {} {}
    set_operating_conditions {} {-design_power_budget}  synth_design {} {-top -flatten_hierarchy -part}
    write_checkpoint {-force} {}                        opt_design {} {-directive}
    place_design {} {-directive}                        phys_opt_design {} {-directive}
    route_design {} {-directive}                        report_utilization {} {-file}
    report_timing_summary {} {-file}                    report_cdc {} {-file}
    report_power {} {-file}                             write_bitstream {-force} {}
    write_cfgmem {-force} {-format -size -interface -loadbit}
    open_hw_manager {} {}                               connect_hw_server {} {-url}
    open_hw_target {} {}                                current_hw_device {} {}
    refresh_hw_device {} {}                             create_hw_cfgmem {} {-hw_device}
    create_hw_bitstream {} {-hw_device}                 program_hw_devices {} {}
    program_hw_cfgmem {} {-hw_cfgmem}                   boot_hw_device {} {}
} {
    proc $command {args} [format {
        set rest [parse %1$s $args {%2$s} {%3$s}]
        note command %1$s {*}$given {*}$rest
    } $command $flags $options]
}
rename create_project project
proc create_project {args} {
    note folder [pwd]
    project {*}$args
}
rename exec {}
proc exec {args} { note command exec {*}$args }
proc current_design {} { return design }
proc get_ips {name} { return $name }
proc get_hw_devices {} { return device }
proc get_cfgmem_parts {name} { return $name }
# A path is called by what it is the worst of.
proc get_timing_paths {args} {
    parse get_timing_paths $args {} {-delay_type -max_paths}
    note command get_timing_paths {*}$given
    return [dict get $given -delay_type]
}
proc read_verilog {files} {
    foreach file $files { if {![file exists $file]} { error "read_verilog: there is no $file" } }
    note command read_verilog {*}$files
}
proc read_xdc {file} { note command read_xdc $file; uplevel #0 [list source $file] }
proc unknown {command args} { error "Vivado has no command $command, or none that the checks know" }

if {[catch { source $script } message]} {
    # The innermost line of a file that Tcl names.
    set place ""
    foreach {all file line} [regexp -all -inline {\(file "([^"]*)" line (\d+)\)} $::errorInfo] {
        set place "[file tail [file dirname $file]]/[file tail $file]:$line: "
        break
    }
    puts stderr "$place[lindex [split $message \n] 0]"
    exit 1
}
