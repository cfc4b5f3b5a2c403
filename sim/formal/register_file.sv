// SPDX-License-Identifier: Apache-2.0
// register_file: whatever its manager does within AXI4-Lite's rules, and whatever the queues do, it keeps them as well: each access
// is answered once, OKAY, after it was taken, and no answer changes or falls before it is taken.
module properties (
  input        clk,
  input        awvalid, wvalid, bready, arvalid, rready,
  input [15:0] awaddr, araddr,
  input [31:0] wdata,
  input [3:0]  wstrb,
  input        working, quiet, fatal, cleared,
  input [31:0] cause, queue_data, counter_data
);
  wire awready, wready, bvalid, arready, rvalid;
  wire [1:0] bresp, rresp;
  wire [31:0] rdata;
  reg started = 0;
  always @(posedge clk) started <= 1;

  register_file registers (
    .clk(clk), .reset(!started),
    .s_axi_awvalid(awvalid), .s_axi_awready(awready), .s_axi_awaddr(awaddr), .s_axi_awprot(3'd0),
    .s_axi_wvalid(wvalid), .s_axi_wready(wready), .s_axi_wdata(wdata), .s_axi_wstrb(wstrb),
    .s_axi_bvalid(bvalid), .s_axi_bready(bready), .s_axi_bresp(bresp),
    .s_axi_arvalid(arvalid), .s_axi_arready(arready), .s_axi_araddr(araddr), .s_axi_arprot(3'd0),
    .s_axi_rvalid(rvalid), .s_axi_rready(rready), .s_axi_rdata(rdata), .s_axi_rresp(rresp),
    .io_working(working), .io_quiet(quiet), .io_fatal_valid(fatal), .io_fatal_payload(cause),
    .io_queuesCleared(cleared), .io_queueData(queue_data),
    .io_counterData(counter_data)
  );
  axi4_lite_rules #(.ASSUME_MANAGER(1)) rules (
    .clk(clk), .reset(!started),
    .awvalid(awvalid), .awready(awready), .awaddr(awaddr), .awprot(3'd0),
    .wvalid(wvalid), .wready(wready), .wdata(wdata), .wstrb(wstrb),
    .bvalid(bvalid), .bready(bready), .bresp(bresp),
    .arvalid(arvalid), .arready(arready), .araddr(araddr), .arprot(3'd0),
    .rvalid(rvalid), .rready(rready), .rdata(rdata), .rresp(rresp)
  );
endmodule
