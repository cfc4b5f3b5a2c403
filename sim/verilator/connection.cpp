// SPDX-License-Identifier: Apache-2.0
#include "connection.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "log.hpp"

namespace card {

using vfio_user::Header;

namespace {

// Room for more descriptors than we accept, so that a client sending a few too many still gets an answer.
constexpr size_t CONTROL_FDS = 2 * vfio_user::MAX_FDS;

void take_fds(msghdr& message, std::vector<FileDescriptor>& fds) {
    for (cmsghdr* control = CMSG_FIRSTHDR(&message); control; control = CMSG_NXTHDR(&message, control)) {
        if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) continue;
        size_t count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t index = 0; index < count; index++) {
            int number;
            std::memcpy(&number, CMSG_DATA(control) + index * sizeof(int), sizeof(number));
            fds.emplace_back(number);
        }
    }
}

}  // namespace

void Connection::drop(const char* why) {
    if (open_) log("client dropped: %s", why);
    open_ = false;
}

/// Read what is there, at most `bytes`; 0 when nothing is or the client is gone.
size_t Connection::read_some(uint8_t* to, size_t bytes, bool with_fds) {
    alignas(cmsghdr) char control[CMSG_SPACE(CONTROL_FDS * sizeof(int))];
    iovec part{to, bytes};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (with_fds) {
        message.msg_control = control;
        message.msg_controllen = sizeof(control);
    }
    ssize_t got = recvmsg(socket_.number(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0) {
        if (errno != EAGAIN && errno != EINTR) drop(strerror(errno));
        return 0;
    }
    if (got == 0) {
        if (header_bytes_) log("client left in the middle of a message");
        open_ = false;
        return 0;
    }
    if (with_fds) {
        take_fds(message, incoming_.fds);
        if ((message.msg_flags & MSG_CTRUNC) || incoming_.fds.size() > vfio_user::MAX_FDS) {
            incoming_.fds.clear();
            incoming_.too_many_fds = true;
        }
    }
    return static_cast<size_t>(got);
}

/// Go on receiving; a message when it is complete.
std::optional<Message> Connection::receive() {
    while (open_ && header_bytes_ < sizeof(Header)) {
        size_t got = read_some(reinterpret_cast<uint8_t*>(&incoming_.header) + header_bytes_,
                               sizeof(Header) - header_bytes_, true);
        if (got == 0) return std::nullopt;
        header_bytes_ += got;
        if (header_bytes_ < sizeof(Header)) continue;
        // Without a credible size there is no way to find the next message.
        if (incoming_.header.size < sizeof(Header) || incoming_.header.size > vfio_user::MAX_MESSAGE) {
            drop("message size out of range");
            return std::nullopt;
        }
        incoming_.payload.resize(incoming_.header.size - sizeof(Header));
    }
    while (open_ && payload_bytes_ < incoming_.payload.size()) {
        size_t got = read_some(incoming_.payload.data() + payload_bytes_, incoming_.payload.size() - payload_bytes_, false);
        if (got == 0) return std::nullopt;
        payload_bytes_ += got;
    }
    if (!open_) return std::nullopt;
    header_bytes_ = payload_bytes_ = 0;
    return std::exchange(incoming_, Message{});
}

std::optional<Message> Connection::next_command() {
    if (!queued_.empty()) {
        Message message = std::move(queued_.front());
        queued_.pop_front();
        return message;
    }
    while (auto message = receive()) {
        if (!message->is_reply()) return message;
        log("dropped a reply nobody asked for (message %u)", message->header.message_id);
    }
    return std::nullopt;
}

/// False when the wait ended for another reason than `events` on the socket.
bool Connection::wait(short events, int timeout_ms) {
    pollfd waits[] = {{socket_.number(), events, 0}, {wake_, POLLIN, 0}};
    int ready = poll(waits, 2, timeout_ms);
    return ready > 0 && waits[0].revents && !waits[1].revents;
}

bool Connection::send(const Header& header, const void* payload, size_t bytes, const void* more, size_t more_bytes) {
    iovec parts[] = {{const_cast<Header*>(&header), sizeof(header)},
                     {const_cast<void*>(payload), bytes},
                     {const_cast<void*>(more), more_bytes}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 3;
    size_t left = sizeof(header) + bytes + more_bytes;
    while (open_ && left) {
        ssize_t sent = sendmsg(socket_.number(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EAGAIN) {
            if (!wait(POLLOUT, -1)) drop("it does not take its answers");
            continue;
        }
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) {
            drop(strerror(errno));
            break;
        }
        left -= static_cast<size_t>(sent);
        for (auto& part : parts) {
            size_t done = std::min(part.iov_len, static_cast<size_t>(sent));
            part.iov_base = static_cast<char*>(part.iov_base) + done;
            part.iov_len -= done;
            sent -= static_cast<ssize_t>(done);
        }
    }
    return open_;
}

void Connection::reply(const Header& command, uint32_t error, const void* payload, size_t bytes, const void* more,
                       size_t more_bytes) {
    if (command.flags & vfio_user::FLAG_NO_REPLY) return;
    if (error) bytes = more_bytes = 0;
    Header header{command.message_id, command.command, static_cast<uint32_t>(sizeof(Header) + bytes + more_bytes),
                  vfio_user::TYPE_REPLY | (error ? vfio_user::FLAG_ERROR : 0), error};
    send(header, payload, bytes, more, more_bytes);
}

std::optional<Message> Connection::request(uint16_t command, const void* payload, size_t bytes, const void* more,
                                           size_t more_bytes) {
    uint16_t id = next_id_++;
    Header header{id, command, static_cast<uint32_t>(sizeof(Header) + bytes + more_bytes), vfio_user::TYPE_COMMAND, 0};
    if (!send(header, payload, bytes, more, more_bytes)) return std::nullopt;
    auto now = [] { return std::chrono::steady_clock::now(); };
    auto deadline = now() + std::chrono::milliseconds(REQUEST_TIMEOUT_MS);
    while (open_) {
        auto message = receive();
        if (!message) {
            auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - now()).count();
            if (left <= 0 || (open_ && !wait(POLLIN, static_cast<int>(left)))) break;
        } else if (!message->is_reply()) {
            queued_.push_back(std::move(*message));
        } else if (message->header.message_id == id && message->header.command == command) {
            if (message->header.flags & vfio_user::FLAG_ERROR) return std::nullopt;
            return message;
        }
    }
    return std::nullopt;
}

}  // namespace card
