# SPDX-License-Identifier: Apache-2.0
"""What the card wants of its PCIe block, said a second time: by rtl/README.md ("Card: ports") and the adapter in rtl/dma/pcie, not by
pcie_block.toml. Files made from a wrong table agree with it; the table is held against this.
"""
from board import LANES, interface

TIED = {  # input of the block that is a constant, as Verilog writes it
    "cfg_power_state_change_ack": "1'd1", "cfg_config_space_enable": "1'd1", "cfg_link_training_enable": "1'd1", "cfg_err_cor_in": "1'd0",
    "cfg_err_uncor_in": "1'd0", "cfg_hot_reset_in": "1'd0", "cfg_req_pm_transition_l23_ready": "1'd0", "cfg_pm_aspm_l1_entry_reject": "1'd0",
    "cfg_pm_aspm_tx_l0s_entry_disable": "1'd0", "cfg_vf_flr_func_num": "8'd0", "cfg_vf_flr_done": "1'd0", "cfg_dsn": "64'd0", "cfg_fc_sel": "3'd0",
    "cfg_msg_transmit": "1'd0", "cfg_msg_transmit_type": "3'd0", "cfg_msg_transmit_data": "32'd0", "cfg_interrupt_int": "4'd0",
    "cfg_interrupt_pending": "4'd0", "cfg_interrupt_msix_address": "64'd0", "cfg_interrupt_msix_data": "32'd0", "cfg_interrupt_msix_int": "1'd0",
    "cfg_interrupt_msix_vec_pending": "2'd0", "cfg_interrupt_msi_function_number": "8'd0", "cfg_ds_port_number": "8'd0", "cfg_ds_bus_number": "8'd0",
    "cfg_ds_device_number": "5'd0"}

STREAMS = {  # by bytes a cycle: two TLPs a beat where the adapter straddles, one where it does not
    64: {"AXISTEN_IF_EXT_512_RQ_STRADDLE": "true", "AXISTEN_IF_EXT_512_RC_STRADDLE": "true", "AXISTEN_IF_EXT_512_RC_4TLP_STRADDLE": "false",
         "AXISTEN_IF_EXT_512_CQ_STRADDLE": "false", "AXISTEN_IF_EXT_512_CC_STRADDLE": "false"},
    16: {"AXISTEN_IF_RC_STRADDLE": "false"}}


def settings(queues, bytes_):
    """CONFIG name → value, of a card with so many queue pairs and bytes a cycle."""
    vendor, device = f"{interface.PCI_VENDOR_ID:04X}", f"{interface.PCI_DEVICE_ID:04X}"
    return STREAMS[bytes_] | {
        "mode_selection": "Advanced", "vendor_id": vendor, "PF0_DEVICE_ID": device, "PF0_SUBSYSTEM_VENDOR_ID": vendor, "PF0_SUBSYSTEM_ID": device,
        "PF0_CLASS_CODE": f"{interface.PCI_CLASS_CODE:06X}",
        "pf0_bar0_64bit": "true", "pf0_bar0_prefetchable": "false", "pf0_bar0_scale": "Kilobytes", "pf0_bar0_size": str(interface.BAR0_BYTES // 1024),
        "pf0_msi_enabled": "false", "pf0_msix_enabled": "true", "MSI_X_OPTIONS": "MSI-X_External",
        "PF0_MSIX_CAP_TABLE_SIZE": f"{queues:03X}",  # one vector a queue and one more; the field holds one less than there are
        "PF0_MSIX_CAP_TABLE_BIR": "BAR_1:0", "PF0_MSIX_CAP_TABLE_OFFSET": f"{interface.MSIX_TABLE_OFFSET:08X}",
        "PF0_MSIX_CAP_PBA_BIR": "BAR_1:0", "PF0_MSIX_CAP_PBA_OFFSET": f"{interface.MSIX_PENDING_OFFSET:08X}",
        "axisten_freq": "250", "axisten_if_width": f"{8 * bytes_}_bit", "axisten_if_enable_client_tag": "true", "extended_tag_field": "true",
        "PL_LINK_CAP_MAX_LINK_SPEED": "8.0_GT/s", "PL_LINK_CAP_MAX_LINK_WIDTH": f"X{LANES[bytes_]}", "pf0_dev_cap_max_payload": "512_bytes",
        "PF0_DEV_CAP_FUNCTION_LEVEL_RESET_CAPABLE": "true"}
