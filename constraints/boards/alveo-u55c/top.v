// SPDX-License-Identifier: Apache-2.0
// Made by constraints/boards/generate.py. Do not edit: change the TOML files there and run it again. Not run in Vivado.
// Alveo U55C: the card behind the part's PCIe block, alone in its device.
`default_nettype none

module pagepress_alveo_u55c (
  input  wire        pcie_refclk_p, pcie_refclk_n, // 100 MHz of the slot
  input  wire        pcie_reset_n,
  input  wire [15:0] pcie_rx_p, pcie_rx_n,
  output wire [15:0] pcie_tx_p, pcie_tx_n,
  output wire        hbm_cattrip
);

  assign hbm_cattrip = 1'b0; // 1 tells the card's controller that the memory is too hot: it cuts the power

  wire pcie_clk, pcie_clk_gt, user_clk, user_reset;
  IBUFDS_GTE4 #(.REFCLK_HROW_CK_SEL(2'b00)) pcie_refclk (
    .I(pcie_refclk_p), .IB(pcie_refclk_n), .CEB(1'b0), .O(pcie_clk_gt), .ODIV2(pcie_clk)
  );

  // The engines' clock, 3.75 / 3.125 of user_clk. The card waits until it is there.
  wire engine_clk, engine_clk_made, feedback, locked;
  MMCME4_BASE #(.CLKIN1_PERIOD(4.0), .CLKFBOUT_MULT_F(3.750), .CLKOUT0_DIVIDE_F(3.125)) engine_clock (
    .CLKIN1(user_clk), .RST(user_reset), .PWRDWN(1'b0), .CLKFBIN(feedback), .CLKFBOUT(feedback), .CLKOUT0(engine_clk_made), .LOCKED(locked)
  );
  BUFG engine_clock_buffer (.I(engine_clk_made), .O(engine_clk));
  (* ASYNC_REG = "TRUE" *) reg [1:0] settled;
  reg card_reset;
  initial settled = 2'b00;
  initial card_reset = 1'b1;
  always @(posedge user_clk) begin
    settled <= {settled[0], locked};
    card_reset <= user_reset || !settled[1];
  end

  wire m_axis_cq_tvalid;
  wire m_axis_cq_tready;
  wire m_axis_cq_tlast;
  wire s_axis_cc_tvalid;
  wire s_axis_cc_tready;
  wire s_axis_cc_tlast;
  wire s_axis_rq_tvalid;
  wire s_axis_rq_tready;
  wire s_axis_rq_tlast;
  wire m_axis_rc_tvalid;
  wire m_axis_rc_tready;
  wire m_axis_rc_tlast;
  wire [1:0] pcie_cq_np_req;
  wire [5:0] pcie_rq_seq_num0;
  wire [5:0] pcie_rq_seq_num1;
  wire pcie_rq_seq_num_vld0;
  wire pcie_rq_seq_num_vld1;
  wire [3:0] pcie_tfc_nph_av;
  wire [1:0] cfg_max_payload;
  wire [2:0] cfg_max_read_req;
  wire [15:0] cfg_function_status;
  wire [3:0] cfg_interrupt_msix_enable;
  wire [3:0] cfg_interrupt_msix_mask;
  wire [3:0] cfg_flr_in_process;
  wire [3:0] cfg_flr_done;
  wire [9:0] cfg_mgmt_addr;
  wire [7:0] cfg_mgmt_function_number;
  wire cfg_mgmt_read;
  wire cfg_mgmt_write;
  wire cfg_mgmt_debug_access;
  wire [31:0] cfg_mgmt_write_data;
  wire [3:0] cfg_mgmt_byte_enable;
  wire [31:0] cfg_mgmt_read_data;
  wire cfg_mgmt_read_write_done;
  wire [511:0] m_axis_cq_tdata;
  wire [15:0] m_axis_cq_tkeep;
  wire [182:0] m_axis_cq_tuser;
  wire [511:0] s_axis_cc_tdata;
  wire [15:0] s_axis_cc_tkeep;
  wire [80:0] s_axis_cc_tuser;
  wire [511:0] s_axis_rq_tdata;
  wire [15:0] s_axis_rq_tkeep;
  wire [136:0] s_axis_rq_tuser;
  wire [511:0] m_axis_rc_tdata;
  wire [15:0] m_axis_rc_tkeep;
  wire [160:0] m_axis_rc_tuser;

  pcie4c_uscale_plus_0 pcie (
    .sys_clk(pcie_clk), .sys_clk_gt(pcie_clk_gt), .sys_reset(pcie_reset_n), // active-low, whatever its name
    .pci_exp_rxp(pcie_rx_p), .pci_exp_rxn(pcie_rx_n), .pci_exp_txp(pcie_tx_p), .pci_exp_txn(pcie_tx_n),
    .user_clk(user_clk), .user_reset(user_reset),
    .cfg_power_state_change_ack(1'd1), // the host may put the function to sleep at any time: it has nothing to save
    .cfg_config_space_enable(1'd1), // the host may read configuration space as soon as the link is up
    .cfg_link_training_enable(1'd1), // train at once
    .cfg_err_cor_in(1'd0), // the card reports by status and FATAL_CAUSE, not by AER
    .cfg_err_uncor_in(1'd0), // the same
    .cfg_hot_reset_in(1'd0), // of a root port
    .cfg_req_pm_transition_l23_ready(1'd0), // power down is the host's to ask for
    .cfg_pm_aspm_l1_entry_reject(1'd0), // L1 may be entered
    .cfg_pm_aspm_tx_l0s_entry_disable(1'd0), // L0s may be entered
    .cfg_vf_flr_func_num(8'd0), // there are no virtual functions
    .cfg_vf_flr_done(1'd0), // the same
    .cfg_dsn(64'd0), // no serial number
    .cfg_fc_sel(3'd0), // flow control figures are not looked at
    .cfg_msg_transmit(1'd0), // the card sends no messages
    .cfg_msg_transmit_type(3'd0), // the same
    .cfg_msg_transmit_data(32'd0), // the same
    .cfg_interrupt_int(4'd0), // no INTx
    .cfg_interrupt_pending(4'd0), // the same
    .cfg_interrupt_msix_address(64'd0), // the card writes its interrupt messages itself
    .cfg_interrupt_msix_data(32'd0), // the same
    .cfg_interrupt_msix_int(1'd0), // the same
    .cfg_interrupt_msix_vec_pending(2'd0), // the same
    .cfg_interrupt_msi_function_number(8'd0), // the same
    .cfg_ds_port_number(8'd0), // of a root port
    .cfg_ds_bus_number(8'd0), // the same
    .cfg_ds_device_number(5'd0), // the same
    .m_axis_cq_tvalid(m_axis_cq_tvalid), .m_axis_cq_tready(m_axis_cq_tready), .m_axis_cq_tlast(m_axis_cq_tlast),
    .s_axis_cc_tvalid(s_axis_cc_tvalid), .s_axis_cc_tready(s_axis_cc_tready), .s_axis_cc_tlast(s_axis_cc_tlast),
    .s_axis_rq_tvalid(s_axis_rq_tvalid), .s_axis_rq_tready(s_axis_rq_tready), .s_axis_rq_tlast(s_axis_rq_tlast),
    .m_axis_rc_tvalid(m_axis_rc_tvalid), .m_axis_rc_tready(m_axis_rc_tready), .m_axis_rc_tlast(m_axis_rc_tlast),
    .pcie_cq_np_req(pcie_cq_np_req), .pcie_rq_seq_num0(pcie_rq_seq_num0), .pcie_rq_seq_num1(pcie_rq_seq_num1),
    .pcie_rq_seq_num_vld0(pcie_rq_seq_num_vld0), .pcie_rq_seq_num_vld1(pcie_rq_seq_num_vld1), .pcie_tfc_nph_av(pcie_tfc_nph_av),
    .cfg_max_payload(cfg_max_payload), .cfg_max_read_req(cfg_max_read_req), .cfg_function_status(cfg_function_status),
    .cfg_interrupt_msix_enable(cfg_interrupt_msix_enable), .cfg_interrupt_msix_mask(cfg_interrupt_msix_mask),
    .cfg_flr_in_process(cfg_flr_in_process), .cfg_flr_done(cfg_flr_done), .cfg_mgmt_addr(cfg_mgmt_addr),
    .cfg_mgmt_function_number(cfg_mgmt_function_number), .cfg_mgmt_read(cfg_mgmt_read), .cfg_mgmt_write(cfg_mgmt_write),
    .cfg_mgmt_debug_access(cfg_mgmt_debug_access), .cfg_mgmt_write_data(cfg_mgmt_write_data), .cfg_mgmt_byte_enable(cfg_mgmt_byte_enable),
    .cfg_mgmt_read_data(cfg_mgmt_read_data), .cfg_mgmt_read_write_done(cfg_mgmt_read_write_done), .m_axis_cq_tdata(m_axis_cq_tdata),
    .m_axis_cq_tkeep(m_axis_cq_tkeep), .m_axis_cq_tuser(m_axis_cq_tuser), .s_axis_cc_tdata(s_axis_cc_tdata),
    .s_axis_cc_tkeep(s_axis_cc_tkeep), .s_axis_cc_tuser(s_axis_cc_tuser), .s_axis_rq_tdata(s_axis_rq_tdata),
    .s_axis_rq_tkeep(s_axis_rq_tkeep), .s_axis_rq_tuser(s_axis_rq_tuser), .m_axis_rc_tdata(m_axis_rc_tdata),
    .m_axis_rc_tkeep(m_axis_rc_tkeep), .m_axis_rc_tuser(m_axis_rc_tuser)
  );

  card card (
    .m_axis_cq_tvalid(m_axis_cq_tvalid), .m_axis_cq_tready(m_axis_cq_tready), .m_axis_cq_tlast(m_axis_cq_tlast),
    .s_axis_cc_tvalid(s_axis_cc_tvalid), .s_axis_cc_tready(s_axis_cc_tready), .s_axis_cc_tlast(s_axis_cc_tlast),
    .s_axis_rq_tvalid(s_axis_rq_tvalid), .s_axis_rq_tready(s_axis_rq_tready), .s_axis_rq_tlast(s_axis_rq_tlast),
    .m_axis_rc_tvalid(m_axis_rc_tvalid), .m_axis_rc_tready(m_axis_rc_tready), .m_axis_rc_tlast(m_axis_rc_tlast),
    .pcie_cq_np_req(pcie_cq_np_req), .pcie_rq_seq_num0(pcie_rq_seq_num0), .pcie_rq_seq_num1(pcie_rq_seq_num1),
    .pcie_rq_seq_num_vld0(pcie_rq_seq_num_vld0), .pcie_rq_seq_num_vld1(pcie_rq_seq_num_vld1), .pcie_tfc_nph_av(pcie_tfc_nph_av),
    .cfg_max_payload(cfg_max_payload), .cfg_max_read_req(cfg_max_read_req), .cfg_function_status(cfg_function_status),
    .cfg_interrupt_msix_enable(cfg_interrupt_msix_enable), .cfg_interrupt_msix_mask(cfg_interrupt_msix_mask),
    .cfg_flr_in_process(cfg_flr_in_process), .cfg_flr_done(cfg_flr_done), .cfg_mgmt_addr(cfg_mgmt_addr),
    .cfg_mgmt_function_number(cfg_mgmt_function_number), .cfg_mgmt_read(cfg_mgmt_read), .cfg_mgmt_write(cfg_mgmt_write),
    .cfg_mgmt_debug_access(cfg_mgmt_debug_access), .cfg_mgmt_write_data(cfg_mgmt_write_data), .cfg_mgmt_byte_enable(cfg_mgmt_byte_enable),
    .cfg_mgmt_read_data(cfg_mgmt_read_data), .cfg_mgmt_read_write_done(cfg_mgmt_read_write_done), .m_axis_cq_tdata(m_axis_cq_tdata),
    .m_axis_cq_tkeep(m_axis_cq_tkeep), .m_axis_cq_tuser(m_axis_cq_tuser), .s_axis_cc_tdata(s_axis_cc_tdata),
    .s_axis_cc_tkeep(s_axis_cc_tkeep), .s_axis_cc_tuser(s_axis_cc_tuser), .s_axis_rq_tdata(s_axis_rq_tdata),
    .s_axis_rq_tkeep(s_axis_rq_tkeep), .s_axis_rq_tuser(s_axis_rq_tuser), .m_axis_rc_tdata(m_axis_rc_tdata),
    .m_axis_rc_tkeep(m_axis_rc_tkeep), .m_axis_rc_tuser(m_axis_rc_tuser),
    .clk(user_clk), .reset(card_reset), .engine_clk(engine_clk)
  );
endmodule
`default_nettype wire
