// SPDX-License-Identifier: Apache-2.0
#include "server.hpp"

#include <cerrno>
#include <cstring>
#include <string>

#include "log.hpp"

namespace card {

using namespace vfio_user;

namespace {

/// The structure at the start of a payload; nullopt when the payload is too short.
template <typename Structure>
std::optional<Structure> parse(const Message& message) {
    Structure structure;
    if (message.payload.size() < sizeof(structure)) return std::nullopt;
    std::memcpy(&structure, message.payload.data(), sizeof(structure));
    return structure;
}

template <typename Structure>
std::vector<uint8_t> bytes_of(const Structure& structure) {
    auto* first = reinterpret_cast<const uint8_t*>(&structure);
    return {first, first + sizeof(structure)};
}

/// Bytes of a region; 0 for those the card does not have.
uint64_t region_size(uint32_t region) {
    switch (region) {
    case REGION_BAR0: return PAGEPRESS_BAR0_BYTES;
    case REGION_CONFIG: return PciConfig::BYTES;
    default: return 0;
    }
}

bool inside_region(const RegionAccess& access) {
    uint64_t size = region_size(access.region);
    return access.offset <= size && access.count <= size - access.offset;
}

}  // namespace

void Server::handle(Message& message) {
    Answer result = answer(message);
    if (result.error)
        log("command %u of %u bytes refused: %s", message.header.command, message.header.size, strerror(static_cast<int>(result.error)));
    connection_.reply(message.header, result.error, result.payload.data(), result.payload.size(), result.data.data(),
                      result.data.size());
}

Server::Answer Server::answer(Message& message) {
    if (message.too_many_fds) return {EINVAL, {}, {}};
    if ((message.header.flags & TYPE_MASK) != TYPE_COMMAND) return {EINVAL, {}, {}};
    if (message.header.command != VERSION && !negotiated_) return {EINVAL, {}, {}};
    switch (message.header.command) {
    case VERSION: return version(message);
    case DMA_MAP: return dma_map(message);
    case DMA_UNMAP: return dma_unmap(message);
    case DEVICE_GET_INFO: return device_info(message);
    case DEVICE_GET_REGION_INFO: return region_info(message);
    case DEVICE_GET_IRQ_INFO: return interrupt_info(message);
    case DEVICE_SET_IRQS: return set_interrupts(message);
    case REGION_READ: return region_read(message);
    case REGION_WRITE: return region_write(message);
    case DEVICE_RESET: function_.reset(); return {};
    default: return {ENOSYS, {}, {}};
    }
}

Server::Answer Server::version(const Message& message) {
    auto proposed = parse<Version>(message);
    // The capabilities are optional JSON that must end in a NUL; ours are the protocol's own defaults or less,
    // so theirs make no difference.
    if (!proposed || negotiated_ || (message.payload.size() > sizeof(Version) && message.payload.back() != 0))
        return {EINVAL, {}, {}};
    if (proposed->major != 0) return {ENOTSUP, {}, {}};
    negotiated_ = true;
    std::string capabilities = "{\"capabilities\":{\"max_msg_fds\":" + std::to_string(MAX_FDS) +
                               ",\"max_data_xfer_size\":" + std::to_string(MAX_TRANSFER) +
                               ",\"max_dma_maps\":" + std::to_string(MAX_DMA_MAPS) + ",\"pgsizes\":4096}}";
    auto* text = reinterpret_cast<const uint8_t*>(capabilities.c_str());
    return {0, bytes_of(Version{0, std::min<uint16_t>(proposed->minor, 1)}), {text, text + capabilities.size() + 1}};
}

Server::Answer Server::dma_map(Message& message) {
    auto request = parse<DmaMap>(message);
    if (!request || message.fds.size() > 1) return {EINVAL, {}, {}};
    return {static_cast<uint32_t>(memory_.map(*request, message.fds.empty() ? FileDescriptor() : std::move(message.fds[0]))), {}, {}};
}

Server::Answer Server::dma_unmap(const Message& message) {
    auto request = parse<DmaUnmap>(message);
    if (!request || (request->flags & ~UNMAP_ALL)) return {EINVAL, {}, {}};
    if (request->flags & UNMAP_ALL) {
        if (request->address || request->size) return {EINVAL, {}, {}};
        memory_.clear();
        return {0, bytes_of(*request), {}};
    }
    int error = memory_.unmap(request->address, request->size, &request->size);
    if (error) return {static_cast<uint32_t>(error), {}, {}};
    return {0, bytes_of(*request), {}};
}

Server::Answer Server::device_info(const Message& message) {
    auto request = parse<DeviceInfo>(message);
    if (!request || request->argsz < sizeof(*request)) return {EINVAL, {}, {}};
    return {0, bytes_of(DeviceInfo{sizeof(DeviceInfo), DEVICE_RESETS | DEVICE_IS_PCI, REGION_COUNT, INTERRUPT_TYPE_COUNT}), {}};
}

Server::Answer Server::region_info(const Message& message) {
    auto request = parse<RegionInfo>(message);
    if (!request || request->argsz < sizeof(*request) || request->index >= REGION_COUNT) return {EINVAL, {}, {}};
    uint64_t size = region_size(request->index);
    uint32_t flags = size ? REGION_READABLE | REGION_WRITABLE : 0;
    return {0, bytes_of(RegionInfo{sizeof(RegionInfo), flags, request->index, 0, size, 0}), {}};
}

Server::Answer Server::interrupt_info(const Message& message) {
    auto request = parse<InterruptInfo>(message);
    if (!request || request->argsz < sizeof(*request) || request->index >= INTERRUPT_TYPE_COUNT) return {EINVAL, {}, {}};
    bool ours = request->index == INTERRUPT_MSIX;
    return {0, bytes_of(InterruptInfo{sizeof(InterruptInfo), ours ? INTERRUPT_EVENTFD : 0, request->index,
                                      ours ? function_.vectors() : 0}), {}};
}

Server::Answer Server::set_interrupts(Message& message) {
    auto request = parse<SetInterrupts>(message);
    if (!request || request->argsz < sizeof(*request)) return {EINVAL, {}, {}};
    std::vector<uint8_t> booleans(message.payload.begin() + sizeof(*request), message.payload.end());
    return {static_cast<uint32_t>(function_.set_interrupts(*request, booleans, message.fds)), {}, {}};
}

Server::Answer Server::region_read(const Message& message) {
    auto request = parse<RegionAccess>(message);
    if (!request || !inside_region(*request)) return {EINVAL, {}, {}};
    Answer result{0, bytes_of(*request), std::vector<uint8_t>(request->count)};
    if (request->region == REGION_CONFIG)
        function_.read_config(request->offset, result.data.data(), request->count);
    else
        function_.read_bar(request->offset, result.data.data(), request->count);
    return result;
}

Server::Answer Server::region_write(const Message& message) {
    auto request = parse<RegionAccess>(message);
    if (!request || !inside_region(*request) || message.payload.size() - sizeof(*request) != request->count)
        return {EINVAL, {}, {}};
    const uint8_t* data = message.payload.data() + sizeof(*request);
    if (request->region == REGION_CONFIG)
        function_.write_config(request->offset, data, request->count);
    else
        function_.write_bar(request->offset, data, request->count);
    return {0, bytes_of(*request), {}};
}

}  // namespace card
