// SPDX-License-Identifier: Apache-2.0
/// The management part of a Verilated card: its clock, its board, and its firmware that hangs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <pagepress_management.h>

#include "block.hpp"
#include "board.hpp"
#include <Vtop___024root.h>  // after Vtop.h: what is inside the card
#include <Vtop_Management.h>
#include <Vtop_card_managed.h>

namespace card {

inline Vtop_card_managed& inside(Vtop& card) { return *card.rootp->card_managed; }
inline Vtop_Management& management_inside(Vtop& card) { return *inside(card).manager; }

/// Whether an offset in BAR0 is in the management part's window.
inline bool in_window(uint32_t offset) {
    return offset >= PAGEPRESS_MANAGEMENT_WINDOW_OFFSET && offset < PAGEPRESS_MANAGEMENT_WINDOW_OFFSET + PAGEPRESS_MANAGEMENT_WINDOW_BYTES;
}

/// Its clock runs by itself, in slices, while the core boots or has a request, and for a while after each look of the host's; else it stands.
/// One cycle of it costs this machine a thirtieth of one of the card's, as nothing of the card is evaluated.
class ManagementPart {
public:
    ManagementPart(Block& block, Board& board, const std::vector<uint32_t>& boot_rom) : block_(block), board_(board) {
        auto& words = management_inside(block.model()).part_processor_bus__DOT__rom__DOT__words;
        for (size_t index = 0; index < boot_rom.size(); index++) words[index] = boot_rom[index];
        board.flash.power_on();
        block.management_begins = [this] { begin_cycle(); };
        block.management_ends = [this] { end_cycle(); };
    }

    /// The host accesses the window. While it does, the clock keeps pace with the card's, so that answers come soon.
    void look() {
        looks_ = LOOK_CYCLES;
        block_.management_ratio = 1;
    }

    /// A slice, when there is a reason; false when the clock may stand.
    bool run() {
        if (!looks_ && !owes()) {
            block_.management_ratio = 25;
            return false;
        }
        for (unsigned cycle = 0; cycle < SLICE_CYCLES; cycle++) block_.tick_management();
        looks_ -= std::min(looks_, SLICE_CYCLES);
        return true;
    }

private:
    /// Beside a card at work, a tenth of the time that this process has (half a millisecond of five).
    static constexpr unsigned SLICE_CYCLES = 1000;
    /// 25 ms of the part's time: more than two heartbeats, so that a host which looks once a second sees it alive.
    static constexpr unsigned LOOK_CYCLES = 250'000;

    /// The core boots or has a request, and will come to an end with it.
    bool owes() {
        auto& part = management_inside(block_.model());
        if (board_.firmware == Board::Firmware::DEAD || part.part_system__DOT__stage == PAGEPRESS_STAGE_FAILED) return false;
        bool held = part.part_core__DOT__io_reset && part.part_core__DOT__io_cause == PAGEPRESS_RESET_CAUSE_HOST;
        return !held && (part.part_system__DOT__stage != PAGEPRESS_STAGE_RUNNING || part.part_mailbox__DOT__io_state == PAGEPRESS_MAILBOX_STATE_REQUESTED);
    }

    void begin_cycle() {
        auto& card = block_.model();
        auto& part = management_inside(card);
        SensorValue value = board_.sensed(cycle_);
        card.management_sensor_valid = value.valid;
        card.management_sensor_payload_channel = value.channel & 7;
        card.management_sensor_payload_code = value.code & 0xffff;
        card.management_flash_dataIn = flash_out_;
        if (board_.stands_still() && part.part_core__DOT__io_reset) board_.core_was_reset(part.part_core__DOT__io_cause == PAGEPRESS_RESET_CAUSE_HOST);
        if (!board_.stands_still()) {
            // What was under way when it stopped has ended by itself.
            if (stopped_ && !part.part_processor_bus__DOT__progress) {
                part.part_processor_bus__DOT__busy = 0;
                stopped_ = false;
            }
            return;
        }
        stopped_ = true;
        part.part_processor_bus__DOT__busy = 1;  // no access of the processor is taken any more
        if (board_.firmware == Board::Firmware::DEAD) part.part_timer__DOT__hungry = 0;
    }

    void end_cycle() {
        auto& card = block_.model();
        flash_out_ = board_.flash.step(card.management_flash_selectNot, card.management_flash_clock, card.management_flash_dataOut, cycle_++);
    }

    Block& block_;
    Board& board_;
    uint64_t cycle_ = 0;
    unsigned looks_ = 0;  // cycles that the last look is still worth
    bool flash_out_ = true;
    bool stopped_ = false;  // by us: its bus looks busy
};

}  // namespace card
