// SPDX-License-Identifier: Apache-2.0
/// The host's memory as an AXI4 subordinate of the core: several bursts under way, answers in order after a
/// fixed latency, DECERR where the host refuses.
#pragma once

#include <VerilatedCore.h>

#include <cstdint>
#include <deque>
#include <vector>

#include "card_engine.hpp"

namespace card {

class AxiMemory {
public:
    AxiMemory(VerilatedCore& core, CardHost& host) : core_(core), host_(host) {}

    /// Each cycle: `drive` sets the core's inputs, then with the core settled and before the rising edge,
    /// `sample` notes what was handed over.
    void drive();
    void sample();

    /// No burst is under way.
    bool idle() const { return reads_.empty() && writes_.empty() && answers_.empty() && beats_.empty(); }
    /// Forget everything under way, for a reset of the core.
    void reset();

private:
    /// Cycles from an address to its first data, and from the last data to the response.
    static constexpr uint64_t READ_LATENCY = 24, WRITE_LATENCY = 12;
    static constexpr size_t MOST_BURSTS = 16;

    struct Burst {
        uint64_t due;  // cycle
        uint64_t address;
        uint32_t id, beats;
        bool legal;
        uint32_t beat = 0;
        uint8_t response = 0;
        std::vector<uint8_t> data;
    };
    struct Beat {
        std::vector<uint8_t> data;
        uint64_t strobe;
        bool last;
    };
    struct Answer {
        uint64_t due;
        uint32_t id;
        uint8_t response;
    };

    Burst burst(uint64_t address, uint32_t id, uint32_t length, uint32_t size, uint32_t kind) const;
    void fetch(Burst& read);
    void gather();
    uint8_t store(const Burst& write);

    VerilatedCore& core_;
    CardHost& host_;
    uint64_t cycle_ = 0;
    std::deque<Burst> reads_, writes_;
    std::deque<Beat> beats_;
    std::deque<Answer> answers_;
    std::vector<uint8_t> strobes_;  // of the write being gathered, one a byte
};

}  // namespace card
