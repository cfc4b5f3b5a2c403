# SPDX-License-Identifier: Apache-2.0
# Made by constraints/boards/generate.py. Do not edit: change the TOML files there and run it again. Not run in Vivado.
create_ip -name pcie4_uscale_plus -vendor xilinx.com -library ip -module_name pcie4_uscale_plus_0
set_property -dict [list \
    CONFIG.PL_LINK_CAP_MAX_LINK_WIDTH {X4} \
    CONFIG.axisten_if_width {128_bit} \
    CONFIG.AXISTEN_IF_RC_STRADDLE {false} \
    CONFIG.mode_selection {Advanced} \
    CONFIG.PL_LINK_CAP_MAX_LINK_SPEED {8.0_GT/s} \
    CONFIG.axisten_freq {250} \
    CONFIG.axisten_if_enable_client_tag {true} \
    CONFIG.extended_tag_field {true} \
    CONFIG.pf0_dev_cap_max_payload {512_bytes} \
    CONFIG.PF0_DEV_CAP_FUNCTION_LEVEL_RESET_CAPABLE {true} \
    CONFIG.vendor_id {5047} \
    CONFIG.PF0_DEVICE_ID {5052} \
    CONFIG.PF0_SUBSYSTEM_VENDOR_ID {5047} \
    CONFIG.PF0_SUBSYSTEM_ID {5052} \
    CONFIG.PF0_CLASS_CODE {120000} \
    CONFIG.pf0_bar0_64bit {true} \
    CONFIG.pf0_bar0_prefetchable {false} \
    CONFIG.pf0_bar0_scale {Kilobytes} \
    CONFIG.pf0_bar0_size {64} \
    CONFIG.pf0_msi_enabled {false} \
    CONFIG.pf0_msix_enabled {true} \
    CONFIG.MSI_X_OPTIONS {MSI-X_External} \
    CONFIG.PF0_MSIX_CAP_TABLE_SIZE {004} \
    CONFIG.PF0_MSIX_CAP_TABLE_BIR {BAR_1:0} \
    CONFIG.PF0_MSIX_CAP_TABLE_OFFSET {00008000} \
    CONFIG.PF0_MSIX_CAP_PBA_BIR {BAR_1:0} \
    CONFIG.PF0_MSIX_CAP_PBA_OFFSET {0000C000} \
] [get_ips pcie4_uscale_plus_0]
