// SPDX-License-Identifier: Apache-2.0
/// Swap areas: what mkswap, swapon and swapoff do, without those programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace pagepressctl {

/// How a partition was used as swap before a disk took it, kept in the header of the disk's own swap area.
struct Kept {
    std::string header;   // the partition's, as header_of_swap gives it
    bool was_on = false;  // and then with this priority
    int priority = 0;
};

/// The header of the swap area that `node` holds, with its UUID and label; "" without one. Failure REFUSED where it cannot be read.
std::string header_of_swap(const std::string& node);
/// The header of a new area that fills `node`.
std::string new_header(const std::string& node);
/// Of a header. "" for no label.
std::string uuid_of(const std::string& header);
std::string label_of(const std::string& header);
/// The line of shell that writes it.
std::string mkswap_line(const std::string& header, const std::string& node);
uint64_t bytes_of(const std::string& header);
bool has_bad_pages(const std::string& header);

/// Writes the header of a swap area over the first page of a block device that nobody uses. Failure REFUSED with the
/// kernel's reason.
void make_swap(const std::string& node);
/// The same, with what is kept of a partition.
void make_swap(const std::string& node, const Kept& kept);
/// The same, of this header.
void make_swap(const std::string& node, const std::string& header);
/// What make_swap was given to keep, if anything.
std::optional<Kept> kept_by(const std::string& node);

constexpr int BY_ITSELF = -1;  // any priority below 0: the kernel chooses one, below all others
/// priority: up to 32767, the highest is filled first.
void swap_on(const std::string& node, int priority);
/// Returns when all pages are back in memory. Failure REFUSED where memory does not hold them, or after an interrupt that
/// heed_interrupts() caught: the area is on then as it was.
void swap_off(const std::string& node);

}  // namespace pagepressctl
