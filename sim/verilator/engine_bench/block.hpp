// SPDX-License-Identifier: Apache-2.0
// Drives one verilated block with byte streams: pages or streams in, streams or pages out, every cycle counted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <verilated.h>

#include "pagepress_interface.h"
#include "stalls.hpp"

using Bytes = std::vector<uint8_t>;

// One item (a page or a stream) that went through a block.
struct Outcome {
    uint8_t status = 0;
    uint32_t length = 0;    // what the block's result says
    Bytes bytes;            // what came out
    uint64_t first_in = 0;  // cycle in which the item's first word was taken
    uint64_t last_out = 0;  // cycle in which its last word was given, or its result when no word is
    // Cycles that the block had for this item alone and in which nobody made it wait: from the item's first word, or
    // the result before when that came later, to its own result.
    uint64_t own_cycles = 0;
};

enum class Pace {
    alone,         // an item is offered when everything of the one before has come out: its latency
    back_to_back,  // items are offered without a pause: the block's rate
};

// A block whose ports are `source`, `sink`, `result`, and either `limit` (an engine) or `command` (a lane). Widths are
// those of its Verilog. Anything that breaks the streams' contract is an exception that names the item.
template <class Model>
class Block {
public:
    // A cycle without anything moving is normal; this many mean that the block hangs.
    static constexpr uint64_t patience = 100'000;

    Block(std::string name, uint32_t limit, bool skip_verify = false)
        : name(std::move(name)), limit(limit), skip_verify(skip_verify) {
        model.clk = 0;
        model.reset = 1;
        model.io_source_valid = 0;
        model.io_sink_ready = 1;
        model.io_result_ready = 1;
        if constexpr (is_lane) model.io_command_valid = 0;
        else model.io_limit = limit;
        for (int cycle = 0; cycle < 4; cycle++) clock();
        model.reset = 0;
    }
    ~Block() { model.final(); }

    static constexpr size_t source_width = sizeof(Model::io_source_payload_fragment_data);
    static constexpr size_t sink_width = sizeof(Model::io_sink_payload_fragment_data);

    // Passes the items through in their order. Cycles in the outcomes count from the block's reset.
    std::vector<Outcome> run(const std::vector<Bytes>& items, Pace pace) {
        return run(items, pace, std::vector<uint32_t>(items.size(), limit), {});
    }

    // The same with a limit for each item, and with stalls. At Pace::alone a limit stands until the item's result,
    // back to back only from its first offer until its last word is taken.
    std::vector<Outcome> run(const std::vector<Bytes>& items, Pace pace, const std::vector<uint32_t>& limits, Stalls stalls) {
        std::vector<Outcome> outcomes(items.size());
        size_t taken = 0;         // items whose last word is in; an early answer may come before that
        size_t commanded = 0;     // items whose command is in (lanes)
        size_t offset = 0;        // bytes of the item going in that are in
        size_t ended = 0;         // items whose sink has ended
        size_t answered = 0;      // items whose result is known
        uint64_t moved = now;     // cycle in which something last moved
        bool begun = false;       // the item going in has had a word taken
        bool offering = false, empty_last = false;
        uint64_t waited = 0;      // cycles in which the block was made to wait
        uint64_t own_from = 0;    // cycles the block had until the last result, without those
        while (taken < items.size() || ended < items.size() || answered < items.size()) {
            const size_t finished = std::min(ended, answered);
            const bool pending = taken < items.size() && (pace == Pace::back_to_back || taken <= finished);
            if (pending && !offering) {
                offering = !stalls.source();
                if (offering && !begun) empty_last = !items[taken].empty() && stalls.empty_last();
                if (offering) put(items[taken], offset, empty_last);
            }
            model.io_source_valid = offering;
            model.io_sink_ready = !stalls.sink();
            model.io_result_ready = !stalls.sink();
            if constexpr (is_lane) {
                model.io_command_valid = commanded < items.size() && (pace == Pace::back_to_back || commanded == finished);
                model.io_command_payload_limit = limits[std::min(commanded, items.size() - 1)];
                model.io_command_payload_skipVerify = skip_verify;
            } else {
                model.io_limit = limits[std::min(pace == Pace::alone ? finished : taken, items.size() - 1)];
            }
            model.eval();
            waited += (pending && !offering) || !model.io_sink_ready || !model.io_result_ready;

            if (offering && model.io_source_ready) {
                if (!begun) {
                    outcomes[taken].first_in = now;
                    outcomes[taken].own_cycles = now - waited;
                }
                begun = true;
                offering = false;
                offset = std::min(offset + source_width, items[taken].size());
                if (model.io_source_payload_last) { taken++; offset = 0; begun = false; }
                moved = now;
            }
            if constexpr (is_lane) commanded += model.io_command_valid && model.io_command_ready;
            check_stable(std::min(ended, items.size() - 1));
            if (model.io_sink_valid && model.io_sink_ready) {
                if (ended >= items.size()) throw broken(ended, "gave a word after its last item");
                take(outcomes[ended], ended, limits[ended]);
                if (model.io_sink_payload_last) {
                    outcomes[ended++].last_out = now;
                    skip_sinkless(outcomes, ended, answered);
                }
                moved = now;
            }
            if (model.io_result_valid && model.io_result_ready) {
                if (answered >= taken + begun) throw broken(answered, "gave a result for an item it has not seen");
                Outcome& outcome = outcomes[answered++];
                outcome.status = model.io_result_payload_status;
                outcome.length = model.io_result_payload_length;
                if (is_lane && outcome.status != PAGEPRESS_STATUS_SUCCESS) outcome.last_out = now;
                outcome.own_cycles = now - waited - std::max(outcome.own_cycles, own_from);
                own_from = now - waited;
                skip_sinkless(outcomes, ended, answered);
                moved = now;
            }
            clock();
            if (now - moved > patience) throw broken(std::min(ended, answered), "makes no progress");
        }
        model.io_source_valid = 0;
        return outcomes;
    }

private:
    static constexpr bool is_lane = requires(Model& m) { m.io_command_valid; };

