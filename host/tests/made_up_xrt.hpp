// SPDX-License-Identifier: Apache-2.0
/// As much of XRT's interface as libpagepress uses, with one made-up card that software plays and that fails when told to.
#pragma once

#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "software.hpp"

enum xclBOSyncDirection { XCL_BO_SYNC_BO_TO_DEVICE, XCL_BO_SYNC_BO_FROM_DEVICE };
enum ert_cmd_state { ERT_CMD_STATE_COMPLETED = 4, ERT_CMD_STATE_ERROR = 5, ERT_CMD_STATE_SUBMITTED = 7, ERT_CMD_STATE_TIMEOUT = 8 };

namespace made_up {

enum Fault { NONE, STALE, ENDS, SILENT, ANSWERS, HELD, COUNTERS };  // as test_libpagepress.py numbers them

inline std::atomic<int> fault{NONE};
inline std::atomic<uint32_t> status{0};  // of each answer, under ANSWERS
inline std::atomic<uint32_t> reads{0};  // of registers, under COUNTERS
inline std::map<uint64_t, std::vector<uint8_t>> memory;  // the card's, by address

/// Where a caller waits under HELD.
inline void gate() {
    while (fault == HELD) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

inline uint8_t* at(uint64_t address) {
    auto block = std::prev(memory.upper_bound(address));
    return block->second.data() + (address - block->first);
}

}  // namespace made_up

/// From now on: copies to the card do not arrive, runs end with an error after a while, do not end until the next call, each answer has a status,
/// whoever loads an xclbin or fills a run waits until the next call, or no two reads of a counter agree.
extern "C" inline __attribute__((used)) void made_up_fault(int fault, uint32_t status) {
    made_up::status = status;
    made_up::fault = fault;
}

namespace xrt {

struct uuid {};
using memory_group = uint32_t;

struct device {
    explicit device(unsigned) {}
    explicit device(const std::string&) {}
    uuid load_xclbin(const std::string&) {
        made_up::gate();
        return {};
    }
};

struct xclbin {
    struct unit {
        std::string get_name() const { return "pagepress_kernel:one"; }
    };
    struct kernel {
        std::string get_name() const { return "pagepress_kernel"; }
        std::vector<unit> get_cus() const { return {{}}; }
    };
    explicit xclbin(const std::string&) {}
    std::vector<kernel> get_kernels() const { return {{}}; }
};

class bo {
public:
    bo(const device&, size_t bytes, memory_group) : host_(bytes) {
        static uint64_t next = 1 << 20;
        address_ = next;
        next += bytes + (1 << 20);
        made_up::memory[address_].resize(bytes);
    }
    template <class Pointer>
    Pointer map() { return reinterpret_cast<Pointer>(host_.data()); }
    uint64_t address() const {
        made_up::gate();
        return address_;
    }
    void sync(xclBOSyncDirection direction, size_t bytes, size_t) {
        uint8_t* card = made_up::at(address_);
        if (direction == XCL_BO_SYNC_BO_FROM_DEVICE) std::memcpy(host_.data(), card, bytes);
        else if (made_up::fault != made_up::STALE) std::memcpy(card, host_.data(), bytes);
    }

private:
    std::vector<uint8_t> host_;
    uint64_t address_;
};

struct run {
    ert_cmd_state wait(std::chrono::milliseconds time) const {
        if (made_up::fault == made_up::ENDS) std::this_thread::sleep_for(std::chrono::milliseconds(300));
        if (made_up::fault == made_up::ENDS) return ERT_CMD_STATE_ERROR;
        if (made_up::fault != made_up::SILENT) return ERT_CMD_STATE_COMPLETED;
        std::this_thread::sleep_for(time);
        return ERT_CMD_STATE_TIMEOUT;
    }
};

class kernel {
public:
    enum class cu_access_mode { exclusive };
    kernel(const device&, const uuid&, const std::string&, cu_access_mode) {}
    int group_id(int) const { return 0; }

    uint32_t read_register(uint32_t offset) const {
        switch (offset - PAGEPRESS_KERNEL_CORE_WINDOW) {
            case PAGEPRESS_REGISTER_MAGIC: return PAGEPRESS_MAGIC_VALUE;
            case PAGEPRESS_REGISTER_HASH_LOW: return PAGEPRESS_HASH_LOW_VALUE;
            case PAGEPRESS_REGISTER_HASH_HIGH: return PAGEPRESS_HASH_HIGH_VALUE;
            case PAGEPRESS_REGISTER_CAPABILITIES:
                return 12 << PAGEPRESS_CAPABILITIES_PAGE_SHIFT_SHIFT | 10 << PAGEPRESS_CAPABILITIES_MAX_DEPTH_LOG2_SHIFT;
            default: return made_up::fault == made_up::COUNTERS ? ++made_up::reads : 0;
        }
    }

    run operator()(const bo& submissions, const bo& completions, uint32_t count) {
        auto* entries = reinterpret_cast<const pagepress_submission_entry*>(made_up::at(submissions.address()));
        auto* answers = reinterpret_cast<pagepress_completion_entry*>(made_up::at(completions.address()));
        for (uint32_t index = 0; index < count; index++) {
            const pagepress_submission_entry& entry = entries[index];
            pagepress_page page{};
            page.opcode = entry.opcode;
            page.flags = entry.flags;
            page.source = made_up::at(entry.source_address);
            page.destination = made_up::at(entry.destination_address);
            page.source_length = entry.source_length;
            page.destination_capacity = entry.destination_capacity;
            page.expected_crc32c = entry.expected_crc32c;
            software_.page(page);
            pagepress_completion_entry& answer = answers[index] = {};
            answer.detail = page.detail;
            answer.produced_length = page.produced_length;
            answer.crc32c = page.crc32c;
            answer.tag = entry.tag;
            answer.status = static_cast<uint8_t>(made_up::fault == made_up::ANSWERS ? made_up::status.load() : page.status);
            answer.phase = 1;
        }
        return {};
    }

private:
    pagepress::Software software_{4096};
};

}  // namespace xrt
