// SPDX-License-Identifier: Apache-2.0
/// pagepressctl selftest, log, telemetry, lanes: what a card's firmware says of the card.
#include <algorithm>
#include <optional>

#include "command.hpp"
#include "files.hpp"
#include "json.hpp"
#include "management.hpp"
#include "output.hpp"
#include "pagepress_management.h"
#include "telemetry_page.hpp"

namespace pagepressctl {

namespace {

/// What all of them take.
class OfCard : public Command {
public:
    void declare(Arguments& arguments) override {
        arguments.text("CARD", address_, "PCI address, for example 0000:01:00.0 (default: the first card that has firmware)");
        arguments.flag("--json", json_, "one line of JSON instead of text");
    }

protected:
    std::string address_;
    bool json_ = false;
};

class SelfTest : public OfCard {
    const char* name() const override { return "selftest"; }
    const char* summary() const override { return "a card's firmware tests its parts; exit 7 if one fails"; }
    const char* notes() const override { return "RAM, timer, flash, sensors, and the running image in its slot. Pages go their way meanwhile. Needs root.\n"; }

    ExitCode run(const Machine& machine) override {
        Management management(machine, address_);
        management.write("self_test", "all");
        std::vector<std::string> ran, failed;
        for (const auto& [name, parts] : management.pairs("self_test")) (name == "failed:" ? failed : ran) = parts_of(parts);
        if (ran.empty()) throw Failure(MALFORMED, management.path("self_test") + ": no test ran");
        if (json_) print(Json{{"card", management.address()}, {"ran", Json::array(ran)}, {"failed", Json::array(failed)}});
        else
            for (const std::string& part : ran) {
                bool bad = std::find(failed.begin(), failed.end(), part) != failed.end();
                print("  " + part + std::string(10 - std::min<size_t>(part.size(), 9), ' ') + (bad ? paint(Style::BAD, "failed") : paint(Style::GOOD, "fine")) + "\n");
            }
        return failed.empty() ? FINE : WRONG;
    }

    static std::vector<std::string> parts_of(const std::string& text) { return text == "none" ? std::vector<std::string>() : words_of(text); }
};

class Log : public OfCard {
    const char* name() const override { return "log"; }
    const char* summary() const override { return "a card's event log: the last 32 events, oldest first"; }
    const char* notes() const override { return "Time is since the card's power-on. The driver puts the same events into the kernel's log.\n"; }

    ExitCode run(const Machine& machine) override {
        Management management(machine, address_);
        Json entries = Json::array();
        Table table({">number", ">seconds", "severity", "event"});
        for (const std::string& line : management.lines("log")) {
            auto words = words_of(line);
            words.resize(std::max<size_t>(words.size(), 4));
            auto number = parse_number(words[0]), time = parse_number(words[1]);
            if (!number || !time || words[3].empty()) throw Failure(MALFORMED, management.path("log") + ": no event: '" + line + "'");
            std::string event = words[3];
            for (size_t at = 4; at < words.size(); at++) event += " " + words[at];
            entries.push_back(Json{{"number", *number}, {"milliseconds", *time}, {"severity", words[2]}, {"event", event}});
            table.row({words[0], format("%.3f", static_cast<double>(*time) / 1000), words[2], event});
        }
        if (json_) print(Json{{"card", management.address()}, {"entries", entries}});
        else print(table.text());
        return FINE;
    }
};

class Telemetry : public OfCard {
    const char* name() const override { return "telemetry"; }
    const char* summary() const override { return "a card's temperature, voltages, link, lanes and queues: one snapshot"; }
    const char* notes() const override {
        return "In JSON temperatures are in units of 0.01 degrees Celsius, null of a silent sensor, voltages in millivolts, times in milliseconds. Counts are of the time since\n"
               "the firmware runs, cycles of the card's clock. A card with an older interface has the general figures alone. Firmware that has died\n"
               "leaves its last snapshot: uptime says when that was.\n";
    }

