// SPDX-License-Identifier: Apache-2.0
/// Answers one vfio-user client: checks every message, then acts on the card's PCI function.
#pragma once

#include <optional>

#include "card_function.hpp"
#include "connection.hpp"

namespace card {

class Server {
public:
    Server(Connection& connection, CardFunction& function, GuestMemory& memory)
        : connection_(connection), function_(function), memory_(memory) {}

    /// Carry out one command and answer it.
    void handle(Message& message);

    /// The client has agreed on a version.
    bool negotiated() const { return negotiated_; }

private:
    /// What a command answers: an errno, or a structure and the data behind it.
    struct Answer {
        uint32_t error = 0;
        std::vector<uint8_t> payload, data;
    };

    Answer answer(Message& message);
    Answer version(const Message& message);
    Answer dma_map(Message& message);
    Answer dma_unmap(const Message& message);
    Answer device_info(const Message& message);
    Answer region_info(const Message& message);
    Answer interrupt_info(const Message& message);
    Answer set_interrupts(Message& message);
    Answer region_read(const Message& message);
    Answer region_write(const Message& message);

    Connection& connection_;
    CardFunction& function_;
    GuestMemory& memory_;
    bool negotiated_ = false;
};

}  // namespace card
