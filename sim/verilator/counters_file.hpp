// SPDX-License-Identifier: Apache-2.0
/// The counters as a JSON file that a reader never sees half written.
#pragma once

#include <string>

#include "card_function.hpp"

namespace card {

class CountersFile {
public:
    /// An empty path writes nothing.
    explicit CountersFile(std::string path) : path_(std::move(path)) {}

    /// Write now. Reading the counters takes some clock cycles of the card.
    void write(CardFunction& function);

    /// Write when something was done since the last time and a second has gone by.
    void write_when_due(CardFunction& function, bool worked);

    /// Milliseconds until write_when_due wants to be called again; -1: not at all.
    int due_in_ms() const;

private:
    std::string path_;
    bool changed_ = false;
    int64_t written_ms_ = 0;
};

}  // namespace card
