// SPDX-License-Identifier: Apache-2.0
/// Sizes as people write them in zram-generator's manner: `min(ram / 2, 8192)`.
#pragma once

#include <cstdint>
#include <string>

namespace pagepressctl {

/// Bytes that `text` means, a multiple of the page, above 0. A bare number and `ram` are MiB; a number with K, M, G or T is that
/// many KiB, MiB, GiB or TiB. + - * / ( ), min(a, b, …) and max(a, b, …). `what`: the option, for messages.
/// Failure USAGE names the place where `text` is no expression, and results that are no size.
uint64_t size_of(const std::string& text, const std::string& what, uint64_t ram_bytes);

}  // namespace pagepressctl
