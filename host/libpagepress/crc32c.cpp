// SPDX-License-Identifier: Apache-2.0
#include "crc32c.hpp"

#include <array>
#include <cstring>

namespace pagepress {

namespace {

constexpr uint32_t POLYNOMIAL = 0x82f63b78;  // reflected

constexpr std::array<uint32_t, 256> make_table() {
    std::array<uint32_t, 256> table{};
    for (uint32_t byte = 0; byte < table.size(); byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
        table[byte] = crc;
    }
    return table;
}

constexpr std::array<uint32_t, 256> table = make_table();

uint32_t by_table(const uint8_t* data, size_t bytes, uint32_t crc) {
    for (size_t at = 0; at < bytes; at++) crc = crc >> 8 ^ table[(crc ^ data[at]) & 0xff];
    return crc;
}

#ifdef __x86_64__
__attribute__((target("sse4.2"))) uint32_t by_instruction(const uint8_t* data, size_t bytes, uint32_t crc) {
    size_t at = 0;
    for (; at + 8 <= bytes; at += 8) {
        uint64_t word;
        std::memcpy(&word, data + at, sizeof(word));
        crc = static_cast<uint32_t>(__builtin_ia32_crc32di(crc, word));
    }
    for (; at < bytes; at++) crc = __builtin_ia32_crc32qi(crc, data[at]);
    return crc;
}
#endif

}  // namespace

uint32_t crc32c(const void* data, size_t bytes) {
    auto* first = static_cast<const uint8_t*>(data);
#ifdef __x86_64__
    if (__builtin_cpu_supports("sse4.2")) return ~by_instruction(first, bytes, ~0u);
#endif
    return ~by_table(first, bytes, ~0u);
}

}  // namespace pagepress
