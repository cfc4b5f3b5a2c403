// SPDX-License-Identifier: Apache-2.0
/// The Verilated core as an engine: its clock, its register bus, its memory bus and its interrupts.
#pragma once

#include <memory>
#include <string>

#include "card_engine.hpp"

namespace card {

class RtlEngine : public CardEngine {
public:
    /// `trace`: an .fst file for waves, or empty. Throws std::runtime_error where this build has no waves.
    RtlEngine(CardHost& host, const std::string& trace);
    ~RtlEngine() override;
    const char* name() const override { return "rtl"; }
    /// Throw std::runtime_error when the core does not answer its register bus.
    uint32_t read(uint32_t offset) override;
    void write(uint32_t offset, uint32_t value) override;
    bool run() override;
    void reset() override;

private:
    class Clock;
    std::unique_ptr<Clock> clock_;
};

}  // namespace card
