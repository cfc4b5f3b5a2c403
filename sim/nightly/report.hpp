// SPDX-License-Identifier: Apache-2.0
// What a program of the nightly run says: counts as one line of JSON, or the first failure with the files to look at.
#pragma once

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "random.hpp"

class Counts {
public:
    void add(const std::string& what, uint64_t amount = 1) { counts[what] += amount; }
    void most(const std::string& what, uint64_t value) { counts[what] = std::max(counts[what], value); }

    void print() const {
        const char* separator = "{";
        for (const auto& [what, amount] : counts) std::cout << std::exchange(separator, ", ") << '"' << what << "\": " << amount;
        std::cout << "}\n";
    }

private:
    std::map<std::string, uint64_t> counts;
};

inline Bytes read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Something was wrong with `page` or `stream`: keeps both under `name` and throws.
[[noreturn]] inline void fail(const std::string& name, const Bytes& page, const Bytes& stream, const std::string& what) {
    const auto write = [](const std::string& path, const Bytes& bytes) {
        std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    };
    write(name + ".page", page);
    write(name + ".stream", stream);
    throw std::runtime_error(what + "; kept in " + name + ".page and .stream");
}
