// SPDX-License-Identifier: Apache-2.0
// What stands around a management part: its flash, its sensors, and what is wrong with its firmware.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "flash.hpp"

// What a system monitor says in one cycle.
struct SensorValue {
    bool valid;
    unsigned channel, code;
};

class Board {
public:
    static constexpr unsigned CHANNELS = 8, OFF = 1u << 16;
    static constexpr uint64_t SENSOR_CYCLES = 5000; // a value of each channel every so many
    static constexpr unsigned CYCLES_A_MILLISECOND = 10000;

    enum class Firmware {
        WELL,
        HUNG, // stands still until the core is reset: its watchdog does that
        DEAD, // the same, and the watchdog does nothing: until the host holds the core
        // Until it is told to be well; of the model alone:
        MUTE, // works, but takes no request
        LIAR, // works, but much of what the host reads in the window is drawn by lot
        // Another image, which means harm (firmware/tests/hostile.h); in this order.
        HOSTILE_WRITES,
        HOSTILE_MAILBOX,
        HOSTILE_LANES,
        HOSTILE_LOG,
        HOSTILE_FLOOR,
    };

    enum class Lane {
        WELL,
        BREAKS, // its engine faults, once
        BROKEN, // the same, and with every page from then on
    };
    static constexpr unsigned LANES = 4; // of the card's model, which alone has such faults: two of each kind, decompressors first

    Flash flash;
    std::array<Lane, LANES> lanes{};
    Firmware firmware = Firmware::WELL;
    std::array<unsigned, CHANNELS> codes = {41500, 18568, 39321, 18568, OFF, OFF, OFF, OFF}; // 42 degrees; 0.85, 1.8 and 0.85 volts

    // Slot A holds `image`; nothing else stands in the flash.
    void put_image(const std::vector<uint8_t> &image);
    SensorValue sensed(uint64_t cycle) const
    {
        unsigned channel = cycle % CHANNELS, code = codes[channel];
        bool due = cycle % SENSOR_CYCLES < CHANNELS && code != OFF;
        return {due, channel, due ? code : 0};
    }
    // Which of the hostile images runs, from 0 on; -1: none.
    int hostile() const { return firmware < Firmware::HOSTILE_WRITES ? -1 : static_cast<int>(firmware) - static_cast<int>(Firmware::HOSTILE_WRITES); }
    bool stands_still() const { return firmware == Firmware::HUNG || firmware == Firmware::DEAD; }
    // A reset of the core ends; `held`: the host held it.
    void core_was_reset(bool held)
    {
        if (stands_still() && (held || firmware == Firmware::HUNG))
            firmware = Firmware::WELL;
    }
    // `sensor CHANNEL CODE|off`, `flash dead|stuck|worn|well`, `lane NUMBER breaks|broken|well`, `firmware hung|dead|mute|liar|well` or
    // `firmware hostile-writes|-mailbox|-lanes|-log|-floor`: what is wrong with that line, or nothing.
    std::string command(const std::vector<std::string> &words);
};
