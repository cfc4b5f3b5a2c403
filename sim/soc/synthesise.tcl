# SPDX-License-Identifier: Apache-2.0
# The FuseSoC package's target `synthesise`, in Edalize's Yosys: the core in cells of AMD's UltraScale+, and how many of each. Flip-flops, block RAM,
# LUT memory, carry chains and DSPs are mapped; logic is counted in gates, since ABC9 takes longer for LUTs than for all the rest.
# For these too: synth_xilinx without -run. Edalize's procedures set `top`.
yosys -import
source edalize_yosys_procs.tcl
read_files
synth_xilinx -family xcup -noiopad -noclkbuf -top $top -run begin:map_luts
clean
write_verilog -noattr core.netlist.v
# Yosys totals cells over all modules only when it does not know their insides.
blackbox =A:whitebox
stat -top $top
