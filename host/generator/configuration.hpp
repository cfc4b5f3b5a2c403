// SPDX-License-Identifier: Apache-2.0
/// pagepress.conf: which disks shall be swap, and how. pagepress.conf(5) tells it to people.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pagepressctl {

/// A section. Sizes are expressions still, "" for what pagepressctl's setup does by itself.
struct WantedDisk {
    std::string file;  // the last one that says something of it
    std::string size, mem_limit, pool_budget, writeback_device;
    std::string options;  // of swapon, "" for none
    unsigned priority = 100;
};

struct Configuration {
    std::map<unsigned, WantedDisk> disks;  // by number
    std::vector<std::string> problems;     // a line each; a disk or a file with one is left out
};

/// Reads pagepress.conf from the first of its folders below `root` that has something of this name, then what is in pagepress.conf.d of any: of files with
/// one name that of the first folder, in the order of their names.
Configuration read_configuration(const std::string& root);

}  // namespace pagepressctl
