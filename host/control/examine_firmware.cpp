// SPDX-License-Identifier: Apache-2.0
#include "exit.hpp"
#include "files.hpp"
#include "findings.hpp"
#include "management.hpp"
#include "output.hpp"

namespace pagepressctl {

namespace {

/// What it says of itself; firmware that beats but is mute is found here.
void examine_running(const Management& management, Findings& findings) {
    const std::string& card = management.address();
    FirmwareIdentity identity;
    try {
        identity = management.identity();
    } catch (const Failure& failure) {
        if (failure.code != REFUSED) throw;
        std::string what = failure.what();  // it begins with the card, as the finding does
        findings.push_back({Severity::WARNING, card, what.compare(0, card.size() + 2, card + ": ") ? what : what.substr(card.size() + 2),
                            "echo restart >" + management.path("control")});
        return;
    }
    const std::string image = "firmware " + identity.version + " of slot " + identity.slot, other = identity.slot == "A" ? "B" : "A";
    if (identity.on_trial)
        findings.push_back({Severity::NOTE, card, image + " is on trial: it has not confirmed itself yet, and any restart until then boots slot " + other,
                            "pagepressctl firmware list, in a second"});
    else if (management.seen("boot_kind") == "FALLBACK")
        findings.push_back({Severity::WARNING, card, image + " runs because the image that was to run failed its check or its trial (slot " + other + ": " + identity.other_status + ")",
                            "pagepressctl log; pagepressctl firmware update IMAGE"});
    else
        findings.push_back({Severity::GOOD, card, image + " runs", ""});
    if (!identity.on_trial && identity.next_slot != identity.slot)
        findings.push_back({Severity::NOTE, card, "the image of slot " + identity.next_slot + " waits for the firmware's next restart",
                            "echo restart >" + management.path("control")});
}

void examine_history(const Management& management, Findings& findings) {
    const std::string& card = management.address();
    if (auto step = parse_number(management.seen("throttle")); step && *step)
        findings.push_back({Severity::WARNING, card, format("it is hot, and slows down: step %llu of 3", static_cast<unsigned long long>(*step)),
                            "pagepressctl telemetry; see to its cooling"});
    auto driver = parse_number(management.seen("firmware_resets")), watchdog = parse_number(management.seen("watchdog_resets"));
    if (driver.value_or(0) + watchdog.value_or(0))
        findings.push_back({Severity::NOTE, card, format("its firmware was restarted %llu times by the driver and %llu times by its watchdog",
                                                         static_cast<unsigned long long>(driver.value_or(0)), static_cast<unsigned long long>(watchdog.value_or(0))),
                            "pagepressctl log says why"});
    if (std::string status = management.seen("update_status"); !status.empty() && status != "none" && status != "OK")
        findings.push_back({Severity::NOTE, card, "the last update of its firmware ended with " + status, "pagepressctl firmware list"});
}

void examine(const Management& management, Findings& findings) {
    const std::string state = management.seen("state"), restart = "echo restart >" + management.path("control");
    auto say = [&](Severity severity, const std::string& what, const std::string& next) { findings.push_back({severity, management.address(), what, next}); };
    if (state == "running") examine_running(management, findings);
    else if (state == "starting") say(Severity::NOTE, "its firmware boots", "look again in ten seconds");
    else if (state == "silent") say(Severity::WARNING, "its firmware is silent, and the driver restarts it; pages do without it", "dmesg | grep firmware; pagepressctl log");
    else if (state == "dead") say(Severity::WARNING, "its firmware is dead, and left alone after several restarts: nobody watches its temperature; pages do without it", restart);
    else if (state == "away") say(Severity::NOTE, "its firmware is not looked at: the card is suspended, being reset, or cut off", "dmesg | grep pagepress");
    else if (!state.empty()) say(Severity::WARNING, "its firmware is " + state + ": the management registers read as none", "dmesg | grep pagepress");
    if (!state.empty()) examine_history(management, findings);
}

}  // namespace

void examine_firmware(const Machine& machine, Findings& findings) {
    for (const std::string& address : managed_cards(machine)) {
        Findings found;
        try {
            examine(Management(machine, address), found);
        } catch (const Failure& failure) {
            if (exists(machine.card_path(address) + "/management/state")) throw;
            continue;  // it has left meanwhile
        }
        findings.insert(findings.end(), found.begin(), found.end());
    }
}

}  // namespace pagepressctl
