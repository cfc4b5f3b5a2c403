// SPDX-License-Identifier: Apache-2.0
/// The UNIX socket clients come to; its file exists as long as this object.
#pragma once

#include <string>

#include "file_descriptor.hpp"

namespace card {

class Listener {
public:
    /// Throws std::runtime_error with one clear line when the path cannot be had.
    explicit Listener(std::string path);
    ~Listener();
    Listener(const Listener&) = delete;

    int number() const { return socket_.number(); }
    /// The next client, or an empty descriptor when none is there.
    FileDescriptor accept();

private:
    std::string path_;
    FileDescriptor socket_;
};

}  // namespace card
