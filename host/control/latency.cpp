// SPDX-License-Identifier: Apache-2.0
#include "latency.hpp"

#include <cmath>
#include <sstream>

#include "exit.hpp"
#include "files.hpp"

namespace pagepressctl {

namespace {

constexpr size_t MOST_BUCKETS = 64;

/// n of 2^n, or MOST_BUCKETS.
size_t bucket_of(uint64_t bound) {
    for (size_t n = 0; n < MOST_BUCKETS; n++)
        if (bound == uint64_t{1} << n) return n;
    return MOST_BUCKETS;
}

}  // namespace

uint64_t Histogram::pages() const {
    uint64_t sum = 0;
    for (uint64_t bucket : buckets) sum += bucket;
    return sum;
}

double Histogram::percentile(double share) const {
    double wanted = static_cast<double>(pages()) * share, before = 0;
    for (size_t n = 0; n < buckets.size(); n++) {
        auto here = static_cast<double>(buckets[n]);
        if (here > 0 && before + here >= wanted) return std::ldexp(1 + (wanted - before) / here, static_cast<int>(n));
        before += here;
    }
    return 0;
}

Histogram Histogram::since(const Histogram& earlier) const {
    Histogram grown = *this;
    for (size_t n = 0; n < grown.buckets.size() && n < earlier.buckets.size(); n++)
        grown.buckets[n] -= std::min(grown.buckets[n], earlier.buckets[n]);  // the module may have been loaded anew
    return grown;
}

std::optional<Latencies> read_latencies(const Machine& machine) {
    std::string path = machine.debugfs() + "/latency";
    auto text = try_read(path);
    if (!text) return {};
    std::istringstream lines(*text);
    std::string line;
    std::getline(lines, line);
    auto names = words_of(line);
    auto malformed = [&] { return Failure(MALFORMED, path + ": not the histograms that this program knows"); };
    if (names.size() < 2 || names[0] != "nanoseconds") throw malformed();
    Latencies latencies;
    for (size_t way = 1; way < names.size(); way++) latencies.push_back({names[way], {std::vector<uint64_t>(MOST_BUCKETS)}});
    while (std::getline(lines, line)) {
        auto words = words_of(line);
        size_t bucket = words.empty() ? MOST_BUCKETS : bucket_of(parse_number(words[0]).value_or(0));
        if (words.size() != names.size() || bucket == MOST_BUCKETS) throw malformed();
        for (size_t way = 0; way < latencies.size(); way++) {
            auto pages = parse_number(words[way + 1]);
            if (!pages) throw malformed();
            latencies[way].second.buckets[bucket] = *pages;
        }
    }
    return latencies;
}

}  // namespace pagepressctl
