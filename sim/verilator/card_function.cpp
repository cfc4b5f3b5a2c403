// SPDX-License-Identifier: Apache-2.0
#include "card_function.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace card {

namespace {

constexpr size_t WORD = 4;

uint32_t field(uint32_t value, uint32_t mask, uint32_t shift) { return (value & mask) >> shift; }

}  // namespace

CardFunction::CardFunction(const EngineMaker& make_engine, GuestMemory& memory)
    : memory_(memory), engine_(make_engine(*this)) {
    if (engine_->read(PAGEPRESS_REGISTER_MAGIC) != PAGEPRESS_MAGIC_VALUE ||
        engine_->read(PAGEPRESS_REGISTER_HASH_LOW) != PAGEPRESS_HASH_LOW_VALUE ||
        engine_->read(PAGEPRESS_REGISTER_HASH_HIGH) != PAGEPRESS_HASH_HIGH_VALUE)
        throw std::runtime_error("the core does not have this program's interface: run make verilog card");
    unsigned vectors = PAGEPRESS_FIRST_QUEUE_VECTOR + field(engine_->read(PAGEPRESS_REGISTER_CAPABILITIES),
                                                            PAGEPRESS_CAPABILITIES_QUEUE_PAIRS_MASK,
                                                            PAGEPRESS_CAPABILITIES_QUEUE_PAIRS_SHIFT);
    config_ = std::make_unique<PciConfig>(vectors);
    interrupts_ = std::make_unique<Interrupts>(vectors);
    configure_engine();
}

/// Tell the engine what has been set outside of it.
void CardFunction::configure_engine() {
    engine_->configure({config_->bus_master(), config_->extended_tags(), config_->payload_code(), config_->read_code(),
                        interrupts_->connected()});
}

void CardFunction::read_bar(uint64_t offset, uint8_t* data, size_t bytes) {
    while (bytes) {
        uint64_t inside = offset % WORD;
        size_t size = std::min<size_t>(bytes, WORD - inside);
        uint32_t value = engine_->read(static_cast<uint32_t>(offset - inside));
        std::memcpy(data, reinterpret_cast<uint8_t*>(&value) + inside, size);
        offset += size;
        data += size;
        bytes -= size;
    }
}

void CardFunction::write_bar(uint64_t offset, const uint8_t* data, size_t bytes) {
    // Registers are aligned 32-bit words; parts of one are ignored.
    while (bytes) {
        uint64_t inside = offset % WORD;
        size_t size = std::min<size_t>(bytes, WORD - inside);
        if (size == WORD) {
            uint32_t value;
            std::memcpy(&value, data, WORD);
            engine_->write(static_cast<uint32_t>(offset), value);
        }
        offset += size;
        data += size;
        bytes -= size;
    }
}

void CardFunction::read_config(uint64_t offset, uint8_t* data, size_t bytes) {
    if (engine_->answers())
        config_->read(offset, data, bytes);
    else
        std::fill_n(data, bytes, uint8_t{0xff});
}

void CardFunction::write_config(uint64_t offset, const uint8_t* data, size_t bytes) {
    if (!engine_->answers()) return;
    config_->write(offset, data, bytes);
    if (config_->take_function_reset())
        reset();
    else
        configure_engine();
}

int CardFunction::set_interrupts(const vfio_user::SetInterrupts& request, const std::vector<uint8_t>& booleans,
                                 std::vector<FileDescriptor>& fds) {
    int error = interrupts_->set(request, booleans, fds);
    configure_engine();
    return error;
}

void CardFunction::reset() {
    before_reset_ = counters();
    engine_->reset();
    config_->reset();
    configure_engine();
}

CardFunction::Counters CardFunction::engine_counters() {
    Counters now{};
    for (uint32_t index = 0; index < now.size(); index++) {
        uint32_t low, high, offset = PAGEPRESS_COUNTER_BASE + 8 * index;
        do {
            high = engine_->inspect(offset + WORD);
            low = engine_->inspect(offset);
        } while (engine_->inspect(offset + WORD) != high);
        now[index] = uint64_t{high} << 32 | low;
    }
    return now;
}

CardFunction::Counters CardFunction::counters() {
    Counters sum = engine_counters();
    for (size_t index = 0; index < sum.size(); index++) sum[index] += before_reset_[index];
    return sum;
}

bool CardFunction::read(uint64_t address, void* data, size_t bytes) {
    // Without bus mastering a request never leaves the card.
    bool good = config_ && config_->bus_master() && memory_.read(address, data, bytes);
    (good ? bridge_.read_bytes : bridge_.read_errors) += good ? bytes : 1;
    return good;
}

bool CardFunction::write(uint64_t address, const void* data, size_t bytes) {
    bool good = config_ && config_->bus_master() && memory_.write(address, data, bytes);
    (good ? bridge_.write_bytes : bridge_.write_errors) += good ? bytes : 1;
    return good;
}

void CardFunction::interrupt(unsigned vector) {
    // An MSI-X message is a write of a bus master.
    if (!config_ || !config_->bus_master()) return;
    bridge_.interrupts++;
    interrupts_->raise(vector);
}

}  // namespace card
