// SPDX-License-Identifier: Apache-2.0
// The card's side of the link: a verilated card and what the UltraScale+ PCIE4 block's user interface does around it,
// cycle by cycle. RQ and RC straddle, as the card wants it: a TLP may begin at byte 32 of a beat, behind the one before.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <verilated.h>

#include "Vtop.h"
#include "tlp.hpp"

// What software has set in the function's configuration space.
struct BlockSettings {
    unsigned payload_code = 0, read_code = 0;  // the sizes the host allows: 128 << code bytes
    bool bus_master = true, extended_tags = true, messages = false;  // messages: MSI-X is on
};

template <class Card, class = void> struct HasEngineClock : std::false_type {};
template <class Card> struct HasEngineClock<Card, std::void_t<decltype(Card::engine_clk)>> : std::true_type {};
template <class Card, class = void> struct HasManagementClock : std::false_type {};
template <class Card> struct HasManagementClock<Card, std::void_t<decltype(Card::management_clk)>> : std::true_type {};

class Block {
public:
    static constexpr size_t beat_bytes = 64, half_bytes = 32;
    // What the receive buffer holds of completions (PG213, "Completion Space"). What comes beyond that is dropped.
    static constexpr size_t completion_headers = 128, completion_bytes = 32768;

    std::function<void(Tlp)> request;  // a memory request of the card
    std::function<bool()> has_room;    // for another of them
    std::function<bool()> has_nonposted_credit;
    std::function<void()> evaluated;   // the card's signals have their new values
    unsigned engine_kilohertz = clock_kilohertz;  // of `engine_clk`, where the card has one
    unsigned management_ratio = 25;  // cycles of `clk` in one of `management_clk`, where the card has one: 10 MHz
    std::function<void()> management_begins, management_ends;  // around each of these: what comes to the part, and what it sent

    // The card has been reset when this returns.
    explicit Block(const BlockSettings& settings) {
        configure(settings);
        card.reset = 1;
        for (int cycle = 0; cycle < 8; cycle++) tick();
        card.reset = 0;
    }
    ~Block() { card.final(); }

    Vtop& model() { return card; }

    void configure(const BlockSettings& settings) {
        card.cfg_max_payload = settings.payload_code;
        card.cfg_max_read_req = settings.read_code;
        card.cfg_function_status = 3 | settings.bus_master << 2;  // memory and I/O are enabled
        card.cfg_interrupt_msix_enable = settings.messages;
        device_control = uint32_t(settings.extended_tags) << 8;
    }

    // What the link brings: a register access, or a completion for the card, which is lost where there is no space.
    void deliver(const Tlp& tlp) {
        if (tlp.kind != Tlp::completion) {
            requests.push_back(tlp);
        } else if (completions.size() == completion_headers || buffered_bytes + tlp.payload.size() > completion_bytes) {
            dropped_completions++;
        } else {
            buffered_bytes += tlp.payload.size();
            completions.push_back(described(tlp));
            most_completions = std::max(most_completions, completions.size());
        }
    }
    // Completions that the card has not taken yet.
    size_t waiting_completions() const { return completions.size(); }
    // Register accesses that the card has not taken yet.
    size_t waiting_accesses() const { return requests.size(); }
    // The number of a write comes back in the next cycles, two a cycle at most.
    void confirm(unsigned number) { if (number) numbers.push_back(number); }
    // The card's answer to the oldest read of a register that was delivered, once; all ones where it refuses.
    std::optional<uint32_t> take_register_value() { return std::exchange(register_value, std::nullopt); }
    // Reads a register, taking as many cycles as that needs; for before and after what is measured.
    uint32_t read_register(uint32_t offset) {
        deliver(register_read(offset));
        for (int cycle = 0; cycle < 1000; cycle++) {
            tick();
            if (const auto value = take_register_value()) return *value;
        }
        throw std::runtime_error("the card does not answer a register read");
    }

