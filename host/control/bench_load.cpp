// SPDX-License-Identifier: Apache-2.0
#include "bench_load.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "exit.hpp"
#include "machine.hpp"
#include "terminal.hpp"

namespace pagepressctl {

namespace {

constexpr uint64_t BATCH = 64;          // pages of one request
constexpr uint64_t SINGLE_READS = 256;  // at most
constexpr unsigned WORDS = 512;
constexpr uint64_t NOISE_EVERY = 5;  // one page of so many is noise

/// splitmix64: a number that follows from the last.
uint64_t next(uint64_t& state) {
    uint64_t mixed = state += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return mixed ^ mixed >> 31;
}

double now() {
    timespec clock;
    clock_gettime(CLOCK_MONOTONIC, &clock);
    return static_cast<double>(clock.tv_sec) + static_cast<double>(clock.tv_nsec) * 1e-9;
}

double cpu_seconds() {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

char* pages_of_memory(uint64_t count) {
    void* memory = nullptr;
    if (posix_memalign(&memory, page_bytes(), count * page_bytes())) throw std::bad_alloc();
    return static_cast<char*>(memory);
}

void check_interrupt() {
    if (interrupted()) throw Failure(REFUSED, "interrupted");
}

}  // namespace

Load::Load(const std::string& node, uint64_t bytes, uint64_t seed) : node_(node), pages_(bytes / page_bytes()), seed_(seed) {
    device_ = open(node.c_str(), O_RDWR | O_EXCL | O_DIRECT | O_CLOEXEC);
    if (device_ < 0) {
        int error = errno;
        throw Failure(error == ENOENT ? ABSENT : REFUSED, node + ": " + strerror(error) +
                                                              (error == EBUSY    ? ": it is in use"
                                                               : error == EACCES ? ": be root"
                                                                                 : ""));
    }
    uint64_t state = seed;
    for (unsigned number = 0; number < WORDS; number++) {
        std::string word(3 + next(state) % 8, ' ');
        for (char& letter : word) letter = static_cast<char>('a' + next(state) % 26);
        words_.push_back(word + " ");
    }
    buffer_ = pages_of_memory(BATCH);
    expected_ = pages_of_memory(1);
}

Load::~Load() {
    close(device_);
    free(buffer_);
    free(expected_);
}

void Load::fill(char* page, uint64_t index) const {
    uint64_t state = seed_ ^ index * 0xd1342543de82ef95;
    bool noise = next(state) % NOISE_EVERY == 0;
    for (size_t at = 0; at < page_bytes();) {
        uint64_t number = next(state);
        const std::string& word = words_[number % WORDS];
        size_t length = std::min(noise ? sizeof number : word.size(), page_bytes() - at);
        memcpy(page + at, noise ? reinterpret_cast<const char*>(&number) : word.data(), length);
        at += length;
    }
}

/// How many of `count` pages are not those written.
uint64_t Load::compare(const char* pages, uint64_t first, uint64_t count) {
    uint64_t wrong = 0;
    for (uint64_t page = 0; page < count; page++) {
        fill(expected_, first + page);
        wrong += memcmp(expected_, pages + page * page_bytes(), page_bytes()) != 0;
    }
    return wrong;
}

double Load::write_all() {
    double seconds = 0;
    for (uint64_t page = 0; page < pages_; page += BATCH) {
        check_interrupt();
        uint64_t count = std::min(BATCH, pages_ - page);
        for (uint64_t one = 0; one < count; one++) fill(buffer_ + one * page_bytes(), page + one);
        double begun = now();
        auto length = static_cast<ssize_t>(count * page_bytes());
        if (pwrite(device_, buffer_, static_cast<size_t>(length), static_cast<off_t>(page * page_bytes())) != length)
            throw Failure(REFUSED, node_ + ": a write failed: " + strerror(errno) + ": pagepressctl doctor");
        seconds += now() - begun;
    }
    return seconds;
}

double Load::read_all(Pass& pass) {
    double seconds = 0;
    for (uint64_t page = 0; page < pages_; page += BATCH) {
        check_interrupt();
        uint64_t count = std::min(BATCH, pages_ - page);
        auto length = static_cast<ssize_t>(count * page_bytes());
        double begun = now();
        if (pread(device_, buffer_, static_cast<size_t>(length), static_cast<off_t>(page * page_bytes())) != length)
            throw Failure(REFUSED, node_ + ": a read failed: " + strerror(errno) + ": pagepressctl doctor");
        seconds += now() - begun;
        pass.wrong_pages += compare(buffer_, page, count);
    }
    return seconds;
}

void Load::read_singly(Pass& pass) {
    std::vector<double> times;
    uint64_t state = seed_ + 1;
    for (uint64_t reads = std::min(SINGLE_READS, pages_); reads; reads--) {
        check_interrupt();
        uint64_t page = next(state) % pages_;
        double begun = now();
        if (pread(device_, buffer_, page_bytes(), static_cast<off_t>(page * page_bytes())) != static_cast<ssize_t>(page_bytes()))
            throw Failure(REFUSED, node_ + ": a read failed: " + strerror(errno) + ": pagepressctl doctor");
        times.push_back((now() - begun) * 1e9);
        pass.wrong_pages += compare(buffer_, page, 1);
    }
    std::sort(times.begin(), times.end());
    pass.single_half_ns = times[times.size() / 2];
    pass.single_99_ns = times[times.size() * 99 / 100];
}

Pass Load::run() {
    Pass pass;
    pass.pages = pages_;
    double cpu = cpu_seconds();
    pass.write_seconds = write_all();
    pass.read_seconds = read_all(pass);
    pass.cpu_seconds = cpu_seconds() - cpu;
    read_singly(pass);
    return pass;
}

}  // namespace pagepressctl
