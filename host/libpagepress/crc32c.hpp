// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace pagepress {

/// CRC32C (Castagnoli), by the processor's instruction where it has one.
uint32_t crc32c(const void* data, size_t bytes);

}  // namespace pagepress
