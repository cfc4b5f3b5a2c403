// SPDX-License-Identifier: Apache-2.0
/// What pagepress-xrt does with files.
#pragma once

#include <pagepress/pagepress.hpp>

#include <string>
#include <vector>

#include "screen.hpp"

namespace pagepress_xrt {

struct Wishes {
    std::vector<std::string> files;
    std::string folder;  // for output; empty: beside the input
    bool force = false;  // overwrite files
    unsigned rounds = 3;  // of a benchmark
};

/// What came of the pages of one command.
struct Tally {
    size_t files = 0, pages = 0, stored_pages = 0, wrong_pages = 0;
    size_t stream_pages = 0;  // that a benchmark decompresses
    uint64_t bytes_in = 0, bytes_out = 0;
    uint64_t compress_cycles = 0, decompress_cycles = 0;  // of the device, for validate and benchmark
    double compress_seconds = 0, decompress_seconds = 0;  // of the host's clock, for benchmark
};

/// A file cannot be read, written or taken for what it should be; the message begins with its name.
class FileError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Work {
public:
    Work(pagepress::Device& device, Screen& screen);

    /// FILE to FILE.lzo, and back. Throw FileError and pagepress::Error.
    Tally compress(const Wishes& wishes);
    Tally decompress(const Wishes& wishes);
    /// The files' whole pages there and back. Every stream of the device is decompressed by liblzo2 too, and the device
    /// decompresses streams of liblzo2; `wrong_pages` is what differs or is not done.
    Tally validate(const Wishes& wishes);
    /// The files' whole pages there and, those that have a stream, back, so many times; nothing else is done meanwhile.
    /// `wrong_pages` of the last round.
    Tally benchmark(const Wishes& wishes);

private:
    void run(const char* what, std::vector<pagepress_page>& pages);
    uint64_t cycles() const { return device_.information().cycles; }
    std::string whole_pages(const Wishes& wishes, Tally& tally) const;
    /// Adds what it takes to `spent` and `seconds`.
    void run_timed(const char* what, std::vector<pagepress_page>& pages, uint64_t& spent, double& seconds);

    pagepress::Device& device_;
    Screen& screen_;
    uint32_t page_bytes_;
};

}  // namespace pagepress_xrt