    // A function-level reset lasts from `begin_function_reset` until the card has ended it.
    void begin_function_reset() { card.cfg_flr_in_process = 1; }
    bool in_function_reset() const { return card.cfg_flr_in_process; }

    // Nothing is under way between the card and the link.
    bool idle() const {
        return requests.empty() && completions.empty() && !completion_waits && numbers.empty() && !is_request_open;
    }

    void tick() {
        drive_requests();
        drive_completions();
        drive_configuration();
        card.s_axis_rq_tready = !has_room || has_room();
        card.s_axis_cc_tready = 1;
        card.pcie_tfc_nph_av = !has_nonposted_credit || has_nonposted_credit() ? 15 : 0;
        evaluate();
        if (card.m_axis_cq_tvalid && card.m_axis_cq_tready) advance_access();
        if (card.m_axis_rc_tvalid && card.m_axis_rc_tready) {
            completion_beats++;
            completion_waits = false;
        }
        if (card.s_axis_rq_tvalid && card.s_axis_rq_tready) take_request();
        if (card.s_axis_cc_tvalid) take_answer();
        if (card.cfg_flr_done & 1) card.cfg_flr_in_process = 0;
        stalled_request_cycles += card.s_axis_rq_tvalid && !card.s_axis_rq_tready;
        card.clk = 1;
        evaluate();
        card.clk = 0;
        run_engines(card);
        run_management(card);
    }

    // A cycle of `management_clk` alone: of the rest of the card nothing is evaluated.
    void tick_management() { tick_management(card); }

    uint64_t request_beats = 0, completion_beats = 0;  // so far, on RQ and RC
    uint64_t stalled_request_cycles = 0;
    uint64_t dropped_completions = 0;
    size_t most_completions = 0;  // that have been in the receive buffer at once

private:
    static constexpr size_t completion_descriptor = 12;

    // 32 bits of a descriptor's 512.
    static uint32_t field(uint64_t value, unsigned width, unsigned shift) {
        return uint32_t((value & ((1ull << width) - 1)) << shift);
    }

    void evaluate() {
        card.eval();
        if (evaluated) evaluated();
    }

    // As many rising edges of the engines' own clock as fall between two of `clk`.
    template <class Card> void run_engines(Card& one) {
        if constexpr (HasEngineClock<Card>::value) {
            for (engine_time += engine_kilohertz; engine_time >= clock_kilohertz; engine_time -= clock_kilohertz) {
                one.engine_clk = 1;
                evaluate();
                one.engine_clk = 0;
                evaluate();
            }
        }
    }

    // The management part's clock, where the card has one. Unless somebody stands around it its sensors are silent and its flash does not answer.
    template <class Card> void run_management(Card& one) {
        if constexpr (HasManagementClock<Card>::value) {
            if (++management_time >= management_ratio) tick_management(one);
        }
    }
    template <class Card> void tick_management(Card& one) {
        if constexpr (HasManagementClock<Card>::value) {
            management_time = 0;
            one.management_flash_dataIn = 1;
            if (management_begins) management_begins();
            one.management_clk = 1;
            evaluate();
            if (management_ends) management_ends();
            one.management_clk = 0;
            evaluate();
        }
    }

    void drive_requests() {
        card.m_axis_cq_tvalid = !requests.empty() && !card.reset;
        if (requests.empty()) return;
        const Tlp& tlp = requests.front();
        const bool writes = tlp.kind == Tlp::write;
        uint8_t beat[beat_bytes] = {};
        const size_t header = access_offset ? 0 : 16;
        if (header) {
            const uint32_t descriptor[4] = {uint32_t(tlp.address), uint32_t(tlp.address >> 32),
                                            field(tlp.dwords, 11, 0) | field(writes, 4, 11), 0};
            std::memcpy(beat, descriptor, header);
        }
        const size_t count = std::min(beat_bytes - header, tlp.payload.size() - access_offset);
        std::memcpy(beat + header, tlp.payload.data() + access_offset, count);
        std::memcpy(&card.m_axis_cq_tdata, beat, beat_bytes);
        std::memset(&card.m_axis_cq_tuser, 0, sizeof card.m_axis_cq_tuser);
        card.m_axis_cq_tuser[0] = 0xf | (tlp.dwords > 1 ? 0xf00 : 0);  // first enables, last enables
        card.m_axis_cq_tkeep = uint16_t((1u << ((header + count) / 4)) - 1);
        card.m_axis_cq_tlast = access_offset + count == tlp.payload.size();
        access_step = count;
    }

