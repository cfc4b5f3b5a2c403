// SPDX-License-Identifier: Apache-2.0
/// What a status means for a page.
#pragma once

#include <pagepress_interface.h>

#include <cstdint>

namespace pagepress {

/// The card did not do the page, though its command is a good one; so is a status that nobody knows.
inline bool failed(uint32_t status) {
#define FAILED(name, number, kind) case number: return #kind[0] == 'F';
    switch (status) { PAGEPRESS_STATUSES(FAILED) }
#undef FAILED
    return true;
}

}  // namespace pagepress
