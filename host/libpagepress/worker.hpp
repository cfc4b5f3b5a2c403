// SPDX-License-Identifier: Apache-2.0
/// Who does pages: a kernel of a card, or software.
#pragma once

#include <pagepress/pagepress.h>

#include <stdexcept>
#include <string>

namespace pagepress {

/// Ends a function of the C interface with this code and message.
class Failure : public std::runtime_error {
public:
    Failure(pagepress_error code, const std::string& message) : std::runtime_error(message), code(code) {}
    const pagepress_error code;
};

/// A run is fill, run, collect, in one thread at a time.
class Worker {
public:
    virtual ~Worker() = default;
    /// Takes the commands of the next run, sources included. Waits for nothing but the caller's memory, which may have to be read from a disk.
    virtual void fill(const pagepress_page* pages, size_t count) = 0;
    /// Carries them out. May take forever where a card is lost, and touches nothing of the caller's. Throws std::exception.
    virtual void run() = 0;
    /// Hands out the answers: results and destinations. Waits as fill does.
    virtual void collect(pagepress_page* pages, size_t count) = 0;

    /// What happened so far, for pagepress_information.
    struct Figures {
        uint64_t cycles = 0, mismatches = 0;
    };
    virtual Figures figures() const = 0;

    /// Another number whenever the run under way has come further. Any thread may ask.
    virtual uint64_t progress() const = 0;
};

}  // namespace pagepress
