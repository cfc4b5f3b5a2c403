// SPDX-License-Identifier: Apache-2.0
/// pagepressctl status: every figure of one disk.
#include "command.hpp"
#include "disk.hpp"
#include "json.hpp"
#include "output.hpp"
#include "ramzswap.hpp"

namespace pagepressctl {

namespace {

class Status : public Command {
    const char* name() const override { return "status"; }
    const char* summary() const override { return "what a disk holds, which way its pages went, the cards' own counters"; }

    void declare(Arguments& arguments) override {
        arguments.text("DEVICE", device_, "the disk, pagepress0 or /dev/pagepress0 (default pagepress0)");
        arguments.flag("--json", json_, "one line of JSON instead of text");
        arguments.flag("--ramzswap", ramzswap_, "the table of the first compressed swap devices, in its units");
    }

    ExitCode run(const Machine& machine) override {
        if (json_ && ramzswap_) throw Failure(USAGE, "status: --json or --ramzswap, not both: see pagepressctl status --help");
        Disk disk(machine, device_);
        Figures figures = disk.figures();
        if (json_) print(as_json(disk, figures));
        else if (ramzswap_) print(ramzswap_table(figures));
        else print(as_text(disk, figures));
        return FINE;
    }

    static Json as_json(const Disk& disk, const Figures& figures) {
        Json line = {{"device", disk.name}};
        for (const AttributeGroup& group : ATTRIBUTE_GROUPS) {
            Json members = Json::object();
            for (const Attribute& attribute : group.attributes)
                if (attribute.word) members.set(attribute.file, figures.word(attribute.file));
                else members.set(attribute.file, figures.number(attribute.file));
            line.set(group.name, members);
        }
        return line;
    }

    static std::string as_text(const Disk& disk, const Figures& figures) {
        std::string text = disk.name + "\n";
        for (const AttributeGroup& group : ATTRIBUTE_GROUPS) {
            text += "\n" + paint(Style::HEADING, group.title) + "\n";
            for (const Attribute& attribute : group.attributes) {
                std::string value =
                    attribute.word ? figures.word(attribute.file) : std::to_string(figures.number(attribute.file));
                text += format("  %-24s %16s\n", attribute.file, value.c_str());
            }
        }
        return text;
    }

    std::string device_ = "pagepress0";
    bool json_ = false, ramzswap_ = false;
};

}  // namespace

std::unique_ptr<Command> status_command() { return std::make_unique<Status>(); }

}  // namespace pagepressctl
