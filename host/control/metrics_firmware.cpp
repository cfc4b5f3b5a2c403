// SPDX-License-Identifier: Apache-2.0
/// The part of pagepressctl metrics that tells of cards' firmware.
#include <map>
#include <optional>

#include "exit.hpp"
#include "files.hpp"
#include "management.hpp"
#include "output.hpp"
#include "pagepress_management.h"

namespace pagepressctl {

namespace {

/// One card's: what the driver saw, and what its firmware answered, if it did.
struct Watched {
    Management management;
    std::string state;
    std::optional<FirmwareIdentity> identity;
    std::map<std::string, std::string> telemetry;

    Labels labels() const { return {{"card", management.address()}}; }
    /// Of the telemetry, in its own unit.
    std::optional<double> figure(const std::string& name) const {
        auto found = telemetry.find(name);
        if (found == telemetry.end()) return {};
        bool negative = found->second[0] == '-';
        auto number = parse_number(found->second.substr(negative));
        if (!number) throw Failure(MALFORMED, management.path("telemetry") + ": not a number: '" + name + " " + found->second + "'");
        return (negative ? -1 : 1) * static_cast<double>(*number);
    }
    bool silent(unsigned sensor) const { return static_cast<unsigned>(figure("sensors_silent").value_or(0)) >> sensor & 1; }
};

/// Firmware that is mute is a figure too, no failure. Nothing of a card that has left meanwhile.
std::optional<Watched> watch(const Machine& machine, const std::string& address) {
    try {
        Watched card = {Management(machine, address), "", {}, {}};
        card.state = card.management.seen("state");
        if (card.state.empty()) return {};
        if (card.state != "running") return card;
        try {
            card.identity = card.management.identity();
            for (const auto& [name, value] : card.management.pairs("telemetry")) card.telemetry[name] = value;
        } catch (const Failure& failure) {
            if (failure.code != REFUSED) throw;
            card.identity.reset();
            card.telemetry.clear();
        }
        return card;
    } catch (const Failure& failure) {
        if (failure.code == ABSENT) return {};
        throw;
    }
}

constexpr struct {
    const char *rail, *name;
    unsigned sensor;
} VOLTAGES[] = {
    {"core", "voltage_core", PAGEPRESS_SENSOR_VOLTAGE_CORE},
    {"auxiliary", "voltage_aux", PAGEPRESS_SENSOR_VOLTAGE_AUX},
    {"memory", "voltage_memory", PAGEPRESS_SENSOR_VOLTAGE_MEMORY},
};

}  // namespace

void add_firmware(Exposition& text, const Machine& machine) {
    std::vector<Watched> cards;
    for (const std::string& address : managed_cards(machine))
        if (auto card = watch(machine, address)) cards.push_back(*card);
    if (cards.empty()) return;
    auto family = [&](const char* name, Kind kind, const char* help, auto value_of) {
        text.head(std::string("pagepress_firmware") + name, kind, help);
        for (const Watched& card : cards)
            if (auto value = value_of(card)) text.sample(card.labels(), format("%.12g", *value));
    };
    auto seen = [](const char* file) {
        return [file](const Watched& card) -> std::optional<double> {
            auto number = parse_number(card.management.seen(file));
            return number ? std::optional<double>(static_cast<double>(*number)) : std::nullopt;
        };
    };

    text.head("pagepress_firmware_state", Kind::STATESET, "whether the firmware of a card's own processor lives");
    for (const Watched& card : cards) text.states(card.labels(), FIRMWARE_STATES, card.state);
    text.head("pagepress_firmware", Kind::INFO, "version of the firmware, the slot it runs from, how it was booted");
    for (const Watched& card : cards) {
        Labels labels = card.labels();
        labels.insert(labels.end(), {{"version", card.management.seen("firmware_version")},
                                     {"slot", card.management.seen("slot")},
                                     {"boot", card.management.seen("boot_kind")}});
        text.sample(labels, 1);
    }
    family("_answers", Kind::GAUGE, "1 if the firmware has answered, 0 if it does not run or is mute",
           [](const Watched& card) { return std::optional<double>(card.identity.has_value()); });
    family("_on_trial", Kind::GAUGE, "1 while its image has not confirmed itself", [](const Watched& card) {
        return card.identity ? std::optional<double>(card.identity->on_trial) : std::nullopt;
    });
    family("_restarts", Kind::COUNTER, "restarts by the driver, of firmware that was silent", seen("firmware_resets"));
    family("_watchdog_resets", Kind::COUNTER, "restarts by the card's own watchdog", seen("watchdog_resets"));
    family("_flash_errors", Kind::COUNTER, "errors of the flash that holds the firmware", [](const Watched& card) { return card.figure("flash_errors"); });
    family("_throttle", Kind::GAUGE, "how much the card slows down because it is hot, 0 for not at all, to 3", seen("throttle"));
    family("_temperature_celsius", Kind::GAUGE, "temperature of the card", [](const Watched& card) {
        auto hundredths = card.figure("temperature");
        return hundredths && !card.silent(PAGEPRESS_SENSOR_TEMPERATURE) ? std::optional<double>(*hundredths / 100) : std::nullopt;
    });
    text.head("pagepress_firmware_voltage_volts", Kind::GAUGE, "supplies of the card");
    for (const Watched& card : cards)
        for (const auto& voltage : VOLTAGES)
            if (auto millivolts = card.figure(voltage.name); millivolts && !card.silent(voltage.sensor))
                text.sample({{"card", card.management.address()}, {"rail", voltage.rail}}, format("%.12g", *millivolts / 1000));
}

}  // namespace pagepressctl
