// SPDX-License-Identifier: Apache-2.0
/// The memory a client lets the card reach: bus addresses to mapped files, or to messages where no file came.
#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "file_descriptor.hpp"
#include "vfio_user.hpp"

namespace card {

class GuestMemory {
public:
    /// Reaches memory that has no file: true when all bytes moved. Reads fill `data`.
    using MessageAccess = std::function<bool(bool writing, uint64_t address, void* data, size_t bytes)>;

    /// Takes over SIGBUS: a client may shrink a file that is mapped here.
    explicit GuestMemory(MessageAccess by_message);
    ~GuestMemory() { clear(); }
    GuestMemory(const GuestMemory&) = delete;

    /// Both return 0 or an errno. The descriptor may be empty.
    int map(const vfio_user::DmaMap& request, const FileDescriptor& file);
    /// Removes every mapping that lies inside the range; *removed is their size. Cutting one in two is EINVAL.
    int unmap(uint64_t address, uint64_t size, uint64_t* removed);
    void clear();

    bool read(uint64_t address, void* data, size_t bytes) { return access(false, address, data, bytes); }
    bool write(uint64_t address, const void* data, size_t bytes) {
        return access(true, address, const_cast<void*>(data), bytes);
    }

private:
    struct Mapping {
        uint64_t size;
        uint32_t flags;
        uint8_t* host;  // nullptr: by messages
    };

    bool access(bool writing, uint64_t address, void* data, size_t bytes);
    const std::pair<const uint64_t, Mapping>* find(uint64_t address, bool writing) const;
    std::map<uint64_t, Mapping>::iterator remove(std::map<uint64_t, Mapping>::iterator mapping);

    std::map<uint64_t, Mapping> mappings_;  // by first address, never overlapping
    MessageAccess by_message_;
};

}  // namespace card
