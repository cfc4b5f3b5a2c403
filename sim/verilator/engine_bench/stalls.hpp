// SPDX-License-Identifier: Apache-2.0
// How the world around a block makes it wait, at random and repeatably.
#pragma once

#include <cstdint>

class Stalls {
public:
    // Nobody ever waits.
    Stalls() = default;

    // Chances out of 256 that a cycle passes without a word offered, and without a word or a result taken.
    Stalls(uint64_t seed, unsigned source, unsigned sink) : state(seed), source_chance(source), sink_chance(sink) {}

    bool source() { return draw(source_chance); }
    bool sink() { return draw(sink_chance); }
    // Whether an item of full words ends in a word without bytes, as a byte stream may.
    bool empty_last() { return draw(random() ? 64 : 0); }

private:
    bool random() const { return source_chance || sink_chance; }

    bool draw(unsigned chance) {
        if (!chance) return false;
        // A linear congruential generator (Knuth's constants); its upper bits are the random ones.
        state = state * 6364136223846793005u + 1442695040888963407u;
        return state >> 56 < chance;
    }

    uint64_t state = 0;
    unsigned source_chance = 0, sink_chance = 0;
};
