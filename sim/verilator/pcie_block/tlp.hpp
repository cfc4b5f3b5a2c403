// SPDX-License-Identifier: Apache-2.0
// A PCIe transaction layer packet, as far as the card and its host exchange them, and time.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

using Bytes = std::vector<uint8_t>;
using Picoseconds = uint64_t;

constexpr unsigned clock_kilohertz = 250'000;  // of the block's user clock
constexpr Picoseconds clock_period = 1'000'000'000 / clock_kilohertz;

struct Tlp {
    static constexpr unsigned unsupported_request = 1;

    enum Kind { read, write, completion } kind = read;
    uint64_t address = 0;          // of a request, a multiple of 4
    unsigned tag = 0;              // of a read and its completions
    unsigned dwords = 0;           // asked for, or of payload
    uint8_t first_enables = 0xf, last_enables = 0xf;  // of a write's bytes
    unsigned sequence = 0;         // a write's number, 0: nobody waits for it
    unsigned bytes_to_come = 0;    // of a completion: of its read, its own among them
    unsigned status = 0;           // of a completion; one that is not 0 has no payload and is its read's last
    Bytes payload;

    bool is_posted() const { return kind == write; }
    // Framing (start and link CRC, four bytes each), header, payload.
    unsigned wire_bytes() const {
        const unsigned header = kind == completion || address >> 32 == 0 ? 12 : 16;
        return 8 + header + unsigned(payload.size());
    }
    // Flow control counts payload in units of 16 bytes.
    unsigned data_credits() const { return unsigned(payload.size() + 15) / 16; }
};

inline Tlp register_read(uint32_t offset) {
    Tlp tlp;
    tlp.address = offset;
    tlp.dwords = 1;
    return tlp;
}

// `size` bytes, a multiple of 4, from `offset`.
inline Tlp register_write(uint32_t offset, const void* data, size_t size) {
    Tlp tlp = register_read(offset);
    tlp.kind = Tlp::write;
    tlp.dwords = unsigned(size / 4);
    const auto* bytes = static_cast<const uint8_t*>(data);
    tlp.payload.assign(bytes, bytes + size);
    return tlp;
}

inline Tlp register_write(uint32_t offset, uint32_t value) { return register_write(offset, &value, sizeof value); }
