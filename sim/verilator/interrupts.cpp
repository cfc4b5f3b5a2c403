// SPDX-License-Identifier: Apache-2.0
#include "interrupts.hpp"

#include <fcntl.h>

#include <cerrno>

namespace card {

int Interrupts::set(const vfio_user::SetInterrupts& request, const std::vector<uint8_t>& booleans,
                    std::vector<FileDescriptor>& fds) {
    using namespace vfio_user;
    if (request.index != INTERRUPT_MSIX || request.start > events_.size() || request.count > events_.size() - request.start)
        return EINVAL;
    switch (request.flags) {
    case SET_DATA_NONE | SET_ACTION_TRIGGER:
        if (request.count == 0) {
            if (request.start) return EINVAL;
            for (auto& event : events_) event = FileDescriptor();
        }
        for (uint32_t index = 0; index < request.count; index++) raise(request.start + index);
        return 0;
    case SET_DATA_BOOL | SET_ACTION_TRIGGER:
        if (booleans.size() < request.count) return EINVAL;
        for (uint32_t index = 0; index < request.count; index++)
            if (booleans[index]) raise(request.start + index);
        return 0;
    case SET_DATA_EVENTFD | SET_ACTION_TRIGGER:
        // All descriptors or none; none takes the vectors away.
        if (!fds.empty() && fds.size() != request.count) return EINVAL;
        for (uint32_t index = 0; index < request.count; index++) {
            FileDescriptor event = fds.empty() ? FileDescriptor() : std::move(fds[index]);
            // A full counter must not block the card.
            if (event) fcntl(event.number(), F_SETFL, fcntl(event.number(), F_GETFL) | O_NONBLOCK);
            events_[request.start + index] = std::move(event);
        }
        return 0;
    default:
        return EINVAL;
    }
}

std::vector<bool> Interrupts::connected() const {
    std::vector<bool> vectors;
    for (auto& event : events_) vectors.push_back(bool{event});
    return vectors;
}

void Interrupts::raise(unsigned vector) {
    if (vector >= events_.size() || !events_[vector]) return;
    uint64_t one = 1;
    // EAGAIN means that a signal is already waiting there.
    if (write(events_[vector].number(), &one, sizeof(one)) == sizeof(one) || errno == EAGAIN) sent_++;
}

}  // namespace card
