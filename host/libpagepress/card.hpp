// SPDX-License-Identifier: Apache-2.0
/// Kernels of a card that XRT drives.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "worker.hpp"

namespace pagepress {

/// A card with its kernels, each a worker. What is common to them.
struct Card {
    std::string name;
    uint32_t page_bytes = 0, clock_kilohertz = 0;
    std::vector<std::unique_ptr<Worker>> kernels;
};

/// Opens the card and up to `kernels` (0: all) of its kernels; loads `xclbin`. Throws Failure. May take forever.
std::shared_ptr<Card> open_card(const std::string& xclbin, const std::string& device, uint32_t kernels, bool trust_answers);

/// Commands of one run.
constexpr size_t RUN_PAGES = 256;

}  // namespace pagepress
