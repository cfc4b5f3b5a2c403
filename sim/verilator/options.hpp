// SPDX-License-Identifier: Apache-2.0
/// The command line.
#pragma once

#include <string>

namespace card {

struct Options {
    std::string socket, engine, level, log, counters, control, trace, firmware, flash;
    bool instant = false;      // the model has answered before a register access ends
    bool cold_format = false;  // of the model; the hardware has it or not
    unsigned page_shift = 12;  // of the model; the hardware's is fixed when it is generated
};

/// Parses the command line; prints help or one line of complaint and exits when there is nothing to run.
Options parse_options(int count, char** words);

}  // namespace card
