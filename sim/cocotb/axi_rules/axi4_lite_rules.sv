// SPDX-License-Identifier: Apache-2.0
// An AXI4-Lite port, watched from beside: offers stand until they are taken, each access is answered once, after its address
// (and, of a write, its data) was taken, and always OKAY, as every subordinate here promises.
module axi4_lite_rules #(
  parameter ADDRESS_BITS = 16,
  parameter DATA_BITS = 32,
  parameter ASSUME_MANAGER = 0,     // in proofs of a subordinate
  parameter ASSUME_SUBORDINATE = 0  // in proofs of a manager
) (
  input                    clk, reset,
  input                    awvalid, awready,
  input [ADDRESS_BITS-1:0] awaddr,
  input [2:0]              awprot,
  input                    wvalid, wready,
  input [DATA_BITS-1:0]    wdata,
  input [DATA_BITS/8-1:0]  wstrb,
  input                    bvalid, bready,
  input [1:0]              bresp,
  input                    arvalid, arready,
  input [ADDRESS_BITS-1:0] araddr,
  input [2:0]              arprot,
  input                    rvalid, rready,
  input [DATA_BITS-1:0]    rdata,
  input [1:0]              rresp
);
  reg known = 0;
  always @(posedge clk) known <= known || reset;
  wire off = reset || !known;       // nothing is promised before the first reset

  channel_rules #(.BITS(ADDRESS_BITS + 3), .ASSUME(ASSUME_MANAGER)) aw (.clk(clk), .reset(reset), .valid(awvalid), .ready(awready),
    .payload({awaddr, awprot}));
  channel_rules #(.BITS(DATA_BITS + DATA_BITS / 8), .ASSUME(ASSUME_MANAGER)) w (.clk(clk), .reset(reset), .valid(wvalid),
    .ready(wready), .payload({wdata, wstrb}));
  channel_rules #(.BITS(2), .ASSUME(ASSUME_SUBORDINATE)) b (.clk(clk), .reset(reset), .valid(bvalid), .ready(bready),
    .payload(bresp));
  channel_rules #(.BITS(ADDRESS_BITS + 3), .ASSUME(ASSUME_MANAGER)) ar (.clk(clk), .reset(reset), .valid(arvalid), .ready(arready),
    .payload({araddr, arprot}));
  channel_rules #(.BITS(DATA_BITS + 2), .ASSUME(ASSUME_SUBORDINATE)) r (.clk(clk), .reset(reset), .valid(rvalid), .ready(rready),
    .payload({rdata, rresp}));

  // Taken and not answered.
  reg [7:0] reads = 0, addresses = 0, data = 0;
  always @(posedge clk)
    if (off) begin
      reads <= 0;
      addresses <= 0;
      data <= 0;
    end else begin
      reads <= reads + (arvalid && arready) - (rvalid && rready);
      addresses <= addresses + (awvalid && awready) - (bvalid && bready);
      data <= data + (wvalid && wready) - (bvalid && bready);
    end

  wire was_asked = off || !rvalid || reads != 0 && rresp == 0;
  wire was_written = off || !bvalid || addresses != 0 && data != 0 && bresp == 0;
  always @(posedge clk)
    if (ASSUME_SUBORDINATE) begin
      assume (was_asked);
      assume (was_written);
    end else begin
      answer_to_no_read_or_not_okay: assert (was_asked);
      answer_to_no_write_or_not_okay: assert (was_written);
    end
endmodule
