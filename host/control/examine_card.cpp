// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "files.hpp"
#include "findings.hpp"
#include "output.hpp"
#include "pagepress_interface.h"

namespace pagepressctl {

namespace {

constexpr char LOG[] = "dmesg | grep pagepress";
constexpr double LATE_SHARE = 0.01;      // of a card's pages: more is overload
constexpr double SOFTWARE_SHARE = 0.5;   // of compressed pages: more, and the card hardly helps
constexpr double PAGES_TO_JUDGE = 1000;  // fewer say nothing of shares

/// Name of the driver that a PCI device is bound to, "" for none.
std::string bound_to(const std::string& device) {
    char target[4096];
    ssize_t length = readlink((device + "/driver").c_str(), target, sizeof target);
    if (length <= 0) return "";
    std::string path(target, static_cast<size_t>(length));
    return path.substr(path.rfind('/') + 1);
}

void examine_bus(const Machine& machine, bool wanted, Findings& findings) {
    auto cards = machine.cards();
    if (cards.empty()) {
        findings.push_back(
            {wanted ? Severity::WARNING : Severity::NOTE, "card", "no card on the bus: software compresses every page",
             format("lspci -d %04x:%04x; echo 1 >/sys/bus/pci/rescan", PAGEPRESS_PCI_VENDOR_ID, PAGEPRESS_PCI_DEVICE_ID)});
        return;
    }
    for (const std::string& address : cards) {
        std::string device = machine.card_path(address), driver = bound_to(device);
        if (driver != "pagepress" && wanted)
            findings.push_back(
                {Severity::ERROR, address, driver.empty() ? "no driver has this card" : "the driver " + driver + " has this card",
                 driver.empty() ? std::string(LOG) + " says why; echo " + address + " >/sys/bus/pci/drivers/pagepress/bind"
                                : "unbind it there"});
        auto width = parse_number(line_or_empty(device + "/current_link_width")),
             most = parse_number(line_or_empty(device + "/max_link_width"));
        if (width && most && *width && *width < *most)
            findings.push_back(
                {Severity::NOTE, address,
                 format("its link has %u of %u lanes", static_cast<unsigned>(*width), static_cast<unsigned>(*most)),
                 "seat the card anew"});
    }
}

void examine_state(const Figures& figures, Findings& findings) {
    const std::string& state = figures.word("card_state");
    auto say = [&](Severity severity, const char* what, const char* next) { findings.push_back({severity, "card", what, next}); };
    if (state == "ready") say(Severity::GOOD, "ready", "");
    if (state == "forbidden")
        say(Severity::WARNING, "not used: the module was loaded with card=N", "modprobe -r pagepress; modprobe pagepress");
    if (state == "starting") say(Severity::NOTE, "it starts", "look again in a second");
    if (state == "dead")
        say(Severity::ERROR, "dead: stopped after a failure; software does its pages",
            "dmesg | grep 'card failed'; it comes back by itself up to rejoin_limit times, then: echo 1 >…/reset");
    if (state == "stopped") say(Severity::WARNING, "stopped: suspended or leaving", LOG);
}

void examine_failures(const Figures& figures, Findings& findings) {
    auto number = [&](const char* file) { return figures.number(file); };
    auto say = [&](Severity severity, const char* file, const char* what, const char* next) {
        if (uint64_t events = number(file))
            findings.push_back(
                {severity, "card", format("%s: %llu %s", file, static_cast<unsigned long long>(events), what), next});
    };
    say(Severity::ERROR, "card_mismatches", "answers could not be right (the pages were done again)",
        "do not trust the card or its link: replace it");
    say(Severity::ERROR, "acomp_card_mismatches", "answers to the crypto API could not be right (the pages were done again)",
        "do not trust the card or its link: replace it");
    say(Severity::WARNING, "card_errors", "pages that the card could not do", "rising: report it");
    say(Severity::WARNING, "acomp_card_errors", "pages of the crypto API that the card could not do", "rising: report it");
    say(Severity::WARNING, "card_timeouts", "commands passed timeout_ms", "often: raise timeout_ms");
    say(Severity::WARNING, "card_resets", "times the card was stopped after a failure", "dmesg | grep 'card failed'");
    say(Severity::WARNING, "verify_failures", "streams failed the card's own check", "rising: replace the card");
    say(Severity::NOTE, "memory_short_pages", "pages a CPU did because memory was short",
        "a larger vm.watermark_scale_factor lets reclaim begin earlier");
    double late = static_cast<double>(number("card_late")),
           done = static_cast<double>(number("card_pages_out") + number("card_pages_in"));
    if (late > 0)
        findings.push_back(
            {late > LATE_SHARE * (late + done) ? Severity::WARNING : Severity::NOTE, "card",
             "card_late: " + count(late) + " answers came too late for their page",
             "often: the card is overloaded or fails, see card_timeouts; a simulated card needs a larger card_wait_ms"});
}

void examine_share(const Machine& machine, const Figures& figures, Findings& findings) {
    uint64_t by_software = figures.number("software_pages_out");
    uint64_t short_of_memory = std::min(by_software, figures.number("memory_short_pages"));  // no fault of the card
    auto card = static_cast<double>(figures.number("card_pages_out"));
    auto software = static_cast<double>(by_software - short_of_memory);
    if (!figures.number("NumWrites")) {
        findings.push_back({Severity::NOTE, "card", "no page has been written yet", "pagepressctl setup turns swap on"});
    } else if (card + software > 0) {
        bool little = card + software >= PAGES_TO_JUDGE && software > SOFTWARE_SHARE * (card + software) &&
                      figures.word("card_state") == "ready";
        findings.push_back(
            {little ? Severity::WARNING : Severity::GOOD, "card",
             format("compressed %.0f %% of %s pages that it could have had", 100 * card / (card + software),
                    count(card + software).c_str()),
             little ? "its rings were full: load the module with a larger depth; tests with a slow card: full_wait_us" : ""});
    }
    if (machine.parameter("read_path") == "cpu")
        findings.push_back({Severity::NOTE, "driver", "read_path=cpu: no page read goes through the card",
                            "echo auto >" + machine.parameter_path("read_path")});
    // What each value but `all`, the default, leaves to the card.
    std::string verify = machine.parameter("verify_streams");
    std::string risk = verify == "card"      ? "compressor, verifier and decompressor are wrong alike can lose pages until a sample shows it"
                       : verify == "sampled" ? "compressor and verifier are wrong together can lose pages until a sample shows it"
                       : verify == "none"    ? "compressor and verifier are wrong together can lose every page"
                                             : "";
    if (!risk.empty())
        findings.push_back({Severity::NOTE, "driver", "verify_streams=" + verify + ": a card whose " + risk,
                            "echo all >" + machine.parameter_path("verify_streams")});
}

void examine_version(const Machine& machine, const Disk& disk, Findings& findings) {
    std::string driver = line_or_empty(disk.path("card/interface"));
    std::string ours = format("%u.%u %08x%08x", PAGEPRESS_VERSION_MAJOR, PAGEPRESS_VERSION_MINOR, PAGEPRESS_HASH_HIGH_VALUE,
                              PAGEPRESS_HASH_LOW_VALUE);
    if (!driver.empty() && driver != ours)
        findings.push_back({Severity::NOTE, "driver", "it is for interface " + driver + ", this program for " + ours,
                            "install both from one version"});
    if (std::string zswap = line_or_empty(machine.sysfs + "/module/zswap/parameters/enabled"); zswap == "Y")
        findings.push_back({Severity::WARNING, "system", "zswap is on: it compresses pages before a disk sees them",
                            "echo N >/sys/module/zswap/parameters/enabled"});
}

}  // namespace

void examine_card(const Machine& machine, Findings& findings) {
    if (!machine.module_loaded()) {
        findings.push_back(
            {Severity::ERROR, "driver", "the module pagepress is not loaded", "modprobe pagepress, or pagepressctl setup"});
        examine_bus(machine, false, findings);
        return;
    }
    examine_bus(machine, machine.parameter("card") != "N", findings);
    auto disks = machine.disks();
    if (disks.empty()) {
        findings.push_back({Severity::WARNING, "driver", "there is no disk", "pagepressctl setup"});
        return;
    }
    // A card does the pages of all disks, each of which counts its own.
    std::optional<Figures> all;
    for_each_disk(machine, [&](const Disk& disk) {
        const Figures own = disk.figures();
        if (all) all->add(own);
        else all = own;
    });
    if (!all) return;  // they have just gone
    const Figures& figures = *all;
    examine_version(machine, Disk(machine, disks.front()), findings);
    examine_state(figures, findings);
    examine_failures(figures, findings);
    examine_share(machine, figures, findings);
}

}  // namespace pagepressctl
