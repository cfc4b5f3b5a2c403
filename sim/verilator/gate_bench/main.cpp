// SPDX-License-Identifier: Apache-2.0
// Passes pages or streams through the mapped netlist of one engine, back to back, while its nets are watched:
//
//   gates NETLIST ITEMS OUT ACTIVITY LIMIT
//
//   NETLIST   as gates.hpp describes it
//   ITEMS     what goes in: each item behind its length as a little-endian 32-bit number
//   OUT       written: what came out, in the same form; length 0xFFFFFFFF and nothing where the engine says incompressible
//   ACTIVITY  written: cycles and transitions from the first item's result to the last one's
//   LIMIT     most bytes that an item may become
//
// The number of results goes to stdout with each. Exit 1 and one line on stderr when the netlist breaks the engine's contract.
#include <array>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>

#include "block.hpp"
#include "gates.hpp"

namespace {

// The ports of an engine, as block.hpp expects them of a verilated one. Watched between the first result and the last:
// neither filling nor draining the engine counts.
class Engine {
public:
    static inline std::string netlist, activity;
    static inline size_t items = 0;

    uint8_t clk = 0, reset = 0, io_source_valid = 0, io_source_ready = 0, io_source_payload_last = 0, io_source_payload_fragment_count = 0;
    uint8_t io_sink_valid = 0, io_sink_ready = 0, io_sink_payload_last = 0, io_sink_payload_fragment_count = 0;
    uint8_t io_result_valid = 0, io_result_ready = 0, io_result_payload_status = 0;
    uint16_t io_limit = 0, io_result_payload_length = 0;
    std::array<uint8_t, SOURCE_BYTES> io_source_payload_fragment_data{};
    std::array<uint8_t, SINK_BYTES> io_sink_payload_fragment_data{};

    explicit Engine(VerilatedContext*) : gates(netlist) {
        for (auto& [name, place, bytes] : inputs()) pins_in.push_back({gates.port(name), place, bytes});
        for (auto& [name, place, bytes] : outputs()) pins_out.push_back({gates.port(name), place, bytes});
        for (const auto* pins : {&pins_in, &pins_out})
            for (const Pins& one : *pins)
                if (one.nets.size() > 8 * one.bytes) throw std::runtime_error("a port is wider than its variable");
    }

    void eval() {
        for (const Pins& one : pins_in)
            for (size_t bit = 0; bit < one.nets.size(); bit++)
                if (one.nets[bit] > 1) gates[one.nets[bit]] = one.place[bit / 8] >> bit % 8 & 1;
        if (clk && !high) rising();
        else gates.settle();
        high = clk;
        for (const Pins& one : pins_out) {
            std::fill_n(one.place, one.bytes, 0);
            for (size_t bit = 0; bit < one.nets.size(); bit++) one.place[bit / 8] |= gates[one.nets[bit]] << bit % 8;
        }
    }

    void final() {}

private:
    struct Variable {
        const char* name;
        uint8_t* place;  // little-endian
        size_t bytes;
    };
    struct Pins {
        Gates::Nets nets;
        uint8_t* place;
        size_t bytes;
    };

    template <class Type>
    static Variable variable(const char* name, Type& one) {
        return {name, reinterpret_cast<uint8_t*>(&one), sizeof one};
    }

#define PORT(name) variable(#name, name)
    std::vector<Variable> inputs() {
        return {PORT(reset), PORT(io_source_valid), PORT(io_source_payload_last), PORT(io_source_payload_fragment_count), PORT(io_source_payload_fragment_data),
                PORT(io_sink_ready), PORT(io_result_ready), PORT(io_limit)};
    }
    std::vector<Variable> outputs() {
        return {PORT(io_source_ready), PORT(io_sink_valid), PORT(io_sink_payload_last), PORT(io_sink_payload_fragment_count), PORT(io_sink_payload_fragment_data),
                PORT(io_result_valid), PORT(io_result_payload_status), PORT(io_result_payload_length)};
    }
#undef PORT

    void rising() {
        const bool answers = !reset && io_result_valid && io_result_ready;
        if (answers) std::cout << ++results << std::endl;
        if (results) gates.look();
        if (answers && results == items) gates.write_activity(activity);
        gates.edge();
    }

    Gates gates;
    std::vector<Pins> pins_in, pins_out;
    size_t results = 0;
    bool high = false;
};

uint32_t number(std::istream& file) {
    uint32_t value = 0;
    for (int shift = 0; shift < 32; shift += 8) value |= uint32_t(file.get() & 0xFF) << shift;
    return value;
}

std::vector<Bytes> read(const char* path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(std::string("cannot read ") + path);
    std::vector<Bytes> items;
    while (file.peek() != EOF) {
        items.emplace_back(number(file));
        file.read(reinterpret_cast<char*>(items.back().data()), items.back().size());
        if (!file) throw std::runtime_error(std::string(path) + " is cut short");
    }
    return items;
}

void write(const char* path, const std::vector<Outcome>& outcomes) {
    std::ofstream file(path, std::ios::binary);
    for (size_t index = 0; index < outcomes.size(); index++) {
        const Outcome& outcome = outcomes[index];
        const bool none = outcome.status == PAGEPRESS_STATUS_INCOMPRESSIBLE;
        if (outcome.status != PAGEPRESS_STATUS_SUCCESS && !none)
            throw std::runtime_error("page " + std::to_string(index) + ": status " + std::to_string(outcome.status));
        const uint32_t length = none ? 0xFFFFFFFF : outcome.bytes.size();
        for (int shift = 0; shift < 32; shift += 8) file.put(length >> shift & 0xFF);
        if (!none) file.write(reinterpret_cast<const char*>(outcome.bytes.data()), outcome.bytes.size());
    }
    if (!file.flush()) throw std::runtime_error(std::string("cannot write ") + path);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc != 6) throw std::runtime_error("usage: gates NETLIST ITEMS OUT ACTIVITY LIMIT");
        const std::vector<Bytes> items = read(argv[2]);
        if (items.size() < 2) throw std::runtime_error("two items are needed: watching begins with the first one's result");
        Engine::items = items.size();
        Engine::netlist = argv[1];
        Engine::activity = argv[4];
        Block<Engine> engine("netlist", std::stoul(argv[5]));
        write(argv[3], engine.run(items, Pace::back_to_back));
    } catch (const std::exception& error) {
        std::cerr << error.what() << std::endl;
        return 1;
    }
    return 0;
}