    // A word of the sink that was offered and not yet taken.
    struct Held {
        Bytes bytes;
        bool last;
        bool operator==(const Held&) const = default;
    };

    // A lane gives no stream for a page that failed: the sink goes on with the next one.
    static void skip_sinkless(const std::vector<Outcome>& outcomes, size_t& ended, size_t answered) {
        if constexpr (is_lane)
            while (ended < answered && outcomes[ended].status != PAGEPRESS_STATUS_SUCCESS) ended++;
    }

    // The item's word at `offset`; with `empty_last`, a word without bytes follows an item of full words.
    void put(const Bytes& item, size_t offset, bool empty_last) {
        const size_t count = std::min(source_width, item.size() - offset);
        std::memcpy(&model.io_source_payload_fragment_data, item.data() + offset, count);
        model.io_source_payload_fragment_count = count;
        model.io_source_payload_last = offset + count == item.size() && !(empty_last && count == source_width);
    }

    Held offered() const {
        const auto* data = reinterpret_cast<const uint8_t*>(&model.io_sink_payload_fragment_data);
        const size_t count = std::min<size_t>(model.io_sink_payload_fragment_count, sink_width);
        return {Bytes(data, data + count), bool(model.io_sink_payload_last)};
    }

    // A word stands as it is until it is taken.
    void check_stable(size_t index) {
        if (held && (!model.io_sink_valid || *held != offered()))
            throw broken(index, "changed or withdrew a word that was not taken yet");
        if (model.io_sink_valid && !model.io_sink_ready) held = offered();
        else held.reset();
    }

    void take(Outcome& outcome, size_t index, uint32_t most) {
        const size_t count = model.io_sink_payload_fragment_count;
        if (count > sink_width || (count < sink_width && !model.io_sink_payload_last))
            throw broken(index, "gave a word of " + std::to_string(count) + " bytes before the last");
        const auto* data = reinterpret_cast<const uint8_t*>(&model.io_sink_payload_fragment_data);
        outcome.bytes.insert(outcome.bytes.end(), data, data + count);
        if (outcome.bytes.size() > most)
            throw broken(index, "gave more than the " + std::to_string(most) + " bytes it may");
    }

    // From settled inputs to the state of the next cycle.
    void clock() {
        model.clk = 1;
        model.eval();
        model.clk = 0;
        model.eval();
        now++;
    }

    std::runtime_error broken(size_t index, const std::string& what) const {
        return std::runtime_error("page " + std::to_string(index) + ": the " + name + " " + what);
    }

    std::string name;
    uint32_t limit;
    bool skip_verify;
    uint64_t now = 0;
    std::optional<Held> held;
    VerilatedContext context;
    Model model{&context};
};
