// SPDX-License-Identifier: Apache-2.0
/// The functional model of sim/reference as an engine.
#pragma once

#include <memory>

#include "card_engine.hpp"

struct card_model;

namespace card {

class ModelEngine : public CardEngine {
public:
    explicit ModelEngine(CardHost& host);
    ~ModelEngine() override;
    const char* name() const override { return "model"; }
    uint32_t read(uint32_t offset) override;
    void write(uint32_t offset, uint32_t value) override;
    bool run() override;
    void reset() override;

private:
    card_model* model_;
};

}  // namespace card
