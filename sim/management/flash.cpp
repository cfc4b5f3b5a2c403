// SPDX-License-Identifier: Apache-2.0
#include "flash.hpp"

#include <algorithm>

bool Flash::step(bool select_not, bool clock, bool in, uint64_t cycle)
{
    now = cycle;
    if (select_not) {
        if (selected)
            end_command();
        selected = clocked = false;
        return true;
    }
    if (!selected) {
        selected = true;
        bits = 0;
        deaf = false;
        received.clear();
        shift_out = 0xFF;
    }
    if (clock && !clocked) {
        shift_in = shift_in << 1 | in;
        if (++bits % 8 == 0) {
            received.push_back(shift_in);
            deaf = deaf || (received.size() == 1 && busy());
            shift_out = answer();
        }
    } else if (!clock && clocked && bits % 8) {
        shift_out <<= 1;
    }
    clocked = clock;
    return dead || shift_out >> 7;
}

// The byte that goes out while the next one comes in.
uint8_t Flash::answer()
{
    static const uint8_t identity[] = {0xEF, 0x40, 0x14};
    size_t count = received.size();
    if (deaf && received[0] != STATUS)
        return 0xFF;
    switch (received[0]) {
    case STATUS:
        return busy();
    case IDENTITY:
        return count <= 3 ? identity[count - 1] : 0;
    case READ:
        return count >= 4 ? memory[(address() + count - 4) % BYTES] : 0;
    default:
        return 0xFF;
    }
}

void Flash::end_command()
{
    if (received.empty() || dead || deaf)
        return;
    if (received[0] == ENABLE) {
        write_enabled = true;
    } else if (received[0] == ERASE && received.size() == 4 && write_enabled) {
        change(address() / SECTOR * SECTOR, std::vector<uint8_t>(SECTOR, 0xFF), ERASE_CYCLES);
    } else if (received[0] == BLOCK_ERASE && received.size() == 4 && write_enabled) {
        change(address() / BLOCK * BLOCK, std::vector<uint8_t>(BLOCK, 0xFF), ERASE_CYCLES);
    } else if (received[0] == ALL_ERASE && write_enabled) {
        change(0, std::vector<uint8_t>(BYTES, 0xFF), ERASE_CYCLES);
    } else if (received[0] == PROGRAM && received.size() > 4 && write_enabled) {
        std::vector<uint8_t> page(memory.begin() + address() / PAGE * PAGE, memory.begin() + address() / PAGE * PAGE + PAGE);
        for (size_t i = 4; i < received.size(); i++) // beyond the page's end it begins at its start again
            page[(address() + i - 4) % PAGE] &= received[i] | (worn ? 0x10 : 0);
        change(address() / PAGE * PAGE, page, PROGRAM_CYCLES);
    }
}

// Power that fails leaves the first half changed.
void Flash::change(uint32_t at, const std::vector<uint8_t> &wanted, uint64_t cycles)
{
    bool fails = int64_t(operations++) == cut_at;
    size_t count = fails ? wanted.size() / 2 : wanted.size();
    std::copy(wanted.begin(), wanted.begin() + count, memory.begin() + at);
    write_enabled = false;
    busy_until = now + cycles;
    power_failed |= fails;
}

void Flash::power_on()
{
    selected = clocked = write_enabled = power_failed = false;
    busy_until = 0;
    cut_at = -1;
}
