// SPDX-License-Identifier: Apache-2.0
/// What of this machine commands look at: the kernel's file systems, disks, swap and cards.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pagepressctl {

/// A line of /proc/swaps. Used pages count in bytes too.
struct Swap {
    std::string path;
    uint64_t bytes = 0, used_bytes = 0;
    int priority = 0;
};

/// A line of /proc/self/mountinfo.
struct Mount {
    std::string number;  // of the device, "252:0"; of some file systems their own, "0:40"
    std::string folder;  // without control characters
    std::string source;  // of a file system that has no device's number, "" of others: anybody who may mount FUSE chooses its text
};

struct Machine {
    std::string sysfs = "/sys", proc = "/proc", dev = "/dev";

    /// With what PAGEPRESS_SYSFS, PAGEPRESS_PROC and PAGEPRESS_DEV name.
    static Machine from_environment();

    /// Not while it is being loaded: its files are not all there yet. modprobe waits for that.
    bool module_loaded() const;
    /// Failure ABSENT without it.
    void need_module() const;
    /// A parameter of the module, "" without it.
    std::string parameter(const std::string& name) const;
    std::string parameter_path(const std::string& name) const;
    /// Names of our disks in the order of their numbers.
    std::vector<std::string> disks() const;
    /// PCI addresses of all our cards on the bus, bound to the driver or not.
    std::vector<std::string> cards() const;
    std::string card_path(const std::string& address) const;
    std::vector<Swap> swaps() const;
    std::vector<Mount> mounts() const;
    /// MemTotal, bytes. Failure where /proc/meminfo does not say.
    uint64_t memory_bytes() const;
    /// Folders of debugfs and tracefs that the module's files are in.
    std::string debugfs() const;
    std::string tracefs() const;
    std::string control_path(const char* file) const;
    /// Where a path that begins with /dev/ leads.
    std::string node_of(const std::string& path) const;
};

/// Of the kernel, bytes.
uint64_t page_bytes();

}  // namespace pagepressctl
