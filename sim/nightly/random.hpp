// SPDX-License-Identifier: Apache-2.0
// Random numbers that follow from a seed and the number of a batch, so that any batch can be run again alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

using Bytes = std::vector<uint8_t>;

class Random {
public:
    Random(uint64_t seed, uint64_t batch) : state(seed * 0x9E3779B97F4A7C15u ^ batch * 0xD1342543DE82EF95u) { next(); }

    // SplitMix64: every state gives well-mixed bits.
    uint64_t next() {
        uint64_t mixed = state += 0x9E3779B97F4A7C15u;
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
        return mixed ^ mixed >> 31;
    }

    // 0 to count - 1.
    size_t below(size_t count) { return (next() >> 32) * count >> 32; }
    size_t between(size_t least, size_t most) { return least + below(most - least + 1); }
    bool one_in(size_t count) { return below(count) == 0; }
    uint8_t byte() { return static_cast<uint8_t>(next() >> 56); }

    template <class Values>
    auto pick(const Values& values) { return *(std::begin(values) + below(std::size(values))); }

    Bytes bytes(size_t count) {
        Bytes drawn(count);
        for (uint8_t& value : drawn) value = byte();
        return drawn;
    }

private:
    uint64_t state;
};
