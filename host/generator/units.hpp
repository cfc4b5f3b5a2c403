// SPDX-License-Identifier: Apache-2.0
/// systemd's units of a disk that shall be swap.
#pragma once

#include <map>
#include <string>

#include "../control/machine.hpp"
#include "configuration.hpp"

namespace pagepressctl {

/// Name → text of the unit that sets disk `number` up and of the one that turns its swap on. `before`: number of the disk that is set up
/// before this one, for the driver makes them in their order, or -1. Failure USAGE for a size that is none.
std::map<std::string, std::string> units_of(const Machine& machine, unsigned number, const WantedDisk& disk, int before);

/// What to call the unit of a path's device: systemd.unit(5), "escaping".
std::string escaped_path(const std::string& path);

}  // namespace pagepressctl