    void advance_access() {
        access_offset += access_step;
        if (!card.m_axis_cq_tlast) return;
        requests.pop_front();
        access_offset = 0;
    }

    // A completion on RC: a descriptor of three dwords, and its payload.
    static Bytes described(const Tlp& tlp) {
        const bool ends = tlp.status || tlp.payload.size() == tlp.bytes_to_come;
        const unsigned error = tlp.status ? 2 : 0;  // the block's code for a status that is not Successful
        const uint32_t descriptor[3] = {
            field(tlp.address, 12, 0) | field(error, 4, 12) | field(tlp.bytes_to_come, 13, 16) | field(ends, 1, 30),
            field(tlp.dwords, 11, 0) | field(tlp.status, 3, 11), field(tlp.tag, 8, 0)};
        static_assert(sizeof descriptor == completion_descriptor);
        Bytes bytes(sizeof descriptor + tlp.payload.size());
        std::memcpy(bytes.data(), descriptor, sizeof descriptor);
        std::memcpy(bytes.data() + sizeof descriptor, tlp.payload.data(), tlp.payload.size());
        return bytes;
    }

    // One beat of RC, which stays until the card has taken it: up to two TLPs, and where they start and end.
    void drive_completions() {
        if (completion_waits) return;
        card.m_axis_rc_tvalid = completion_waits = !completions.empty();
        if (completions.empty()) return;
        uint8_t beat[beat_bytes] = {};
        uint32_t marks = 0;  // bits 95 to 64 of tuser
        unsigned starts = 0, ends = 0;
        for (size_t at = 0; at <= half_bytes && !completions.empty(); at = half_bytes) {
            const Bytes& bytes = completions.front();
            if (!completion_offset) {
                marks |= 1u << starts | field(at / 16, 2, 4 + 2 * starts);
                starts++;
            }
            const size_t count = std::min(beat_bytes - at, bytes.size() - completion_offset);
            std::memcpy(beat + at, bytes.data() + completion_offset, count);
            completion_offset += count;
            if (completion_offset < bytes.size()) break;
            marks |= 1u << (12 + ends) | field((at + count) / 4 - 1, 4, 16 + 4 * ends);
            ends++;
            buffered_bytes -= bytes.size() - completion_descriptor;
            completions.pop_front();
            completion_offset = 0;
            if (at + count > half_bytes) break;
        }
        std::memcpy(&card.m_axis_rc_tdata, beat, beat_bytes);
        std::memset(&card.m_axis_rc_tuser, 0, sizeof card.m_axis_rc_tuser);
        card.m_axis_rc_tuser[2] = marks;
        card.m_axis_rc_tkeep = 0xffff;
        card.m_axis_rc_tlast = 0;
    }

    void drive_configuration() {
        card.cfg_mgmt_read_write_done = card.cfg_mgmt_read;
        card.cfg_mgmt_read_data = device_control;  // all that the card reads
        card.pcie_rq_seq_num_vld0 = !numbers.empty();
        if (!numbers.empty()) {
            card.pcie_rq_seq_num0 = numbers.front();
            numbers.pop_front();
        }
        card.pcie_rq_seq_num_vld1 = !numbers.empty();
        if (!numbers.empty()) {
            card.pcie_rq_seq_num1 = numbers.front();
            numbers.pop_front();
        }
    }

