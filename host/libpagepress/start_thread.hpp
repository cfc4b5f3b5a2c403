// SPDX-License-Identifier: Apache-2.0
/// Threads that may not be had.
#pragma once

#include <pagepress/pagepress.h>

#include <system_error>
#include <thread>
#include <utility>

#include "worker.hpp"

namespace pagepress {

/// std::thread, but for Failure where the system has none to give.
template <class... Work>
std::thread start_thread(Work&&... work) try {
    return std::thread(std::forward<Work>(work)...);
} catch (const std::system_error& error) {
    throw Failure(PAGEPRESS_ERROR_MEMORY, std::string("no thread can be had: ") + error.what());
}

}  // namespace pagepress
