// SPDX-License-Identifier: Apache-2.0
/// A Verilated pagepress_kernel, clocked one cycle at a time.
#pragma once

#include <VerilatedCore.h>
#include <verilated.h>

#include "axi_memory.hpp"
#include "running_clock.hpp"

namespace xrt_device {

class KernelDevice {
public:
    /// `context` is common to all kernels of a process and outlives them.
    KernelDevice(VerilatedContext& context, card::CardHost& memory);
    ~KernelDevice() { kernel_.final(); }

    /// Registers of the control port. Throw std::runtime_error when the kernel does not answer.
    uint32_t read(uint32_t offset);
    void write(uint32_t offset, uint32_t value);

    /// Some cycles of work; false when the kernel is idle until the next register access.
    bool work();

private:
    void tick();
    void await(const char* what);

    VerilatedCore kernel_;
    card::AxiMemory memory_;
    card::RunningClock clock_;
    uint32_t data_ = 0;
    bool accepted_address_ = false, accepted_data_ = false, accepted_read_ = false, answered_ = false;
};

}  // namespace xrt_device
