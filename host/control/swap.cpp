// SPDX-License-Identifier: Apache-2.0
#include "swap.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/swap.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "exit.hpp"
#include "machine.hpp"

namespace pagepressctl {

namespace {

/// The kernel's include/linux/swap.h, behind 1024 bytes for a boot loader. In the byte order of the machine.
struct Header {
    char boot[1024];
    uint32_t version, last_page, bad_pages;
    unsigned char uuid[16];
    char label[16];
};
static_assert(offsetof(Header, uuid) == 1036, "the kernel's layout");

constexpr char SIGNATURE[] = "SWAPSPACE2";
constexpr size_t SIGNATURE_BYTES = sizeof SIGNATURE - 1;

[[noreturn]] void fail(const std::string& node, const char* what) {
    int error = errno;
    const char* hint = error == EPERM || error == EACCES ? ": be root" : error == EBUSY ? ": it is in use" : "";
    throw Failure(error == ENOENT ? ABSENT : REFUSED, node + ": " + what + ": " + strerror(error) + hint);
}

std::vector<char> header_of(uint64_t bytes) {
    std::vector<char> page(page_bytes());
    Header header = {};
    header.version = 1;
    header.last_page = static_cast<uint32_t>(std::min<uint64_t>(bytes / page_bytes() - 1, UINT32_MAX));
    if (getrandom(header.uuid, sizeof header.uuid, 0) == sizeof header.uuid) {  // version 4
        header.uuid[6] = (header.uuid[6] & 0x0f) | 0x40;
        header.uuid[8] = (header.uuid[8] & 0x3f) | 0x80;
    }
    memcpy(page.data(), &header, sizeof header);
    memcpy(page.data() + page.size() - SIGNATURE_BYTES, SIGNATURE, SIGNATURE_BYTES);
    return page;
}

}  // namespace

void make_swap(const std::string& node) {
    int device = open(node.c_str(), O_RDWR | O_EXCL | O_CLOEXEC);
    if (device < 0) fail(node, "cannot be opened for swap");
    uint64_t bytes = 0;
    bool good = ioctl(device, BLKGETSIZE64, &bytes) == 0;
    if (good && bytes < 10 * page_bytes()) errno = ENOSPC, good = false;  // the kernel takes no smaller one
    if (good) {
        auto page = header_of(bytes);
        good = pwrite(device, page.data(), page.size(), 0) == static_cast<ssize_t>(page.size()) && fsync(device) == 0;
    }
    int error = errno;
    close(device);
    errno = error;
    if (!good) fail(node, "no swap area can be made");
}

void swap_on(const std::string& node, unsigned priority) {
    int flags = SWAP_FLAG_PREFER | static_cast<int>(priority << SWAP_FLAG_PRIO_SHIFT & SWAP_FLAG_PRIO_MASK);
    if (swapon(node.c_str(), flags)) fail(node, "swapon");
}

void swap_off(const std::string& node) {
    if (!swapoff(node.c_str())) return;
    if (errno == ENOMEM)
        throw Failure(REFUSED, node + ": swapoff: memory does not hold its pages: end programs, or add other swap first");
    fail(node, "swapoff");
}

}  // namespace pagepressctl
