// SPDX-License-Identifier: Apache-2.0
// The host at the other end of the link: memory that answers reads after a while and takes what the card may write.
#pragma once

#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>

#include "block.hpp"
#include "completer.hpp"
#include "link.hpp"

class Memory {
public:
    static constexpr uint64_t base = 1ull << 32;  // above 4 GiB: requests have the long header
    static constexpr size_t line = 64;

    // A new place of `size` bytes at a multiple of a page.
    uint64_t place(size_t size) {
        const uint64_t address = base + bytes.size();
        bytes.resize(bytes.size() + (size + 4095) / 4096 * 4096);
        writable.resize(bytes.size() / line);
        return address;
    }
    uint8_t* at(uint64_t address) { return bytes.data() + (address - base); }
    // From now the card may write there, or no longer.
    void allow(uint64_t address, size_t size, bool yes) {
        std::fill_n(writable.begin() + (address - base) / line, (size + line - 1) / line, yes);
    }

    Bytes read(const Tlp& tlp) {
        check(tlp, 4 * tlp.dwords);
        return Bytes(at(tlp.address), at(tlp.address) + 4 * tlp.dwords);
    }
    void write(const Tlp& tlp) {
        check(tlp, tlp.payload.size());
        for (uint64_t line_at = tlp.address / line * line; line_at < tlp.address + tlp.payload.size(); line_at += line)
            if (!writable[(line_at - base) / line]) throw wrong(tlp, "a write where none is allowed");
        each_run(tlp, [this](uint64_t address, const uint8_t* bytes, size_t count) { std::memcpy(at(address), bytes, count); });
    }

private:
    static std::runtime_error wrong(const Tlp& tlp, const std::string& what) {
        char text[64];
        std::snprintf(text, sizeof text, " (address %#llx, %u dwords)", (unsigned long long)tlp.address, tlp.dwords);
        return std::runtime_error("the card sent " + what + text);
    }
    void check(const Tlp& tlp, size_t size) const {
        if (tlp.address < base || tlp.address + size > base + bytes.size())
            throw wrong(tlp, "a request outside the host's memory");
    }

    Bytes bytes;
    std::vector<bool> writable;
};

// Card, link and host, all driven by the card's clock.
class Host {
public:
    Memory memory;
    Agenda agenda;
    // A write has reached memory.
    std::function<void(const Tlp&, Picoseconds)> written;

    Host(const LinkShape& shape, uint64_t seed)
        : shape(shape), random(seed), block({code(shape.max_payload), code(shape.max_read)}),
          up(shape, agenda, {shape.posted_headers, shape.posted_data, shape.nonposted_headers}),
          down(shape, agenda, {64, 1024, 64}) {
        up.answered_by(down);
        down.answered_by(up);
        block.has_room = [this] { return up.queued_bytes() < transmit_buffer; };
        block.has_nonposted_credit = [this] { return up.free_nonposted() > waiting_reads; };
        block.request = [this](Tlp tlp) { take(std::move(tlp)); };
        up.started = [this](const Tlp& tlp, Picoseconds) {
            waiting_reads -= tlp.kind == Tlp::read;
            block.confirm(tlp.sequence);
        };
        up.arrived = [this](const Tlp& tlp, Picoseconds now) { handle(tlp, now); };
        down.arrived = [this](const Tlp& tlp, Picoseconds now) {
            if (tlp.kind != Tlp::completion) down.release(tlp, now);
            block.deliver(tlp);
        };
    }

    void run_engines_at(unsigned kilohertz) { block.engine_kilohertz = kilohertz; }

    uint64_t cycle() const { return cycles; }
    Picoseconds now() const { return cycles * clock_period; }

    void tick() {
        // A request, its answer and the way back take no cycles of their own where link and host take no time.
        for (unsigned crossing = 0; crossing < (shape.generation ? 1 : 3); crossing++) {
            agenda.run(now());
            up.run(now());
            down.run(now());
        }
        block.tick();
        outstanding_sum += outstanding;
        cycles++;
    }

    // A posted register write, as a processor sends it.
    void write_register(uint32_t offset, uint32_t value) {
        down.send(register_write(offset, value));
    }
    // `size` bytes in one packet, as a processor's write-combining buffer leaves it.
    void write_line(uint32_t offset, const void* data, size_t size) { down.send(register_write(offset, data, size)); }
    uint32_t read_register(uint32_t offset) { return block.read_register(offset); }
    uint64_t dropped_completions() const { return block.dropped_completions; }
    size_t most_completions() const { return block.most_completions; }

    // What has gone by so far.
    struct Traffic {
        double up_bytes, down_bytes;
        uint64_t request_beats, completion_beats, read_bytes, written_bytes, reads, outstanding_sum, stalled_request_cycles;
    };
    Traffic traffic() const {
        return {up.sent_bytes(), down.sent_bytes(), block.request_beats, block.completion_beats, read_bytes, written_bytes,
                reads, outstanding_sum, block.stalled_request_cycles};
    }

private:
    static constexpr unsigned transmit_buffer = 4096;  // bytes that the block keeps before it stalls the card

    // 128 << code bytes.
    static unsigned code(unsigned bytes) {
        unsigned found = 0;
        while (128u << found < bytes) found++;
        return found;
    }

    void take(Tlp tlp) {
        const unsigned size = tlp.kind == Tlp::read ? 4 * tlp.dwords : unsigned(tlp.payload.size());
        const std::string wrong = breach(tlp, shape.max_payload, shape.max_read);
        if (!wrong.empty()) throw std::runtime_error("the card sent " + wrong);
        if (tlp.kind == Tlp::read) {
            if (busy_tags[tlp.tag]) throw std::runtime_error("the card used tag " + std::to_string(tlp.tag) + " twice");
            busy_tags[tlp.tag] = true;
            outstanding++;
            waiting_reads++;
            reads++;
            read_bytes += size;
        } else {
            written_bytes += size;
        }
        up.send(std::move(tlp));
    }

    void handle(const Tlp& tlp, Picoseconds now) {
        up.release(tlp, now);
        if (tlp.kind == Tlp::write) {
            memory.write(tlp);
            written(tlp, now);
            return;
        }
        std::uniform_int_distribution<Picoseconds> delay(0, shape.jitter());
        agenda.at(now + shape.host_time() + delay(random), [this, tlp] { complete(tlp); });
    }

    // Completions end at multiples of the maximum payload, or of the boundary that the link's shape says.
    void complete(const Tlp& asked) {
        const Bytes data = memory.read(asked);
        each_completion(asked, data, shape.completion_boundary(), [&](Tlp tlp) {
            if (tlp.bytes_to_come == tlp.payload.size()) {
                busy_tags[asked.tag] = false;
                outstanding--;
            }
            down.send(std::move(tlp));
        });
    }

    const LinkShape shape;
    std::mt19937_64 random;
    Block block;
    Direction up, down;
    uint64_t cycles = 0;
    bool busy_tags[256] = {};
    unsigned outstanding = 0;    // reads
    unsigned waiting_reads = 0;  // of them not begun on the wire
    uint64_t reads = 0, read_bytes = 0, written_bytes = 0, outstanding_sum = 0;
};
