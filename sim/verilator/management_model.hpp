// SPDX-License-Identifier: Apache-2.0
/// The management part as a model: the firmware's own sources (firmware/), compiled for this machine, on registers of its own.
///
/// Its time follows this machine's while somebody looks at the window, and stands otherwise; signatures and instructions take none
/// of it. There is one in a process, since the firmware's variables are the program's.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <random>

#include <pagepress_management.h>

#include "board.hpp"

namespace card {

class ManagementModel {
public:
    explicit ManagementModel(Board& board);
    ~ManagementModel();

    /// A 32-bit word at a byte offset in the host's window.
    uint32_t read(uint32_t offset);
    void write(uint32_t offset, uint32_t value);

    /// A turn of the firmware, when the host waits for it; false when nobody does.
    bool run();

    /// The registers that the firmware sees.
    uint32_t core_read(uint32_t address);
    void core_write(uint32_t address, uint32_t value);

private:
    using Clock = std::chrono::steady_clock;
    using Buffer = std::array<uint32_t, PAGEPRESS_MAILBOX_BYTES / 4>;
    struct Reset {
        uint32_t cause;
    };

    template <class Work> void in_core(Work work);
    void boot();
    void turn();
    void catch_up();
    void pass(uint64_t cycles);
    uint32_t milliseconds() const { return static_cast<uint32_t>(cycle_ / Board::CYCLES_A_MILLISECOND); }
    bool mute() const { return board_.firmware == Board::Firmware::MUTE; }
    uint32_t honest_read(uint32_t offset);
    uint32_t drawn_instead_of(uint32_t word);
    void leave_reset();
    void begin_reset(uint32_t cause);
    void answer(uint32_t bytes);
    void log(uint32_t severity, uint32_t code, uint32_t argument);
    uint32_t window_register(uint32_t offset) const;
    uint32_t sensor(uint32_t channel) const;
    uint32_t shift(uint32_t value, int bits);
    void break_lanes();

    Board& board_;
    Clock::time_point looked_;
    uint64_t cycle_ = 0, fed_ = 0;
    bool held_ = false, in_reset_ = true, booted_ = false;
    int hostile_ = -1;  // what was booted last
    uint32_t hostile_memory_ = 0;
    uint32_t cause_ = PAGEPRESS_RESET_CAUSE_POWER, bites_ = 0, heartbeat_ = 0;
    uint32_t stage_ = 0, report_ = 0, version_ = 0, throttle_ = 0;
    uint32_t watchdog_limit_ = 0;
    Buffer request_{}, response_{};
    uint32_t mailbox_state_ = PAGEPRESS_MAILBOX_STATE_IDLE, request_length_ = 0, response_length_ = 0;
    std::array<pagepress_log_entry, PAGEPRESS_LOG_ENTRIES> log_{};
    uint32_t log_next_ = 0, log_event_ = 0;
    std::array<uint32_t, Board::CHANNELS> updates_{}, codes_{};
    uint64_t sensed_ = 0;  // cycle of their last values
    bool selected_ = false, flash_out_ = true;
    uint32_t flash_data_ = 0;
    std::mt19937 lot_;  // a liar's; the same in every run
};

}  // namespace card
