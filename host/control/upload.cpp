// SPDX-License-Identifier: Apache-2.0
/// An image for a card's firmware goes to the driver: by /sys/class/firmware, or debugfs where the kernel lacks that.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "exit.hpp"
#include "files.hpp"
#include "management.hpp"
#include "pagepress_management.h"

namespace pagepressctl {

namespace {

constexpr int POLLS = 600;  // of the upload's end: far beyond what a card's flash takes
constexpr unsigned POLL_MICROSECONDS = 100'000;

/// What the firmware's word for a refused image means.
constexpr std::pair<const char*, const char*> MEANINGS[] = {
    {"IMAGE_EMPTY", "no image is there"},
    {"IMAGE_BAD_MAGIC", "no image of this firmware"},
    {"IMAGE_TRUNCATED", "shorter than its header says"},
    {"IMAGE_TOO_LARGE", "larger than a slot"},
    {"IMAGE_WRONG_TARGET", "made for another core"},
    {"IMAGE_BAD_SIGNATURE", "unsigned, signed with another key, or altered"},
    {"IMAGE_TOO_OLD", "older than the card's version floor"},
    {"IMAGE_BAD_HEADER", "its header contradicts itself"},
    {"FLASH_TIMEOUT", "the card's flash does not answer"},
    {"FLASH_FAILED", "the card's flash does not hold what was written"},
    {"WRONG_STATE", "not now: the running image is still on trial, or another update interfered"},
};

std::string verdict(const Management& management) { return line_or_empty(management.path("update_status")); }

/// `more` is what the kernel says of it.
[[noreturn]] void refuse(const Management& management, const std::string& file, const std::string& more) {
    std::string status = verdict(management);
    // The firmware has judged no image then.
    if (status.rfind("error ", 0) == 0)
        if (auto error = parse_number(status.substr(6))) management.fail("update_status", static_cast<int>(*error));
    throw Failure(REFUSED, file + " is refused by card " + management.address() + " (" + with_meaning(status) + ", " + more + "); its running firmware stays");
}

/// Returns 0, or the errno with which the kernel refuses all of `data` as one write.
int write_whole(const std::string& path, const std::string& data) {
    int handle = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (handle < 0) return errno;
    size_t done = 0;
    int error = 0;
    while (done < data.size() && !error) {
        ssize_t written = write(handle, data.data() + done, data.size() - done);
        if (written < 0) error = errno;
        else done += static_cast<size_t>(written);
    }
    if (close(handle) && !error) error = errno;
    return error;
}

/// Until the program ends. Two that wrote to the kernel's `data` at once would mix their images, and one that restarts the firmware would end
/// the other's update. Only files that nobody but root can open, `cancel` and debugfs's: others could hold up updates for ever by a lock on
/// one that they may read.
void be_the_only_one(const std::string& path) {
    int handle = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (handle >= 0 && flock(handle, LOCK_EX | LOCK_NB)) throw Failure(REFUSED, path + ": another update is under way");
}

/// The kernel's own protocol: Documentation/driver-api/firmware/fw_upload of the kernel.
void by_firmware_class(const std::string& folder, const Management& management, const std::string& file, const std::string& image) {
    write_value(folder + "/loading", "1");
    if (int error = write_whole(folder + "/data", image)) {
        write_value(folder + "/loading", "-1");
        throw Failure(REFUSED, folder + "/data: " + strerror(error));
    }
    write_value(folder + "/loading", "0");
    int polls = 0;
    while (read_line(folder + "/status") != "idle") {
        if (++polls == POLLS) throw Failure(REFUSED, folder + "/status: the upload does not end: see dmesg");
        usleep(POLL_MICROSECONDS);
    }
    std::string error = line_or_empty(folder + "/error");
    if (!error.empty()) refuse(management, file, error);
}

void by_debugfs(const std::string& path, const Management& management, const std::string& file, const std::string& image) {
    int error = write_whole(path, image);
    if (error == EACCES || error == EPERM) throw Failure(REFUSED, path + ": " + strerror(error) + ": be root; a locked-down kernel refuses it to root as well");
    if (error == EBUSY && verdict(management) != "WRONG_STATE") throw Failure(REFUSED, path + ": another update is under way, or the firmware refuses one now");
    if (error) refuse(management, file, strerror(error));
}

/// Where images of a card go: by the kernel's class, or by the driver's file where the kernel has none.
struct Ways {
    std::string by_class, by_file;
};
Ways ways_to(const Machine& machine, const Management& management) {
    std::string name = "pagepress-" + management.address();
    return {machine.sysfs + "/class/firmware/" + name, machine.sysfs + "/kernel/debug/" + name};
}

void be_the_only_one(const Ways& ways) { be_the_only_one(exists(ways.by_class) ? ways.by_class + "/cancel" : ways.by_file); }

}  // namespace

std::string roll_back_firmware(const Machine& machine, const Management& management) {
    be_the_only_one(ways_to(machine, management));
    std::string ran = management.identity().slot;
    management.roll_back();
    return ran;
}

std::string with_meaning(const std::string& status) {
    for (const auto& [name, meaning] : MEANINGS)
        if (status == name) return status + ": " + meaning;
    return status;
}

std::string upload_firmware(const Machine& machine, const Management& management, const std::string& file) {
    struct stat status;
    if (!stat(file.c_str(), &status) && !S_ISREG(status.st_mode)) throw Failure(MALFORMED, file + ": no plain file");
    // A byte more than an image may have is enough for the card to see that it is too large, however much there is.
    auto image = try_read(file, PAGEPRESS_IMAGE_MAX_BYTES + 1);
    if (!image) throw Failure(ABSENT, file + ": cannot be read: " + strerror(errno));
    if (image->empty()) throw Failure(MALFORMED, file + ": is empty");
    const auto [by_class, by_file] = ways_to(machine, management);
    bool has_class = exists(by_class);
    if (!has_class && !exists(by_file)) {
        if (errno == EACCES) throw Failure(REFUSED, by_file + ": " + strerror(EACCES) + ": be root");
        throw Failure(ABSENT, by_file + ": missing: this kernel has no CONFIG_FW_UPLOAD, so debugfs is needed: mount -t debugfs none /sys/kernel/debug, as root");
    }
    be_the_only_one(Ways{by_class, by_file});
    std::string ran = management.identity().slot;
    if (has_class) by_firmware_class(by_class, management, file, *image);
    else by_debugfs(by_file, management, file, *image);
    return ran;
}

}  // namespace pagepressctl
