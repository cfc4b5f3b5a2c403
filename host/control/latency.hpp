// SPDX-License-Identifier: Apache-2.0
/// The driver's histograms of how long pages take (debugfs, for root alone).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "machine.hpp"

namespace pagepressctl {

/// Pages by the power of two of nanoseconds they took: buckets[n] counts those of 2^n up to below 2^(n+1).
struct Histogram {
    std::vector<uint64_t> buckets;

    uint64_t pages() const;
    /// Nanoseconds that `share` (0 to 1) of the pages did not exceed, drawn evenly within a bucket, so right within a factor
    /// of two; 0 without pages.
    double percentile(double share) const;
    /// What has come since `earlier`.
    Histogram since(const Histogram& earlier) const;
};

/// By way, in the file's order: card_write, card_read, cpu_write, cpu_read, redone.
using Latencies = std::vector<std::pair<std::string, Histogram>>;

/// Since the module was loaded; nothing where the file cannot be read. Failure MALFORMED for a file of another form.
std::optional<Latencies> read_latencies(const Machine& machine);

}  // namespace pagepressctl
