// SPDX-License-Identifier: Apache-2.0
/// The line that pagepress_message() gives, one a thread.
#pragma once

#include <string>

namespace pagepress {

void note(const std::string& message);

}  // namespace pagepress
