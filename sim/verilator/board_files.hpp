// SPDX-License-Identifier: Apache-2.0
/// The board around the card's management part, filled from the files that the options name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "board.hpp"
#include "options.hpp"

namespace card {

class BoardFiles {
public:
    /// Throws std::runtime_error with a line when a file cannot be read.
    explicit BoardFiles(const Options& options);
    /// Writes the flash back.
    ~BoardFiles();

    /// None for a card that has no management part.
    Board* board() { return board_ ? &*board_ : nullptr; }
    /// The boot ROM's words.
    std::vector<uint32_t> boot_rom() const;

private:
    std::string folder_, flash_;
    std::optional<Board> board_;
};

}  // namespace card