    // Whole in one beat: reads of registers have a dword.
    void take_answer() {
        const bool good = (card.s_axis_cc_tdata[1] >> 11 & 7) == 0;
        register_value = good ? card.s_axis_cc_tdata[3] : ~0u;
    }

    // `width` bits of a request's tuser from bit `shift` on.
    unsigned request_user(unsigned shift, unsigned width) const {
        const auto& user = card.s_axis_rq_tuser;
        const uint64_t words = user[shift / 32] | uint64_t(user[shift / 32 + 1]) << 32;
        return unsigned(words >> shift % 32) & ((1u << width) - 1);
    }

    // One beat of RQ: a half belongs to the TLP that starts there, or to the one that goes on.
    void take_request() {
        request_beats++;
        unsigned starts = 0, ends = 0;
        for (size_t at = 0; at < beat_bytes; at += half_bytes) {
            if (starts < 2 && request_user(20 + starts, 1) && 16 * request_user(22 + 2 * starts, 2) == at) {
                if (is_request_open) throw std::runtime_error("the card began a request within another");
                is_request_open = true;
                gathered.clear();
                first_enables = uint8_t(request_user(4 * starts, 4));
                last_enables = uint8_t(request_user(8 + 4 * starts, 4));
                sequence = request_user(61 + 6 * starts, 6);
                starts++;
            }
            if (!is_request_open) continue;
            const size_t end = 4 * (request_user(28 + 4 * ends, 4) + 1);
            const bool is_end = request_user(26 + ends, 1) && end <= at + half_bytes;
            const auto* bytes = reinterpret_cast<const uint8_t*>(&card.s_axis_rq_tdata);
            gathered.insert(gathered.end(), bytes + at, bytes + (is_end ? end : at + half_bytes));
            if (!is_end) continue;
            is_request_open = false;
            ends++;
            finish_request();
        }
    }

    void finish_request() {
        uint32_t descriptor[4];
        if (gathered.size() < sizeof descriptor) throw std::runtime_error("the card sent less than a descriptor");
        std::memcpy(descriptor, gathered.data(), sizeof descriptor);
        Tlp tlp;
        tlp.address = (uint64_t(descriptor[1]) << 32 | descriptor[0]) & ~3ull;
        tlp.dwords = descriptor[2] & 0x7ff;
        const unsigned type = descriptor[2] >> 11 & 0xf;
        if (type > 1) throw std::runtime_error("the card sent a request of type " + std::to_string(type));
        tlp.kind = type ? Tlp::write : Tlp::read;
        tlp.tag = descriptor[3] & 0xff;
        tlp.first_enables = first_enables;
        tlp.last_enables = last_enables;
        tlp.sequence = sequence;
        if (gathered.size() != sizeof descriptor + (type ? 4 * size_t(tlp.dwords) : 0))
            throw std::runtime_error("the card sent a request of another length than it says");
        tlp.payload.assign(gathered.begin() + sizeof descriptor, gathered.end());
        request(std::move(tlp));
    }

    VerilatedContext context;
    Vtop card{&context};
    std::deque<Tlp> requests;
    std::deque<Bytes> completions;  // the receive buffer
    size_t buffered_bytes = 0;      // of their payload
    std::deque<unsigned> numbers;
    size_t access_offset = 0, access_step = 0;  // bytes of the first access's payload that are through, and that are offered
    size_t completion_offset = 0;   // bytes of the first completion that are through
    bool completion_waits = false;  // a beat of them has not been taken
    Bytes gathered;                 // of the card's request
    bool is_request_open = false;   // that goes on
    uint8_t first_enables = 0, last_enables = 0;
    unsigned sequence = 0;
    unsigned engine_time = 0;       // since its last edge: an edge is due when it reaches clock_kilohertz
    unsigned management_time = 0;
    uint32_t device_control = 0;
    std::optional<uint32_t> register_value;
};
