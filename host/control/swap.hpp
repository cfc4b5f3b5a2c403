// SPDX-License-Identifier: Apache-2.0
/// Swap areas: what mkswap, swapon and swapoff do, without those programs.
#pragma once

#include <string>

namespace pagepressctl {

/// Writes the header of a swap area over the first page of a block device that nobody uses. Failure REFUSED with the
/// kernel's reason.
void make_swap(const std::string& node);
/// priority: 0 to 32767, the highest is filled first.
void swap_on(const std::string& node, unsigned priority);
/// Returns when all pages are back in memory. Failure REFUSED where memory does not hold them.
void swap_off(const std::string& node);

}  // namespace pagepressctl
