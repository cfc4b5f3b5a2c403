// SPDX-License-Identifier: Apache-2.0
#include "trace_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "exit.hpp"
#include "files.hpp"
#include "terminal.hpp"

namespace pagepressctl {

namespace {

constexpr useconds_t PAUSE_MICROSECONDS = 20'000;  // between looks into an empty buffer

/// A trace buffer with the driver's events on, as long as it lives.
class Instance {
public:
    explicit Instance(const Machine& machine)
        : folder_(machine.tracefs() + "/instances/pagepressctl." + std::to_string(getpid())) {
        if (access((machine.tracefs() + "/instances").c_str(), F_OK) && errno == EACCES)
            throw Failure(REFUSED, machine.tracefs() + ": " + strerror(EACCES) + ": be root");
        if (!exists(machine.tracefs() + "/instances"))
            throw Failure(ABSENT, machine.tracefs() + ": no tracefs there: as root, mount -t tracefs none " + machine.tracefs());
        if (mkdir(folder_.c_str(), 0700)) throw Failure(REFUSED, folder_ + ": " + strerror(errno) + ": be root");
        try {
            write_value(folder_ + "/events/pagepress/enable", "1");
        } catch (const Failure&) {
            rmdir(folder_.c_str());
            throw;
        }
        pipe_ = open((folder_ + "/trace_pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    }
    ~Instance() {
        close(pipe_);
        stop();
        rmdir(folder_.c_str());
    }
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    void stop() {
        try {
            write_value(folder_ + "/events/pagepress/enable", "0");
        } catch (const Failure&) {  // the module has gone
        }
    }

    /// What has come, "" for nothing. Lines may be cut.
    std::string next() const {
        char part[65536];
        ssize_t length = read(pipe_, part, sizeof part);
        return length > 0 ? std::string(part, static_cast<size_t>(length)) : "";
    }

private:
    const std::string folder_;
    int pipe_ = -1;
};

double now() {
    timespec clock;
    clock_gettime(CLOCK_MONOTONIC, &clock);
    return static_cast<double>(clock.tv_sec) + static_cast<double>(clock.tv_nsec) * 1e-9;
}

}  // namespace

void trace_from_file(const std::string& path, const LineTaker& take) {
    std::unique_ptr<FILE, int (*)(FILE*)> opened(path == "-" ? nullptr : fopen(path.c_str(), "re"), fclose);
    FILE* file = path == "-" ? stdin : opened.get();
    auto check = [&](const char* problem) {
        if ((!file || ferror(file)) && !interrupted()) throw Failure(ABSENT, path + problem);
    };
    check(": cannot be read");
    char* line = nullptr;
    size_t size = 0;
    bool any = false;
    // Not a stream of C++: that would read on after an interrupt.
    for (ssize_t length; file && !interrupted() && (length = getline(&line, &size, file)) >= 0; any = true) {
        std::string text(line, static_cast<size_t>(length));
        if (!text.empty() && text.back() == '\n') text.pop_back();
        if (!take(text)) break;
    }
    free(line);
    check(any ? ": cannot be read to its end" : ": cannot be read");
}

void trace_from_kernel(const Machine& machine, double seconds, const LineTaker& take) {
    machine.need_module();
    Instance instance(machine);
    std::string rest;
    const double end = now() + seconds;
    bool stopped = false;
    for (;;) {
        std::string part = instance.next();
        if (part.empty() && stopped) return;
        if (!stopped && (interrupted() || now() >= end)) {  // what the buffer holds still comes
            instance.stop();
            stopped = true;
        }
        if (part.empty() && !stopped) usleep(PAUSE_MICROSECONDS);
        rest += part;
        size_t begin = 0;
        for (size_t newline; (newline = rest.find('\n', begin)) != std::string::npos; begin = newline + 1)
            if (!take(rest.substr(begin, newline - begin))) return;
        rest.erase(0, begin);
    }
}

}  // namespace pagepressctl
