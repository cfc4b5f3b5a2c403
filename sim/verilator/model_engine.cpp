// SPDX-License-Identifier: Apache-2.0
#include "model_engine.hpp"

#include <stdexcept>

#include "card_model.h"

namespace card {

namespace {

// What the generated core has by default; software reads it from CAPABILITIES.
constexpr unsigned QUEUE_PAIRS = 4, MAX_DEPTH_LOG2 = 10;
constexpr int COMMANDS_A_RUN = 8;

bool in_window(uint32_t offset) {
    return offset >= PAGEPRESS_MANAGEMENT_WINDOW_OFFSET && offset < PAGEPRESS_MANAGEMENT_WINDOW_OFFSET + PAGEPRESS_MANAGEMENT_WINDOW_BYTES;
}

CardHost& host_of(void* context) { return *static_cast<CardHost*>(context); }

}  // namespace

ModelEngine::ModelEngine(CardHost& host, Board& board, unsigned page_shift) : management_(board) {
    card_model_host callbacks{};
    callbacks.context = &host;
    callbacks.read = [](void* context, uint64_t address, void* data, size_t bytes) {
        return host_of(context).read(address, data, bytes);
    };
    callbacks.write = [](void* context, uint64_t address, const void* data, size_t bytes) {
        return host_of(context).write(address, data, bytes);
    };
    callbacks.interrupt = [](void* context, unsigned vector) { host_of(context).interrupt(vector); };
    const card_model_options options{page_shift, QUEUE_PAIRS, MAX_DEPTH_LOG2};
    model_ = card_model_create(&options, &callbacks);
    if (!model_) throw std::runtime_error("the card model cannot be made");
}

ModelEngine::~ModelEngine() { card_model_destroy(model_); }

uint32_t ModelEngine::read(uint32_t offset) {
    return in_window(offset) ? management_.read(offset - PAGEPRESS_MANAGEMENT_WINDOW_OFFSET) : card_model_read(model_, offset);
}

void ModelEngine::write(uint32_t offset, uint32_t value) {
    if (in_window(offset))
        management_.write(offset - PAGEPRESS_MANAGEMENT_WINDOW_OFFSET, value);
    else
        card_model_write(model_, offset, value);
}

bool ModelEngine::run() {
    for (int command = 0; command < COMMANDS_A_RUN; command++)
        if (!card_model_step(model_)) return false;
    return card_model_busy(model_);
}

/// Not of the management part: what it watches over is the board's.
void ModelEngine::reset() { card_model_reset(model_); }

}  // namespace card