    ExitCode run(const Machine& machine) override {
        Management management(machine, address_);
        if (management.has("telemetry_page")) return show_page(management);
        Json line = {{"card", management.address()}};
        std::string text = paint(Style::HEADING, management.address()) + "\n";
        const auto pairs = management.pairs("telemetry");
        uint64_t silent = 0;
        for (const auto& [name, value] : pairs)
            if (name == "sensors_silent") silent = parse_number(value).value_or(0);
        for (const auto& [name, value] : pairs) {
            bool negative = value[0] == '-';
            auto number = parse_number(negative ? value.substr(1) : value);
            if (!number || *number > INT64_MAX) throw Failure(MALFORMED, management.path("telemetry") + ": not a number: '" + name + " " + value + "'");
            int64_t figure = negative ? -static_cast<int64_t>(*number) : static_cast<int64_t>(*number);
            line.set(name, is_unknown(name, silent) ? Json() : Json(figure));
            text += format("  %-20s ", name.c_str()) + with_unit(name, figure, silent) + "\n";
        }
        if (json_) print(line);
        else print(text);
        return FINE;
    }

    ExitCode show_page(const Management& management) const {
        std::string wrong;
        TelemetryPage page = read_telemetry_page(management.bytes("telemetry_page"), &wrong);
        if (!wrong.empty()) throw Failure(MALFORMED, management.path("telemetry_page") + ": " + wrong);
        const auto& link = page.link;
        const std::pair<const char*, int64_t> errors[] = {{"completions_faulted", link.completions_faulted}, {"reads_overdue", link.reads_overdue},
                                                          {"writes_failed", link.writes_failed}, {"completions_unexpected", link.completions_unexpected}};
        std::string state = management.seen("state");
        Json line = {{"card", management.address()}, {"state", state}}, errors_line = Json::object(), lanes = Json::array(), queues = Json::array();
        std::string text = paint(Style::HEADING, management.address()) + "\n";
        if (state != "running") text += "  " + paint(Style::WARNING, "its firmware is " + state + ": the last snapshot that it published") + "\n";
        for (const auto& [name, figure] : telemetry_figures(page.general)) {
            line.set(name, is_unknown(name, page.general.sensors_silent) ? Json() : Json(figure));
            text += format("  %-22s ", name) + with_unit(name, figure, page.general.sensors_silent) + "\n";
        }
        for (const auto& [name, figure] : errors) {
            errors_line.set(name, figure);
            text += format("  %-22s %lld\n", name, static_cast<long long>(figure));
        }
        line.update({{"began", page.header.began}, {"published", page.header.published}, {"cycles", page.header.cycles}, {"link", errors_line}});
        text += "\n" + lanes_table(page, &lanes) + "\n" + queues_table(page, &queues);
        line.update({{"lanes", lanes}, {"queues", queues}});
        if (json_) print(line);
        else print(text);
        return FINE;
    }

    static std::string lanes_table(const TelemetryPage& page, Json* lanes) {
        Table table({">lane", "kind", "state", "last trouble", ">badly compressed", ">resets", ">pages", ">busy, %"});
        for (const pagepress_lane& lane : page.lanes) {
            std::string kind = lane_kind_name(lane.kind), state = lane_state_name(lane.state), cause = lane_cause_name(lane.cause);
            lanes->push_back(Json{{"number", lane.number}, {"kind", kind}, {"state", state}, {"cause", cause}, {"failures", lane.failures},
                                  {"verify_failures", lane.verify_failures}, {"resets", lane.resets}, {"pages", lane.pages}, {"cycles", lane.cycles}});
            table.row({std::to_string(lane.number), kind, state, cause, std::to_string(lane.verify_failures), std::to_string(lane.resets),
                       std::to_string(lane.pages), quotient(100 * static_cast<double>(lane.cycles), static_cast<double>(page.header.cycles), 1)});
        }
        return table.text();
    }

