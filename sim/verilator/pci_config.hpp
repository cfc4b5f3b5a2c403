// SPDX-License-Identifier: Apache-2.0
/// The card's PCI configuration space: identity, BAR0, MSI-X, PCI Express endpoint with function-level reset.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace card {

class PciConfig {
public:
    static constexpr size_t BYTES = 4096;

    explicit PciConfig(unsigned msix_vectors) : vectors_(msix_vectors) { reset(); }

    /// Accesses may have any size and alignment inside BYTES; read-only bits keep their value.
    void read(size_t offset, void* data, size_t bytes) const;
    void write(size_t offset, const void* data, size_t bytes);

    /// Everything as after power-on: no address, no bus mastering.
    void reset();

    bool bus_master() const;
    bool extended_tags() const;
    /// Longest write and read of one request, as Device Control encodes them: 128 << code bytes.
    unsigned payload_code() const;
    unsigned read_code() const;
    /// True once after software asked for a function-level reset.
    bool take_function_reset();

private:
    unsigned device_control() const;
    void set(size_t offset, unsigned bytes, uint64_t value, uint64_t writable = 0);

    unsigned vectors_;
    std::array<uint8_t, BYTES> value_{}, writable_{};
    bool function_reset_ = false;
};

}  // namespace card
