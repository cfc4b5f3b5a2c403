// SPDX-License-Identifier: Apache-2.0
/// How pagepressctl ends.
#pragma once

#include <stdexcept>
#include <string>

namespace pagepressctl {

/// As --help and the manual page list them.
enum ExitCode {
    FINE = 0,
    ABSENT = 1,     // no such disk or card, or a file of it is missing or cannot be read
    USAGE = 2,      // wrong words on the command line
    MALFORMED = 3,  // a file holds something unexpected
    OUTPUT = 4,     // the output cannot be written
    REFUSED = 5,    // in use, not permitted, or the kernel refuses
    WARNED = 6,     // doctor: something to look at
    WRONG = 7,      // doctor: the card is not used though it could be, or pages fail; bench: a page came back wrong;
                    // selftest: a part fails; lanes: an engine stays out; firmware: the new image did not stay
};

/// Ends the command with one line, `pagepressctl: message`, on standard error.
class Failure : public std::runtime_error {
public:
    Failure(ExitCode code, const std::string& message) : std::runtime_error(message), code(code) {}
    const ExitCode code;
};

}  // namespace pagepressctl
