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

#include "exit.hpp"
#include "files.hpp"
#include "output.hpp"

namespace pagepressctl {

namespace {

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
    dev_t device = number_of(node);
    const std::string number = format("%u:%u", major(device), minor(device));
    for (const Mount& mount : machine.mounts())
        if (device && (mount.number == number || same_device(mount.source, node))) throw busy(node, "mounted on " + mount.folder);
    auto holders = names_in(machine.sysfs + "/dev/block/" + number + "/holders");
    if (!holders.empty()) throw busy(node, "held by " + holders.front());
    if (swap_on_device(machine, node)) return;  // which holds it alone
    int file = open(node.c_str(), O_RDWR | O_EXCL | O_CLOEXEC);
    if (file < 0 && errno == EBUSY) throw busy(node, "the kernel or a program holds it for itself");
    if (file < 0)
        throw Failure(REFUSED, node + ": cannot be opened: " + strerror(errno) +
                                   (errno == EPERM || errno == EACCES ? ": be root, or it is read-only" : ""));
    close(file);
}

}  // namespace pagepressctl
