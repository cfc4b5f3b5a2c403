// SPDX-License-Identifier: Apache-2.0
#include "turn.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "exit.hpp"
#include "terminal.hpp"

namespace pagepressctl {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds PATIENCE{30};
constexpr unsigned POLL_MICROSECONDS = 20'000;

}  // namespace

Turn::Turn(const Machine& machine, Interrupt interrupt) {
    std::string path = machine.control_path("hot_add");  // opened only: it is reading it that makes a disk
    file_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file_ < 0 && errno == ENOENT) return;
    if (file_ < 0) throw Failure(REFUSED, path + ": " + strerror(errno) + (errno == EACCES || errno == EPERM ? ": be root" : ""));
    const auto end = Clock::now() + PATIENCE;
    auto given_up = [&] { return interrupt == Interrupt::ENDS_THE_WAIT && interrupted(); };
    while (flock(file_, LOCK_EX | LOCK_NB)) {
        int error = errno;
        bool waits = error == EWOULDBLOCK || error == EINTR;
        if (waits && !given_up() && Clock::now() < end) {
            usleep(POLL_MICROSECONDS);
            continue;
        }
        close(file_);
        throw Failure(REFUSED, given_up() ? "interrupted: all is as it was"
                               : waits    ? "another pagepressctl changes disks: try again when it has ended"
                                          : path + ": " + strerror(error));
    }
}

Turn::~Turn() {
    if (file_ >= 0) close(file_);
}

}  // namespace pagepressctl
