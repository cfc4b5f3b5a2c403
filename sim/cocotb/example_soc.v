// SPDX-License-Identifier: Apache-2.0
// An example for integrators: a system on chip takes in the release's core `soc`, whose addresses and interrupt are as its own.
// It gives it a window of 64 KiB in a 32-bit register bus and a port to memory.
`default_nettype none
`timescale 1ns/1ps

module example_soc (
  input  wire         clk,
  input  wire         reset_n,        // may end at any time
  output wire         interrupt,
  output wire         clock_wanted,   // while 0, and no register is accessed, clk may stop

  // AXI4-Lite register bus of the system.
  input  wire         bus_awvalid, output wire bus_awready, input wire [31:0] bus_awaddr, input wire [2:0] bus_awprot,
  input  wire         bus_wvalid,  output wire bus_wready,  input wire [31:0] bus_wdata,  input wire [3:0] bus_wstrb,
  output wire         bus_bvalid,  input  wire bus_bready,  output wire [1:0] bus_bresp,
  input  wire         bus_arvalid, output wire bus_arready, input wire [31:0] bus_araddr, input wire [2:0] bus_arprot,
  output wire         bus_rvalid,  input  wire bus_rready,  output wire [31:0] bus_rdata, output wire [1:0] bus_rresp,

  // AXI4 port to memory, 40 address bits, all that the core has: it refuses what is beyond.
  output wire         mem_awvalid, input  wire mem_awready, output wire [39:0] mem_awaddr, output wire [1:0] mem_awid,
  output wire [7:0]   mem_awlen,   output wire [2:0] mem_awsize, output wire [1:0] mem_awburst,
  output wire [3:0]   mem_awcache, output wire [2:0] mem_awprot,
  output wire         mem_wvalid,  input  wire mem_wready,  output wire [127:0] mem_wdata, output wire [15:0] mem_wstrb,
  output wire         mem_wlast,
  input  wire         mem_bvalid,  output wire mem_bready,  input  wire [1:0] mem_bid,     input  wire [1:0] mem_bresp,
  output wire         mem_arvalid, input  wire mem_arready, output wire [39:0] mem_araddr, output wire [1:0] mem_arid,
  output wire [7:0]   mem_arlen,   output wire [2:0] mem_arsize, output wire [1:0] mem_arburst,
  output wire [3:0]   mem_arcache, output wire [2:0] mem_arprot,
  input  wire         mem_rvalid,  output wire mem_rready,  input  wire [127:0] mem_rdata, input  wire [1:0] mem_rid,
  input  wire [1:0]   mem_rresp,   input  wire mem_rlast
);

  // The core's reset is synchronous and active-high, and lasts two cycles at least.
  reg [2:0] resetting;
  initial resetting = 3'b111;
  always @(posedge clk or negedge reset_n)
    if (!reset_n) resetting <= 3'b111;
    else resetting <= {resetting[1:0], 1'b0};

  pagepress_core_soc pagepress (
    .clk(clk), .reset(resetting[2]), .interrupt(interrupt), .busy(clock_wanted),
    .s_axi_awvalid(bus_awvalid), .s_axi_awready(bus_awready), .s_axi_awaddr(bus_awaddr[15:0]), .s_axi_awprot(bus_awprot),
    .s_axi_wvalid(bus_wvalid), .s_axi_wready(bus_wready), .s_axi_wdata(bus_wdata), .s_axi_wstrb(bus_wstrb),
    .s_axi_bvalid(bus_bvalid), .s_axi_bready(bus_bready), .s_axi_bresp(bus_bresp),
    .s_axi_arvalid(bus_arvalid), .s_axi_arready(bus_arready), .s_axi_araddr(bus_araddr[15:0]), .s_axi_arprot(bus_arprot),
    .s_axi_rvalid(bus_rvalid), .s_axi_rready(bus_rready), .s_axi_rdata(bus_rdata), .s_axi_rresp(bus_rresp),
    .m_axi_awvalid(mem_awvalid), .m_axi_awready(mem_awready), .m_axi_awaddr(mem_awaddr), .m_axi_awid(mem_awid),
    .m_axi_awlen(mem_awlen), .m_axi_awsize(mem_awsize), .m_axi_awburst(mem_awburst), .m_axi_awcache(mem_awcache), .m_axi_awprot(mem_awprot),
    .m_axi_wvalid(mem_wvalid), .m_axi_wready(mem_wready), .m_axi_wdata(mem_wdata), .m_axi_wstrb(mem_wstrb),
    .m_axi_wlast(mem_wlast),
    .m_axi_bvalid(mem_bvalid), .m_axi_bready(mem_bready), .m_axi_bid(mem_bid), .m_axi_bresp(mem_bresp),
    .m_axi_arvalid(mem_arvalid), .m_axi_arready(mem_arready), .m_axi_araddr(mem_araddr), .m_axi_arid(mem_arid),
    .m_axi_arlen(mem_arlen), .m_axi_arsize(mem_arsize), .m_axi_arburst(mem_arburst), .m_axi_arcache(mem_arcache), .m_axi_arprot(mem_arprot),
    .m_axi_rvalid(mem_rvalid), .m_axi_rready(mem_rready), .m_axi_rdata(mem_rdata), .m_axi_rid(mem_rid),
    .m_axi_rresp(mem_rresp), .m_axi_rlast(mem_rlast)
  );

endmodule
`default_nettype wire
