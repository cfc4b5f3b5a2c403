// SPDX-License-Identifier: Apache-2.0
#include <pagepress_interface.h>

#include <bitset>
#include <cinttypes>
#include <cstring>
#include <deque>
#include <stdexcept>

#include "block.hpp"
#include "completer.hpp"
#include "log.hpp"
#include "management_part.hpp"
#include "rtl_engines.hpp"
#include "running_clock.hpp"
#include "waves.hpp"

namespace card {

namespace {

constexpr int ANSWER_CYCLES = 10'000;    // within which a register read must be answered
constexpr int RESET_CYCLES = 1'000'000;  // within which a function-level reset must end
constexpr int NOTICE_CYCLES = 600;       // within which the card knows which tags it may use
constexpr size_t MOST_ACCESSES = 32;     // register writes that wait for the card
/// Cycles from a read to its first completion, and from a write to the return of its number.
constexpr uint64_t READ_LATENCY = 24, WRITE_LATENCY = 12;
constexpr size_t LINK_COMPLETIONS = 16;  // waiting for the card, at which the next read is not answered yet
constexpr unsigned TAGS = 256, PLAIN_TAGS = 32;  // with and without extended tags

/// Where writes are interrupt messages, as on a PC; the data is the vector.
constexpr uint64_t MESSAGE_BASE = 0xfee0'0000, MESSAGE_BYTES = 0x10'0000;
constexpr uint32_t TABLE_ENTRY_BYTES = 16;

unsigned longest(unsigned code) { return 128u << code; }

/// The card behind its PCIe block, as a root complex drives it: one cycle at a time.
class PcieEngine : public CardEngine {
public:
    PcieEngine(CardHost& host, const std::string& trace, Board& board, const std::vector<uint32_t>& boot_rom)
        : host_(host), block_(block_settings({})), management_(block_, board, boot_rom) {
        waves_.open(block_.model(), trace);
        block_.evaluated = [this] { waves_.step(); };
        block_.request = [this](Tlp tlp) { take(std::move(tlp)); };
    }

    ~PcieEngine() override { waves_.close(); }

    const char* name() const override { return "rtl"; }
    const char* level() const override { return "pcie"; }

    /// The MSI-X table and the pending bits are not the client's: it has its own.
    uint32_t read(uint32_t offset) override {
        if (offset >= PAGEPRESS_MSIX_TABLE_OFFSET) return 0;
        clock_.wake();
        if (in_window(offset)) management_.look();
        block_.deliver(register_read(offset));
        for (int cycle = 0; cycle < ANSWER_CYCLES; cycle++) {
            tick();
            if (auto value = block_.take_register_value()) return *value;
        }
        throw std::runtime_error("the card did not answer a register read");
    }

    void write(uint32_t offset, uint32_t value) override {
        if (in_window(offset)) management_.look();
        if (offset < PAGEPRESS_MSIX_TABLE_OFFSET) deliver_write(offset, value);
    }

    void configure(const HostSettings& settings) override {
        bool other_tags = settings.extended_tags != settings_.extended_tags;
        settings_ = settings;
        block_.configure(block_settings(settings));
        // The card looks for that now and then, and on a bus its clock would go on meanwhile.
        for (int cycle = 0; other_tags && cycle < NOTICE_CYCLES; cycle++) tick();
        table_.resize(settings.vectors.size());
        for (size_t vector = 0; vector < table_.size(); vector++)
            if (table_[vector] != settings.vectors[vector]) set_vector(vector, settings.vectors[vector]);
        clock_.wake();
    }

    bool run() override {
        return clock_.slice([this] {
            tick();
            return inside(block_.model()).core_1__DOT__busy || !reads_.empty() || !numbers_.empty() || !block_.idle();
        });
    }

    bool manage() override { return management_.run(); }

    void reset() override {
        block_.begin_function_reset();
        for (int cycle = 0; block_.in_function_reset(); cycle++) {
            if (cycle == RESET_CYCLES) throw std::runtime_error("the card did not end a function-level reset");
            tick();
        }
        table_.assign(table_.size(), false);
        clock_.wake();
    }

private:
    struct Read {
        uint64_t due;  // cycle
        Tlp asked;
    };
    struct Number {
        uint64_t due;
        unsigned number;
    };

    static BlockSettings block_settings(const HostSettings& settings) {
        BlockSettings block;
        block.payload_code = settings.payload_code;
        block.read_code = settings.read_code;
        block.bus_master = settings.bus_master;
        block.extended_tags = settings.extended_tags;
        block.messages = true;  // a vector that nobody waits for is masked
        return block;
    }

