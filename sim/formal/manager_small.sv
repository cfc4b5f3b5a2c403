// SPDX-License-Identifier: Apache-2.0
// manager_small: whatever a page reader, an entry writer and a stream writer are asked for, and whatever the bus does within AXI's
// rules, their AXI4 manager keeps these rules, and its own promises: bursts within aligned blocks of 64 bytes, READYs of 1, no more
// asked for than the reader's buffer holds (128 bytes).
// The movers and arbiters of a core in a small shape (8 bytes a beat), the same Scala.
module properties (
  input        clk,
  input        read_job, write_job, source, source_last, entry, sink_ready, result_ready,
  input [12:0] read_address, write_address,
  input [8:0]  entry_number,
  input [6:0]  read_length, write_length,
  input [3:0]  source_count,
  input [7:0]  source_data, entry_data,
  input        awready, wready, bvalid, bid, arready, rvalid, rid, rlast,
  input [1:0]  bresp, rresp
);
  wire read_job_ready, write_job_ready, source_ready, entry_ready;
  wire awvalid, wvalid, wlast, bready, arvalid, rready, awid, arid;
  wire [63:0] awaddr, araddr, wdata;
  wire [7:0] awlen, arlen, wstrb;
  wire [2:0] awsize, arsize, awprot, arprot;
  wire [1:0] awburst, arburst;
  wire [3:0] awcache, arcache;
  reg started = 0;
  always @(posedge clk) started <= 1;

  manager_small manager (
    .clk(clk), .reset(!started),
    .io_readJob_valid(read_job), .io_readJob_ready(read_job_ready),
    .io_readJob_payload_address({51'd0, read_address}), .io_readJob_payload_length(read_length),
    .io_writeJob_valid(write_job), .io_writeJob_ready(write_job_ready),
    .io_writeJob_payload_address({51'd0, write_address}), .io_writeJob_payload_length(write_length),
    .io_sink_ready(sink_ready),
    .io_source_valid(source), .io_source_ready(source_ready), .io_source_payload_last(source_last),
    .io_source_payload_fragment_data({56'd0, source_data}), .io_source_payload_fragment_count(source_last ? source_count : 4'd8),
    .io_source_payload_fragment_fault(1'b0),
    .io_result_ready(result_ready),
    .io_entry_valid(entry), .io_entry_ready(entry_ready),
    .io_entry_payload_address({51'd0, entry_number, 4'd0}), .io_entry_payload_data({120'd0, entry_data}),
    .m_axi_awvalid(awvalid), .m_axi_awready(awready), .m_axi_awaddr(awaddr), .m_axi_awid(awid), .m_axi_awlen(awlen),
    .m_axi_awsize(awsize), .m_axi_awburst(awburst), .m_axi_awcache(awcache), .m_axi_awprot(awprot),
    .m_axi_wvalid(wvalid), .m_axi_wready(wready), .m_axi_wdata(wdata), .m_axi_wstrb(wstrb), .m_axi_wlast(wlast),
    .m_axi_bvalid(bvalid), .m_axi_bready(bready), .m_axi_bid(bid), .m_axi_bresp(bresp),
    .m_axi_arvalid(arvalid), .m_axi_arready(arready), .m_axi_araddr(araddr), .m_axi_arid(arid), .m_axi_arlen(arlen),
    .m_axi_arsize(arsize), .m_axi_arburst(arburst), .m_axi_arcache(arcache), .m_axi_arprot(arprot),
    .m_axi_rvalid(rvalid), .m_axi_rready(rready), .m_axi_rdata(64'd0), .m_axi_rid(rid), .m_axi_rresp(rresp), .m_axi_rlast(rlast)
  );
  axi4_rules #(.DATA_BITS(64), .ID_BITS(1), .READ_BLOCK(64), .WRITE_BLOCK(64), .MOST_READS(16), .MOST_READ_BYTES(128),
               .MOST_WRITES(16), .OWN_MANAGER(1), .ASSUME_SUBORDINATE(1)) rules (
    .clk(clk), .reset(!started),
    .awvalid(awvalid), .awready(awready), .awaddr(awaddr), .awid(awid), .awlen(awlen), .awsize(awsize), .awburst(awburst),
    .awcache(awcache), .awprot(awprot), .wvalid(wvalid), .wready(wready), .wdata(wdata), .wstrb(wstrb), .wlast(wlast),
    .bvalid(bvalid), .bready(bready), .bid(bid), .bresp(bresp),
    .arvalid(arvalid), .arready(arready), .araddr(araddr), .arid(arid), .arlen(arlen), .arsize(arsize), .arburst(arburst),
    .arcache(arcache), .arprot(arprot), .rvalid(rvalid), .rready(rready), .rdata(64'd0), .rid(rid), .rresp(rresp), .rlast(rlast)
  );

  // Those who ask keep their streams' law as well.
  channel_rules #(.BITS(20), .ASSUME(1)) read_jobs (.clk(clk), .reset(!started), .valid(read_job), .ready(read_job_ready),
    .payload({read_address, read_length}));
  channel_rules #(.BITS(20), .ASSUME(1)) write_jobs (.clk(clk), .reset(!started), .valid(write_job), .ready(write_job_ready),
    .payload({write_address, write_length}));
  channel_rules #(.BITS(13), .ASSUME(1)) words (.clk(clk), .reset(!started), .valid(source), .ready(source_ready),
    .payload({source_last, source_count, source_data}));
  channel_rules #(.BITS(17), .ASSUME(1)) entries (.clk(clk), .reset(!started), .valid(entry), .ready(entry_ready),
    .payload({entry_number, entry_data}));
  always @(posedge clk) begin
    assume (!read_job || read_length != 0);
    assume (!source || source_count <= 8);
  end
endmodule
