// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "exit.hpp"
#include "files.hpp"
#include "output.hpp"
#include "uapi/page_image.h"

namespace pagepressctl {

namespace {

using namespace std::string_literals;

struct Magic {
    const char* name;
    off_t at;  // below 0: from the end
    std::string bytes;
};

const Magic MAGICS[] = {
    {"a LUKS volume", 0, "LUKS\xba\xbe"s},
    {"an XFS file system", 0, "XFSB"},
    {"a squashfs file system", 0, "hsqs"},
    {"an exFAT file system", 3, "EXFAT   "},
    {"an NTFS file system", 3, "NTFS    "},
    {"a FAT file system", 54, "FAT1"},
    {"a FAT file system", 82, "FAT32"},
    {"a partition table or a boot sector", 510, "\x55\xaa"s},
    {"a GPT partition table", 512, "EFI PART"},
    {"an LVM volume", 0, "LABELONE"},
    {"an LVM volume", 512, "LABELONE"},
    {"an LVM volume", 1024, "LABELONE"},
    {"an LVM volume", 1536, "LABELONE"},
    {"an F2FS file system", 1024, "\x10\x20\xf5\xf2"s},
    {"an EROFS file system", 1024, "\xe2\xe1\xf5\xe0"s},
    {"an HFS+ file system", 1024, "H+\0\4"s},
    {"a NILFS2 file system", 1030, "\x34\x34"s},
    {"an ext2, ext3 or ext4 file system", 1080, "\x53\xef"s},
    {"a RAID member", 0, "\xfc\x4e\x2b\xa9"s},
    {"a RAID member", 4096, "\xfc\x4e\x2b\xa9"s},
    {"a RAID member", -4096 * 2, "\xfc\x4e\x2b\xa9"s},
    {"a RAID member", -65536, "\xfc\x4e\x2b\xa9"s},
    {"a bcache device", 4096 + 24, "\xc6\x85\x73\xf6\x4e\x1a\x45\xca"s},
    {"a JFS file system", 32768, "JFS1"},
    {"an ISO 9660 file system", 32769, "CD001"},
    {"a UDF file system", 32769, "BEA01"},
    {"a reiserfs file system", 65588, "ReIsEr"},
    {"a btrfs file system", 65600, "_BHRfS_M"},
    {"a ZFS volume", 131072, "\x0c\xb1\xba\x00"s},
    {"a page image of pagepressctl", 0, PAGEPRESS_IMAGE_MAGIC},
};

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
    uint64_t bytes = 0;
    ioctl(file, BLKGETSIZE64, &bytes);
    std::string found;
    for (const Magic& magic : MAGICS) {
        std::string there(magic.bytes.size(), '\0');
        off_t at = magic.at < 0 ? static_cast<off_t>(bytes) + magic.at : magic.at;
        if (swap && (magic.at < 0 || magic.at >= static_cast<off_t>(page_bytes()))) continue;
        if (at >= 0 && pread(file, there.data(), there.size(), at) == static_cast<ssize_t>(there.size()) && there == magic.bytes) {
            found = magic.name;
            break;
        }
    }
    close(file);
    return found;
}

}  // namespace pagepressctl
