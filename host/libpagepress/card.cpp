// SPDX-License-Identifier: Apache-2.0
#include "card.hpp"

#include <experimental/xrt_xclbin.h>
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_kernel.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>

#include "crc32c.hpp"
#include "software.hpp"
#include "status.hpp"

namespace pagepress {

namespace {

constexpr char KERNEL[] = "pagepress_kernel";
constexpr size_t ALIGNMENT = 64;  // of sources and destinations: the width of the kernel's bus
constexpr int COUNTER_LOOKS = 2;
constexpr auto POLL = std::chrono::milliseconds(20);

/// Where RUN_PAGES commands, their data and their answers are, on both sides.
class Buffer {
public:
    Buffer(const xrt::device& device, size_t bytes, int group) : object_(device, bytes, static_cast<xrt::memory_group>(group)) {
        data_ = object_.map<uint8_t*>();
    }
    xrt::bo& object() { return object_; }
    uint8_t* data() { return data_; }
    uint64_t address() { return object_.address(); }
    void send(size_t bytes) { if (bytes) object_.sync(XCL_BO_SYNC_BO_TO_DEVICE, bytes, 0); }
    void fetch(size_t bytes) { if (bytes) object_.sync(XCL_BO_SYNC_BO_FROM_DEVICE, bytes, 0); }

private:
    xrt::bo object_;
    uint8_t* data_;
};

class Kernel : public Worker {
public:
    Kernel(const xrt::device& device, const xrt::uuid& xclbin, const std::string& name, bool trust_answers)
        : kernel_(open(device, xclbin, name)), page_bytes_(read_identity()), trust_answers_(trust_answers),
          submissions_(device, RUN_PAGES * sizeof(pagepress_submission_entry), kernel_.group_id(PAGEPRESS_KERNEL_ARGUMENT_SUBMISSIONS)),
          completions_(device, RUN_PAGES * sizeof(pagepress_completion_entry), kernel_.group_id(PAGEPRESS_KERNEL_ARGUMENT_COMPLETIONS)),
          sources_(device, RUN_PAGES * 2 * page_bytes_, kernel_.group_id(PAGEPRESS_KERNEL_ARGUMENT_SUBMISSIONS)),
          destinations_(device, RUN_PAGES * page_bytes_, kernel_.group_id(PAGEPRESS_KERNEL_ARGUMENT_SUBMISSIONS)) {
        order_.reserve(RUN_PAGES);
    }

    uint32_t page_bytes() const { return page_bytes_; }
    uint32_t clock_kilohertz() const { return read(PAGEPRESS_CARD_BASE + PAGEPRESS_REGISTER_CLOCK); }

    void fill(const pagepress_page* pages, size_t count) override {
        auto* entries = reinterpret_cast<pagepress_submission_entry*>(submissions_.data());
        std::memset(entries, 0, count * sizeof(*entries));
        source_bytes_ = destination_bytes_ = 0;
        order_.clear();
        for (size_t index = 0; index < count; index++) {
            const pagepress_page& page = pages[index];
            // What the card would refuse may not fit the buffers, and has no place in its list.
            if (check_command(page, page_bytes_) != PAGEPRESS_STATUS_SUCCESS) continue;
            pagepress_submission_entry& entry = entries[order_.size()];
            entry.opcode = static_cast<uint8_t>(page.opcode);
            entry.format = PAGEPRESS_FORMAT_LZO1X;
            entry.flags = static_cast<uint16_t>(page.flags);
            entry.tag = static_cast<uint32_t>(order_.size());
            entry.source_address = sources_.address() + source_bytes_;
            entry.destination_address = destinations_.address() + destination_bytes_;
            entry.source_length = page.source_length;
            entry.destination_capacity = page.destination_capacity;
            entry.expected_crc32c = page.expected_crc32c;
            std::memcpy(sources_.data() + source_bytes_, page.source, page.source_length);
            order_.push_back({index, destination_bytes_, {}});
            source_bytes_ += aligned(page.source_length);
            destination_bytes_ += aligned(page.destination_capacity);
        }
        std::memset(completions_.data(), 0, order_.size() * sizeof(pagepress_completion_entry));
    }

    void run() override {
        if (order_.empty()) return;
        uint64_t before = counter(PAGEPRESS_COUNTER_CYCLES);
        submissions_.send(order_.size() * sizeof(pagepress_submission_entry));
        completions_.send(order_.size() * sizeof(pagepress_completion_entry));
        sources_.send(source_bytes_);
        xrt::run run = kernel_(submissions_.object(), completions_.object(), static_cast<uint32_t>(order_.size()));
        for (;;) {
            ert_cmd_state state = run.wait(POLL);
            if (state == ERT_CMD_STATE_COMPLETED) break;
            // The card itself says how far it is: XRT's own states do not tell a slow card from a dead one.
            progress_ = counter(PAGEPRESS_COUNTER_COMPLETIONS);
            if (state >= ERT_CMD_STATE_ERROR && state != ERT_CMD_STATE_SUBMITTED && state != ERT_CMD_STATE_TIMEOUT)
                throw std::runtime_error("XRT ended a run with state " + std::to_string(state));
        }
        completions_.fetch(order_.size() * sizeof(pagepress_completion_entry));
        destinations_.fetch(destination_bytes_);
        cycles_ += counter(PAGEPRESS_COUNTER_CYCLES) - before;
    }

