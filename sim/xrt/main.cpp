// SPDX-License-Identifier: Apache-2.0
// The device behind XRT's hw_emu library: started by it out of an xclbin, it serves the library's calls with Verilated
// kernels until the library leaves.
#include <pagepress_interface.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "device_memory.hpp"
#include "kernel_device.hpp"
#include "rpc.hpp"

namespace xrt_device {

namespace {

constexpr uint64_t PAGE_BYTES = 4096;

/// What a test asked for in PAGEPRESS_XRT_FAULT: FAULT:NUMBER.
class Faults {
public:
    Faults() {
        const char* wish = std::getenv("PAGEPRESS_XRT_FAULT");
        if (!wish || !*wish) return;
        const char* colon = std::strchr(wish, ':');
        if (!colon) throw std::runtime_error(std::string("PAGEPRESS_XRT_FAULT is FAULT:NUMBER, not ") + wish);
        name_.assign(wish, colon);
        count_ = std::strtoull(colon + 1, nullptr, 10);
        if (name_ != "flip" && name_ != "die" && name_ != "silent") throw std::runtime_error("there is no fault " + name_);
    }

    /// flip: one bit of the data of the NUMBERth write of the kernel that is no completion entry.
    void written(std::vector<uint8_t>& data) {
        if (data.size() != PAGEPRESS_COMPLETION_ENTRY_BYTES && strikes("flip")) data[data.size() / 2] ^= 0x10;
    }
    /// die: the process ends at the NUMBERth call; silent: it answers none from then on. False: no answer.
    bool called() {
        if (strikes("die")) _exit(1);
        silent_ |= strikes("silent");
        return !silent_;
    }

private:
    bool strikes(const char* fault) { return name_ == fault && count_ && --count_ == 0; }
    std::string name_;
    uint64_t count_ = 0;
    bool silent_ = false;
};

class Device {
public:
    explicit Device(const std::vector<uint64_t>& bases) : memory_([this](auto& data) { faults_.written(data); }) {
        for (uint64_t base : bases) kernels_.emplace(base, std::make_unique<KernelDevice>(context_, memory_));
    }

    /// Serves until the library leaves.
    void serve(Connection& library) {
        bool closed = false;
        while (!closed) {
            if (auto request = library.receive(work() ? 0 : -1, &closed)) {
                if (!faults_.called()) continue;
                library.answer(answer(request->call, Fields(request->payload)));
                closed = request->call == Call::CLOSE;
            }
        }
    }

private:
    bool work() {
        bool busy = false;
        for (auto& [base, kernel] : kernels_) busy |= kernel->work();
        return busy;
    }

    Answer answer(Call call, const Fields& fields) {
        switch (call) {
            case Call::ALLOCATE:
                // A buffer is as long as the pages it lies in.
                memory_.allocate(fields.number(1), (fields.number(2) + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);
                return Answer().number(1, 1).bytes(2, "");
            case Call::FREE: memory_.free(fields.number(1)); return Answer().number(1, 1);
            case Call::COPY_TO_DEVICE: {
                std::string_view data = fields.bytes(4);
                std::memcpy(place(fields.number(3) + fields.number(6), data.size()), data.data(), data.size());
                return Answer().number(1, data.size());
            }
            case Call::COPY_TO_HOST: {
                uint64_t bytes = fields.number(5);
                auto* data = reinterpret_cast<const char*>(place(fields.number(4) + fields.number(6), bytes));
                return Answer().number(1, bytes).bytes(2, {data, bytes});
            }
            case Call::WRITE_REGISTERS: {
                std::string_view data = fields.bytes(4);
                for (size_t at = 0; at + 4 <= data.size(); at += 4) {
                    uint32_t word;
                    std::memcpy(&word, data.data() + at, sizeof(word));
                    auto [kernel, offset] = find(fields.number(2) + at);
                    kernel->write(offset, word);
                }
                return Answer().number(1, 1);
            }
            case Call::READ_REGISTERS: {
                std::string data;
                for (uint64_t at = 0; at < fields.number(3); at += 4) {
                    auto [kernel, offset] = find(fields.number(2) + at);
                    uint32_t word = kernel->read(offset);
                    data.append(reinterpret_cast<const char*>(&word), sizeof(word));
                }
                return Answer().number(1, 1).bytes(2, data);
            }
            case Call::DEBUG_MESSAGES: return Answer().bytes(1, "").bytes(2, "").bytes(3, "");
            case Call::CLOSE:
            case Call::SET_ENVIRONMENT: return Answer().number(1, 1);
        }
        fprintf(stderr, "pagepress-xrt-device: call %u is none it knows\n", static_cast<unsigned>(call));
        return Answer().number(1, 1);
    }

    uint8_t* place(uint64_t address, uint64_t bytes) {
        uint8_t* found = memory_.find(address, bytes);
        char text[96];
        snprintf(text, sizeof(text), "%" PRIu64 " bytes at 0x%" PRIx64 " are in no buffer", bytes, address);
        if (!found) throw std::runtime_error(text);
        return found;
    }

    std::pair<KernelDevice*, uint32_t> find(uint64_t address) {
        for (auto& [base, kernel] : kernels_)
            if (address - base < PAGEPRESS_KERNEL_ADDRESS_BYTES) return {kernel.get(), static_cast<uint32_t>(address - base)};
        throw std::runtime_error("no kernel has a register at " + std::to_string(address));
    }

    Faults faults_;
    DeviceMemory memory_;
    VerilatedContext context_;
    std::map<uint64_t, std::unique_ptr<KernelDevice>> kernels_;  // by base address
};

}  // namespace

}  // namespace xrt_device

int main(int count, char** words) try {
    std::vector<uint64_t> bases;
    for (int index = 1; index < count; index++) bases.push_back(std::strtoull(words[index], nullptr, 0));
    const char *user = std::getenv("USER"), *socket = std::getenv("EMULATION_SOCKETID");
    if (bases.empty() || !user || !socket) {
        fputs("usage: USER=name EMULATION_SOCKETID=socket pagepress-xrt-device BASE...\n"
              "XRT's hw_emu library starts it; BASE is the address of each kernel's registers.\n", stderr);
        return 2;
    }
    xrt_device::Device device(bases);
    xrt_device::Connection library(std::string("/tmp/") + user + "/" + socket);  // where the library listens
    device.serve(library);
    return 0;
} catch (const std::exception& error) {
    fprintf(stderr, "pagepress-xrt-device: %s\n", error.what());
    return 1;
}
