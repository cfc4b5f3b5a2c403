// SPDX-License-Identifier: Apache-2.0
/// The functional model of sim/reference as an engine, with a model of its management part.
#pragma once

#include <memory>

#include "card_engine.hpp"
#include "management_model.hpp"

struct card_model;

namespace card {

class ModelEngine : public CardEngine {
public:
    ModelEngine(CardHost& host, Board& board, unsigned page_shift);
    ~ModelEngine() override;
    const char* name() const override { return "model"; }
    uint32_t read(uint32_t offset) override;
    void write(uint32_t offset, uint32_t value) override;
    bool run() override;
    bool manage() override { return management_.run(); }
    void reset() override;

private:
    card_model* model_;
    ManagementModel management_;
};

}  // namespace card
