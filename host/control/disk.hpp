// SPDX-License-Identifier: Apache-2.0
/// One Pagepress disk: its files in sysfs, and who uses it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "attributes.hpp"
#include "machine.hpp"

namespace pagepressctl {

/// Of pagepressN.
std::optional<unsigned> disk_number(const std::string& name);

/// What all files of ATTRIBUTE_GROUPS held at one time, or how much numbers have grown between two.
class Figures {
public:
    uint64_t number(std::string_view file) const;
    const std::string& word(std::string_view file) const;
    /// Bytes of stored pages for each byte of memory they take; 0 with none.
    double ratio() const;
    /// Numbers of another disk on top; of all cards together they stay as they are, being the same there.
    void add(const Figures& other);

private:
    friend class Disk;
    std::map<std::string, uint64_t, std::less<>> numbers_;
    std::map<std::string, std::string, std::less<>> words_;
};

struct Use {
    enum Kind { NOBODY, SWAP, MOUNTED, HELD } kind = NOBODY;
    Swap swap;          // where kind is SWAP
    std::string where;  // where it is mounted, or which device holds it

    /// "swap, priority 100", "mounted on /t", "held by dm-0", "-".
    std::string said() const;
};

class Disk {
public:
    /// `name`: pagepress0 or /dev/pagepress0. Failure ABSENT where there is none.
    Disk(const Machine& machine, const std::string& name);
    /// pagepress0, of either. Failure ABSENT for what can be no name.
    static std::string name_of(std::string name);

    const std::string name;
    std::string path(const std::string& file) const { return folder_ + "/" + file; }
    std::string node() const { return machine_.dev + "/" + name; }
    unsigned number() const;

    /// Every file. Failure where one is missing or holds something unexpected.
    Figures figures() const;
    uint64_t size() const { return read("disksize"); }
    uint64_t stored_pages() const { return read("pagepress/PagesStored"); }
    /// What is lost when it is reset: "5 pages", "an origin, /dev/vde", "" for nothing.
    std::string content() const;
    /// Its backing device's path, "" for none.
    std::string backing() const;
    /// As far as /proc and sysfs tell: a program that has it open is not seen.
    Use use() const;

private:
    uint64_t read(const char* file) const;
    const Machine& machine_;
    std::string folder_;
};

/// Of all disks, in the order of their numbers. What `look` says of one that is removed meanwhile counts for nothing.
void for_each_disk(const Machine& machine, const std::function<void(const Disk&)>& look);

}  // namespace pagepressctl
