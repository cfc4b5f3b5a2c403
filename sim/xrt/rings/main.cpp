// SPDX-License-Identifier: Apache-2.0
/// Cycles of the core's bare rings, reached by xrt::ip as those of an IP that its user manages: `rings XCLBIN PAGES`. One queue gets the
/// commands of all pages at once and one doorbell, first to compress them, then to decompress what `pagepress-xrt validate` does of them:
/// the core's own stream in turns with liblzo2's. Nothing else is set up or looked at in between. Prints a line of JSON.
#include <lzo/lzo1x.h>
#include <uuid/uuid.h>
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <experimental/xrt_ip.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

#include "pagepress_interface.h"

namespace {

constexpr uint32_t PAGE = 4096, PLACE = 2 * PAGE, POLLS = 10'000'000;  // PLACE: of a page or its stream

struct Buffer {
    Buffer(const xrt::device& device, size_t bytes, int group)
        : object(device, bytes, static_cast<xrt::memory_group>(group)), data(object.map<uint8_t*>()), bytes(bytes) {}
    void send() { object.sync(XCL_BO_SYNC_BO_TO_DEVICE, bytes, 0); }
    void fetch() { object.sync(XCL_BO_SYNC_BO_FROM_DEVICE, bytes, 0); }
    xrt::bo object;
    uint8_t* data;
    size_t bytes;
};

class Rings {
public:
    Rings(const std::string& xclbin, size_t pages)
        : device_(0), ip_(device_, device_.load_xclbin(xclbin), "pagepress_kernel:{pagepress_kernel_1}"),
          count_(static_cast<uint32_t>(pages)), submissions_(device_, sizeof(pagepress_submission_entry) << DEPTH_LOG2, group()),
          completions_(device_, sizeof(pagepress_completion_entry) << DEPTH_LOG2, group()), plain_(device_, pages * PLACE, group()),
          streams_(device_, pages * PLACE, group()) {
        if (pages >= size_t{1} << DEPTH_LOG2) throw std::runtime_error("more pages than a ring has entries");
        write(PAGEPRESS_REGISTER_CONTROL, PAGEPRESS_CONTROL_ENABLE_MASK);
        await(PAGEPRESS_REGISTER_STATUS, PAGEPRESS_STATUS_READY_MASK, PAGEPRESS_STATUS_READY_MASK);
        set_address(PAGEPRESS_REGISTER_SUBMISSION_BASE_LOW, submissions_);
        set_address(PAGEPRESS_REGISTER_COMPLETION_BASE_LOW, completions_);
        write(PAGEPRESS_QUEUE_BASE + PAGEPRESS_REGISTER_DEPTH_LOG2, DEPTH_LOG2);
    }

    /// Cycles from the doorbell to the last completion, the two looks at the counter included.
    uint32_t compress(const std::string& pages) {
        for (uint32_t index = 0; index < count_; index++) std::memcpy(plain_.data + index * PLACE, &pages[index * PAGE], PAGE);
        return run(PAGEPRESS_OPCODE_COMPRESS, plain_, streams_, std::vector<uint32_t>(count_, PAGE));
    }

    /// After compress.
    uint32_t decompress(const std::string& pages) {
        std::vector<uint32_t> lengths(count_);
        std::vector<unsigned char> memory(LZO1X_1_MEM_COMPRESS);
        for (uint32_t index = 0; index < count_; index++) {
            lengths[index] = answers_[index].produced_length;
            if (answers_[index].status == PAGEPRESS_STATUS_SUCCESS && index % 2) continue;
            lzo_uint length = PLACE;
            lzo1x_1_compress(reinterpret_cast<const lzo_bytep>(&pages[index * PAGE]), PAGE, streams_.data + index * PLACE, &length, memory.data());
            lengths[index] = static_cast<uint32_t>(length);
        }
        uint32_t cycles = run(PAGEPRESS_OPCODE_DECOMPRESS, streams_, plain_, lengths);
        for (uint32_t index = 0; index < count_; index++)
            if (answers_[index].status != PAGEPRESS_STATUS_SUCCESS || std::memcmp(plain_.data + index * PLACE, &pages[index * PAGE], PAGE))
                throw std::runtime_error("page " + std::to_string(index) + " did not come back as it was");
        return cycles;
    }

private:
    static constexpr uint32_t DEPTH_LOG2 = 9;

