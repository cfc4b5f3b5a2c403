// SPDX-License-Identifier: Apache-2.0
/// pagepressctl doctor: is the card used, and if not, why, and what to do next.
#include <algorithm>

#include "command.hpp"
#include "disk.hpp"
#include "findings.hpp"
#include "json.hpp"
#include "output.hpp"

namespace pagepressctl {

namespace {

constexpr struct {
    const char* word;
    Style style;
} SEVERITIES[] = {{"good", Style::GOOD}, {"note", Style::FAINT}, {"warning", Style::WARNING}, {"error", Style::BAD}};

class Doctor : public Command {
    const char* name() const override { return "doctor"; }
    const char* summary() const override { return "is the card used, and if not, why, and what to do next"; }
    const char* notes() const override {
        return "A finding a line: good, note, warning or error; what it is about; what was found; the next step behind `->`.\n"
               "The worst finding decides the exit status: 0 for good and note, 6 for warning, 7 for error.\n";
    }

    void declare(Arguments& arguments) override {
        arguments.flag("-q,--quiet", quiet_, "only warnings and errors");
        arguments.flag("--json", json_, "one line of JSON instead of text");
    }

    ExitCode run(const Machine& machine) override {
        Findings findings;
        try {
            examine_card(machine, findings);
            examine_firmware(machine, findings);
            for_each_disk(machine, [&](const Disk& disk) { examine_disk(machine, disk, findings); });
        } catch (const Failure& failure) {  // a file that every driver of this version has
            findings.push_back({Severity::ERROR, "driver", failure.what(), "install driver and pagepressctl from one version"});
        }
        std::stable_sort(findings.begin(), findings.end(),
                         [](const Finding& one, const Finding& other) { return one.severity > other.severity; });
        Severity worst = findings.empty() ? Severity::GOOD : findings.front().severity;
        if (quiet_)
            findings.erase(std::remove_if(findings.begin(), findings.end(),
                                          [](const Finding& finding) { return finding.severity < Severity::WARNING; }),
                           findings.end());
        if (json_) print(as_json(worst, findings));
        else
            for (const Finding& finding : findings) print(as_text(finding));
        return worst == Severity::ERROR ? WRONG : worst == Severity::WARNING ? WARNED : FINE;
    }

    static std::string as_text(const Finding& finding) {
        const auto& severity = SEVERITIES[static_cast<int>(finding.severity)];
        return paint(severity.style, format("%-8s", severity.word)) + format("%-14s ", finding.about.c_str()) + finding.what +
               (finding.next.empty() ? "" : " -> " + finding.next) + "\n";
    }

    static Json as_json(Severity worst, const Findings& findings) {
        Json array = Json::array();
        for (const Finding& finding : findings)
            array.push_back({{"severity", SEVERITIES[static_cast<int>(finding.severity)].word},
                             {"about", finding.about},
                             {"what", finding.what},
                             {"next", finding.next}});
        return {{"verdict", SEVERITIES[static_cast<int>(worst)].word}, {"findings", array}};
    }

    bool quiet_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> doctor_command() { return std::make_unique<Doctor>(); }

}  // namespace pagepressctl
