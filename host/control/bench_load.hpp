// SPDX-License-Identifier: Apache-2.0
/// What bench does with a disk: writes made-up pages, reads them, and compares.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pagepressctl {

/// Of one pass over the disk. Seconds of real time, and of this process's own CPU time (the kernel's work in its calls included).
struct Pass {
    double write_seconds = 0, read_seconds = 0, cpu_seconds = 0;
    uint64_t pages = 0, wrong_pages = 0;
    double single_half_ns = 0, single_99_ns = 0;  // reads of one page, one after the other
};

/// A disk opened for this process alone, past the page cache. Failure REFUSED where somebody has it.
class Load {
public:
    /// seed: of the pages' content, words of text, about a fifth of them noise.
    Load(const std::string& node, uint64_t bytes, uint64_t seed);
    ~Load();
    Load(const Load&) = delete;
    Load& operator=(const Load&) = delete;

    /// Failure REFUSED where the disk fails, or on an interrupt.
    Pass run();

private:
    void fill(char* page, uint64_t index) const;
    uint64_t compare(const char* pages, uint64_t first, uint64_t count);
    double write_all();
    double read_all(Pass& pass);
    void read_singly(Pass& pass);

    const std::string node_;
    const uint64_t pages_, seed_;
    std::vector<std::string> words_;
    int device_;
    char *buffer_, *expected_;
};

}  // namespace pagepressctl
