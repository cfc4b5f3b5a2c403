// SPDX-License-Identifier: Apache-2.0
/// Block devices that are no disks of ours: who uses them.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "machine.hpp"

namespace pagepressctl {

/// The device that `path` names, links followed. Failure ABSENT, or REFUSED where it is no block device.
std::string block_device(const std::string& path);
/// Whether both name one block device.
bool same_device(const std::string& one, const std::string& other);
/// Its swap area, if it is one that is on.
std::optional<Swap> swap_on_device(const Machine& machine, const std::string& node);
/// Nothing where nobody uses it, else Failure REFUSED: mounted, held by another device, read-only, or opened exclusively.
void check_free(const Machine& machine, const std::string& node);

}  // namespace pagepressctl
