// SPDX-License-Identifier: Apache-2.0
/// What lies on a block device that somebody may miss: marks of file systems, volumes and partition tables.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace pagepressctl {

/// The bytes by which a content is known, and where they lie.
struct Mark {
    const char* content;
    off_t place;
    std::string bytes;
};

/// All that are known of what lies there. Of a swap area (`swap`), only the page that mkswap writes is looked at: the others may hold
/// anything. Failure REFUSED where it cannot be read.
std::vector<Mark> marks_on(const std::string& node, bool swap);
/// What a file system, an encrypted or logical volume, a RAID or a partition table is called that lies there; "" for none that is known.
std::string content_of(const std::string& node, bool swap);
/// Puts zeros in the place of the marks, so that nobody knows the content any more, or puts them back. Failure REFUSED.
void wipe(const std::string& node, const std::vector<Mark>& marks);
void put_back(const std::string& node, const std::vector<Mark>& marks);

}  // namespace pagepressctl
