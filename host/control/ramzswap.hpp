// SPDX-License-Identifier: Apache-2.0
/// The table of the first compressed swap devices, in its units.
#pragma once

#include <string>

#include "disk.hpp"

namespace pagepressctl {

/// kB, pages and percent, rounded down. Same-filled pages do not count as stored, so that on a disk of which nothing was freed
/// NumWrites = PagesStored + ZeroPages.
std::string ramzswap_table(const Figures& figures);

}  // namespace pagepressctl