    static std::string queues_table(const TelemetryPage& page, Json* queues) {
        Table table({">queue", ">depth", ">deepest", ">mean depth", ">commands", ">mean wait, cycles", ">mean time in card, cycles"});
        unsigned number = 0;
        for (const pagepress_telemetry_queue& queue : page.queues) {
            queues->push_back(Json{{"number", number}, {"depth", queue.depth}, {"depth_peak", queue.depth_peak}, {"commands", queue.commands},
                                   {"depth_cycles", queue.depth_cycles}, {"waiting_cycles", queue.waiting_cycles}});
            double depth = static_cast<double>(queue.depth_cycles), waiting = static_cast<double>(queue.waiting_cycles), commands = queue.commands;
            table.row({std::to_string(number++), std::to_string(queue.depth), std::to_string(queue.depth_peak),
                       quotient(depth, static_cast<double>(page.header.cycles), 3), std::to_string(queue.commands), quotient(waiting, commands, 0),
                       quotient(depth, commands, 0)});
        }
        return table.text();
    }

    static std::string quotient(double of, double by, unsigned digits) { return by > 0 ? format("%.*f", static_cast<int>(digits), of / by) : "-"; }

    /// What a sensor that is silent said last, if it ever did, is not how hot it is.
    static bool is_unknown(const std::string& name, uint64_t silent) {
        return (name == "temperature" || name == "temperature_peak") && silent >> PAGEPRESS_SENSOR_TEMPERATURE & 1;
    }

    static std::string with_unit(const std::string& name, int64_t figure, uint64_t silent) {
        double number = static_cast<double>(figure);
        if (is_unknown(name, silent)) return "silent";
        if (name.rfind("temperature", 0) == 0) return format("%.2f degrees Celsius", number / 100);
        if (name.rfind("voltage", 0) == 0) return figure ? format("%.3f V", number / 1000) : "silent";
        if (name == "uptime" || name == "running" || name == "throttle_time") return format("%.1f s", number / 1000);
        if (name == "loop_longest") return format("%lld cycles", static_cast<long long>(figure));
        if (name.rfind("stack", 0) == 0) return format("%lld bytes", static_cast<long long>(figure));
        return format("%lld", static_cast<long long>(figure));
    }
};

class Lanes : public OfCard {
    const char* name() const override { return "lanes"; }
    const char* summary() const override { return "a card's engines one by one: state, pages, trouble; exit 7 if one stays out"; }
    const char* notes() const override {
        return "A lane in trouble is ISOLATED, TESTED and back IN_SERVICE by itself; one that failed three times in a row stays OUT. Counts are of the\n"
               "time since the firmware runs.\n";
    }

    ExitCode run(const Machine& machine) override {
        static const char* const members[] = {"number", "kind", "state", "cause", "failures", "verify_failures", "resets", "pages", "cycles"};
        Management management(machine, address_);
        Json lanes = Json::array();
        Table table({">lane", "kind", "state", "last trouble", ">failures in a row", ">badly compressed", ">resets", ">pages", ">cycles busy"});
        bool out = false;
        for (const std::string& line : management.lines("lanes")) {
            auto words = words_of(line);
            Json lane;
            bool good = words.size() == std::size(members);
            for (size_t at = 0; good && at < words.size(); at++) {
                bool is_word = at >= 1 && at <= 3;
                auto number = parse_number(words[at]);
                good = is_word || number;
                if (is_word) lane.set(members[at], words[at]);
                else if (number) lane.set(members[at], *number);
            }
            if (!good) throw Failure(MALFORMED, management.path("lanes") + ": no lane: '" + line + "'");
            out |= words[2] == "OUT";
            lanes.push_back(lane);
            table.row(words);
        }
        if (json_) print(Json{{"card", management.address()}, {"lanes", lanes}});
        else print(table.text());
        return out ? WRONG : FINE;
    }
};

}  // namespace

std::unique_ptr<Command> selftest_command() { return std::make_unique<SelfTest>(); }
std::unique_ptr<Command> log_command() { return std::make_unique<Log>(); }
std::unique_ptr<Command> telemetry_command() { return std::make_unique<Telemetry>(); }
std::unique_ptr<Command> lanes_command() { return std::make_unique<Lanes>(); }

}  // namespace pagepressctl
