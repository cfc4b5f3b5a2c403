// SPDX-License-Identifier: Apache-2.0
// A serial NOR flash at its pins: erase makes a sector ones, program only clears bits, both take time and can be cut.
#pragma once
#include <cstdint>
#include <vector>

class Flash {
public:
    static constexpr uint32_t BYTES = 1 << 20, SECTOR = 4096, BLOCK = 65536, PAGE = 256;
    static constexpr uint64_t ERASE_CYCLES = 40000, PROGRAM_CYCLES = 2000;

    std::vector<uint8_t> memory = std::vector<uint8_t>(BYTES, 0xFF);
    bool dead = false;      // does not answer: its output stays high
    bool stuck = false;     // busy for ever once an erase or a program began
    bool worn = false;      // programs leave a bit as it was
    uint64_t operations = 0; // erases and programs begun
    int64_t cut_at = -1;    // the operation in whose middle power fails; -1: none
    bool power_failed = false;

    // After each cycle of the clock; returns what the flash drives.
    bool step(bool select_not, bool clock, bool in, uint64_t cycle);
    void power_on();

private:
    enum Command : uint8_t { PROGRAM = 0x02, READ = 0x03, STATUS = 0x05, ENABLE = 0x06, ERASE = 0x20, IDENTITY = 0x9F, BLOCK_ERASE = 0xD8, ALL_ERASE = 0xC7 };
    bool selected = false, clocked = false, out = true, write_enabled = false;
    bool deaf = false; // the command came while an erase or a program was under way: it is not taken, unless it asks for the status
    uint32_t bits = 0;
    uint8_t shift_in = 0, shift_out = 0xFF;
    std::vector<uint8_t> received;
    uint64_t busy_until = 0, now = 0;

    bool busy() const { return now < busy_until || (stuck && operations); }
    uint8_t answer();
    void end_command();
    void change(uint32_t at, const std::vector<uint8_t> &wanted, uint64_t cycles);
    uint32_t address() const { return (received[1] << 16 | received[2] << 8 | received[3]) % BYTES; }
};
