// SPDX-License-Identifier: Apache-2.0
// kernel_front: between any manager and any core that keep AXI4-Lite's rules, it keeps them on both of its ports, whatever runs.
module properties (
  input        clk,
  input        awvalid, wvalid, bready, arvalid, rready,
  input [15:0] awaddr, araddr,
  input [31:0] wdata,
  input [3:0]  wstrb,
  input        core_awready, core_wready, core_bvalid, core_arready, core_rvalid,
  input [31:0] core_rdata,
  input        interrupt
);
  wire awready, wready, bvalid, arready, rvalid;
  wire [1:0] bresp, rresp;
  wire [31:0] rdata;
  wire core_awvalid, core_wvalid, core_bready, core_arvalid, core_rready;
  wire [15:0] core_awaddr, core_araddr;
  wire [2:0] core_awprot, core_arprot;
  wire [31:0] core_wdata;
  wire [3:0] core_wstrb;
  reg started = 0;
  always @(posedge clk) started <= 1;

  kernel_front front (
    .clk(clk), .reset(!started), .core_interrupt(interrupt),
    .s_axi_control_awvalid(awvalid), .s_axi_control_awready(awready), .s_axi_control_awaddr(awaddr), .s_axi_control_awprot(3'd0),
    .s_axi_control_wvalid(wvalid), .s_axi_control_wready(wready), .s_axi_control_wdata(wdata), .s_axi_control_wstrb(wstrb),
    .s_axi_control_bvalid(bvalid), .s_axi_control_bready(bready), .s_axi_control_bresp(bresp),
    .s_axi_control_arvalid(arvalid), .s_axi_control_arready(arready), .s_axi_control_araddr(araddr), .s_axi_control_arprot(3'd0),
    .s_axi_control_rvalid(rvalid), .s_axi_control_rready(rready), .s_axi_control_rdata(rdata), .s_axi_control_rresp(rresp),
    .m_axi_core_awvalid(core_awvalid), .m_axi_core_awready(core_awready), .m_axi_core_awaddr(core_awaddr),
    .m_axi_core_awprot(core_awprot), .m_axi_core_wvalid(core_wvalid), .m_axi_core_wready(core_wready),
    .m_axi_core_wdata(core_wdata), .m_axi_core_wstrb(core_wstrb),
    .m_axi_core_bvalid(core_bvalid), .m_axi_core_bready(core_bready), .m_axi_core_bresp(2'd0),
    .m_axi_core_arvalid(core_arvalid), .m_axi_core_arready(core_arready), .m_axi_core_araddr(core_araddr),
    .m_axi_core_arprot(core_arprot),
    .m_axi_core_rvalid(core_rvalid), .m_axi_core_rready(core_rready), .m_axi_core_rdata(core_rdata), .m_axi_core_rresp(2'd0)
  );
  axi4_lite_rules #(.ASSUME_MANAGER(1)) control (
    .clk(clk), .reset(!started),
    .awvalid(awvalid), .awready(awready), .awaddr(awaddr), .awprot(3'd0),
    .wvalid(wvalid), .wready(wready), .wdata(wdata), .wstrb(wstrb),
    .bvalid(bvalid), .bready(bready), .bresp(bresp),
    .arvalid(arvalid), .arready(arready), .araddr(araddr), .arprot(3'd0),
    .rvalid(rvalid), .rready(rready), .rdata(rdata), .rresp(rresp)
  );
  axi4_lite_rules #(.ASSUME_SUBORDINATE(1)) core (
    .clk(clk), .reset(!started),
    .awvalid(core_awvalid), .awready(core_awready), .awaddr(core_awaddr), .awprot(core_awprot),
    .wvalid(core_wvalid), .wready(core_wready), .wdata(core_wdata), .wstrb(core_wstrb),
    .bvalid(core_bvalid), .bready(core_bready), .bresp(2'd0),
    .arvalid(core_arvalid), .arready(core_arready), .araddr(core_araddr), .arprot(core_arprot),
    .rvalid(core_rvalid), .rready(core_rready), .rdata(core_rdata), .rresp(2'd0)
  );
endmodule