    static int group() { return 0; }  // the one memory bank
    uint32_t read(uint32_t offset) const { return ip_.read_register(PAGEPRESS_KERNEL_CORE_WINDOW + offset); }
    void write(uint32_t offset, uint32_t value) { ip_.write_register(PAGEPRESS_KERNEL_CORE_WINDOW + offset, value); }
    void set_address(uint32_t low, const Buffer& buffer) {
        write(PAGEPRESS_QUEUE_BASE + low, static_cast<uint32_t>(buffer.object.address()));
        write(PAGEPRESS_QUEUE_BASE + low + 4, static_cast<uint32_t>(buffer.object.address() >> 32));
    }
    void await(uint32_t offset, uint32_t mask, uint32_t value) const {
        for (uint32_t poll = 0; poll < POLLS; poll++)
            if ((read(offset) & mask) == value) return;
        throw std::runtime_error("the core does not answer");
    }
    uint32_t cycles() const { return read(PAGEPRESS_COUNTER_BASE + 8 * PAGEPRESS_COUNTER_CYCLES); }

    uint32_t run(uint32_t opcode, Buffer& from, Buffer& to, const std::vector<uint32_t>& lengths) {
        auto* entries = reinterpret_cast<pagepress_submission_entry*>(submissions_.data);
        std::memset(submissions_.data, 0, submissions_.bytes);
        std::memset(completions_.data, 0, completions_.bytes);
        for (uint32_t index = 0; index < count_; index++) {
            entries[index].opcode = static_cast<uint8_t>(opcode);
            entries[index].format = PAGEPRESS_FORMAT_LZO1X;
            entries[index].tag = index;
            entries[index].source_address = from.object.address() + index * PLACE;
            entries[index].destination_address = to.object.address() + index * PLACE;
            entries[index].source_length = lengths[index];
            entries[index].destination_capacity = PAGE;
        }
        submissions_.send();
        completions_.send();
        from.send();
        write(PAGEPRESS_QUEUE_BASE + PAGEPRESS_REGISTER_QUEUE_CONTROL, PAGEPRESS_QUEUE_CONTROL_ENABLE_MASK);
        await(PAGEPRESS_QUEUE_BASE + PAGEPRESS_REGISTER_QUEUE_STATUS, PAGEPRESS_QUEUE_STATUS_ACTIVE_MASK, PAGEPRESS_QUEUE_STATUS_ACTIVE_MASK);
        uint32_t before = cycles();
        write(PAGEPRESS_DOORBELL_BASE + PAGEPRESS_REGISTER_SUBMISSION_TAIL, count_);
        await(PAGEPRESS_QUEUE_BASE + PAGEPRESS_REGISTER_COMPLETION_TAIL, UINT32_MAX, count_);
        uint32_t spent = cycles() - before;
        write(PAGEPRESS_QUEUE_BASE + PAGEPRESS_REGISTER_QUEUE_CONTROL, 0);
        await(PAGEPRESS_QUEUE_BASE + PAGEPRESS_REGISTER_QUEUE_STATUS, PAGEPRESS_QUEUE_STATUS_ACTIVE_MASK, 0);
        completions_.fetch();
        to.fetch();
        auto* answers = reinterpret_cast<const pagepress_completion_entry*>(completions_.data);
        answers_.assign(count_, {});
        for (uint32_t index = 0; index < count_; index++)
            if (answers[index].phase == 1 && answers[index].tag < count_) answers_[answers[index].tag] = answers[index];
        return spent;
    }

    xrt::device device_;
    xrt::ip ip_;
    uint32_t count_;
    std::vector<pagepress_completion_entry> answers_;  // by page
    Buffer submissions_, completions_, plain_, streams_;
};

}  // namespace

int main(int count, char** words) {
    int status = 0;
    try {
        if (count != 3 || lzo_init() != LZO_E_OK) throw std::runtime_error("usage: rings XCLBIN PAGES");
        std::ifstream file(words[2], std::ios::binary);
        std::string pages{std::istreambuf_iterator<char>(file), {}};
        if (pages.empty() || pages.size() % PAGE) throw std::runtime_error(std::string(words[2]) + ": no whole pages");
        Rings rings(words[1], pages.size() / PAGE);
        uint32_t compress = rings.compress(pages), decompress = rings.decompress(pages);
        printf("{\"compress_cycles\": %u, \"decompress_cycles\": %u}\n", compress, decompress);
    } catch (const std::exception& error) {
        fprintf(stderr, "rings: %s\n", error.what());
        status = 1;
    }
    fflush(stdout);
    _exit(status);  // XRT's own end waits for ever for a device that has died
}
