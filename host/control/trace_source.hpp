// SPDX-License-Identifier: Apache-2.0
/// Where lines of the kernel's trace come from.
#pragma once

#include <functional>
#include <string>

#include "machine.hpp"

namespace pagepressctl {

/// Takes one line; false: enough.
using LineTaker = std::function<bool(const std::string&)>;

/// Of a file, `-` for standard input, to its end or until an interrupt. Failure ABSENT where it cannot be read.
void trace_from_file(const std::string& path, const LineTaker& take);
/// Of the running kernel, for so many seconds, until an interrupt, or until `take` has enough; in a trace buffer of this
/// process's own, which is gone afterwards. Failure where tracefs, the module or the permission is missing.
void trace_from_kernel(const Machine& machine, double seconds, const LineTaker& take);

}  // namespace pagepressctl
