// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "exit.hpp"
#include "files.hpp"
#include "output.hpp"
#include "uapi/page_image.h"

namespace pagepressctl {

namespace {

using namespace std::string_literals;

struct Magic {
    const char* name;
    std::string bytes;
    std::vector<off_t> places;  // below 0: from the end, and down to a multiple of `unit`
    off_t unit = 1;
};

const Magic MAGICS[] = {
    {"a LUKS volume", "LUKS\xba\xbe"s, {0}},
    {"an XFS file system", "XFSB", {0}},
    {"a squashfs file system", "hsqs", {0}},
    {"an exFAT file system", "EXFAT   ", {3}},
    {"an NTFS file system", "NTFS    ", {3}},
    {"a FAT file system", "FAT1", {54}},
    {"a FAT file system", "FAT32", {82}},
    {"a partition table or a boot sector", "\x55\xaa"s, {510}},
    {"a GPT partition table", "EFI PART", {512}},
    {"an LVM volume", "LABELONE", {0, 512, 1024, 1536}},
    {"an F2FS file system", "\x10\x20\xf5\xf2"s, {1024}},
    {"an EROFS file system", "\xe2\xe1\xf5\xe0"s, {1024}},
    {"an HFS+ file system", "H+\0\4"s, {1024}},
    {"a NILFS2 file system", "\x34\x34"s, {1030}},
    {"an ext2, ext3 or ext4 file system", "\x53\xef"s, {1080}},
    {"a RAID member", "\xfc\x4e\x2b\xa9"s, {0, 4096, -4096 * 2}, 4096},
    {"a RAID member", "\xfc\x4e\x2b\xa9"s, {-65536}, 65536},
    {"a bcache device", "\xc6\x85\x73\xf6\x4e\x1a\x45\xca"s, {4096 + 24}},
    {"a JFS file system", "JFS1", {32768}},
    {"an ISO 9660 file system", "CD001", {32769}},
    {"a UDF file system", "BEA01", {32769}},
    {"a reiserfs file system", "ReIsEr", {65588}},
    {"a btrfs file system", "_BHRfS_M", {65600}},
    {"a ZFS volume", "\x0c\xb1\xba\x00"s, {131072}},
    {"a page image of pagepressctl", PAGEPRESS_IMAGE_MAGIC, {0}},
};

bool lies_at(int file, const std::string& bytes, off_t at) {
    std::string there(bytes.size(), '\0');
    return at >= 0 && pread(file, there.data(), there.size(), at) == static_cast<ssize_t>(there.size()) && there == bytes;
}

dev_t number_of(const std::string& path) {
    struct stat status;
    return stat(path.c_str(), &status) == 0 && S_ISBLK(status.st_mode) ? status.st_rdev : 0;
}

Failure busy(const std::string& node, const std::string& by) { return Failure(REFUSED, node + " is in use: " + by); }

}  // namespace

std::string block_device(const std::string& path) {
    char resolved[PATH_MAX];
    if (!realpath(path.c_str(), resolved)) throw Failure(ABSENT, path + ": " + strerror(errno));
    if (!number_of(resolved)) throw Failure(REFUSED, path + ": not a block device");
    return resolved;
}

bool same_device(const std::string& one, const std::string& other) {
    dev_t number = number_of(one);
    return number && number == number_of(other);
}

std::optional<Swap> swap_on_device(const Machine& machine, const std::string& node) {
    for (const Swap& swap : machine.swaps())
        if (same_device(swap.path, node)) return swap;
    return {};
}

void check_free(const Machine& machine, const std::string& node) {
    for (const std::string& line : lines_of(machine.proc + "/self/mounts")) {
        auto words = words_of(line);
        if (words.size() >= 2 && same_device(words[0], node)) throw busy(node, "mounted on " + words[1]);
    }
    dev_t number = number_of(node);
    auto holders = names_in(machine.sysfs + format("/dev/block/%u:%u/holders", major(number), minor(number)));
    if (!holders.empty()) throw busy(node, "held by " + holders.front());
    if (swap_on_device(machine, node)) return;  // which holds it alone
    int file = open(node.c_str(), O_RDWR | O_EXCL | O_CLOEXEC);
    if (file < 0 && errno == EBUSY) throw busy(node, "the kernel or a program holds it for itself");
    if (file < 0)
        throw Failure(REFUSED, node + ": cannot be opened: " + strerror(errno) +
                                   (errno == EPERM || errno == EACCES ? ": be root, or it is read-only" : ""));
    close(file);
}

std::string content_of(const std::string& node, bool swap) {
    int file = open(node.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) throw Failure(REFUSED, node + ": cannot be read: " + strerror(errno));
    off_t end = lseek(file, 0, SEEK_END);
    std::string found;
    for (const Magic& magic : MAGICS)
        for (off_t place : magic.places) {
            if (swap && (place < 0 || place >= static_cast<off_t>(page_bytes()))) continue;
            if (found.empty() && lies_at(file, magic.bytes, place < 0 ? (end + place) / magic.unit * magic.unit : place)) found = magic.name;
        }
    close(file);
    return found;
}

}  // namespace pagepressctl
