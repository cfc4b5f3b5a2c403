# SPDX-License-Identifier: Apache-2.0
# Packs pagepress_kernel.v as an RTL kernel for v++. Written from AMD's documentation; not run in Vivado or Vitis here.
#
#   vivado -mode batch -source host/xrt/vitis/package_kernel.tcl -tclargs PART OUTPUT.xo
#
# Run it in the repository after `make verilog`. Ports and arguments come from rtl/interface/generated/pagepress_kernel.xml.
if {$argc != 2} {
    puts stderr "usage: vivado -mode batch -source package_kernel.tcl -tclargs PART OUTPUT.xo"
    exit 2
}
lassign $argv part output
set root [file normalize [file join [file dirname [info script]] .. .. ..]]
set verilog [file join $root build verilog pagepress_kernel.v]
set description [file join $root rtl interface generated pagepress_kernel.xml]
foreach needed [list $verilog $description] {
    if {![file exists $needed]} {
        puts stderr "package_kernel.tcl: $needed is missing: run make verilog"
        exit 1
    }
}

set project [file join $root build vitis project]
set packaged [file join $root build vitis ip]
create_project -force pagepress_kernel $project -part $part
add_files -norecurse $verilog
set_property top pagepress_kernel [current_fileset]
update_compile_order -fileset sources_1
ipx::package_project -root_dir $packaged -vendor pagepress -library kernel -taxonomy /KernelIP -import_files -force
set core [ipx::current_core]
set_property core_revision 1 $core
set_property sdx_kernel true $core
set_property sdx_kernel_type rtl $core
set_property supported_families {} $core
set_property auto_family_support_level level_2 $core
ipx::infer_bus_interface ap_clk xilinx.com:signal:clock_rtl:1.0 $core
ipx::infer_bus_interface ap_rst_n xilinx.com:signal:reset_rtl:1.0 $core
ipx::infer_bus_interface interrupt xilinx.com:signal:interrupt_rtl:1.0 $core
ipx::associate_bus_interfaces -busif s_axi_control -clock ap_clk $core
ipx::associate_bus_interfaces -busif m_axi -clock ap_clk $core
ipx::update_checksums $core
ipx::save_core $core
close_project -delete
package_xo -force -xo_path $output -kernel_name pagepress_kernel -ip_directory $packaged -kernel_xml $description
