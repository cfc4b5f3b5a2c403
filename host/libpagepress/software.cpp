// SPDX-License-Identifier: Apache-2.0
#include "software.hpp"

#include <lzo/lzo1x.h>

#include <cstring>

#include "crc32c.hpp"

namespace pagepress {

namespace {

/// Most bytes lzo1x_1 makes of `bytes` bytes.
constexpr size_t longest_stream(size_t bytes) { return bytes + bytes / 16 + 64 + 3; }

}  // namespace

bool same_filled(const uint8_t* page, uint32_t bytes) {
    return !std::memcmp(page, page + sizeof(uint64_t), bytes - sizeof(uint64_t));
}

uint32_t check_command(const pagepress_page& page, uint32_t page_bytes) {
    bool compressing = page.opcode == PAGEPRESS_OPCODE_COMPRESS;
    if (!compressing && page.opcode != PAGEPRESS_OPCODE_DECOMPRESS) return PAGEPRESS_STATUS_INVALID_OPCODE;
    if (page.flags & ~(PAGEPRESS_FLAG_SKIP_VERIFY | PAGEPRESS_FLAG_CHECK_CRC)) return PAGEPRESS_STATUS_INVALID_FLAGS;
    uint32_t least = compressing ? page_bytes : 1, most = compressing ? page_bytes : 2 * page_bytes;
    if (page.source_length < least || page.source_length > most || page.destination_capacity > page_bytes ||
        page.destination_capacity < (compressing ? 1 : page_bytes))
        return PAGEPRESS_STATUS_INVALID_LENGTH;
    if (!page.source || !page.destination) return PAGEPRESS_STATUS_INVALID_ADDRESS;
    return PAGEPRESS_STATUS_SUCCESS;
}

Software::Software(uint32_t page_bytes)
    : page_bytes_(page_bytes), output_(longest_stream(page_bytes)), memory_(LZO1X_1_MEM_COMPRESS) {
    if (lzo_init() != LZO_E_OK) throw Failure(PAGEPRESS_ERROR_MEMORY, "liblzo2 does not fit this program's compiler");
}

void Software::collect(pagepress_page* pages, size_t count) {
    for (size_t index = 0; index < count; index++) page(pages[index]);
}

void Software::page(pagepress_page& page) {
    page.produced_length = page.crc32c = page.engine_cycles = 0;
    page.detail = 0;
    page.by_software = 1;
    page.status = check_command(page, page_bytes_);
    if (page.status != PAGEPRESS_STATUS_SUCCESS) return;
    page.status = page.opcode == PAGEPRESS_OPCODE_COMPRESS ? compress(page) : decompress(page);
}

uint32_t Software::compress(pagepress_page& page) {
    auto* source = static_cast<const uint8_t*>(page.source);
    page.crc32c = crc32c(source, page_bytes_);
    if (same_filled(source, page_bytes_)) {
        std::memcpy(&page.detail, source, sizeof(page.detail));
        return PAGEPRESS_STATUS_SAME_FILLED;
    }
    lzo_uint length = output_.size();
    lzo1x_1_compress(source, page_bytes_, output_.data(), &length, memory_.data());
    if (length > page.destination_capacity) return PAGEPRESS_STATUS_INCOMPRESSIBLE;
    std::memcpy(page.destination, output_.data(), length);
    page.produced_length = static_cast<uint32_t>(length);
    page.detail = crc32c(output_.data(), length);
    return PAGEPRESS_STATUS_SUCCESS;
}

uint32_t Software::decompress(pagepress_page& page) {
    lzo_uint length = page_bytes_;
    int code = lzo1x_decompress_safe(static_cast<const uint8_t*>(page.source), page.source_length, output_.data(), &length, nullptr);
    if (code == LZO_E_OUTPUT_OVERRUN) return PAGEPRESS_STATUS_OUTPUT_OVERRUN;
    if (code != LZO_E_OK) return PAGEPRESS_STATUS_MALFORMED_STREAM;
    if (length != page_bytes_) return PAGEPRESS_STATUS_OUTPUT_UNDERRUN;
    page.crc32c = crc32c(output_.data(), page_bytes_);
    if ((page.flags & PAGEPRESS_FLAG_CHECK_CRC) && page.crc32c != page.expected_crc32c) return PAGEPRESS_STATUS_CRC_MISMATCH;
    std::memcpy(page.destination, output_.data(), page_bytes_);
    page.produced_length = page_bytes_;
    return PAGEPRESS_STATUS_SUCCESS;
}

}  // namespace pagepress
