// SPDX-License-Identifier: Apache-2.0
// The driver's side: rings in host memory, commands in, completions out, every result compared.
#pragma once

#include <string>
#include <vector>

#include "host.hpp"
#include "pagepress_interface.h"

constexpr size_t page_bytes = 4096;

// What the pages are: plain, and as the streams that decompress commands are given.
struct Pages {
    std::vector<Bytes> plain, streams;
    std::vector<Bytes> compressed;   // what the card made of each; empty before, and where it gave none
    std::vector<bool> incompressible;
};

// How the card gets a command that is alone: from the ring, or by a copy that the processor writes dword by dword or as a
// whole line.
enum class Push { none, dwords, line };

// A command that has been answered.
struct Finished {
    unsigned opcode;
    size_t page;
    Picoseconds latency;     // from the first of its writes' leaving the processor to its completion in memory
    unsigned source_bytes, output_bytes;
};

class Queue {
public:
    Queue(Host& host, Pages& pages, unsigned index, unsigned depth_log2, Push how)
        : host(host), pages(pages), index(index), depth(1u << depth_log2), how(how) {
        Memory& memory = host.memory;
        submission = memory.place(depth * sizeof(pagepress_submission_entry));
        completion = memory.place(depth * sizeof(pagepress_completion_entry));
        memory.allow(completion, depth * sizeof(pagepress_completion_entry), true);
        for (unsigned slot = 0; slot < depth; slot++)
            slots.push_back({memory.place(2 * page_bytes), memory.place(page_bytes)});
        for (unsigned slot = 0; slot < depth; slot++) free.push_back(depth - 1 - slot);
        const uint32_t block = PAGEPRESS_QUEUE_BASE + index * PAGEPRESS_QUEUE_STRIDE;
        host.write_register(block + PAGEPRESS_REGISTER_SUBMISSION_BASE_LOW, uint32_t(submission));
        host.write_register(block + PAGEPRESS_REGISTER_SUBMISSION_BASE_HIGH, uint32_t(submission >> 32));
        host.write_register(block + PAGEPRESS_REGISTER_COMPLETION_BASE_LOW, uint32_t(completion));
        host.write_register(block + PAGEPRESS_REGISTER_COMPLETION_BASE_HIGH, uint32_t(completion >> 32));
        host.write_register(block + PAGEPRESS_REGISTER_DEPTH_LOG2, depth_log2);
        host.write_register(block + PAGEPRESS_REGISTER_QUEUE_CONTROL, PAGEPRESS_QUEUE_CONTROL_ENABLE_MASK);
    }

    unsigned in_flight() const { return depth - unsigned(free.size()); }
    bool has_room() const { return free.size() > 1; }  // a ring of n entries holds n - 1

    // Put a command into the ring; `ring` tells the card of all that are there.
    void submit(unsigned opcode, size_t page) {
        const unsigned number = free.back();
        free.pop_back();
        Slot& slot = slots[number];
        slot.opcode = opcode;
        slot.page = page;
        const bool compresses = opcode == PAGEPRESS_OPCODE_COMPRESS;
        const Bytes& source = compresses ? pages.plain[page] : pages.streams[page];
        std::memcpy(host.memory.at(slot.source), source.data(), source.size());
        slot.source_bytes = unsigned(source.size());
        host.memory.allow(slot.destination, page_bytes, true);
        pagepress_submission_entry entry = {};
        entry.opcode = uint8_t(opcode);
        entry.format = PAGEPRESS_FORMAT_LZO1X;
        entry.tag = number;
        entry.source_address = slot.source;
        entry.destination_address = slot.destination;
        entry.source_length = uint32_t(source.size());
        entry.destination_capacity = page_bytes;
        std::memcpy(host.memory.at(submission + tail * sizeof entry), &entry, sizeof entry);
        tail = (tail + 1) % depth;
        submitted++;
        fresh.push_back(number);
    }

    // The card's doorbells, if they have something to say: of the completions that were taken, as soon as they are, and of
    // the commands that were submitted.
    void acknowledge() {
        if (taken != told) host.write_register(doorbells() + PAGEPRESS_REGISTER_COMPLETION_HEAD, told = taken);
    }
    void ring() {
        if (fresh.empty()) return;
        for (const unsigned number : fresh) slots[number].rung = host.now();
        if (fresh.size() == 1 && how != Push::none) push();
        fresh.clear();
        host.write_register(doorbells() + PAGEPRESS_REGISTER_SUBMISSION_TAIL, tail);
    }

