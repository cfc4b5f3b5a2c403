// SPDX-License-Identifier: Apache-2.0
/// What people and programs see of this program, whatever XRT prints or does.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

namespace pagepress_xrt {

/// Exit codes, as --help lists them.
enum ExitCode { FINE = 0, FAILED = 1, USAGE = 2, NO_DEVICE = 3, LOST = 4 };

class Screen {
public:
    /// From now on XRT's own words on standard output go to standard error, or nowhere when `quiet`. The one Screen of a process.
    explicit Screen(bool quiet);

    /// Standard output.
    FILE* output() { return output_; }
    /// A line on a terminal that grows with the work; nothing elsewhere.
    void progress(const char* what, size_t done, size_t total);
    void end_progress();

    /// One line, `pagepress-xrt: message`, on standard error.
    static void complain(const std::string& message);
    /// The end. With a lost card XRT's own end may never come, so it is skipped.
    [[noreturn]] void leave(ExitCode code, bool lost);

private:
    FILE *output_, *words_;
    bool shown_ = false;
};

}  // namespace pagepress_xrt
