// SPDX-License-Identifier: Apache-2.0
#include <VerilatedCore.h>
#include <verilated.h>

#include <cstring>
#include <stdexcept>

#include "axi_memory.hpp"
#include "rtl_engines.hpp"
#include "running_clock.hpp"
#include "waves.hpp"

namespace card {

namespace {

constexpr int RESET_CYCLES = 16;
constexpr int ANSWER_CYCLES = 10'000;  // within which the register bus must answer

/// The port `interrupt`: Verilator renames ports that some C++ library uses as a word.
auto& interrupt_port(VerilatedCore& core) { return core.__SYM__interrupt; }

/// The core, clocked one cycle at a time.
class AxiEngine : public CardEngine {
public:
    AxiEngine(CardHost& host, const std::string& trace) : host_(host), core_(&context_), memory_(core_, host) {
        waves_.open(core_, trace);
        reset();
    }

    ~AxiEngine() override {
        waves_.close();
        core_.final();
    }

    const char* name() const override { return "rtl"; }
    const char* level() const override { return "axi"; }

    void reset() override {
        core_.s_axi_awvalid = core_.s_axi_wvalid = core_.s_axi_arvalid = 0;
        core_.s_axi_bready = core_.s_axi_rready = 1;
        memory_.reset();
        core_.reset = 1;
        for (int cycle = 0; cycle < RESET_CYCLES; cycle++) tick();
        core_.reset = 0;
        memory_.reset();
        clock_.wake();
    }

    uint32_t read(uint32_t offset) override {
        core_.s_axi_araddr = static_cast<decltype(core_.s_axi_araddr + 0)>(offset);
        core_.s_axi_arvalid = 1;
        await("read");
        return data_;
    }

    void write(uint32_t offset, uint32_t value) override {
        core_.s_axi_awaddr = static_cast<decltype(core_.s_axi_awaddr + 0)>(offset);
        core_.s_axi_wdata = value;
        core_.s_axi_wstrb = 0xf;
        core_.s_axi_awvalid = core_.s_axi_wvalid = 1;
        await("write");
        clock_.wake();
    }

    bool run() override {
        return clock_.slice([this] {
            tick();
            return core_.busy || !memory_.idle();
        });
    }

private:
    void tick() {
        memory_.drive();
        core_.clk = 0;
        evaluate();
        memory_.sample();
        sample_registers();
        core_.clk = 1;
        evaluate();
        watch_interrupts();
    }

    void evaluate() {
        core_.eval();
        waves_.step();
    }

    /// Register bus: take away what was accepted, note what came back.
    void sample_registers() {
        accepted_address_ = core_.s_axi_awvalid && core_.s_axi_awready;
        accepted_data_ = core_.s_axi_wvalid && core_.s_axi_wready;
        accepted_read_ = core_.s_axi_arvalid && core_.s_axi_arready;
        if (core_.s_axi_rvalid) {
            data_ = core_.s_axi_rdata;
            answered_ = true;
        }
        if (core_.s_axi_bvalid) answered_ = true;
    }

    void await(const char* what) {
        answered_ = false;
        for (int cycle = 0; cycle < ANSWER_CYCLES; cycle++) {
            tick();
            if (accepted_address_) core_.s_axi_awvalid = 0;
            if (accepted_data_) core_.s_axi_wvalid = 0;
            if (accepted_read_) core_.s_axi_arvalid = 0;
            if (answered_) return;
        }
        throw std::runtime_error(std::string("the core did not answer a register ") + what);
    }

    void watch_interrupts() {
        if (!std::memcmp(&interrupt_port(core_), levels_, sizeof(levels_))) return;
        uint8_t now[sizeof(levels_)];
        std::memcpy(now, &interrupt_port(core_), sizeof(now));
        for (unsigned vector = 0; vector < 8 * sizeof(now); vector++) {
            bool high = now[vector / 8] >> vector % 8 & 1, was_high = levels_[vector / 8] >> vector % 8 & 1;
            if (high && !was_high) host_.interrupt(vector);
        }
        std::memcpy(levels_, now, sizeof(levels_));
    }

    CardHost& host_;
    VerilatedContext context_;
    VerilatedCore core_;
    AxiMemory memory_;
    Waves waves_;
    RunningClock clock_;
    uint8_t levels_[sizeof(VerilatedCore::__SYM__interrupt)] = {};
    uint32_t data_ = 0;
    bool accepted_address_ = false, accepted_data_ = false, accepted_read_ = false, answered_ = false;
};

}  // namespace

std::unique_ptr<CardEngine> make_axi_engine(CardHost& host, const std::string& trace) {
    return std::make_unique<AxiEngine>(host, trace);
}

}  // namespace card
