// SPDX-License-Identifier: Apache-2.0
#include "kernel_device.hpp"

#include <stdexcept>
#include <string>

#include <VerilatedCore___024root.h>  // after VerilatedCore.h: what is inside the kernel

namespace xrt_device {

namespace {

constexpr int RESET_CYCLES = 16;
constexpr int ANSWER_CYCLES = 10'000;  // within which the control port must answer

}  // namespace

KernelDevice::KernelDevice(VerilatedContext& context, card::CardHost& memory) : kernel_(&context), memory_(kernel_, memory) {
    kernel_.s_axi_control_bready = kernel_.s_axi_control_rready = 1;
    kernel_.ap_rst_n = 0;
    for (int cycle = 0; cycle < RESET_CYCLES; cycle++) tick();
    kernel_.ap_rst_n = 1;
    memory_.reset();
}

uint32_t KernelDevice::read(uint32_t offset) {
    kernel_.s_axi_control_araddr = static_cast<decltype(kernel_.s_axi_control_araddr + 0)>(offset);
    kernel_.s_axi_control_arvalid = 1;
    await("read");
    return data_;
}

void KernelDevice::write(uint32_t offset, uint32_t value) {
    kernel_.s_axi_control_awaddr = static_cast<decltype(kernel_.s_axi_control_awaddr + 0)>(offset);
    kernel_.s_axi_control_wdata = value;
    kernel_.s_axi_control_wstrb = 0xf;
    kernel_.s_axi_control_awvalid = kernel_.s_axi_control_wvalid = 1;
    await("write");
    clock_.wake();
}

bool KernelDevice::work() {
    return clock_.slice([this] {
        tick();
        return kernel_.rootp->pagepress_kernel__DOT__kernelFront_1__DOT__running ||
               kernel_.rootp->pagepress_kernel__DOT__core_1__DOT__busy || !memory_.idle();
    });
}

void KernelDevice::tick() {
    memory_.drive();
    kernel_.ap_clk = 0;
    kernel_.eval();
    memory_.sample();
    accepted_address_ = kernel_.s_axi_control_awvalid && kernel_.s_axi_control_awready;
    accepted_data_ = kernel_.s_axi_control_wvalid && kernel_.s_axi_control_wready;
    accepted_read_ = kernel_.s_axi_control_arvalid && kernel_.s_axi_control_arready;
    if (kernel_.s_axi_control_rvalid) data_ = kernel_.s_axi_control_rdata;
    if (kernel_.s_axi_control_rvalid || kernel_.s_axi_control_bvalid) answered_ = true;
    kernel_.ap_clk = 1;
    kernel_.eval();
}

void KernelDevice::await(const char* what) {
    answered_ = false;
    for (int cycle = 0; cycle < ANSWER_CYCLES; cycle++) {
        tick();
        if (accepted_address_) kernel_.s_axi_control_awvalid = 0;
        if (accepted_data_) kernel_.s_axi_control_wvalid = 0;
        if (accepted_read_) kernel_.s_axi_control_arvalid = 0;
        if (answered_) return;
    }
    throw std::runtime_error(std::string("the kernel did not answer a register ") + what);
}

}  // namespace xrt_device
