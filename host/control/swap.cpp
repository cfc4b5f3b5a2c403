// SPDX-License-Identifier: Apache-2.0
#include "swap.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/swap.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "exit.hpp"
#include "machine.hpp"
#include "steps.hpp"
#include "terminal.hpp"

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

constexpr size_t HEADER_BYTES = 1536;  // up to the list of bad pages
constexpr size_t KEPT_AT = 2048;       // in the page, where a header without bad pages has nothing
constexpr char KEPT_SIGNATURE[16] = "PAGEPRESS KEPT1";

struct KeptPart {
    char signature[sizeof KEPT_SIGNATURE];
    int32_t was_on, priority;
    char header[HEADER_BYTES];
};
static_assert(KEPT_AT + sizeof(KeptPart) + SIGNATURE_BYTES <= 4096, "it fits into the smallest page");

/// An open device, whose failures name it.
class Device {
public:
    Device(const std::string& node, int flags) : node_(node), file_(open(node.c_str(), flags | O_CLOEXEC)) {
        if (file_ < 0) fail(node_, "cannot be opened for swap");
    }
    ~Device() { close(file_); }
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    uint64_t bytes() const {
        uint64_t number = 0;
        if (ioctl(file_, BLKGETSIZE64, &number)) fail(node_, NOTHING_MADE);
        if (number >= 10 * page_bytes()) return number;
        errno = ENOSPC;  // the kernel takes no smaller one
        fail(node_, NOTHING_MADE);
    }
    std::string first_page() const {
        std::string page(page_bytes(), '\0');
        ssize_t length = pread(file_, page.data(), page.size(), 0);
        if (length < 0) fail(node_, "cannot be read");
        page.resize(static_cast<size_t>(length));
        return page;
    }
    void write_first_page(const std::string& page) const {
        bool good = pwrite(file_, page.data(), page.size(), 0) == static_cast<ssize_t>(page.size()) && fsync(file_) == 0;
        if (!good) fail(node_, NOTHING_MADE);
    }

private:
    static constexpr char NOTHING_MADE[] = "no swap area can be made";
    const std::string node_;
    const int file_;
};

Header parse(const std::string& header) {
    Header result = {};
    memcpy(&result, header.data(), std::min(header.size(), sizeof result));
    return result;
}

bool is_swap(const std::string& page) {
    return page.size() == page_bytes() && page.compare(page.size() - SIGNATURE_BYTES, SIGNATURE_BYTES, SIGNATURE) == 0 &&
           parse(page).version == 1;
}

std::string page_of(const std::string& header) {
    std::string page = header;
    page.resize(page_bytes());
    return page.replace(page.size() - SIGNATURE_BYTES, SIGNATURE_BYTES, SIGNATURE);
}

std::string new_header(const Device& device) {
    Header header = {};
    header.version = 1;
    header.last_page = static_cast<uint32_t>(std::min<uint64_t>(device.bytes() / page_bytes() - 1, UINT32_MAX));
    if (getrandom(header.uuid, sizeof header.uuid, 0) == sizeof header.uuid) {  // version 4
        header.uuid[6] = (header.uuid[6] & 0x0f) | 0x40;
        header.uuid[8] = (header.uuid[8] & 0x3f) | 0x80;
    }
    std::string text(reinterpret_cast<const char*>(&header), sizeof header);
    text.resize(HEADER_BYTES);
    return text;
}

[[noreturn]] void no_room(const std::string& node) {
    throw Failure(REFUSED, node + ": swapoff: memory does not hold its pages: end programs, or add other swap first");
}

}  // namespace

std::string header_of_swap(const std::string& node) {
    std::string page = Device(node, O_RDONLY).first_page();
    return is_swap(page) ? page.substr(0, HEADER_BYTES) : "";
}

std::string new_header(const std::string& node) { return new_header(Device(node, O_RDONLY)); }

std::string uuid_of(const std::string& header) {
    std::string text;
    for (unsigned char byte : parse(header).uuid) {
        if (text.size() == 8 || text.size() == 13 || text.size() == 18 || text.size() == 23) text += '-';
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

std::string label_of(const std::string& header) {
    Header found = parse(header);
    return std::string(found.label, strnlen(found.label, sizeof found.label));
}

std::string mkswap_line(const std::string& header, const std::string& node) {
    std::string label = label_of(header);
    return "mkswap --uuid " + uuid_of(header) + (label.empty() ? "" : " --label " + shell_word(label)) + " " + shell_word(node);
}

uint64_t bytes_of(const std::string& header) { return (uint64_t{parse(header).last_page} + 1) * page_bytes(); }
bool has_bad_pages(const std::string& header) { return parse(header).bad_pages != 0; }

void make_swap(const std::string& node) {
    Device device(node, O_RDWR | O_EXCL);
    device.write_first_page(page_of(new_header(device)));
}

void make_swap(const std::string& node, const std::string& header) {
    Device(node, O_RDWR | O_EXCL).write_first_page(page_of(header));
}

void make_swap(const std::string& node, const Kept& kept) {
    Device device(node, O_RDWR | O_EXCL);
    KeptPart part = {};
    memcpy(part.signature, KEPT_SIGNATURE, sizeof part.signature);
    part.was_on = kept.was_on;
    part.priority = kept.priority;
    memcpy(part.header, kept.header.data(), std::min(kept.header.size(), sizeof part.header));
    std::string page = page_of(new_header(device));
    memcpy(page.data() + KEPT_AT, &part, sizeof part);
    device.write_first_page(page);
}

std::optional<Kept> kept_by(const std::string& node) {
    std::string page = Device(node, O_RDONLY).first_page();
    KeptPart part;
    if (!is_swap(page)) return {};
    memcpy(&part, page.data() + KEPT_AT, sizeof part);
    if (memcmp(part.signature, KEPT_SIGNATURE, sizeof part.signature)) return {};
    return Kept{std::string(part.header, sizeof part.header), part.was_on != 0, part.priority};
}

void swap_on(const std::string& node, int priority) {
    int flags = priority < 0 ? 0 : SWAP_FLAG_PREFER | (priority << SWAP_FLAG_PRIO_SHIFT & SWAP_FLAG_PRIO_MASK);
    if (swapon(node.c_str(), flags)) fail(node, "swapon");
}

void swap_off(const std::string& node) {
    // In a process of its own: where memory runs out, the kernel ends the process that asks for this before any other.
    pid_t child = fork();
    if (child < 0) fail(node, "swapoff");
    if (!child) _exit(swapoff(node.c_str()) ? errno : 0);
    int status;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) fail(node, "swapoff: how it ended is not known");
        if (interrupted()) kill(child, SIGTERM);
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) no_room(node);
    if (WIFSIGNALED(status)) throw Failure(REFUSED, node + ": swapoff: ended by a signal");
    errno = WEXITSTATUS(status);
    if (errno == ENOMEM) no_room(node);
    if (errno) fail(node, "swapoff");
}

}  // namespace pagepressctl
