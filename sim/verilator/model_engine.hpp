// SPDX-License-Identifier: Apache-2.0
/// The functional model of sim/reference as an engine, with a model of its management part.
#pragma once

#include <array>
#include <chrono>
#include <memory>

#include <pagepress_interface.h>

#include "card_engine.hpp"
#include "management_model.hpp"

struct card_model;

namespace card {

class ModelEngine : public CardEngine {
public:
    /// `instant`: a command is answered before the register write that tells of it returns. `cold_format`: it knows the cold format, too.
    ModelEngine(CardHost& host, Board& board, unsigned page_shift, bool instant, bool cold_format);
    ~ModelEngine() override;
    const char* name() const override { return "model"; }
    uint32_t read(uint32_t offset) override;
    void write(uint32_t offset, uint32_t value) override;
    bool run() override;
    bool manage() override { return management_.run(); }
    void reset() override;

private:
    struct Sums {
        uint32_t commands = 0;
        uint64_t depth_cycles = 0, waiting_cycles = 0;
    };
    static constexpr unsigned QUEUE_PAIRS = 4;  // what the generated core has by default; software reads it from CAPABILITIES
    using Counters = std::array<uint64_t, PAGEPRESS_COUNTER_COUNT>;

    Counters counters() const;
    void count_lanes();
    void tell_monitor();

    card_model* model_;
    const bool instant_;
    std::chrono::steady_clock::time_point written_{};  // last, while instant
    ManagementModel management_;
    std::array<Sums, QUEUE_PAIRS> before_reset_{};
    uint64_t cycles_before_reset_ = 0;
    Counters told_{};  // of which the lanes know
    unsigned turn_ = 0;  // of each kind's two lanes
};

}  // namespace card