    void collect(pagepress_page* pages, size_t count) override {
        auto* entries = reinterpret_cast<const pagepress_completion_entry*>(completions_.data());
        for (size_t index = 0; index < order_.size(); index++)
            if (entries[index].phase == 1 && entries[index].tag < order_.size()) order_[entries[index].tag].answer = entries[index];
        for (size_t index = 0; index < count; index++) {
            clear(pages[index]);
            pages[index].status = check_command(pages[index], page_bytes_);
        }
        for (const Place& place : order_) hand_out(place, pages[place.page]);
    }

    Figures figures() const override { return {cycles_, mismatches_}; }
    uint64_t progress() const override { return progress_; }

private:
    struct Place {
        size_t page;
        size_t destination;  // byte offset in destinations_
        pagepress_completion_entry answer;
    };

    static xrt::kernel open(const xrt::device& device, const xrt::uuid& xclbin, const std::string& name) try {
        return xrt::kernel(device, xclbin, name, xrt::kernel::cu_access_mode::exclusive);
    } catch (const std::exception& error) {
        throw Failure(PAGEPRESS_ERROR_IN_USE, "cannot have " + name + " alone, another process may use it: " + error.what());
    }

    static size_t aligned(size_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

    static void clear(pagepress_page& page) {
        page.produced_length = page.crc32c = page.engine_cycles = page.by_software = 0;
        page.detail = 0;
    }

    /// A register of the core.
    uint32_t read(uint32_t offset) const { return kernel_.read_register(PAGEPRESS_KERNEL_CORE_WINDOW + offset); }

    /// Two registers. Of a sound card the second look at the latest is right; of another some number.
    uint64_t counter(uint32_t index) const {
        uint32_t offset = PAGEPRESS_COUNTER_BASE + 8 * index, high = read(offset + 4), low = 0;
        for (int look = 0; look < COUNTER_LOOKS; look++) {
            low = read(offset);
            uint32_t again = read(offset + 4);
            if (again == high) break;
            high = again;
        }
        return uint64_t{high} << 32 | low;
    }

    uint32_t read_identity() const {
        uint32_t magic = read(PAGEPRESS_CARD_BASE + PAGEPRESS_REGISTER_MAGIC);
        if (magic != PAGEPRESS_MAGIC_VALUE) throw Failure(PAGEPRESS_ERROR_XCLBIN, "the xclbin's kernel is no Pagepress kernel: its core has another magic number");
        if (read(PAGEPRESS_CARD_BASE + PAGEPRESS_REGISTER_HASH_LOW) != PAGEPRESS_HASH_LOW_VALUE ||
            read(PAGEPRESS_CARD_BASE + PAGEPRESS_REGISTER_HASH_HIGH) != PAGEPRESS_HASH_HIGH_VALUE)
            throw Failure(PAGEPRESS_ERROR_XCLBIN, std::string("the xclbin's kernel has another interface than this library's ") +
                          pagepress_version() + ": take both from one version of Pagepress");
        uint32_t capabilities = read(PAGEPRESS_CARD_BASE + PAGEPRESS_REGISTER_CAPABILITIES);
        uint32_t depth = (capabilities & PAGEPRESS_CAPABILITIES_MAX_DEPTH_LOG2_MASK) >> PAGEPRESS_CAPABILITIES_MAX_DEPTH_LOG2_SHIFT;
        if (RUN_PAGES >= size_t{1} << depth) throw Failure(PAGEPRESS_ERROR_XCLBIN, "the xclbin's kernel takes fewer commands a run than this library gives it");
        return 1u << ((capabilities & PAGEPRESS_CAPABILITIES_PAGE_SHIFT_MASK) >> PAGEPRESS_CAPABILITIES_PAGE_SHIFT_SHIFT);
    }

    void hand_out(const Place& place, pagepress_page& page) {
        const pagepress_completion_entry& answer = place.answer;
        if (answer.phase != 1) {
            page.status = PAGEPRESS_STATUS_ABORTED;
            return;
        }
        const uint8_t* output = destinations_.data() + place.destination;
        bool compressing = page.opcode == PAGEPRESS_OPCODE_COMPRESS;
        if (answer.produced_length > page.destination_capacity || (!trust_answers_ && !believable(page, answer, output))) {
            mismatches_++;
            page.status = compressing ? PAGEPRESS_STATUS_VERIFY_FAILED : PAGEPRESS_STATUS_CRC_MISMATCH;
            return;
        }
        page.status = answer.status;
        page.crc32c = answer.crc32c;
        page.detail = answer.detail;
        page.engine_cycles = answer.engine_cycles;
        if (page.status != PAGEPRESS_STATUS_SUCCESS) return;
        page.produced_length = answer.produced_length;
        std::memcpy(page.destination, output, page.produced_length);
    }

    /// The answer can be that to this command, as far as its status, its checksums and what the caller expects tell.
    bool believable(const pagepress_page& page, const pagepress_completion_entry& answer, const uint8_t* output) const {
        auto* source = static_cast<const uint8_t*>(page.source);
        bool compressing = page.opcode == PAGEPRESS_OPCODE_COMPRESS;
        if (failed(answer.status)) return true;  // nothing of it is used
        switch (answer.status) {
            case PAGEPRESS_STATUS_SUCCESS:
                if (compressing)
                    return answer.produced_length && answer.detail == crc32c(output, answer.produced_length) &&
                           answer.crc32c == crc32c(source, page_bytes_);
                return answer.produced_length == page_bytes_ && answer.crc32c == crc32c(output, page_bytes_) &&
                       (!(page.flags & PAGEPRESS_FLAG_CHECK_CRC) || answer.crc32c == page.expected_crc32c);
            case PAGEPRESS_STATUS_SAME_FILLED:
                return compressing && !std::memcmp(&answer.detail, source, sizeof(answer.detail)) && same_filled(source, page_bytes_);
            case PAGEPRESS_STATUS_INCOMPRESSIBLE: return compressing;
            default: return false;  // refused: what the card refuses was not given to it
        }
    }

    xrt::kernel kernel_;
    uint32_t page_bytes_;
    bool trust_answers_;
    Buffer submissions_, completions_, sources_, destinations_;
    size_t source_bytes_ = 0, destination_bytes_ = 0;
    std::vector<Place> order_;  // by tag
    std::atomic<uint64_t> cycles_{0}, mismatches_{0}, progress_{0};
};

/// The file's kernels, after a look at whether it is one for us.
std::vector<std::string> kernels_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    char magic[8] = {};
    if (!file) throw Failure(PAGEPRESS_ERROR_XCLBIN, path + ": cannot be read: " + std::strerror(errno));
    file.read(magic, sizeof(magic));
    if (std::memcmp(magic, "xclbin2", sizeof(magic))) throw Failure(PAGEPRESS_ERROR_XCLBIN, path + ": is no xclbin");
    std::vector<std::string> names;
    try {
        for (const auto& kernel : xrt::xclbin(path).get_kernels())
            if (kernel.get_name() == KERNEL)
                for (const auto& unit : kernel.get_cus()) names.push_back(unit.get_name());
    } catch (const std::exception& error) {
        throw Failure(PAGEPRESS_ERROR_XCLBIN, path + ": is no good xclbin: " + error.what());
    }
    if (names.empty()) throw Failure(PAGEPRESS_ERROR_XCLBIN, path + ": holds no kernel " + KERNEL);
    return names;
}

xrt::device find_device(const std::string& name) try {
    bool number = !name.empty() && name.size() < 5 && name.find_first_not_of("0123456789") == std::string::npos;
    return number ? xrt::device(static_cast<unsigned>(std::stoul(name))) : xrt::device(name);
} catch (const std::exception& error) {
    throw Failure(PAGEPRESS_ERROR_NO_DEVICE, "XRT has no device " + name + ": " + error.what());
}

/// Keeps XRT's device open as long as its kernels.
struct XrtCard : Card {
    explicit XrtCard(xrt::device opened) : device(std::move(opened)) {}
    xrt::device device;
};

}  // namespace

std::shared_ptr<Card> open_card(const std::string& xclbin, const std::string& device, uint32_t kernels, bool trust_answers) {
    std::vector<std::string> names = kernels_of(xclbin);
    if (kernels > names.size())
        throw Failure(PAGEPRESS_ERROR_ARGUMENT, xclbin + " holds " + std::to_string(names.size()) + " kernels, not " + std::to_string(kernels));
    if (kernels) names.resize(kernels);
    auto card = std::make_shared<XrtCard>(find_device(device));
    xrt::uuid loaded;
    try {
        loaded = card->device.load_xclbin(xclbin);
    } catch (const std::exception& error) {
        throw Failure(PAGEPRESS_ERROR_XCLBIN, xclbin + ": XRT does not load it: " + error.what());
    }
    card->name = "XRT device " + device;
    for (const std::string& name : names) {
        // XRT names an instance kernel:instance, and finds it as kernel:{instance}.
        std::string instance = name.substr(name.find(':') + 1);
        auto kernel = std::make_unique<Kernel>(card->device, loaded, std::string(KERNEL) + ":{" + instance + "}", trust_answers);
        card->page_bytes = kernel->page_bytes();
        card->clock_kilohertz = kernel->clock_kilohertz();
        card->kernels.push_back(std::move(kernel));
    }
    return card;
}

}  // namespace pagepress
