// SPDX-License-Identifier: Apache-2.0
// The Verilated management part with a flash and sensors: reads commands, a line each, and answers each with a line. `--help` lists them.
#include "Vmanagement_simulated.h"
#include "Vmanagement_simulated_management_simulated.h"
#include "board.hpp"
#include "verilated.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>

static const char USAGE[] =
    "usage: management-sim FLASH     in a folder that holds boot_rom.hex; FLASH is the flash's contents, written back at the end\n"
    "  read ADDRESS | write ADDRESS VALUE   the host's window (hexadecimal)\n"
    "  run CYCLES                           let time pass (decimal)\n"
    "  wait ADDRESS MASK VALUE CYCLES       until (read & mask) is VALUE: the cycles it took, or `timeout`\n"
    "  sensor CHANNEL CODE|off              a value every 5000 cycles\n"
    "  power                                off and on again\n"
    "  cut N                                power fails in the middle of the Nth erase or program from now (0: the next), and comes back\n"
    "  flash dead|stuck|worn|well           what is wrong with the flash\n"
    "  peek OFFSET BYTES | poke OFFSET HEX  its contents\n"
    "  hunger                               the longest that the watchdog has not been fed, in milliseconds (decimal)\n"
    "  operations | cycles | quit\n"
    "Each answer is `ok`, a number, or `error: …`; `cut` when power failed during the command.\n";

class Part {
public:
    Board board;
    Flash &flash = board.flash;
    uint64_t cycle = 0;
    unsigned hunger = 0; // milliseconds

    Part() { power(); }

    void power()
    {
        top = std::make_unique<Vmanagement_simulated>();
        flash.power_on();
        top->reset = 1;
        top->io_host_answer_ready = 1;
        for (int i = 0; i < 16; i++)
            clock();
        top->reset = 0;
        for (int i = 0; i < 16; i++)
            clock();
    }

    void clock()
    {
        drive_sensors();
        top->io_flash_dataIn = flash_out;
        top->clk = top->io_management_clk = 1;
        top->eval();
        flash_out = flash.step(top->io_flash_selectNot, top->io_flash_clock, top->io_flash_dataOut, cycle);
        top->clk = top->io_management_clk = 0;
        top->eval();
        hunger = std::max<unsigned>(hunger, top->management_simulated->part_timer__DOT__hungry);
        cycle++;
    }

    uint32_t access(bool write, uint32_t address, uint32_t data)
    {
        top->io_host_access_payload_write = write;
        top->io_host_access_payload_address = address;
        top->io_host_access_payload_data = data;
        top->io_host_access_valid = 1;
        for (bool taken = false; !taken;) {
            taken = top->io_host_access_ready;
            clock();
        }
        top->io_host_access_valid = 0;
        while (!top->io_host_answer_valid)
            clock();
        uint32_t answer = top->io_host_answer_payload;
        clock();
        return answer;
    }

private:
    std::unique_ptr<Vmanagement_simulated> top;
    bool flash_out = true;

    void drive_sensors()
    {
        SensorValue value = board.sensed(cycle);
        top->io_sensor_valid = value.valid;
        top->io_sensor_payload_channel = value.channel;
        top->io_sensor_payload_code = value.code;
    }
};

static std::string hex(uint32_t value)
{
    char text[16];
    snprintf(text, sizeof(text), "%x", value);
    return text;
}

// One command; the answer without its line end.
static std::string serve(Part &part, std::istringstream &line)
{
    std::string name;
    line >> name;
    uint32_t address = 0, value = 0, mask = 0;
    uint64_t cycles = 0;
    if (name == "read" && line >> std::hex >> address)
        return hex(part.access(false, address, 0));
    if (name == "write" && line >> std::hex >> address >> value)
        return part.access(true, address, value), "ok";
    if (name == "run" && line >> cycles) {
        while (cycles-- && !part.flash.power_failed)
            part.clock();
        return "ok";
    }
    if (name == "wait" && line >> std::hex >> address >> mask >> value >> std::dec >> cycles) {
        uint64_t began = part.cycle;
        while ((part.access(false, address, 0) & mask) != value) {
            if (part.cycle - began > cycles || part.flash.power_failed)
                return "timeout";
            for (int i = 0; i < 200; i++)
                part.clock();
        }
        return std::to_string(part.cycle - began);
    }
    std::string word;
    if (name == "sensor" || name == "flash") {
        std::vector<std::string> words = {name};
        while (line >> word)
            words.push_back(word);
        std::string wrong = part.board.command(words);
        return wrong.empty() ? "ok" : "error: " + wrong;
    }
    if (name == "power")
        return part.power(), "ok";
    if (name == "cut" && line >> cycles)
        return part.flash.cut_at = part.flash.operations + cycles, "ok";
    if (name == "peek" && line >> address >> value && address + value <= Flash::BYTES) {
        std::string text;
        for (uint32_t i = 0; i < value; i++) {
            char digits[3];
            snprintf(digits, sizeof(digits), "%02x", part.flash.memory[address + i]);
            text += digits;
        }
        return text;
    }
    if (name == "poke" && line >> address >> word && address + word.size() / 2 <= Flash::BYTES) {
        for (size_t i = 0; i + 1 < word.size(); i += 2)
            part.flash.memory[address + i / 2] = std::stoi(word.substr(i, 2), nullptr, 16);
        return "ok";
    }
    if (name == "hunger")
        return std::to_string(part.hunger);
    if (name == "operations")
        return std::to_string(part.flash.operations);
    if (name == "cycles")
        return std::to_string(part.cycle);
    return "error: no command '" + line.str() + "' (--help lists them)";
}

int main(int count, char **arguments)
{
    if (count == 2 && std::string(arguments[1]) == "--help") {
        std::cout << USAGE;
        return 0;
    }
    if (count != 2) {
        std::cerr << USAGE;
        return 2;
    }
    if (!std::ifstream("boot_rom.hex")) {
        std::cerr << "management-sim: no boot_rom.hex here: make firmware, and start it in build/firmware\n";
        return 1;
    }
    Part part;
    std::ifstream file(arguments[1], std::ios::binary);
    if (!file) {
        std::cerr << "management-sim: " << arguments[1] << " cannot be read\n";
        return 1;
    }
    std::string contents((std::istreambuf_iterator<char>(file)), {});
    std::copy_n(contents.begin(), std::min<size_t>(contents.size(), Flash::BYTES), part.flash.memory.begin());
    for (std::string text; std::getline(std::cin, text) && text != "quit";) {
        std::istringstream line(text);
        std::string answer;
        try {
            answer = serve(part, line);
        } catch (const std::exception &) {
            answer = "error: bad number in '" + text + "'";
        }
        if (part.flash.power_failed) {
            part.power();
            answer = "cut";
        }
        std::cout << answer << std::endl;
    }
    std::ofstream(arguments[1], std::ios::binary).write(reinterpret_cast<char *>(part.flash.memory.data()), Flash::BYTES);
    return 0;
}
