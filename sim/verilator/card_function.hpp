// SPDX-License-Identifier: Apache-2.0
/// The PCI function: an engine, its configuration space, interrupts and the memory it may reach.
#pragma once

#include <array>
#include <memory>

#include <pagepress_interface.h>

#include "card_engine.hpp"
#include "guest_memory.hpp"
#include "interrupts.hpp"
#include "pci_config.hpp"

namespace card {

/// What the bridge between card and host saw itself, whatever the card counts.
struct BridgeCounters {
    uint64_t read_bytes = 0, write_bytes = 0, read_errors = 0, write_errors = 0, interrupts = 0;
};

class CardFunction : public CardHost {
public:
    using Counters = std::array<uint64_t, PAGEPRESS_COUNTER_COUNT>;
    using EngineMaker = std::function<std::unique_ptr<CardEngine>(CardHost&)>;

    CardFunction(const EngineMaker& make_engine, GuestMemory& memory);

    CardEngine& engine() { return *engine_; }
    unsigned vectors() const { return interrupts_->vectors(); }
    const BridgeCounters& bridge() const { return bridge_; }

    /// BAR0 and configuration space, any size and alignment inside them.
    void read_bar(uint64_t offset, uint8_t* data, size_t bytes);
    void write_bar(uint64_t offset, const uint8_t* data, size_t bytes);
    void read_config(uint64_t offset, uint8_t* data, size_t bytes);
    void write_config(uint64_t offset, const uint8_t* data, size_t bytes);

    /// DEVICE_SET_IRQS for MSI-X; 0 or an errno.
    int set_interrupts(const vfio_user::SetInterrupts& request, const std::vector<uint8_t>& booleans,
                       std::vector<FileDescriptor>& fds);

    /// Function reset. The client's memory and eventfds stay.
    void reset();

    /// The card's counters since the process began, across resets.
    Counters counters();

    bool read(uint64_t address, void* data, size_t bytes) override;
    bool write(uint64_t address, const void* data, size_t bytes) override;
    void interrupt(unsigned vector) override;

private:
    Counters engine_counters();
    void configure_engine();

    GuestMemory& memory_;
    std::unique_ptr<CardEngine> engine_;
    std::unique_ptr<PciConfig> config_;
    std::unique_ptr<Interrupts> interrupts_;
    BridgeCounters bridge_;
    Counters before_reset_{};
};

}  // namespace card