    void tick() {
        cycle_++;
        // No link brings completions faster than the card's block hands them on.
        if (!reads_.empty() && reads_.front().due <= cycle_ && block_.waiting_completions() < LINK_COMPLETIONS) {
            complete(reads_.front().asked);
            reads_.pop_front();
        }
        for (; !numbers_.empty() && numbers_.front().due <= cycle_; numbers_.pop_front()) block_.confirm(numbers_.front().number);
        block_.tick();
        if (block_.dropped_completions != dropped_) log("the card asked for more than its block's receive buffer holds");
        dropped_ = block_.dropped_completions;
    }

    /// Posted: it passes the card in order, but may be under way yet when this returns.
    void deliver_write(uint32_t offset, uint32_t value) {
        for (int cycle = 0; block_.waiting_accesses() >= MOST_ACCESSES; cycle++) {
            if (cycle == ANSWER_CYCLES) throw std::runtime_error("the card does not take register writes");
            tick();
        }
        block_.deliver(register_write(offset, value));
        clock_.wake();
    }

    /// The card's own MSI-X table: every vector that somebody waits for is unmasked and writes its own number.
    void set_vector(size_t vector, bool wanted) {
        auto entry = static_cast<uint32_t>(PAGEPRESS_MSIX_TABLE_OFFSET + vector * TABLE_ENTRY_BYTES);
        deliver_write(entry, MESSAGE_BASE);
        deliver_write(entry + 4, MESSAGE_BASE >> 32);
        deliver_write(entry + 8, static_cast<uint32_t>(vector));
        deliver_write(entry + 12, !wanted);
        table_[vector] = wanted;
    }

    void take(Tlp tlp) {
        std::string wrong = breach(tlp, longest(settings_.payload_code), longest(settings_.read_code));
        if (tlp.kind == Tlp::read && wrong.empty()) {
            if (tlp.tag >= (settings_.extended_tags ? TAGS : PLAIN_TAGS)) wrong = "a tag that it may not use";
            if (tags_[tlp.tag]) wrong = "a read with a tag that is in use";
        }
        if (!wrong.empty()) log("the card broke the rules of PCIe: %s", wrong.c_str());
        if (tlp.kind == Tlp::read) {
            tags_[tlp.tag] = true;
            if (!wrong.empty()) tlp.dwords = 0;  // to be refused
            reads_.push_back({cycle_ + READ_LATENCY, std::move(tlp)});
            return;
        }
        if (wrong.empty()) store(tlp);
        if (tlp.sequence) numbers_.push_back({cycle_ + WRITE_LATENCY, tlp.sequence});
    }

    /// Nothing tells a card that the host refused a write.
    void store(const Tlp& tlp) {
        each_run(tlp, [&](uint64_t address, const uint8_t* bytes, size_t count) {
            if (address - MESSAGE_BASE >= MESSAGE_BYTES) {
                host_.write(address, bytes, count);
                return;
            }
            uint32_t vector = UINT32_MAX;
            if (count == sizeof(vector)) std::memcpy(&vector, bytes, count);
            if (vector < table_.size())
                host_.interrupt(vector);
            else
                log("the card sent a message of no vector: %zu bytes at 0x%" PRIx64, count, address);
        });
    }

    void complete(const Tlp& asked) {
        tags_[asked.tag] = false;
        Bytes data(4 * size_t{asked.dwords});
        if (data.empty() || !host_.read(asked.address, data.data(), data.size()))
            block_.deliver(refusal(asked));
        else
            each_completion(asked, data, longest(settings_.payload_code), [this](const Tlp& tlp) { block_.deliver(tlp); });
    }

    CardHost& host_;
    HostSettings settings_;
    std::vector<bool> table_;  // which vectors are unmasked in the card
    Block block_;
    ManagementPart management_;
    Waves waves_;
    RunningClock clock_;
    uint64_t cycle_ = 0, dropped_ = 0;
    std::deque<Read> reads_;
    std::deque<Number> numbers_;
    std::bitset<TAGS> tags_;  // of reads under way
};

}  // namespace

std::unique_ptr<CardEngine> make_pcie_engine(CardHost& host, const std::string& trace, Board& board, const std::vector<uint32_t>& boot_rom) {
    return std::make_unique<PcieEngine>(host, trace, board, boot_rom);
}

}  // namespace card
