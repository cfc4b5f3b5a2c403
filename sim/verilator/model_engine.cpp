// SPDX-License-Identifier: Apache-2.0
#include "model_engine.hpp"

#include <algorithm>
#include <stdexcept>

#include "card_model.h"

extern "C" {
#include "lane_model.h"
#include "telemetry_model.h"
}

namespace card {

namespace {

constexpr unsigned MAX_DEPTH_LOG2 = 10;  // what the generated core has by default; software reads it from CAPABILITIES
constexpr int COMMANDS_A_RUN = 8;
/// What acknowledges an answer at once comes well before that, also on a busy host.
constexpr std::chrono::milliseconds SILENCE{10};

bool in_window(uint32_t offset) {
    return offset >= PAGEPRESS_MANAGEMENT_WINDOW_OFFSET && offset < PAGEPRESS_MANAGEMENT_WINDOW_OFFSET + PAGEPRESS_MANAGEMENT_WINDOW_BYTES;
}

CardHost& host_of(void* context) { return *static_cast<CardHost*>(context); }

}  // namespace

ModelEngine::ModelEngine(CardHost& host, Board& board, unsigned page_shift, bool instant, bool cold_format) : instant_(instant), management_(board) {
    static_assert(QUEUE_PAIRS == MODEL_QUEUES, "the monitor's model sees all queues");
    card_model_host callbacks{};
    callbacks.context = &host;
    callbacks.read = [](void* context, uint64_t address, void* data, size_t bytes) {
        bool good = host_of(context).read(address, data, bytes);
        if (!good) telemetry_model.link.completions_faulted++;
        return good;
    };
    callbacks.write = [](void* context, uint64_t address, const void* data, size_t bytes) {
        bool good = host_of(context).write(address, data, bytes);
        if (!good) telemetry_model.link.writes_failed++;
        return good;
    };
    callbacks.interrupt = [](void* context, unsigned vector) { host_of(context).interrupt(vector); };
    const card_model_options options{page_shift, QUEUE_PAIRS, MAX_DEPTH_LOG2, cold_format};
    model_ = card_model_create(&options, &callbacks);
    if (!model_) throw std::runtime_error("the card model cannot be made");
}

ModelEngine::~ModelEngine() { card_model_destroy(model_); }

uint32_t ModelEngine::read(uint32_t offset) {
    if (in_window(offset)) tell_monitor();
    return in_window(offset) ? management_.read(offset - PAGEPRESS_MANAGEMENT_WINDOW_OFFSET) : card_model_read(model_, offset);
}

void ModelEngine::write(uint32_t offset, uint32_t value) {
    if (in_window(offset)) {
        tell_monitor();
        management_.write(offset - PAGEPRESS_MANAGEMENT_WINDOW_OFFSET, value);
    } else
        card_model_write(model_, offset, value);
    if (!instant_) return;
    while (card_model_has_command(model_)) card_model_step(model_);
    written_ = std::chrono::steady_clock::now();
}

bool ModelEngine::run() {
    if (instant_ && card_model_busy(model_) && std::chrono::steady_clock::now() - written_ < SILENCE) return true;
    for (int command = 0; command < COMMANDS_A_RUN; command++)
        if (!card_model_step(model_)) return false;
    return card_model_busy(model_);
}

ModelEngine::Counters ModelEngine::counters() const {
    Counters now;
    for (unsigned index = 0; index < now.size(); index++) now[index] = card_model_counter(model_, index);
    return now;
}

/// The model has one engine for all: what it has done since the last time is said of one lane of its kind.
void ModelEngine::count_lanes() {
    Counters now = counters();
    auto more = [&](unsigned counter) { return static_cast<uint32_t>(now[counter] - told_[counter]); };
    unsigned turn = turn_++ % (MODEL_LANES / 2);
    auto lane_of = [&](unsigned first) -> model_lane& {
        model_lane& lane = lane_model.lanes[first + turn];
        return lane.isolated || lane.faulty ? lane_model.lanes[first + 1 - turn] : lane;
    };
    model_lane &decompressor = lane_of(0), &compressor = lane_of(MODEL_LANES / 2);
    decompressor.pages += more(PAGEPRESS_COUNTER_PAGES_DECOMPRESSED);
    decompressor.cycles += more(PAGEPRESS_COUNTER_DECOMPRESS_BUSY_CYCLES);
    compressor.pages += more(PAGEPRESS_COUNTER_PAGES_COMPRESSED) + more(PAGEPRESS_COUNTER_PAGES_SAME_FILLED) +
                        more(PAGEPRESS_COUNTER_PAGES_INCOMPRESSIBLE);
    compressor.cycles += more(PAGEPRESS_COUNTER_COMPRESS_BUSY_CYCLES);
    told_ = now;
}

/// What the monitor of queues and lanes sees at this moment.
void ModelEngine::tell_monitor() {
    count_lanes();
    telemetry_model.cycles = cycles_before_reset_ + card_model_counter(model_, PAGEPRESS_COUNTER_CYCLES);
    for (unsigned index = 0; index < QUEUE_PAIRS; index++) {
        struct card_model_queue now;
        card_model_queue(model_, index, &now);
        model_queue& queue = telemetry_model.queues[index];
        const Sums& before = before_reset_[index];
        queue.depth = now.depth;
        queue.peak = std::max(queue.peak, now.depth_peak);
        queue.commands = before.commands + now.commands;
        queue.depth_cycles = before.depth_cycles + now.depth_cycles;
        queue.waiting_cycles = before.waiting_cycles + now.waiting_cycles;
    }
}

/// Not of the management part: what it watches over is the board's, and what it counts goes on.
void ModelEngine::reset() {
    tell_monitor();
    for (unsigned index = 0; index < QUEUE_PAIRS; index++) {
        const model_queue& queue = telemetry_model.queues[index];
        before_reset_[index] = {queue.commands, queue.depth_cycles, queue.waiting_cycles};
    }
    cycles_before_reset_ = telemetry_model.cycles;
    card_model_reset(model_);
    told_ = {};
}

}  // namespace card
