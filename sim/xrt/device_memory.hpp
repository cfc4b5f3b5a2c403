// SPDX-License-Identifier: Apache-2.0
/// The memory of an accelerator card as XRT allocates it. Accesses must lie in one buffer: what would be a stray access of
/// the kernel gets an error response here.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "card_engine.hpp"

namespace xrt_device {

class DeviceMemory : public card::CardHost {
public:
    /// May change what the kernel writes on its way to memory; for tests.
    using Tamper = std::function<void(std::vector<uint8_t>& data)>;

    explicit DeviceMemory(Tamper tamper) : tamper_(std::move(tamper)) {}

    void allocate(uint64_t address, uint64_t bytes) { buffers_[address].assign(bytes, 0); }
    void free(uint64_t address) { buffers_.erase(address); }

    /// Where `bytes` bytes at `address` are, or nullptr outside every buffer.
    uint8_t* find(uint64_t address, uint64_t bytes);

    bool read(uint64_t address, void* data, size_t bytes) override;
    bool write(uint64_t address, const void* data, size_t bytes) override;
    void interrupt(unsigned) override {}

private:
    std::map<uint64_t, std::vector<uint8_t>> buffers_;  // by first address
    Tamper tamper_;
};

}  // namespace xrt_device
