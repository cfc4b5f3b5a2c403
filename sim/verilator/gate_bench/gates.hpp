// SPDX-License-Identifier: Apache-2.0
// A mapped netlist, run cell by cell. Of the smaller engine, every net watched, Verilator makes C++ for which a compiler needs five minutes of processor
// time; this takes ten seconds for both engines and the pages of a run. sim/bench/gates.py writes the netlist, a line for each part:
//
//   nets COUNT                            values, of which 0 and 1 are the constants
//   port NAME NET...                      lowest bit first
//   lut OUT TABLE IN...                   TABLE in hexadecimal, its bit 0 for inputs that are all 0. These and reads in the order in which they settle
//   read MEMORY OUT... : ADDRESS...       at once
//   memory MEMORY WIDTH DEPTH             cleared
//   register OUT IN ENABLE RESET VALUE START
//   shift MEMORY ENABLE IN                word 0 becomes IN, each other one the one before
//   fetch MEMORY ENABLE OUT... : ADDRESS...        at the clock's edge, what was there before it
//   write MEMORY ENABLE LOW IN... : ADDRESS...     at the edge, into the word's bits from LOW on
#pragma once

#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

class Gates {
public:
    using Nets = std::vector<uint32_t>;

    explicit Gates(const std::string& path) {
        std::ifstream file(path);
        if (!file) throw std::runtime_error("cannot read " + path);
        for (std::string line; std::getline(file, line);) {
            std::istringstream words(line);
            std::string what;
            words >> what;
            add(what, words, line);
        }
        for (const Register& one : registers) value.at(one.out) = one.start;
    }

    const Nets& port(const std::string& name) const {
        const auto found = ports.find(name);
        if (found == ports.end()) throw std::runtime_error("the netlist has no port " + name);
        return found->second;
    }

    uint8_t& operator[](uint32_t net) { return value[net]; }

    // Everything between the registers follows their values and the inputs.
    void settle() {
        for (const Step& step : steps) {
            uint32_t place = 0;
            for (size_t bit = 0; bit < step.in.size(); bit++) place |= uint32_t(value[step.in[bit]]) << bit;
            if (step.memory < 0) {
                value[step.out.front()] = step.table >> place & 1;
            } else {
                const uint8_t* word = memories[step.memory].word(place);
                for (size_t bit = 0; bit < step.out.size(); bit++) value[step.out[bit]] = word[bit];
            }
        }
    }

    // The clock rises.
    void edge() {
        next.clear();
        for (const Register& one : registers) next.push_back(value[one.reset] ? one.value : value[one.enable] ? value[one.in] : value[one.out]);
        std::vector<std::pair<uint32_t, uint8_t>>& fetched = scratch;
        fetched.clear();
        for (const Access& one : fetches) {
            if (!value[one.enable]) continue;
            const uint8_t* word = memories[one.memory].word(place(one.address));
            for (size_t bit = 0; bit < one.nets.size(); bit++) fetched.emplace_back(one.nets[bit], word[bit]);
        }
        for (const Access& one : writes) {
            if (!value[one.enable]) continue;
            uint8_t* word = memories[one.memory].word(place(one.address)) + one.low;
            for (size_t bit = 0; bit < one.nets.size(); bit++) word[bit] = value[one.nets[bit]];
        }
        for (const Access& one : shifts) {
            if (!value[one.enable]) continue;
            std::vector<uint8_t>& bits = memories[one.memory].bits;
            bits.insert(bits.begin(), value[one.nets.front()]);
            bits.pop_back();
        }
        for (size_t index = 0; index < registers.size(); index++) value[registers[index].out] = next[index];
        for (const auto& [net, bit] : fetched) value[net] = bit;
    }

    // A cycle has ended: counts what the settled nets have done since the last time. The first time there is nothing to count.
    void look() {
        if (before.empty()) {
            changes.assign(value.size(), 0);
            high.assign(value.size(), 0);
        } else {
            for (size_t net = 0; net < value.size(); net++) {
                changes[net] += value[net] ^ before[net];
                high[net] += value[net];
            }
            cycles++;
        }
        before = value;
    }

    // Writes a line with the number of cycles, then one for each net: its transitions, and in how many cycles it was 1.
    void write_activity(const std::string& path) {
        std::ofstream file(path);
        file << cycles << "\n";
        for (size_t net = 0; net < value.size(); net++) file << changes[net] << " " << high[net] << "\n";
        if (!file.flush()) throw std::runtime_error("cannot write " + path);
    }

private:
    struct Step {  // a LUT, or a memory's read
        uint64_t table;
        int memory;  // -1: none
        Nets out, in;
    };
    struct Register {
        uint32_t out, in, enable, reset;
        unsigned value, start;
    };
    struct Access {
        int memory;
        uint32_t enable;
        size_t low;
        Nets nets, address;
    };
    struct Memory {
        size_t width;
        std::vector<uint8_t> bits;
        uint8_t* word(size_t place) { return &bits.at(place * width); }
    };

    void add(const std::string& what, std::istringstream& words, const std::string& line) {
        size_t width = 0, depth = 0;
        int memory = -1;
        if (what == "nets") {
            words >> width;
            value.assign(width, 0);
            value.at(1) = 1;
        } else if (what == "port") {
            std::string name;
            words >> name;
            ports[name] = list(words);
        } else if (what == "lut") {
            Step step{0, -1, Nets(1), {}};
            words >> step.out.front() >> std::hex >> step.table >> std::dec;
            step.in = list(words);
            steps.push_back(step);
        } else if (what == "read") {
            Step step{0, 0, {}, {}};
            words >> step.memory;
            step.out = list(words);
            step.in = list(words);
            steps.push_back(step);
        } else if (what == "memory") {
            words >> memory >> width >> depth;
            if (size_t(memory) != memories.size()) throw std::runtime_error("memories are not in order: " + line);
            memories.push_back({width, std::vector<uint8_t>(width * depth)});
        } else if (what == "register") {
            Register one;
            words >> one.out >> one.in >> one.enable >> one.reset >> one.value >> one.start;
            registers.push_back(one);
        } else if (what == "shift" || what == "fetch" || what == "write") {
            Access one{0, 0, 0, {}, {}};
            words >> one.memory >> one.enable;
            if (what == "write") words >> one.low;
            one.nets = list(words);
            one.address = list(words);
            (what == "shift" ? shifts : what == "fetch" ? fetches : writes).push_back(one);
        } else {
            throw std::runtime_error("not a part of a netlist: " + line);
        }
    }

    // Nets up to a colon or the end.
    static Nets list(std::istringstream& words) {
        Nets nets;
        for (std::string word; words >> word && word != ":";) nets.push_back(std::stoul(word));
        return nets;
    }

    size_t place(const Nets& address) const {
        size_t place = 0;
        for (size_t bit = 0; bit < address.size(); bit++) place |= size_t(value[address[bit]]) << bit;
        return place;
    }

    std::unordered_map<std::string, Nets> ports;
    std::vector<uint8_t> value, before, next;
    std::vector<std::pair<uint32_t, uint8_t>> scratch;
    std::vector<uint32_t> changes, high;
    std::vector<Step> steps;
    std::vector<Register> registers;
    std::vector<Memory> memories;
    std::vector<Access> shifts, fetches, writes;
    uint64_t cycles = 0;
};
