// SPDX-License-Identifier: Apache-2.0
#include "device_memory.hpp"

#include <cstring>

namespace xrt_device {

uint8_t* DeviceMemory::find(uint64_t address, uint64_t bytes) {
    auto behind = buffers_.upper_bound(address);
    if (behind == buffers_.begin()) return nullptr;
    auto& [first, buffer] = *std::prev(behind);
    uint64_t offset = address - first;
    return offset <= buffer.size() && bytes <= buffer.size() - offset ? buffer.data() + offset : nullptr;
}

bool DeviceMemory::read(uint64_t address, void* data, size_t bytes) {
    const uint8_t* found = find(address, bytes);
    if (found) std::memcpy(data, found, bytes);
    return found;
}

bool DeviceMemory::write(uint64_t address, const void* data, size_t bytes) {
    uint8_t* found = find(address, bytes);
    if (!found) return false;
    auto* first = static_cast<const uint8_t*>(data);
    std::vector<uint8_t> written(first, first + bytes);
    tamper_(written);
    std::memcpy(found, written.data(), bytes);
    return true;
}

}  // namespace xrt_device