    // The card has written to `address`; when that ends a completion of this queue, checks it.
    std::optional<Finished> look(uint64_t address, Picoseconds now) {
        if (address < completion || address >= completion + depth * sizeof(pagepress_completion_entry)) return {};
        pagepress_completion_entry entry;
        std::memcpy(&entry, host.memory.at(completion + taken * sizeof entry), sizeof entry);
        if (entry.phase != phase) return {};
        taken = (taken + 1) % depth;
        if (!taken) phase ^= 1;
        if (entry.tag >= depth || !slots[entry.tag].opcode)
            throw std::runtime_error(name() + "a completion of no command, tag " + std::to_string(entry.tag));
        Slot& slot = slots[entry.tag];
        check(slot, entry);
        const Finished finished{slot.opcode, slot.page, now - slot.rung, slot.source_bytes, entry.produced_length};
        host.memory.allow(slot.destination, page_bytes, false);
        slot.opcode = 0;
        free.push_back(entry.tag);
        return finished;
    }

private:
    struct Slot {
        uint64_t source, destination;
        unsigned opcode = 0;  // 0: no command
        size_t page = 0;
        unsigned source_bytes = 0;
        Picoseconds rung = 0;
    };

    uint32_t doorbells() const { return PAGEPRESS_DOORBELL_BASE + index * PAGEPRESS_DOORBELL_STRIDE; }

    // A copy of the newest entry.
    void push() {
        const uint32_t window = PAGEPRESS_PUSH_BASE + index * PAGEPRESS_PUSH_STRIDE;
        uint32_t copy[PAGEPRESS_PUSH_STRIDE / 4] = {};
        constexpr size_t last = PAGEPRESS_REGISTER_PUSH_END / 4;
        copy[0] = copy[last] = (submitted - 1) & PAGEPRESS_PUSH_BEGIN_NUMBER_MASK;
        const uint64_t entry = submission + (tail + depth - 1) % depth * sizeof(pagepress_submission_entry);
        std::memcpy(copy + PAGEPRESS_REGISTER_PUSH_ENTRY / 4, host.memory.at(entry), PAGEPRESS_PUSH_ENTRY_BYTES);
        if (how == Push::line) host.write_line(window, copy, sizeof copy);
        else
            for (size_t dword = 0; dword <= last; dword++) host.write_register(window + 4 * uint32_t(dword), copy[dword]);
    }

    std::string name() const { return "queue " + std::to_string(index) + ": "; }

    void check(const Slot& slot, const pagepress_completion_entry& entry) {
        const auto fail = [&](const std::string& what) {
            throw std::runtime_error("page " + std::to_string(slot.page) + ": " + what);
        };
        const uint8_t* output = host.memory.at(slot.destination);
        if (slot.opcode == PAGEPRESS_OPCODE_DECOMPRESS) {
            if (entry.status != PAGEPRESS_STATUS_SUCCESS) fail("decompressed with status " + std::to_string(entry.status));
            if (entry.produced_length != page_bytes || std::memcmp(output, pages.plain[slot.page].data(), page_bytes))
                fail("decompressed to other bytes");
            return;
        }
        if (entry.status == PAGEPRESS_STATUS_INCOMPRESSIBLE) {
            if (!pages.compressed[slot.page].empty()) fail("called incompressible after it gave a stream");
            pages.incompressible[slot.page] = true;
            return;
        }
        if (entry.status != PAGEPRESS_STATUS_SUCCESS) fail("compressed with status " + std::to_string(entry.status));
        if (!entry.produced_length || entry.produced_length > page_bytes)
            fail("compressed to " + std::to_string(entry.produced_length) + " bytes");
        // The caller decodes each page's stream; later ones must be the same.
        const Bytes stream(output, output + entry.produced_length);
        Bytes& known = pages.compressed[slot.page];
        if (known.empty()) known = stream;
        else if (known != stream) fail("compressed to another stream than before");
    }

    Host& host;
    Pages& pages;
    unsigned index, depth;
    Push how;
    uint32_t submitted = 0;  // since the queue was enabled
    uint64_t submission, completion;
    std::vector<Slot> slots;
    std::vector<unsigned> free, fresh;  // slots without a command; commands the card was not told of
    unsigned tail = 0, taken = 0, told = 0;
    uint8_t phase = 1;
};
