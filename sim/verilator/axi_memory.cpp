// SPDX-License-Identifier: Apache-2.0
#include "axi_memory.hpp"

#include <cinttypes>
#include <cstring>

#include "log.hpp"

namespace card {

namespace {

constexpr uint8_t OKAY = 0, SLVERR = 2, DECERR = 3;
constexpr uint32_t INCREMENTING = 1;
constexpr uint64_t BOUNDARY = 4096;  // no burst crosses a multiple of it

// Verilator keeps a port of up to 64 bits in one integer and wider ones in 32-bit words, low word first.
constexpr size_t BEAT = sizeof(VerilatedCore::m_axi_rdata);

}  // namespace

AxiMemory::Burst AxiMemory::burst(uint64_t address, uint32_t id, uint32_t length, uint32_t size, uint32_t kind) const {
    uint32_t beats = length + 1;
    bool legal = kind == INCREMENTING && (size_t{1} << size) == BEAT && address % BEAT == 0 &&
                 address / BOUNDARY == (address + beats * BEAT - 1) / BOUNDARY;
    if (!legal)
        log("the core broke the AXI rules: burst of %u beats of %u bytes, kind %u, at 0x%" PRIx64, beats, 1u << size, kind, address);
    return {cycle_ + READ_LATENCY, address, id, beats, legal, 0, OKAY, {}};
}

void AxiMemory::fetch(Burst& read) {
    read.data.resize(read.beats * BEAT);
    if (!read.legal)
        read.response = SLVERR;
    else if (!host_.read(read.address, read.data.data(), read.data.size()))
        read.response = DECERR;
    if (read.response != OKAY) std::memset(read.data.data(), 0xee, read.data.size());
}

uint8_t AxiMemory::store(const Burst& write) {
    if (!write.legal) return SLVERR;
    uint8_t response = OKAY;
    for (size_t from = 0; from < write.data.size();) {
        if (!strobes_[from]) {
            from++;
            continue;
        }
        size_t to = from;
        while (to < write.data.size() && strobes_[to]) to++;
        if (!host_.write(write.address + from, write.data.data() + from, to - from)) response = DECERR;
        from = to;
    }
    return response;
}

/// Join addresses and beats, which may come in either order.
void AxiMemory::gather() {
    while (!writes_.empty() && !beats_.empty()) {
        Burst& write = writes_.front();
        Beat& beat = beats_.front();
        write.data.insert(write.data.end(), beat.data.begin(), beat.data.end());
        for (size_t byte = 0; byte < BEAT; byte++) strobes_.push_back(beat.strobe >> byte & 1);
        bool ends = ++write.beat == write.beats;
        if (ends != beat.last) {
            log("the core broke the AXI rules: WLAST at beat %u of %u", write.beat, write.beats);
            write.legal = false;
        }
        beats_.pop_front();
        if (!ends) continue;
        answers_.push_back({cycle_ + WRITE_LATENCY, write.id, store(write)});
        strobes_.clear();
        writes_.pop_front();
    }
}

void AxiMemory::drive() {
    core_.m_axi_arready = reads_.size() < MOST_BURSTS;
    core_.m_axi_awready = writes_.size() + answers_.size() < MOST_BURSTS;
    core_.m_axi_wready = beats_.size() < MOST_BURSTS;

    bool reading = !reads_.empty() && reads_.front().due <= cycle_;
    core_.m_axi_rvalid = reading;
    if (reading) {
        Burst& read = reads_.front();
        if (read.data.empty()) fetch(read);
        std::memcpy(&core_.m_axi_rdata, &read.data[read.beat * BEAT], BEAT);
        core_.m_axi_rid = static_cast<decltype(core_.m_axi_rid + 0)>(read.id);
        core_.m_axi_rresp = read.response;
        core_.m_axi_rlast = read.beat + 1 == read.beats;
    }
    bool answering = !answers_.empty() && answers_.front().due <= cycle_;
    core_.m_axi_bvalid = answering;
    if (answering) {
        core_.m_axi_bid = static_cast<decltype(core_.m_axi_bid + 0)>(answers_.front().id);
        core_.m_axi_bresp = answers_.front().response;
    }
}

void AxiMemory::sample() {
    if (core_.m_axi_rvalid && core_.m_axi_rready && ++reads_.front().beat == reads_.front().beats) reads_.pop_front();
    if (core_.m_axi_bvalid && core_.m_axi_bready) answers_.pop_front();
    if (core_.m_axi_arvalid && core_.m_axi_arready)
        reads_.push_back(burst(core_.m_axi_araddr, core_.m_axi_arid, core_.m_axi_arlen, core_.m_axi_arsize, core_.m_axi_arburst));
    if (core_.m_axi_awvalid && core_.m_axi_awready)
        writes_.push_back(burst(core_.m_axi_awaddr, core_.m_axi_awid, core_.m_axi_awlen, core_.m_axi_awsize, core_.m_axi_awburst));
    if (core_.m_axi_wvalid && core_.m_axi_wready) {
        Beat beat{std::vector<uint8_t>(BEAT), core_.m_axi_wstrb, static_cast<bool>(core_.m_axi_wlast)};
        std::memcpy(beat.data.data(), &core_.m_axi_wdata, BEAT);
        beats_.push_back(std::move(beat));
    }
    gather();
    cycle_++;
}

void AxiMemory::reset() {
    reads_.clear();
    writes_.clear();
    beats_.clear();
    answers_.clear();
    strobes_.clear();
}

}  // namespace card
