// SPDX-License-Identifier: Apache-2.0
#include "fault_plan.hpp"

#include <pagepress_interface.h>

#include <cstdlib>
#include <map>

namespace card {

namespace {

const std::map<std::string, Fault> FAULTS = {
    {"lost-completion", Fault::LOST_COMPLETION}, {"late-completion", Fault::LATE_COMPLETION},
    {"wrong-tag", Fault::WRONG_TAG},             {"wrong-length", Fault::WRONG_LENGTH},
    {"wrong-crc", Fault::WRONG_CRC},             {"corrupted-data", Fault::CORRUPTED_DATA},
    {"wrong-detail", Fault::WRONG_DETAIL},       {"broken-stream", Fault::BROKEN_STREAM},
    {"failed-status", Fault::FAILED_STATUS},     {"stuck", Fault::STUCK},
    {"fatal", Fault::FATAL},                     {"all-ones", Fault::ALL_ONES},
    {"dead", Fault::DEAD},                       {"reset-refused", Fault::RESET_REFUSED},
    {"lying-counters", Fault::LYING_COUNTERS},   {"engine-fault", Fault::ENGINE_FAULT},
    {"late-write", Fault::LATE_WRITE},           {"interrupt-storm", Fault::INTERRUPT_STORM},
    {"event-storm", Fault::EVENT_STORM},         {"fewer-queues", Fault::FEWER_QUEUES},
};

/// A whole number from 1; nullopt for anything else.
std::optional<uint64_t> positive(const std::string& text) {
    if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
    uint64_t number = std::strtoull(text.c_str(), nullptr, 10);
    return number ? std::optional(number) : std::nullopt;
}

}  // namespace

std::string FaultPlan::arm(const std::vector<std::string>& words) {
    auto known = words.empty() ? FAULTS.end() : FAULTS.find(words[0]);
    if (known == FAULTS.end()) return words.empty() ? "arm what?" : "unknown fault " + words[0];
    Rule rule{known->second, std::nullopt, 1, 1, 100};
    for (size_t index = 1; index < words.size(); index++) {
        size_t equals = words[index].find('=');
        std::string name = words[index].substr(0, equals);
        std::string value = equals == std::string::npos ? "" : words[index].substr(equals + 1);
        auto number = positive(value);
        if (name == "opcode" && value == "compress")
            rule.opcode = PAGEPRESS_OPCODE_COMPRESS;
        else if (name == "opcode" && value == "decompress")
            rule.opcode = PAGEPRESS_OPCODE_DECOMPRESS;
        else if (name == "count" && number)
            rule.left = *number;
        else if (name == "one-in" && number)
            rule.one_in = *number;
        else if (name == "after" && number)
            rule.after_ms = static_cast<unsigned>(*number);
        else
            return "cannot use " + words[index] + " (opcode=compress|decompress, count=N, one-in=N, after=MILLISECONDS)";
    }
    rules_.push_back(rule);
    return "";
}

void FaultPlan::clear() {
    rules_.clear();
    struck_ = 0;
}

bool FaultPlan::strikes(Fault fault, uint8_t opcode, unsigned* after_ms) {
    for (Rule& rule : rules_) {
        if (rule.fault != fault || !rule.left || (rule.opcode && *rule.opcode != opcode)) continue;
        if (rule.one_in > 1 && draw(static_cast<uint32_t>(rule.one_in))) continue;
        rule.left--;
        struck_++;
        if (after_ms) *after_ms = rule.after_ms;
        return true;
    }
    return false;
}

uint64_t FaultPlan::armed() const {
    uint64_t sum = 0;
    for (const Rule& rule : rules_) sum += rule.left;
    return sum;
}

}  // namespace card
