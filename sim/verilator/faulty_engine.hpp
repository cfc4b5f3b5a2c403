// SPDX-License-Identifier: Apache-2.0
/// Any engine with faults put in on its way to and from the host: what a broken card, link or bus would show.
#pragma once

#include <array>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <pagepress_interface.h>

#include "card_engine.hpp"
#include "fault_plan.hpp"

namespace card {

/// Stands between an engine and the card function in both directions: as engine to the function, as host to the
/// engine. It learns commands and rings by watching, so it needs nothing of either. With nothing armed it changes nothing.
class FaultyEngine : public CardEngine, private CardHost {
public:
    using Maker = std::function<std::unique_ptr<CardEngine>(CardHost&)>;

    FaultyEngine(const Maker& make_engine, CardHost& host, FaultPlan& plan);

    const char* name() const override { return engine_->name(); }
    const char* level() const override { return engine_->level(); }
    uint32_t read(uint32_t offset) override;
    uint32_t inspect(uint32_t offset) override { return engine_->inspect(offset); }
    void write(uint32_t offset, uint32_t value) override;
    bool answers() const override { return !dead_; }
    void configure(const HostSettings& settings) override { engine_->configure(settings); }
    bool run() override;
    bool manage() override { return engine_->manage(); }
    void reset() override;

    /// Ends every lasting fault; what is late comes now.
    void heal();
    size_t held() const { return held_.size(); }

private:
    using Clock = std::chrono::steady_clock;

    struct Ring {
        uint64_t submissions = 0, completions = 0;
        uint32_t depth_log2 = 0;
    };
    /// What was last written to a queue's PUSH window.
    using Pushed = std::array<uint32_t, PAGEPRESS_PUSH_STRIDE / 4>;
    struct Command {
        uint8_t opcode;
        uint64_t destination;
        uint32_t capacity;
        bool written;
    };
    struct Late {
        Clock::time_point due;
        uint32_t queue;
        uint64_t address;
        pagepress_completion_entry entry;
    };
    struct LateWrite {
        Clock::time_point due;
        uint64_t address;
        uint8_t bit;
    };

    bool read(uint64_t address, void* data, size_t bytes) override;
    bool write(uint64_t address, const void* data, size_t bytes) override;
    void interrupt(unsigned vector) override;

    void watch_queue(uint32_t offset, uint32_t value);
    void watch_push(uint32_t offset, uint32_t value);
    void note_commands(uint32_t queue, const void* data, size_t bytes);
    bool complete(uint32_t queue, uint64_t address, pagepress_completion_entry entry);
    bool strike_lasting(uint32_t queue, uint8_t opcode);
    void alter(pagepress_completion_entry& entry, const Command& command);
    void break_stream(pagepress_completion_entry& entry, const Command& command);
    void note_late_write(const Command& command);
    bool holds(uint32_t queue) const;
    void deliver(Clock::time_point now);
    void corrupt(uint64_t address, std::vector<uint8_t>& data);

    CardHost& host_;
    FaultPlan& plan_;
    std::vector<Ring> rings_ = std::vector<Ring>(PAGEPRESS_MAX_QUEUE_PAIRS);
    std::vector<Pushed> pushed_ = std::vector<Pushed>(PAGEPRESS_MAX_QUEUE_PAIRS);
    std::map<std::pair<uint32_t, uint32_t>, Command> commands_;  // by queue and tag, in flight
    std::deque<Late> held_;
    std::vector<LateWrite> late_writes_;
    bool silent_ = false;    // STUCK or FATAL: no completion leaves
    bool fatal_ = false, all_ones_ = false, dead_ = false, refuses_ = false, lying_ = false, fewer_ = false;
    uint32_t lies_ = 0;  // counter words misread
    std::optional<unsigned> storm_;  // the vector that interrupts without end
    std::unique_ptr<CardEngine> engine_;  // last: it may use its host from its first moment
};

}  // namespace card
