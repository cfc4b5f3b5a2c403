// SPDX-License-Identifier: Apache-2.0
#include "content.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "exit.hpp"
#include "machine.hpp"
#include "uapi/page_image.h"

namespace pagepressctl {

namespace {

using namespace std::string_literals;

/// A byte in which no other bits than these are set.
struct Only {
    off_t place;
    unsigned char bits;
};

struct Magic {
    const char* name;
    std::string bytes;
    std::vector<off_t> places;  // below 0: from the end, and down to a multiple of `unit`
    off_t unit = 1;
    std::vector<Only> proof = {};  // of a mark so short that a disk's packed pages may have it by chance
};

constexpr off_t KI = 1024;

/// Those of libblkid, but for the firmware RAIDs and old systems whose mark is two bytes and whose proof is a checksum.
const Magic MAGICS[] = {
    {"a LUKS volume", "LUKS\xba\xbe"s, {0}},
    {"a LUKS volume", "SKUL\xba\xbe"s, {16 * KI, 32 * KI, 64 * KI, 128 * KI, 256 * KI, 512 * KI, 1024 * KI, 2048 * KI, 4096 * KI}},
    {"a BitLocker volume", "-FVE-FS-", {3}},
    {"an LVM volume", "LABELONE", {0, 512, 1024, 1536}},
    {"an LVM snapshot", "SnAp", {0}},
    {"a VDO volume", "dmvdo001", {0}},
    {"a Stratis volume", "!Stra0tis\x86\xff\x02^\x41rh", {512, 9 * 512}},
    {"an integrity volume", "integrt\0"s, {0}},
    {"a verity volume", "verity\0\0"s, {0}},
    {"a BlueStore volume", "bluestore block device", {0}},
    {"a DRBD volume", "\x83\x74\x02"s, {-4 * KI + 60}, 4},
    {"a RAID member", "\xfc\x4e\x2b\xa9"s, {0, 4 * KI, -8 * KI}, 4 * KI},
    {"a RAID member", "\xfc\x4e\x2b\xa9"s, {-64 * KI}, 64 * KI},
    {"a RAID member", "Intel Raid ISM Cfg Sig. ", {-1024}, 512},
    {"a RAID member", "\xde\x11\xde\x11"s, {-512, -257 * 512}, 512},
    {"a RAID member", "NVIDIA", {-1024}, 512},
    {"a bcache device", "\xc6\x85\x73\xf6\x4e\x1a\x45\xca"s, {4 * KI + 24}},
    {"a bcachefs file system", "\xc6\x85\x73\xf6\x66\xce\x90\xa9"s, {4 * KI + 24}},
    {"a ZFS volume", "\0\0\0\7version"s, {16 * KI + 20}},
    {"a ZFS volume", "\x0c\xb1\xba\x00"s, {128 * KI}},
    {"an Oracle ASM volume", "ORCLDISK", {32}},
    {"a VMFS volume", "\x0d\xd0\x01\xc0"s, {1024 * KI}},
    {"a VMFS file system", "\x5e\xf1\xab\x2f"s, {2048 * KI}},
    {"a UBI volume", "UBI#", {0}},
    {"an ext2, ext3 or ext4 file system", "\x53\xef"s, {1080}, 1,  // small numbers of block size and revision
     {{1048, 7}, {1049, 0}, {1050, 0}, {1051, 0}, {1100, 1}, {1101, 0}, {1102, 0}, {1103, 0}}},
    {"an XFS file system", "XFSB", {0}},
    {"an XFS log", "\xfe\xed\xba\xbe"s, {0}},
    {"a btrfs file system", "_BHRfS_M", {64 * KI + 64}},
    {"an F2FS file system", "\x10\x20\xf5\xf2"s, {1024}},
    {"an EROFS file system", "\xe2\xe1\xf5\xe0"s, {1024}},
    {"a squashfs file system", "hsqs", {0}},
    {"a squashfs file system", "sqsh", {0}},
    {"an exFAT file system", "EXFAT   ", {3}},
    {"an NTFS file system", "NTFS    ", {3}},
    {"a ReFS file system", "\0\0\0ReFS\0"s, {0}},
    {"a FAT file system", "FAT1", {54}},
    {"a FAT file system", "FAT32", {82}},
    {"a FAT file system", "MSDOS", {54}},
    {"a FAT file system", "MSWIN", {54, 82}},
    {"an APFS file system", "NXSB", {32}},
    {"an HFS+ file system", "H+\0\4"s, {1024}},
    {"an HFS+ file system", "HX\0\5"s, {1024}},
    {"a NILFS2 file system", "\x02\0\0\0\0\0\x34\x34"s, {1024}},  // with its revision
    {"a JFS file system", "JFS1", {32 * KI}},
    {"a reiserfs file system", "ReIsEr", {8 * KI + 52, 64 * KI + 52}},
    {"a Reiser4 file system", "ReIsEr4", {64 * KI}},
    {"an ISO 9660 file system", "CD001", {32 * KI + 1}},
    {"a UDF file system", "BEA01", {32 * KI + 1}},
    {"a GFS file system", "\x01\x16\x19\x70"s, {64 * KI}},
    {"an OCFS2 file system", "OCFSV2", {1 * KI, 2 * KI, 4 * KI, 8 * KI}},
    {"an OCFS file system", "OracleCFS", {8}},
    {"a VxFS file system", "\xf5\xfc\x01\xa5"s, {1024}},
    {"a UFS file system", "\x54\x19\x01\x00"s, {1372, 8 * KI + 1372, 64 * KI + 1372, 256 * KI + 1372}},
    {"a UFS file system", "\x19\x01\x54\x19"s, {1372, 8 * KI + 1372, 64 * KI + 1372, 256 * KI + 1372}},
    {"an HPFS file system", "\x49\xe8\x95\xf9"s, {8 * KI}},
    {"a BeFS file system", "1SFB", {32, 544}},
    {"a BFS file system", "\xce\xfa\xad\x1b"s, {0}},
    {"a ROMFS file system", "-rom1fs-", {0}},
    {"a cramfs file system", "\x45\x3d\xcd\x28"s, {0}},
    {"a UBIFS file system", "\x31\x18\x10\x06"s, {0}},
    {"a zonefs file system", "SFOZ", {0}},
    {"a hibernated system", "S1SUSPEND", {4086, 8182, 16374, 32758, 65526}},
    {"a hibernated system", "S2SUSPEND", {4086, 8182, 16374, 32758, 65526}},
    {"a hibernated system", "ULSUSPEND", {4086, 8182, 16374, 32758, 65526}},
    {"a hibernated system", "LINHIB0001", {4086, 8182, 16374, 32758, 65526}},
    // Behind what has a boot sector too. That of each of the four entries says that it boots or does not.
    {"a partition table or a boot sector", "\x55\xaa"s, {510}, 1, {{446, 0x80}, {462, 0x80}, {478, 0x80}, {494, 0x80}}},
    {"a GPT partition table", "EFI PART", {512, 4 * KI, -512}, 512},
    {"a GPT partition table", "EFI PART", {-4 * KI}, 4 * KI},
    {"a Mac partition table", "PM\0\0"s, {512}},
    {"a BSD partition table", "\x57\x45\x56\x82"s, {64, 512}},
    {"an SGI partition table", "\x0b\xe5\xa9\x41"s, {0}},
    {"an AIX partition table", "\xc9\xc2\xd4\xc1"s, {0}},
    {"a page image of pagepressctl", PAGEPRESS_IMAGE_MAGIC, {0}},
};

class Device {
public:
    Device(const std::string& node, int flags, const char* purpose) : node_(node), file_(open(node.c_str(), flags | O_CLOEXEC)), purpose_(purpose) {
        if (file_ < 0) fail();
    }
    ~Device() { close(file_); }
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    off_t end() const { return lseek(file_, 0, SEEK_END); }
    /// Less where it ends.
    std::string read(off_t at, size_t bytes) const {
        std::string there(bytes, '\0');
        ssize_t length = at < 0 ? 0 : pread(file_, there.data(), bytes, at);
        if (length < 0) fail();
        there.resize(static_cast<size_t>(length));
        return there;
    }
    void write(off_t at, const std::string& bytes) const {
        if (pwrite(file_, bytes.data(), bytes.size(), at) != static_cast<ssize_t>(bytes.size())) fail();
    }
    void sync() const {
        if (fsync(file_)) fail();
    }

private:
    [[noreturn]] void fail() const { throw Failure(REFUSED, node_ + ": cannot be " + purpose_ + ": " + strerror(errno)); }
    const std::string node_;
    const int file_;
    const char* const purpose_;
};

bool lies_at(const Device& device, const Magic& magic, off_t at) {
    if (device.read(at, magic.bytes.size()) != magic.bytes) return false;
    return std::all_of(magic.proof.begin(), magic.proof.end(), [&](const Only& only) {
        std::string byte = device.read(only.place, 1);
        return !byte.empty() && !(static_cast<unsigned char>(byte[0]) & ~only.bits);
    });
}

}  // namespace

std::vector<Mark> marks_on(const std::string& node, bool swap) {
    Device device(node, O_RDONLY, "read");
    const off_t end = device.end();
    std::vector<Mark> marks;
    for (const Magic& magic : MAGICS)
        for (off_t place : magic.places) {
            if (swap && (place < 0 || place >= static_cast<off_t>(page_bytes()))) continue;
            const off_t at = place < 0 ? (end + place) / magic.unit * magic.unit : place;
            if (lies_at(device, magic, at)) marks.push_back({magic.name, at, magic.bytes});
        }
    return marks;
}

std::string content_of(const std::string& node, bool swap) {
    auto marks = marks_on(node, swap);
    return marks.empty() ? "" : marks.front().content;
}

void wipe(const std::string& node, const std::vector<Mark>& marks) {
    Device device(node, O_RDWR | O_EXCL, "wiped");
    for (const Mark& mark : marks) device.write(mark.place, std::string(mark.bytes.size(), '\0'));
    device.sync();
}

void put_back(const std::string& node, const std::vector<Mark>& marks) {
    Device device(node, O_RDWR | O_EXCL, "given back what it held");
    for (const Mark& mark : marks) device.write(mark.place, mark.bytes);
    device.sync();
}

}  // namespace pagepressctl
