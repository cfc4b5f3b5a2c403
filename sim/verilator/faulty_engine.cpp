// SPDX-License-Identifier: Apache-2.0
#include "faulty_engine.hpp"

#include <algorithm>
#include <cstring>

#include "page_codec.h"

namespace card {

namespace {

constexpr uint32_t ALL_ONES = ~0u;

/// Whether `bytes` at `address` are whole entries of the ring at `base`.
bool inside(uint64_t address, size_t bytes, uint64_t base, uint32_t depth_log2, size_t entry) {
    return base && bytes && address >= base && bytes % entry == 0 && (address - base) % entry == 0 &&
           address + bytes <= base + (uint64_t{entry} << depth_log2);
}

void set_low(uint64_t& wide, uint32_t value) { wide = (wide & ~uint64_t{ALL_ONES}) | value; }
void set_high(uint64_t& wide, uint32_t value) { wide = (wide & ALL_ONES) | uint64_t{value} << 32; }

}  // namespace

FaultyEngine::FaultyEngine(const Maker& make_engine, CardHost& host, FaultPlan& plan)
    : host_(host), plan_(plan), engine_(make_engine(*this)) {}

uint32_t FaultyEngine::read(uint32_t offset) {
    if (dead_ || all_ones_) return ALL_ONES;
    uint32_t value = engine_->read(offset);
    if (offset == PAGEPRESS_REGISTER_STATUS) {
        if (fatal_) value |= PAGEPRESS_STATUS_FATAL_MASK;
        // READY promises that nothing is outstanding once it has fallen.
        if (!held_.empty()) value |= PAGEPRESS_STATUS_READY_MASK;
    }
    if (offset >= PAGEPRESS_COUNTER_BASE && offset < PAGEPRESS_COUNTER_BASE + 8 * PAGEPRESS_COUNTER_COUNT) {
        lying_ = lying_ || plan_.strikes(Fault::LYING_COUNTERS, PAGEPRESS_OPCODE_NOP);
        if (lying_) value += ++lies_;
    }
    if (offset == PAGEPRESS_REGISTER_CAPABILITIES) {
        fewer_ = fewer_ || plan_.strikes(Fault::FEWER_QUEUES, PAGEPRESS_OPCODE_NOP);
        if (fewer_) value = (value & ~PAGEPRESS_CAPABILITIES_QUEUE_PAIRS_MASK) | 1u << PAGEPRESS_CAPABILITIES_QUEUE_PAIRS_SHIFT;
    }
    if (offset == PAGEPRESS_REGISTER_FATAL_CAUSE && fatal_) return PAGEPRESS_FATAL_ENGINE_STUCK;
    return value;
}

void FaultyEngine::write(uint32_t offset, uint32_t value) {
    if (dead_) return;
    if (offset == PAGEPRESS_REGISTER_CONTROL && !(value & PAGEPRESS_CONTROL_ENABLE_MASK)) {
        refuses_ = refuses_ || plan_.strikes(Fault::RESET_REFUSED, PAGEPRESS_OPCODE_NOP);
        if (refuses_) return;
        silent_ = fatal_ = false;
        storm_.reset();
        engine_->write(offset, value);
        commands_.clear();
        return;
    }
    if (offset >= PAGEPRESS_QUEUE_BASE && offset < PAGEPRESS_QUEUE_BASE + rings_.size() * PAGEPRESS_QUEUE_STRIDE)
        watch_queue(offset - PAGEPRESS_QUEUE_BASE, value);
    if (offset >= PAGEPRESS_PUSH_BASE && offset < PAGEPRESS_PUSH_BASE + pushed_.size() * PAGEPRESS_PUSH_STRIDE)
        watch_push(offset - PAGEPRESS_PUSH_BASE, value);
    engine_->write(offset, value);
}

bool FaultyEngine::run() {
    deliver(Clock::now());
    if (storm_) interrupt(*storm_);
    bool working = engine_->run();
    return working || storm_ || !held_.empty() || !late_writes_.empty();
}

void FaultyEngine::reset() {
    held_.clear();
    late_writes_.clear();
    commands_.clear();
    silent_ = fatal_ = refuses_ = false;
    storm_.reset();
    engine_->reset();
}

void FaultyEngine::heal() {
    silent_ = fatal_ = refuses_ = all_ones_ = dead_ = lying_ = fewer_ = false;
    storm_.reset();
    deliver(Clock::time_point::max());
}

bool FaultyEngine::read(uint64_t address, void* data, size_t bytes) {
    if (dead_) return false;
    if (!host_.read(address, data, bytes)) return false;
    for (uint32_t queue = 0; queue < rings_.size(); queue++)
        if (inside(address, bytes, rings_[queue].submissions, rings_[queue].depth_log2, PAGEPRESS_SUBMISSION_ENTRY_BYTES))
            note_commands(queue, data, bytes);
    return true;
}

bool FaultyEngine::write(uint64_t address, const void* data, size_t bytes) {
    if (dead_) return true;
    auto* from = static_cast<const uint8_t*>(data);
    for (uint32_t queue = 0; queue < rings_.size(); queue++) {
        const Ring& ring = rings_[queue];
        if (!inside(address, bytes, ring.completions, ring.depth_log2, PAGEPRESS_COMPLETION_ENTRY_BYTES)) continue;
        bool good = true;
        for (size_t at = 0; at < bytes; at += PAGEPRESS_COMPLETION_ENTRY_BYTES) {
            pagepress_completion_entry entry;
            std::memcpy(&entry, from + at, sizeof(entry));
            good = complete(queue, address + at, entry) && good;
        }
        return good;
    }
    std::vector<uint8_t> output(from, from + bytes);
    corrupt(address, output);
    return host_.write(address, output.data(), bytes);
}

void FaultyEngine::interrupt(unsigned vector) {
    if (!dead_) host_.interrupt(vector);
}

void FaultyEngine::watch_queue(uint32_t offset, uint32_t value) {
    Ring& ring = rings_[offset / PAGEPRESS_QUEUE_STRIDE];
    switch (offset % PAGEPRESS_QUEUE_STRIDE) {
    case PAGEPRESS_REGISTER_SUBMISSION_BASE_LOW: set_low(ring.submissions, value); break;
    case PAGEPRESS_REGISTER_SUBMISSION_BASE_HIGH: set_high(ring.submissions, value); break;
    case PAGEPRESS_REGISTER_COMPLETION_BASE_LOW: set_low(ring.completions, value); break;
    case PAGEPRESS_REGISTER_COMPLETION_BASE_HIGH: set_high(ring.completions, value); break;
    case PAGEPRESS_REGISTER_DEPTH_LOG2: ring.depth_log2 = std::min(value, PAGEPRESS_MAX_DEPTH_LOG2); break;
    }
}

/// A pushed command is not read from its ring; one that is read after all is merely noted again.
void FaultyEngine::watch_push(uint32_t offset, uint32_t value) {
    Pushed& pushed = pushed_[offset / PAGEPRESS_PUSH_STRIDE];
    pushed[offset % PAGEPRESS_PUSH_STRIDE / 4] = value;
    if (offset % PAGEPRESS_PUSH_STRIDE != PAGEPRESS_REGISTER_PUSH_END) return;
    uint8_t entry[PAGEPRESS_SUBMISSION_ENTRY_BYTES] = {};
    std::memcpy(entry, &pushed[PAGEPRESS_REGISTER_PUSH_ENTRY / 4], PAGEPRESS_PUSH_ENTRY_BYTES);
    note_commands(offset / PAGEPRESS_PUSH_STRIDE, entry, sizeof(entry));
}

void FaultyEngine::note_commands(uint32_t queue, const void* data, size_t bytes) {
    for (size_t at = 0; at < bytes; at += PAGEPRESS_SUBMISSION_ENTRY_BYTES) {
        pagepress_submission_entry entry;
        std::memcpy(&entry, static_cast<const uint8_t*>(data) + at, sizeof(entry));
        commands_[{queue, entry.tag}] = {entry.opcode, entry.destination_address, entry.destination_capacity, false};
    }
}

/// A completion on its way to memory; false when the bus refuses it.
bool FaultyEngine::complete(uint32_t queue, uint64_t address, pagepress_completion_entry entry) {
    auto found = commands_.find({queue, entry.tag});
    Command command{static_cast<uint8_t>(PAGEPRESS_OPCODE_NOP), 0, 0, false};
    if (found != commands_.end()) {
        command = found->second;
        commands_.erase(found);
    }
    uint8_t opcode = command.opcode;
    if (silent_ || strike_lasting(queue, opcode)) return true;
    if (plan_.strikes(Fault::LOST_COMPLETION, opcode)) return true;
    alter(entry, command);
    note_late_write(command);
    unsigned after_ms = 0;
    if (holds(queue)) {
        held_.push_back({held_.back().due, queue, address, entry});
    } else if (plan_.strikes(Fault::LATE_COMPLETION, opcode, &after_ms)) {
        held_.push_back({Clock::now() + std::chrono::milliseconds(after_ms), queue, address, entry});
    } else {
        return host_.write(address, &entry, sizeof(entry));
    }
    return true;
}

/// Faults that last; true when this completion falls to one.
bool FaultyEngine::strike_lasting(uint32_t queue, uint8_t opcode) {
    if (plan_.strikes(Fault::INTERRUPT_STORM, opcode)) storm_ = PAGEPRESS_FIRST_QUEUE_VECTOR + queue;
    if (plan_.strikes(Fault::EVENT_STORM, opcode)) storm_ = PAGEPRESS_EVENT_VECTOR;
    if (plan_.strikes(Fault::ALL_ONES, opcode)) all_ones_ = true;
    if (plan_.strikes(Fault::DEAD, opcode)) dead_ = true;
    if (plan_.strikes(Fault::STUCK, opcode)) silent_ = true;
    if (plan_.strikes(Fault::FATAL, opcode)) {
        silent_ = fatal_ = true;
        host_.interrupt(PAGEPRESS_EVENT_VECTOR);
    }
    return dead_ || silent_;
}

void FaultyEngine::alter(pagepress_completion_entry& entry, const Command& command) {
    uint8_t opcode = command.opcode;
    if (plan_.strikes(Fault::WRONG_TAG, opcode)) entry.tag ^= 1u << plan_.draw(32);
    if (entry.status != PAGEPRESS_STATUS_SUCCESS) return;
    if (plan_.strikes(Fault::WRONG_CRC, opcode)) entry.crc32c ^= 1u << plan_.draw(32);
    if (plan_.strikes(Fault::WRONG_DETAIL, opcode)) entry.detail ^= uint64_t{1} << plan_.draw(64);
    if (opcode == PAGEPRESS_OPCODE_COMPRESS && plan_.strikes(Fault::BROKEN_STREAM, opcode)) break_stream(entry, command);
    if (plan_.strikes(Fault::WRONG_LENGTH, opcode)) {
        const uint32_t lengths[] = {0, entry.produced_length - 1, entry.produced_length + 1, ALL_ONES};
        entry.produced_length = lengths[plan_.draw(4)];
    }
    if (plan_.strikes(Fault::FAILED_STATUS, opcode)) {
        entry.status = opcode == PAGEPRESS_OPCODE_COMPRESS ? PAGEPRESS_STATUS_VERIFY_FAILED : PAGEPRESS_STATUS_MALFORMED_STREAM;
        entry.produced_length = 0;
    }
    if (plan_.strikes(Fault::ENGINE_FAULT, opcode)) {
        entry.status = PAGEPRESS_STATUS_ENGINE_FAULT;
        entry.produced_length = 0;
    }
}

/// What a compressor and a verifier that are wrong together would write: bytes inverted before their CRC32C is computed.
void FaultyEngine::break_stream(pagepress_completion_entry& entry, const Command& command) {
    std::vector<uint8_t> stream(entry.produced_length);
    if (stream.empty() || !host_.read(command.destination, stream.data(), stream.size())) return;
    stream[plan_.draw(entry.produced_length)] ^= 0xff;
    host_.write(command.destination, stream.data(), stream.size());
    entry.detail = page_crc32c(stream.data(), stream.size());
}

/// A bit of what the command wrote turns over after its owner has the answer, and may have given the memory to another.
void FaultyEngine::note_late_write(const Command& command) {
    unsigned after_ms = 0;
    if (!command.capacity || !plan_.strikes(Fault::LATE_WRITE, command.opcode, &after_ms)) return;
    late_writes_.push_back({Clock::now() + std::chrono::milliseconds(after_ms), command.destination + plan_.draw(command.capacity),
                            static_cast<uint8_t>(1u << plan_.draw(8))});
}

bool FaultyEngine::holds(uint32_t queue) const {
    return std::any_of(held_.begin(), held_.end(), [queue](const Late& late) { return late.queue == queue; });
}

void FaultyEngine::deliver(Clock::time_point now) {
    auto due = [now](const auto& late) { return late.due <= now; };
    for (const Late& late : held_) {
        if (!due(late)) continue;
        host_.write(late.address, &late.entry, sizeof(late.entry));
        // The engine announced it when it was not there yet.
        host_.interrupt(PAGEPRESS_FIRST_QUEUE_VECTOR + late.queue);
    }
    held_.erase(std::remove_if(held_.begin(), held_.end(), due), held_.end());
    for (const LateWrite& late : late_writes_) {
        uint8_t byte;
        if (!due(late) || !host_.read(late.address, &byte, 1)) continue;
        byte ^= late.bit;
        host_.write(late.address, &byte, 1);
    }
    late_writes_.erase(std::remove_if(late_writes_.begin(), late_writes_.end(), due), late_writes_.end());
}

/// Turns a bit over in what is the first piece of some command's output.
void FaultyEngine::corrupt(uint64_t address, std::vector<uint8_t>& data) {
    for (auto& [key, command] : commands_) {
        if (command.written || address < command.destination || address >= command.destination + command.capacity) continue;
        command.written = true;
        if (plan_.strikes(Fault::CORRUPTED_DATA, command.opcode))
            data[plan_.draw(static_cast<uint32_t>(data.size()))] ^= static_cast<uint8_t>(1u << plan_.draw(8));
    }
}

}  // namespace card
