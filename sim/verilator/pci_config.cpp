// SPDX-License-Identifier: Apache-2.0
#include "pci_config.hpp"

#include <linux/pci_regs.h>
#include <pagepress_interface.h>

#include <cstring>

namespace card {

namespace {

constexpr size_t MSIX = 0x40, EXPRESS = 0x50;  // offsets of our capabilities
constexpr uint64_t REVISION = 1;
constexpr uint64_t LINK_SPEED_8GT = 3, LINK_WIDTH_16 = 16;

}  // namespace

void PciConfig::set(size_t offset, unsigned bytes, uint64_t value, uint64_t writable) {
    std::memcpy(&value_[offset], &value, bytes);
    std::memcpy(&writable_[offset], &writable, bytes);
}

void PciConfig::reset() {
    value_.fill(0);
    writable_.fill(0);
    set(PCI_VENDOR_ID, 2, PAGEPRESS_PCI_VENDOR_ID);
    set(PCI_DEVICE_ID, 2, PAGEPRESS_PCI_DEVICE_ID);
    set(PCI_COMMAND, 2, 0,
        PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_PARITY | PCI_COMMAND_SERR | PCI_COMMAND_INTX_DISABLE);
    set(PCI_STATUS, 2, PCI_STATUS_CAP_LIST);
    set(PCI_CLASS_REVISION, 4, uint64_t{PAGEPRESS_PCI_CLASS_CODE} << 8 | REVISION);
    set(PCI_CACHE_LINE_SIZE, 1, 0, 0xff);
    // A 64-bit memory BAR: the size shows in the address bits that cannot be written.
    set(PCI_BASE_ADDRESS_0, 8, PCI_BASE_ADDRESS_MEM_TYPE_64, ~uint64_t{PAGEPRESS_BAR0_BYTES - 1});
    set(PCI_SUBSYSTEM_VENDOR_ID, 2, PAGEPRESS_PCI_VENDOR_ID);
    set(PCI_SUBSYSTEM_ID, 2, PAGEPRESS_PCI_DEVICE_ID);
    set(PCI_CAPABILITY_LIST, 1, MSIX);
    set(PCI_INTERRUPT_LINE, 1, 0, 0xff);

    set(MSIX + PCI_CAP_LIST_ID, 1, PCI_CAP_ID_MSIX);
    set(MSIX + PCI_CAP_LIST_NEXT, 1, EXPRESS);
    set(MSIX + PCI_MSIX_FLAGS, 2, vectors_ - 1, PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL);
    set(MSIX + PCI_MSIX_TABLE, 4, PAGEPRESS_MSIX_TABLE_OFFSET);    // in BAR 0, hence no BIR bits
    set(MSIX + PCI_MSIX_PBA, 4, PAGEPRESS_MSIX_PENDING_OFFSET);

    set(EXPRESS + PCI_CAP_LIST_ID, 1, PCI_CAP_ID_EXP);
    set(EXPRESS + PCI_EXP_FLAGS, 2, 2 | PCI_EXP_TYPE_ENDPOINT << 4);
    set(EXPRESS + PCI_EXP_DEVCAP, 4, PCI_EXP_DEVCAP_EXT_TAG | PCI_EXP_DEVCAP_RBER | PCI_EXP_DEVCAP_FLR | 1);
    set(EXPRESS + PCI_EXP_DEVCTL, 2, PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_NOSNOOP_EN,
        0x7fff & ~PCI_EXP_DEVCTL_PHANTOM);
    set(EXPRESS + PCI_EXP_LNKCAP, 4, LINK_SPEED_8GT | LINK_WIDTH_16 << 4);
    set(EXPRESS + PCI_EXP_LNKSTA, 2, LINK_SPEED_8GT | LINK_WIDTH_16 << 4);
    set(EXPRESS + PCI_EXP_LNKCTL2, 2, LINK_SPEED_8GT);
    function_reset_ = false;
}

void PciConfig::read(size_t offset, void* data, size_t bytes) const {
    if (bytes) std::memcpy(data, &value_[offset], bytes);
}

void PciConfig::write(size_t offset, const void* data, size_t bytes) {
    auto* from = static_cast<const uint8_t*>(data);
    for (size_t index = 0; index < bytes; index++) {
        size_t at = offset + index;
        value_[at] = static_cast<uint8_t>((value_[at] & ~writable_[at]) | (from[index] & writable_[at]));
        // The reset bit reads as 0, so it is never stored.
        if (at == EXPRESS + PCI_EXP_DEVCTL + 1 && (from[index] & PCI_EXP_DEVCTL_BCR_FLR >> 8)) function_reset_ = true;
    }
}

bool PciConfig::bus_master() const {
    return value_[PCI_COMMAND] & PCI_COMMAND_MASTER;
}

unsigned PciConfig::device_control() const {
    return value_[EXPRESS + PCI_EXP_DEVCTL] | unsigned{value_[EXPRESS + PCI_EXP_DEVCTL + 1]} << 8;
}

bool PciConfig::extended_tags() const { return device_control() & PCI_EXP_DEVCTL_EXT_TAG; }
unsigned PciConfig::payload_code() const { return (device_control() & PCI_EXP_DEVCTL_PAYLOAD) >> 5; }
unsigned PciConfig::read_code() const { return (device_control() & PCI_EXP_DEVCTL_READRQ) >> 12; }

bool PciConfig::take_function_reset() {
    bool asked = function_reset_;
    function_reset_ = false;
    return asked;
}

}  // namespace card
