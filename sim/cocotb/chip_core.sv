// SPDX-License-Identifier: Apache-2.0
// A core as test_core_chip.py makes it, in a chip of its own: `clk` is what software and bus see, and between its edges others come, `between`, that
// the core's clock has as well, with `clk_enable` low. A reset is active low here; memories are the chip's own.
`timescale 1ps/1ps

module chip_core (
  input  wire         clk, between, clk_enable, reset,
  input  wire [2:0]   memory_control,
  output wire         memory_error, busy,
  output wire [2:0]   interrupt,

  input  wire         s_axi_awvalid, output wire s_axi_awready, input wire [15:0] s_axi_awaddr, input wire [2:0] s_axi_awprot,
  input  wire         s_axi_wvalid,  output wire s_axi_wready,  input wire [31:0] s_axi_wdata,  input wire [3:0] s_axi_wstrb,
  output wire         s_axi_bvalid,  input  wire s_axi_bready,  output wire [1:0] s_axi_bresp,
  input  wire         s_axi_arvalid, output wire s_axi_arready, input wire [15:0] s_axi_araddr, input wire [2:0] s_axi_arprot,
  output wire         s_axi_rvalid,  input  wire s_axi_rready,  output wire [31:0] s_axi_rdata, output wire [1:0] s_axi_rresp,

  output wire         m_axi_awvalid, input  wire m_axi_awready, output wire [63:0] m_axi_awaddr, output wire [1:0] m_axi_awid,
  output wire [7:0]   m_axi_awlen,   output wire [2:0] m_axi_awsize, output wire [1:0] m_axi_awburst, output wire [3:0] m_axi_awcache,
  output wire [2:0]   m_axi_awprot,
  output wire         m_axi_wvalid,  input  wire m_axi_wready,  output wire [63:0] m_axi_wdata, output wire [7:0] m_axi_wstrb, output wire m_axi_wlast,
  input  wire         m_axi_bvalid,  output wire m_axi_bready,  input  wire [1:0] m_axi_bid,    input  wire [1:0] m_axi_bresp,
  output wire         m_axi_arvalid, input  wire m_axi_arready, output wire [63:0] m_axi_araddr, output wire [1:0] m_axi_arid,
  output wire [7:0]   m_axi_arlen,   output wire [2:0] m_axi_arsize, output wire [1:0] m_axi_arburst, output wire [3:0] m_axi_arcache,
  output wire [2:0]   m_axi_arprot,
  input  wire         m_axi_rvalid,  output wire m_axi_rready,  input  wire [63:0] m_axi_rdata, input  wire [1:0] m_axi_rid,
  input  wire [1:0]   m_axi_rresp,   input  wire m_axi_rlast
);
  wire resetn = !reset;
  core core (.clk(clk || between), .*);
endmodule

// A memory with parity: control[0] stores each word with the wrong one, control[2:1] is to be the same everywhere. What a memory may make anything of
// it makes the worst of: a word that is written in its read's cycle, unless READ_FIRST, comes inverted, as does one before any read.
module pagepress_memory #(
  parameter WORDS = 2, WIDTH = 1, ADDRESS_WIDTH = 1, READ_FIRST = 1, CONTROL = 1
) (
  input  wire                     write_clk, write_enable,
  input  wire [ADDRESS_WIDTH-1:0] write_address,
  input  wire [WIDTH-1:0]         write_data,
  input  wire                     read_clk, read_enable,
  input  wire [ADDRESS_WIDTH-1:0] read_address,
  output reg  [WIDTH-1:0]         read_data,
  input  wire [CONTROL-1:0]       control,
  output reg                      error
);
  reg [WIDTH-1:0] words [0:WORDS-1];
  reg             parity [0:WORDS-1];
  reg             written [0:WORDS-1];
  initial for (int word = 0; word < WORDS; word++) written[word] = 0;
  initial error = 0;
  wire collides = write_enable && write_address == read_address;
  always @(posedge write_clk) if (write_enable) begin
    if (control[2:1] != 2'b10) $fatal(1, "%m: memory_control is %b", control);
    words[write_address] <= write_data;
    parity[write_address] <= ^write_data ^ control[0];
    written[write_address] <= 1;
  end
  always @(posedge read_clk) if (read_enable) begin
    read_data <= collides && READ_FIRST == 0 ? ~words[read_address] : words[read_address];
    error <= written[read_address] && parity[read_address] != ^words[read_address];
  end
endmodule
