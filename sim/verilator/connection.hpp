// SPDX-License-Identifier: Apache-2.0
/// Messages over one client's socket, with the file descriptors that travel with them.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "file_descriptor.hpp"
#include "vfio_user.hpp"

namespace card {

struct Message {
    vfio_user::Header header{};
    std::vector<uint8_t> payload;
    std::vector<FileDescriptor> fds;
    bool too_many_fds = false;  ///< more than MAX_FDS came; they are closed

    bool is_reply() const { return (header.flags & vfio_user::TYPE_MASK) == vfio_user::TYPE_REPLY; }
};

class Connection {
public:
    /// `wake` is a descriptor that, once readable, ends every wait inside this class (a signal came).
    Connection(FileDescriptor socket, int wake) : socket_(std::move(socket)), wake_(wake) {}

    int number() const { return socket_.number(); }
    bool open() const { return open_; }

    /// The next whole command, if one is there. Never waits. Replies nobody asked for are dropped.
    std::optional<Message> next_command();

    /// Whether next_command would return one without reading from the socket.
    bool has_queued() const { return !queued_.empty(); }

    /// Answer `command` unless it asked for no answer. `error` is an errno, or 0 with the payload in two parts.
    void reply(const vfio_user::Header& command, uint32_t error, const void* payload = nullptr, size_t bytes = 0,
               const void* more = nullptr, size_t more_bytes = 0);

    /// Send a command to the client and wait for its answer; nullopt on an error answer, a lost client or none
    /// within REQUEST_TIMEOUT_MS. Commands that arrive meanwhile wait for next_command.
    std::optional<Message> request(uint16_t command, const void* payload, size_t bytes, const void* more,
                                   size_t more_bytes);

private:
    static constexpr int REQUEST_TIMEOUT_MS = 60'000;

    std::optional<Message> receive();
    size_t read_some(uint8_t* to, size_t bytes, bool with_fds);
    void drop(const char* why);
    bool send(const vfio_user::Header& header, const void* payload, size_t bytes, const void* more, size_t more_bytes);
    bool wait(short events, int timeout_ms);

    FileDescriptor socket_;
    int wake_;
    bool open_ = true;
    Message incoming_;         // being received
    size_t header_bytes_ = 0;  // of it, so far
    size_t payload_bytes_ = 0;
    std::deque<Message> queued_;
    uint16_t next_id_ = 0;
};

}  // namespace card
