// SPDX-License-Identifier: Apache-2.0
// An AXI4 port, watched from beside: the protocol's rules for bursts of beats as wide as the bus, and what a manager may promise
// besides: bursts that stay within aligned blocks of READ_BLOCK and WRITE_BLOCK bytes, a limit to what is open.
module axi4_rules #(
  parameter DATA_BITS = 128,
  parameter ID_BITS = 2,
  parameter IDS = 1 << ID_BITS,     // in use: 0 to IDS - 1
  parameter READ_BLOCK = 4096,
  parameter WRITE_BLOCK = 4096,
  parameter MOST_READS = 64,        // of an id, open
  parameter MOST_READ_BYTES = 1 << 20, // of an id, asked for and not delivered
  parameter MOST_WRITES = 64,       // of an id, without a response
  parameter OWN_MANAGER = 0,        // incrementing bursts of whole beats; RREADY and BREADY are always 1
  parameter ASSUME_SUBORDINATE = 0  // in proofs of a manager
) (
  input                   clk, reset,
  input                   awvalid, awready,
  input [63:0]            awaddr,
  input [ID_BITS-1:0]     awid,
  input [7:0]             awlen,
  input [2:0]             awsize,
  input [1:0]             awburst,
  input [3:0]             awcache,
  input [2:0]             awprot,
  input                   wvalid, wready,
  input [DATA_BITS-1:0]   wdata,
  input [DATA_BITS/8-1:0] wstrb,
  input                   wlast,
  input                   bvalid, bready,
  input [ID_BITS-1:0]     bid,
  input [1:0]             bresp,
  input                   arvalid, arready,
  input [63:0]            araddr,
  input [ID_BITS-1:0]     arid,
  input [7:0]             arlen,
  input [2:0]             arsize,
  input [1:0]             arburst,
  input [3:0]             arcache,
  input [2:0]             arprot,
  input                   rvalid, rready,
  input [DATA_BITS-1:0]   rdata,
  input [ID_BITS-1:0]     rid,
  input [1:0]             rresp,
  input                   rlast
);
  reg known = 0;
  always @(posedge clk) known <= known || reset;
  wire off = reset || !known;       // nothing is promised before the first reset

  localparam SIZE = $clog2(DATA_BITS / 8);

  channel_rules #(.BITS(ID_BITS + 84)) aw (.clk(clk), .reset(reset), .valid(awvalid), .ready(awready),
    .payload({awaddr, awid, awlen, awsize, awburst, awcache, awprot}));
  channel_rules #(.BITS(DATA_BITS + DATA_BITS / 8 + 1)) w (.clk(clk), .reset(reset), .valid(wvalid), .ready(wready),
    .payload({wdata, wstrb, wlast}));
  channel_rules #(.BITS(ID_BITS + 2), .ASSUME(ASSUME_SUBORDINATE)) b (.clk(clk), .reset(reset), .valid(bvalid), .ready(bready),
    .payload({bid, bresp}));
  channel_rules #(.BITS(ID_BITS + 84)) ar (.clk(clk), .reset(reset), .valid(arvalid), .ready(arready),
    .payload({araddr, arid, arlen, arsize, arburst, arcache, arprot}));
  channel_rules #(.BITS(DATA_BITS + ID_BITS + 3), .ASSUME(ASSUME_SUBORDINATE)) r (.clk(clk), .reset(reset), .valid(rvalid),
    .ready(rready), .payload({rdata, rid, rresp, rlast}));

  wire [8:0] read_beats = {1'b0, arlen} + 9'd1, write_beats = {1'b0, awlen} + 9'd1;
  genvar which;
  generate
    for (which = 0; which < (1 << ID_BITS); which = which + 1) begin : of_id
      read_rules #(.MOST_READS(MOST_READS), .MOST_BEATS(MOST_READ_BYTES * 8 / DATA_BITS), .ASSUME_SUBORDINATE(ASSUME_SUBORDINATE))
        reads (.clk(clk), .reset(off), .asked(arvalid && arready && arid == which), .beats(read_beats),
          .offered(rvalid && rid == which), .taken(rvalid && rready && rid == which), .last(rlast));
    end
  endgenerate
  write_rules #(.ID_BITS(ID_BITS), .MOST_WRITES(MOST_WRITES), .ASSUME_SUBORDINATE(ASSUME_SUBORDINATE))
    writes (.clk(clk), .reset(off), .address_taken(awvalid && awready), .beats(write_beats), .id(awid),
      .data_offered(wvalid), .data_taken(wvalid && wready), .last(wlast),
      .response_offered(bvalid), .response_taken(bvalid && bready), .response_id(bid));

  wire [63:0] write_begin = awaddr >> SIZE << SIZE, read_begin = araddr >> SIZE << SIZE;
  always @(posedge clk) if (!off) begin
    if (awvalid) begin
      write_leaves_its_block: assert ((write_begin & (WRITE_BLOCK - 1)) + (write_beats << SIZE) <= WRITE_BLOCK);
      write_id_not_in_use: assert (awid < IDS);
    end
    if (arvalid) begin
      read_leaves_its_block: assert ((read_begin & (READ_BLOCK - 1)) + (read_beats << SIZE) <= READ_BLOCK);
      read_id_not_in_use: assert (arid < IDS);
    end
    if (OWN_MANAGER) begin
      write_not_of_whole_beats: assert (!awvalid || awburst == 2'b01 && awsize == SIZE && awaddr == write_begin);
      read_not_of_whole_beats: assert (!arvalid || arburst == 2'b01 && arsize == SIZE && araddr == read_begin);
      ready_for_data_fell: assert (rready);
      ready_for_responses_fell: assert (bready);
    end
  end
endmodule
