// SPDX-License-Identifier: Apache-2.0
/// What stands behind BAR0: Verilated hardware or the functional model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace card {

/// What a card finds around it.
class CardHost {
public:
    virtual ~CardHost() = default;
    /// Bus-master accesses; false is an error response. Nothing is read or written then.
    virtual bool read(uint64_t address, void* data, size_t bytes) = 0;
    virtual bool write(uint64_t address, const void* data, size_t bytes) = 0;
    /// The level of an interrupt vector rose.
    virtual void interrupt(unsigned vector) = 0;
};

/// What the host has set outside BAR0: configuration space, and where interrupts go.
struct HostSettings {
    bool bus_master = false;
    bool extended_tags = false;
    unsigned payload_code = 0, read_code = 0;  ///< longest write and read of one request: 128 << code bytes
    std::vector<bool> vectors;                 ///< interrupt vectors whose messages somebody waits for
};

class CardEngine {
public:
    virtual ~CardEngine() = default;
    virtual const char* name() const = 0;
    /// Where the host meets the hardware.
    virtual const char* level() const { return "none"; }
    /// 32-bit registers at byte offsets in BAR0, aligned to 4.
    virtual uint32_t read(uint32_t offset) = 0;
    virtual void write(uint32_t offset, uint32_t value) = 0;
    /// A register as the card itself has it, whatever the host is shown.
    virtual uint32_t inspect(uint32_t offset) { return read(offset); }
    /// False for a card that is off the bus.
    virtual bool answers() const { return true; }
    /// The settings have changed, or were lost in a reset. CardHost enforces them too, for engines that know no PCIe.
    virtual void configure(const HostSettings&) {}
    /// Work for about a millisecond at most; false when the card is idle until the next register access.
    virtual bool run() = 0;
    /// Let the management part's time pass for about a millisecond at most; false when it waits until somebody looks at it.
    virtual bool manage() { return false; }
    /// Function-level reset, counters included; the settings are lost.
    virtual void reset() = 0;
};

}  // namespace card
