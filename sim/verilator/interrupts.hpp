// SPDX-License-Identifier: Apache-2.0
/// MSI-X vectors as eventfds of the client.
#pragma once

#include <cstdint>
#include <vector>

#include "file_descriptor.hpp"
#include "vfio_user.hpp"

namespace card {

class Interrupts {
public:
    explicit Interrupts(unsigned vectors) : events_(vectors) {}

    unsigned vectors() const { return static_cast<unsigned>(events_.size()); }

    /// DEVICE_SET_IRQS for MSI-X; `booleans` follow the structure in the message. 0 or an errno.
    int set(const vfio_user::SetInterrupts& request, const std::vector<uint8_t>& booleans, std::vector<FileDescriptor>& fds);

    /// Vectors that have an eventfd.
    std::vector<bool> connected() const;

    /// Signal a vector; without an eventfd the message has nowhere to go, as on a bus with MSI-X off.
    void raise(unsigned vector);

    uint64_t sent() const { return sent_; }

private:
    std::vector<FileDescriptor> events_;
    uint64_t sent_ = 0;
};

}  // namespace card
