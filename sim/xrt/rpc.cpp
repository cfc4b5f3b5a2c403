// SPDX-License-Identifier: Apache-2.0
#include "rpc.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace xrt_device {

namespace {

enum WireType : unsigned { VARINT = 0, FIXED64 = 1, LENGTH = 2, FIXED32 = 5 };
constexpr char LENGTH_KEY = 1 << 3 | FIXED64, CALL_KEY = 2 << 3 | FIXED32;
constexpr size_t CALL_HEAD = 14;
constexpr uint64_t LONGEST = 64 << 20;  // a payload; the library sends 64 KiB at a time when told so, else more

/// The next `bytes` bytes of `rest`.
std::string_view cut(std::string_view& rest, uint64_t bytes) {
    if (bytes > rest.size()) throw std::runtime_error("a payload ends within a field");
    std::string_view taken = rest.substr(0, bytes);
    rest.remove_prefix(bytes);
    return taken;
}

uint64_t varint(std::string_view& rest) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        auto byte = static_cast<uint8_t>(cut(rest, 1)[0]);
        value |= uint64_t{byte & 0x7fu} << shift;
        if (!(byte & 0x80)) return value;
    }
    throw std::runtime_error("an integer of a payload is longer than 64 bits");
}

template <class Integer>
Integer fixed(std::string_view bytes) {
    Integer value;
    std::memcpy(&value, bytes.data(), sizeof(value));
    return value;
}

void put_varint(std::string& payload, uint64_t value) {
    for (; value >= 0x80; value >>= 7) payload.push_back(static_cast<char>(value | 0x80));
    payload.push_back(static_cast<char>(value));
}

}  // namespace

Fields::Fields(std::string_view payload) {
    while (!payload.empty()) {
        uint64_t key = varint(payload);
        auto field = static_cast<unsigned>(key >> 3);
        switch (key & 7) {
            case VARINT: numbers_[field] = varint(payload); break;
            case FIXED64: numbers_[field] = fixed<uint64_t>(cut(payload, 8)); break;
            case FIXED32: numbers_[field] = fixed<uint32_t>(cut(payload, 4)); break;
            case LENGTH: {
                uint64_t bytes = varint(payload);
                bytes_[field] = cut(payload, bytes);
                break;
            }
            default: throw std::runtime_error("a payload has a field of unknown kind");
        }
    }
}

uint64_t Fields::number(unsigned field) const {
    auto found = numbers_.find(field);
    return found == numbers_.end() ? 0 : found->second;
}

std::string_view Fields::bytes(unsigned field) const {
    auto found = bytes_.find(field);
    return found == bytes_.end() ? std::string_view() : found->second;
}

Answer& Answer::number(unsigned field, uint64_t value) {
    put_varint(payload_, field << 3 | VARINT);
    put_varint(payload_, value);
    return *this;
}

Answer& Answer::bytes(unsigned field, std::string_view value) {
    put_varint(payload_, field << 3 | LENGTH);
    put_varint(payload_, value.size());
    payload_ += value;
    return *this;
}

Connection::Connection(const std::string& path) : socket_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    constexpr int TRIES = 600;  // the library listens some seconds after it has started this process
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address.sun_path)) throw std::runtime_error("the socket's path is too long: " + path);
    std::memcpy(address.sun_path, path.data(), path.size());
    for (int attempt = 0; connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)); attempt++) {
        if (attempt == TRIES) throw std::runtime_error("cannot connect to " + path + ": " + strerror(errno));
        usleep(100'000);
    }
}

Connection::~Connection() {
    close(socket_);
}

bool Connection::take(void* data, size_t bytes) {
    return bytes == 0 || recv(socket_, data, bytes, MSG_WAITALL) == static_cast<ssize_t>(bytes);
}

std::optional<Connection::Request> Connection::receive(int milliseconds, bool* closed) {
    pollfd waiting{socket_, POLLIN, 0};
    if (poll(&waiting, 1, milliseconds) <= 0) return std::nullopt;
    char head[CALL_HEAD];
    if (!take(head, sizeof(head))) {
        *closed = true;
        return std::nullopt;
    }
    if (head[0] != LENGTH_KEY || head[9] != CALL_KEY) throw std::runtime_error("a call begins with something else than its head");
    auto length = fixed<uint64_t>({head + 1, 8});
    if (length > LONGEST) throw std::runtime_error("a call of " + std::to_string(length) + " bytes is longer than any");
    Request request{static_cast<Call>(fixed<uint32_t>({head + 10, 4})), std::string(length, '\0')};
    if (!take(request.payload.data(), length)) {
        *closed = true;
        return std::nullopt;
    }
    return request;
}

void Connection::answer(const Answer& answer) {
    uint64_t length = answer.payload().size();
    std::string message(1, LENGTH_KEY);
    message.append(reinterpret_cast<const char*>(&length), sizeof(length));
    message += answer.payload();
    for (size_t sent = 0; sent < message.size();) {
        ssize_t now = send(socket_, message.data() + sent, message.size() - sent, MSG_NOSIGNAL);
        if (now < 0) throw std::runtime_error(std::string("cannot answer: ") + strerror(errno));
        sent += static_cast<size_t>(now);
    }
}

}  // namespace xrt_device
