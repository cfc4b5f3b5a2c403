// SPDX-License-Identifier: Apache-2.0
/// The vfio-user protocol, version 0: messages on a UNIX stream socket, in the host's byte order.
/// Structures follow the public specification; every one is naturally aligned, so none is packed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vfio_user {

enum Command : uint16_t {
    VERSION = 1,
    DMA_MAP = 2,
    DMA_UNMAP = 3,
    DEVICE_GET_INFO = 4,
    DEVICE_GET_REGION_INFO = 5,
    DEVICE_GET_REGION_IO_FDS = 6,
    DEVICE_GET_IRQ_INFO = 7,
    DEVICE_SET_IRQS = 8,
    REGION_READ = 9,
    REGION_WRITE = 10,
    DMA_READ = 11,   // server to client
    DMA_WRITE = 12,  // server to client
    DEVICE_RESET = 13,
};

struct Header {
    uint16_t message_id;
    uint16_t command;
    uint32_t size;  ///< bytes of the whole message, this header included
    uint32_t flags;
    uint32_t error;  ///< errno, in replies with FLAG_ERROR
};
constexpr uint32_t TYPE_MASK = 0xf, TYPE_COMMAND = 0, TYPE_REPLY = 1;
constexpr uint32_t FLAG_NO_REPLY = 1 << 4, FLAG_ERROR = 1 << 5;

/// Limits this server announces; `version` carries JSON behind it.
constexpr size_t MAX_FDS = 8, MAX_TRANSFER = 1 << 20, MAX_DMA_MAPS = 65535;
constexpr size_t MAX_MESSAGE = sizeof(Header) + 32 + MAX_TRANSFER;

struct Version {
    uint16_t major, minor;
};

struct DmaMap {
    uint32_t argsz, flags;
    uint64_t offset, address, size;
};
constexpr uint32_t DMA_READABLE = 1, DMA_WRITABLE = 2;

struct DmaUnmap {
    uint32_t argsz, flags;
    uint64_t address, size;
};
constexpr uint32_t UNMAP_ALL = 2;

struct DeviceInfo {
    uint32_t argsz, flags, regions, interrupt_types;
};
constexpr uint32_t DEVICE_RESETS = 1, DEVICE_IS_PCI = 2;

struct RegionInfo {
    uint32_t argsz, flags, index, capability_offset;
    uint64_t size, offset;
};
constexpr uint32_t REGION_READABLE = 1, REGION_WRITABLE = 2;
constexpr uint32_t REGION_BAR0 = 0, REGION_CONFIG = 7, REGION_COUNT = 9;

struct InterruptInfo {
    uint32_t argsz, flags, index, count;
};
constexpr uint32_t INTERRUPT_EVENTFD = 1;
constexpr uint32_t INTERRUPT_MSIX = 2, INTERRUPT_TYPE_COUNT = 5;

struct SetInterrupts {
    uint32_t argsz, flags, index, start, count;
};
constexpr uint32_t SET_DATA_NONE = 1, SET_DATA_BOOL = 2, SET_DATA_EVENTFD = 4, SET_ACTION_TRIGGER = 32;

struct RegionAccess {
    uint64_t offset;
    uint32_t region, count;
};

struct DmaAccess {
    uint64_t address, count;
};

static_assert(sizeof(Header) == 16 && sizeof(Version) == 4 && sizeof(DmaMap) == 32 && sizeof(DmaUnmap) == 24);
static_assert(sizeof(DeviceInfo) == 16 && sizeof(RegionInfo) == 32 && sizeof(InterruptInfo) == 16);
static_assert(sizeof(SetInterrupts) == 20 && sizeof(RegionAccess) == 16 && sizeof(DmaAccess) == 16);

}  // namespace vfio_user
