// SPDX-License-Identifier: Apache-2.0
#include "guest_memory.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstring>

namespace card {

namespace {

/// Where to go on when the client has shrunk a file under our feet; only set during a copy.
sigjmp_buf* volatile shrunk;

void on_bus_error(int signal) {
    if (shrunk) siglongjmp(*shrunk, 1);
    std::signal(signal, SIG_DFL);
    raise(signal);
}

/// Copies to or from a client's file; false when the file has no such bytes any more. The last 8 bytes are stored
/// after all others, since a completion entry's phase stands there and another processor is watching it.
bool copy(uint8_t* to, const uint8_t* from, size_t bytes) {
    constexpr size_t LAST = 8;
    sigjmp_buf here;
    if (sigsetjmp(here, 0)) {
        shrunk = nullptr;
        return false;
    }
    shrunk = &here;
    size_t first = bytes > LAST ? bytes - LAST : 0;
    if (first) std::memcpy(to, from, first);
    std::atomic_thread_fence(std::memory_order_release);
    if (bytes - first == LAST)
        std::memcpy(to + first, from + first, LAST);
    else
        std::memcpy(to + first, from + first, bytes - first);
    shrunk = nullptr;
    return true;
}

/// Maps the file, or nullptr. Its size is checked here, so that a wrong request is refused at once.
uint8_t* map_file(const vfio_user::DmaMap& request, int file) {
    struct stat status;
    if (fstat(file, &status) || !S_ISREG(status.st_mode) || request.offset > static_cast<uint64_t>(status.st_size) ||
        request.size > static_cast<uint64_t>(status.st_size) - request.offset)
        return nullptr;
    int protection = (request.flags & vfio_user::DMA_READABLE ? PROT_READ : 0) |
                     (request.flags & vfio_user::DMA_WRITABLE ? PROT_WRITE : 0);
    void* host = mmap(nullptr, request.size, protection, MAP_SHARED, file, static_cast<off_t>(request.offset));
    return host == MAP_FAILED ? nullptr : static_cast<uint8_t*>(host);
}

}  // namespace

GuestMemory::GuestMemory(MessageAccess by_message) : by_message_(std::move(by_message)) {
    struct sigaction action {};
    action.sa_handler = on_bus_error;
    action.sa_flags = SA_NODEFER;  // the handler leaves by a jump
    sigaction(SIGBUS, &action, nullptr);
}

int GuestMemory::map(const vfio_user::DmaMap& request, const FileDescriptor& file) {
    constexpr uint32_t known = vfio_user::DMA_READABLE | vfio_user::DMA_WRITABLE;
    if (request.size == 0 || request.address + request.size - 1 < request.address || (request.flags & ~known)) return EINVAL;
    if (mappings_.size() >= vfio_user::MAX_DMA_MAPS) return ENOSPC;
    auto after = mappings_.upper_bound(request.address);
    if (after != mappings_.end() && after->first - request.address < request.size) return EEXIST;
    if (after != mappings_.begin()) {
        auto before = std::prev(after);
        if (request.address - before->first < before->second.size) return EEXIST;
    }
    uint8_t* host = nullptr;
    if (file && request.flags) {
        host = map_file(request, file.number());
        if (!host) return EINVAL;
    }
    mappings_.emplace(request.address, Mapping{request.size, request.flags, host});
    return 0;
}

std::map<uint64_t, GuestMemory::Mapping>::iterator GuestMemory::remove(std::map<uint64_t, Mapping>::iterator mapping) {
    if (mapping->second.host) munmap(mapping->second.host, mapping->second.size);
    return mappings_.erase(mapping);
}

int GuestMemory::unmap(uint64_t address, uint64_t size, uint64_t* removed) {
    *removed = 0;
    if (size == 0 || address + size - 1 < address) return EINVAL;
    uint64_t last = address + size - 1;
    auto first = mappings_.lower_bound(address);
    if (first != mappings_.begin()) {
        auto before = std::prev(first);
        if (address - before->first < before->second.size) return EINVAL;
    }
    for (auto mapping = first; mapping != mappings_.end() && mapping->first <= last; ++mapping)
        if (mapping->first + mapping->second.size - 1 > last) return EINVAL;
    while (first != mappings_.end() && first->first <= last) {
        *removed += first->second.size;
        first = remove(first);
    }
    return 0;
}

void GuestMemory::clear() {
    while (!mappings_.empty()) remove(mappings_.begin());
}

const std::pair<const uint64_t, GuestMemory::Mapping>* GuestMemory::find(uint64_t address, bool writing) const {
    auto after = mappings_.upper_bound(address);
    if (after == mappings_.begin()) return nullptr;
    auto& found = *std::prev(after);
    uint32_t needed = writing ? vfio_user::DMA_WRITABLE : vfio_user::DMA_READABLE;
    return address - found.first < found.second.size && (found.second.flags & needed) ? &found : nullptr;
}

/// Two passes, so that an access that runs off its mappings moves nothing.
bool GuestMemory::access(bool writing, uint64_t address, void* data, size_t bytes) {
    if (bytes && address + bytes - 1 < address) return false;
    for (bool moving : {false, true}) {
        auto* piece = static_cast<uint8_t*>(data);
        uint64_t at = address;
        for (size_t left = bytes; left;) {
            auto* found = find(at, writing);
            if (!found) return false;
            uint64_t inside = at - found->first;
            size_t size = std::min<uint64_t>(left, found->second.size - inside);
            if (moving) {
                uint8_t* host = found->second.host;
                bool good = !host     ? by_message_(writing, at, piece, size)
                            : writing ? copy(host + inside, piece, size)
                                      : copy(piece, host + inside, size);
                if (!good) return false;
            }
            at += size;
            piece += size;
            left -= size;
        }
    }
    return true;
}

}  // namespace card
