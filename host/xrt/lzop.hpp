// SPDX-License-Identifier: Apache-2.0
/// The file format of lzop: LZO1X blocks with Adler-32 checksums. A block here is a page, so lzop -d reads what this program
/// writes, and this program what lzop writes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pagepress_xrt {

struct LzopBlock {
    uint32_t plain_length = 0;
    uint32_t plain_checksum = 0;  // Adler-32, or CRC-32 where `by_crc`
    bool checked = false, by_crc = false;
    std::string stream;           // of plain_length bytes: stored as it is
};

/// Most bytes of a block that lzop writes or reads.
constexpr uint32_t MOST_LZOP_BLOCK = 64 << 20;

/// The file with these blocks; checksums are those of `plain`, their bytes one after the other.
std::string write_lzop(const std::string& name, const std::string& plain, const std::vector<LzopBlock>& blocks);
/// The blocks of a file, of all its members one after the other. Throws std::runtime_error that says what is wrong with it.
std::vector<LzopBlock> read_lzop(const std::string& file);
/// Whether `plain` is what the block's checksum is of.
bool matches(const LzopBlock& block, const std::string& plain);

}  // namespace pagepress_xrt
