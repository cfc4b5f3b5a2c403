// SPDX-License-Identifier: Apache-2.0
/// A card's registers as they are now: from the driver's dump in debugfs, or through BAR0 of a card that has no driver.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "machine.hpp"

namespace pagepressctl {

class CardRegisters {
public:
    /// Failure where neither can be read.
    CardRegisters(const Machine& machine, const std::string& address);
    ~CardRegisters();
    CardRegisters(const CardRegisters&) = delete;
    CardRegisters& operator=(const CardRegisters&) = delete;

    /// The file that they come from.
    const std::string& path() const { return path_; }
    /// By the offset in BAR0. Failure MALFORMED where the dump lacks it.
    uint32_t read(uint32_t offset) const;
    /// Two words that may change between the reads.
    uint64_t counter(uint32_t index) const;

private:
    std::string path_;
    std::map<uint32_t, uint32_t> dumped_;  // offset to value; empty where BAR0 is mapped
    void* words_ = nullptr;
};

}  // namespace pagepressctl
