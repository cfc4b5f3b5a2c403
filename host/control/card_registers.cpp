// SPDX-License-Identifier: Apache-2.0
#include "card_registers.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "exit.hpp"
#include "files.hpp"
#include "output.hpp"
#include "pagepress_interface.h"

namespace pagepressctl {

namespace {

/// What of BAR0 can be read, up to the doorbells. No more is mapped: the driver has windows behind them mapped as
/// write-combining, and the kernel lets no two mappings of one page differ.
constexpr uint32_t READABLE_BYTES = PAGEPRESS_DOORBELL_BASE;

/// A line of the dump: address, offset and value, both hexadecimal.
std::map<uint32_t, uint32_t> dump_of(const std::string& path, const std::string& address) {
    std::map<uint32_t, uint32_t> dumped;
    for (const std::string& line : lines_of(path)) {
        auto words = words_of(line);
        unsigned offset, value;
        char more;
        if (words.size() != 3 || sscanf((words[1] + " " + words[2]).c_str(), "%x %x%c", &offset, &value, &more) != 2)
            throw Failure(MALFORMED, path + ": not a dump of registers: " + line);
        if (words[0] == address) dumped[offset] = value;
    }
    return dumped;
}

[[noreturn]] void fail(const std::string& path, const std::string& dump) {
    int error = errno;
    std::string hint = error == EACCES || error == EPERM ? ": be root"
                       : error == EINVAL ? ": the driver has them: mount -t debugfs none /sys/kernel/debug, for " + dump
                                         : "";
    throw Failure(error == ENOENT ? ABSENT : REFUSED, path + ": registers cannot be read: " + strerror(error) + hint);
}

void* map_readable(const std::string& path, const std::string& dump) {
    int file = open(path.c_str(), O_RDONLY | O_SYNC | O_CLOEXEC);
    if (file < 0) fail(path, dump);
    struct stat status;
    bool small = fstat(file, &status) == 0 && static_cast<uint64_t>(status.st_size) < READABLE_BYTES;
    void* words = small ? MAP_FAILED : mmap(nullptr, READABLE_BYTES, PROT_READ, MAP_SHARED, file, 0);
    int error = errno;
    close(file);
    errno = error;
    if (small) throw Failure(MALFORMED, path + ": smaller than a Pagepress card's registers");
    if (words == MAP_FAILED) fail(path, dump);
    return words;
}

}  // namespace

CardRegisters::CardRegisters(const Machine& machine, const std::string& address) : path_(machine.debugfs() + "/registers") {
    dumped_ = dump_of(path_, address);
    if (!dumped_.empty()) return;
    std::string bar = machine.card_path(address) + "/resource0";
    words_ = map_readable(bar, path_);
    path_ = bar;
}

CardRegisters::~CardRegisters() {
    if (words_) munmap(words_, READABLE_BYTES);
}

uint32_t CardRegisters::read(uint32_t offset) const {
    if (words_) return static_cast<volatile const uint32_t*>(words_)[offset / sizeof(uint32_t)];
    auto found = dumped_.find(offset);
    if (found == dumped_.end()) throw Failure(MALFORMED, path_ + format(": has no register %04x", offset));
    return found->second;
}

uint64_t CardRegisters::counter(uint32_t index) const {
    uint32_t offset = PAGEPRESS_COUNTER_BASE + index * sizeof(uint64_t), high = read(offset + 4), low = 0;
    for (int tries = 0; tries < 4; tries++) {
        low = read(offset);
        uint32_t again = read(offset + 4);
        if (again == high) break;
        high = again;
    }
    return static_cast<uint64_t>(high) << 32 | low;
}

}  // namespace pagepressctl
