// SPDX-License-Identifier: Apache-2.0
/// Pages by liblzo2, with the statuses that the hardware gives.
#pragma once

#include <vector>

#include "worker.hpp"

namespace pagepress {

/// The status of a command that the card would refuse, else SUCCESS.
uint32_t check_command(const pagepress_page& page, uint32_t page_bytes);

/// The page repeats its first 8 bytes.
bool same_filled(const uint8_t* page, uint32_t bytes);

class Software : public Worker {
public:
    explicit Software(uint32_t page_bytes);
    /// One page, at once.
    void page(pagepress_page& page);

    void fill(const pagepress_page*, size_t) override {}
    void run() override {}
    void collect(pagepress_page* pages, size_t count) override;
    Figures figures() const override { return {}; }
    uint64_t progress() const override { return 0; }

private:
    uint32_t compress(pagepress_page& page);
    uint32_t decompress(pagepress_page& page);

    uint32_t page_bytes_;
    std::vector<uint8_t> output_, memory_;
};

}  // namespace pagepress
