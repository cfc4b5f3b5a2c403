// SPDX-License-Identifier: Apache-2.0
/// pagepressctl regs: a card's registers. Nothing is written; reading changes none of them.
#include <algorithm>
#include <cstring>
#include <optional>

#include "card_registers.hpp"
#include "command.hpp"
#include "json.hpp"
#include "output.hpp"
#include "pagepress_interface.h"

namespace pagepressctl {

namespace {

struct Register {
    const char* name;
    bool queue;  // one for each queue pair
    uint32_t offset;
    bool readable;
};

/// A register as it was read.
struct Value {
    const char* name;
    uint32_t offset, value;
};

struct Field {
    const char *of, *name;
    uint32_t mask, shift;
};

#define REGISTER(block, name, access)                                                                               \
    {#name, PAGEPRESS_##block##_BASE == PAGEPRESS_QUEUE_BASE, PAGEPRESS_##block##_BASE + PAGEPRESS_REGISTER_##name, \
     #access[0] == 'r'},
constexpr Register REGISTERS[] = {PAGEPRESS_REGISTERS(REGISTER)};
#define FIELD(of, name) {#of, #name, PAGEPRESS_##of##_##name##_MASK, PAGEPRESS_##of##_##name##_SHIFT},
constexpr Field FIELDS[] = {PAGEPRESS_FIELDS(FIELD)};
#define CAUSE(name, number) #name,
constexpr const char* CAUSES[] = {PAGEPRESS_FATAL_CAUSES(CAUSE)};
#define COUNTER_NAME(name, number, file) #name,
constexpr const char* COUNTERS[] = {PAGEPRESS_COUNTERS(COUNTER_NAME)};

class Registers : public Command {
    const char* name() const override { return "regs"; }
    const char* summary() const override { return "a card's registers with names and fields; nothing is changed"; }
    const char* notes() const override {
        return "Each register with its offset in BAR0; the blocks of queues that are not active are left out unless --all.\n"
               "Needs root. Of a card that the driver has they come from debugfs, else through its BAR.\n";
    }

    void declare(Arguments& arguments) override {
        arguments.text("CARD", address_, "PCI address, for example 0000:01:00.0 (default: the first card)");
        arguments.flag("-a,--all", all_, "also queues that are not active");
        arguments.flag("--counters", counters_, "and the card's counters");
        arguments.flag("--json", json_, "one line of JSON instead of text");
    }

    ExitCode run(const Machine& machine) override {
        auto cards = machine.cards();
        if (cards.empty()) throw Failure(ABSENT, machine.sysfs + "/bus/pci: no Pagepress card on the bus");
        if (address_.empty()) address_ = cards.front();
        if (std::find(cards.begin(), cards.end(), address_) == cards.end())
            throw Failure(ABSENT, address_ + ": no Pagepress card: they are " + joined(cards));
        CardRegisters registers(machine, address_);
        uint32_t magic = registers.read(PAGEPRESS_REGISTER_MAGIC);
        if (magic == UINT32_MAX)
            throw Failure(MALFORMED, registers.path() + ": the card does not answer (registers read all ones)");
        if (magic != PAGEPRESS_MAGIC_VALUE)
            throw Failure(MALFORMED, registers.path() + format(": not a Pagepress card: MAGIC reads %#x", magic));

        blocks_.push_back({std::nullopt, block(registers, false, 0)});
        uint32_t queues = (registers.read(PAGEPRESS_REGISTER_CAPABILITIES) & PAGEPRESS_CAPABILITIES_QUEUE_PAIRS_MASK) >>
                          PAGEPRESS_CAPABILITIES_QUEUE_PAIRS_SHIFT;
        for (uint32_t queue = 0; queue < queues && queue < PAGEPRESS_QUEUE_COUNT; queue++) {
            uint32_t base = queue * PAGEPRESS_QUEUE_STRIDE,
                     status = PAGEPRESS_QUEUE_BASE + PAGEPRESS_REGISTER_QUEUE_STATUS + base;
            if (all_ || registers.read(status) & PAGEPRESS_QUEUE_STATUS_ACTIVE_MASK)
                blocks_.push_back({queue, block(registers, true, base)});
        }
        if (counters_)
            for (uint32_t index = 0; index < PAGEPRESS_COUNTER_COUNT; index++) counted_.push_back(registers.counter(index));
        if (json_) print(as_json());
        else print(as_text());
        return FINE;
    }

    static std::string joined(const std::vector<std::string>& words) {
        std::string text;
        for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
        return text;
    }

    /// The readable registers of the card, or of one queue, whose copies lie `base` further on.
    static std::vector<Value> block(const CardRegisters& registers, bool queue, uint32_t base) {
        std::vector<Value> values;
        for (const Register& one : REGISTERS)
            if (one.queue == queue && one.readable) values.push_back({one.name, one.offset + base, registers.read(one.offset + base)});
        return values;
    }

    Json as_json() const {
        Json line = {{"card", address_}}, queues = Json::array(), counters = Json::object();
        for (const auto& [queue, values] : blocks_) {
            Json registers = Json::object();
            for (const Value& one : values) {
                Json entry = {{"offset", one.offset}, {"value", one.value}}, fields = Json::object();
                for (const Field& field : FIELDS)
                    if (!strcmp(field.of, one.name)) fields.set(field.name, (one.value & field.mask) >> field.shift);
                entry.set("fields", fields);
                registers.set(one.name, entry);
            }
            if (queue) queues.push_back({{"queue", *queue}, {"registers", registers}});
            else line.set("registers", registers);
        }
        line.set("queues", queues);
        for (size_t index = 0; index < counted_.size(); index++) counters.set(COUNTERS[index], counted_[index]);
        if (counters_) line.set("counters", counters);
        return line;
    }

    std::string as_text() const {
        std::string text = paint(Style::HEADING, address_) + "\n";
        for (const auto& [queue, values] : blocks_) {
            text += paint(Style::HEADING, queue ? "queue " + std::to_string(*queue) : "card") + "\n";
            for (const Value& one : values) text += as_text(one);
        }
        if (counters_) text += paint(Style::HEADING, "counters") + "\n";
        for (size_t index = 0; index < counted_.size(); index++)
            text += format("  %-24s %16llu\n", COUNTERS[index], static_cast<unsigned long long>(counted_[index]));
        return text;
    }

    static std::string as_text(const Value& one) {
        std::string text = format("  %04x  %-22s %08x", one.offset, one.name, one.value);
        for (const Field& field : FIELDS) {
            if (strcmp(field.of, one.name)) continue;
            uint32_t content = (one.value & field.mask) >> field.shift;
            text += format("  %s %u", field.name, content) + (strcmp(field.name, "CAUSE") ? "" : cause(content));
        }
        return text + (strcmp(one.name, "FATAL_CAUSE") ? "" : cause(one.value)) + "\n";
    }

    static std::string cause(uint32_t number) {
        return number < std::size(CAUSES) ? std::string(" (") + CAUSES[number] + ")" : "";
    }

    std::string address_;
    std::vector<std::pair<std::optional<uint32_t>, std::vector<Value>>> blocks_;  // the card's, and each queue's
    std::vector<uint64_t> counted_;
    bool all_ = false, counters_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> regs_command() { return std::make_unique<Registers>(); }

}  // namespace pagepressctl
