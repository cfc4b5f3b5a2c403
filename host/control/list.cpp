// SPDX-License-Identifier: Apache-2.0
/// pagepressctl list: a line a disk.
#include "command.hpp"
#include "disk.hpp"
#include "json.hpp"
#include "output.hpp"

namespace pagepressctl {

namespace {

class List : public Command {
    const char* name() const override { return "list"; }
    const char* summary() const override { return "all disks, a line each"; }
    const char* notes() const override {
        return "SIZE: of the disk. STORED: its pages before compression. MEMORY: what they take of it, table included.\n"
               "RATIO: STORED over MEMORY. CARD: state of the best card.\n";
    }

    void declare(Arguments& arguments) override { arguments.flag("--json", json_, "one line of JSON, an array of disks"); }

    ExitCode run(const Machine& machine) override {
        machine.need_module();
        Table table({"DEVICE", ">SIZE", ">STORED", ">MEMORY", ">RATIO", "CARD", "BACKING", "USE"});
        Json lines = Json::array();
        for_each_disk(machine, [&](const Disk& disk) {
            Figures figures = disk.figures();
            Use use = disk.use();
            uint64_t stored = figures.number("OrigDataSize"), memory = figures.number("MemUsedTotal");
            std::string backing = disk.backing();
            table.row({disk.name, bytes(figures.number("disksize")), bytes(stored), bytes(memory), ratio(figures.ratio()),
                       figures.word("card_state"), backing.empty() ? "-" : backing, use.said()});
            Json line = {{"device", disk.name},
                         {"disksize", figures.number("disksize")},
                         {"stored_bytes", stored},
                         {"compressed_bytes", figures.number("ComprDataSize")},
                         {"memory_bytes", memory},
                         {"ratio", figures.ratio()},
                         {"card_state", figures.word("card_state")},
                         {"backing_dev", backing},
                         {"use", use.said()}};
            line.set("priority", use.kind == Use::SWAP ? Json(use.swap.priority) : Json());
            lines.push_back(line);
        });
        if (json_) print(lines);
        else print(table.text());
        return FINE;
    }

    bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> list_command() { return std::make_unique<List>(); }

}  // namespace pagepressctl
