// SPDX-License-Identifier: Apache-2.0
/// What XRT's hw_emu library says over its socket: framed calls whose payloads are protocol buffers.
///
/// A call is a head of 14 bytes (field 1: 64-bit length, field 2: 32-bit number) and a payload, its answer a head of 9
/// bytes (field 1) and a payload. Of protocol buffers only integers and byte strings occur.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace xrt_device {

enum class Call : uint32_t {
    CLOSE = 1,
    ALLOCATE = 4,
    FREE = 5,
    COPY_TO_DEVICE = 6,
    COPY_TO_HOST = 7,
    WRITE_REGISTERS = 9,
    READ_REGISTERS = 11,
    DEBUG_MESSAGES = 19,
    SET_ENVIRONMENT = 20,
};

/// A payload taken apart: the last value of each field. Byte strings point into the payload.
class Fields {
public:
    /// Throws std::runtime_error for a payload that is no protocol buffer.
    explicit Fields(std::string_view payload);
    /// 0 and empty for a field that is absent.
    uint64_t number(unsigned field) const;
    std::string_view bytes(unsigned field) const;

private:
    std::map<unsigned, uint64_t> numbers_;
    std::map<unsigned, std::string_view> bytes_;
};

/// A payload being made.
class Answer {
public:
    Answer& number(unsigned field, uint64_t value);
    Answer& bytes(unsigned field, std::string_view value);
    const std::string& payload() const { return payload_; }

private:
    std::string payload_;
};

/// The library's socket.
class Connection {
public:
    /// Connects to the socket the library listens at. Throws std::runtime_error.
    explicit Connection(const std::string& path);
    ~Connection();
    Connection(const Connection&) = delete;

    struct Request {
        Call call;
        std::string payload;
    };
    /// The next call, or nothing when none came within `milliseconds` (-1: however long). Sets `closed` when the library has left.
    std::optional<Request> receive(int milliseconds, bool* closed);
    void answer(const Answer& answer);

private:
    bool take(void* data, size_t bytes);
    int socket_;
};

}  // namespace xrt_device
