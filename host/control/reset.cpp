// SPDX-License-Identifier: Apache-2.0
/// pagepressctl reset: swap off, and the disk as new.
#include <algorithm>
#include <cstdio>
#include <optional>

#include "command.hpp"
#include "disk.hpp"
#include "json.hpp"
#include "output.hpp"
#include "steps.hpp"
#include "swap.hpp"

namespace pagepressctl {

namespace {

class Reset : public Command {
    const char* name() const override { return "reset"; }
    const char* summary() const override { return "swap off, and the disk without pages, size and backing device"; }
    const char* notes() const override {
        return "Swap's pages come back into memory first; pages of another use are dropped. A mounted disk is refused.\n";
    }

    void declare(Arguments& arguments) override {
        arguments.texts("DEVICE", devices_, "disks, pagepress0 or /dev/pagepress0");
        arguments.flag("--all", all_, "all disks");
        arguments.flag("--remove", remove_, "and remove them from the machine");
        arguments.flag("-n,--dry-run", dry_, "say the steps, as lines of shell, and do none");
        arguments.flag("--json", json_, "one line of JSON instead of text");
    }

    ExitCode run(const Machine& machine) override {
        if (devices_.empty() != all_) throw Failure(USAGE, "say which disk, or --all: see pagepressctl reset --help");
        Steps steps(dry_);
        steps.take_turn(machine);
        std::vector<Disk> disks;
        for (const std::string& name : all_ ? machine.disks() : devices_)
            if (std::none_of(disks.begin(), disks.end(), [&](const Disk& disk) { return disk.name == Disk::name_of(name); }))
                disks.emplace_back(machine, name);
        for (const Disk& disk : disks) {
            Use use = disk.use();
            if (use.kind == Use::MOUNTED || use.kind == Use::HELD)
                throw Failure(REFUSED, disk.name + " is in use: " + use.said());
        }
        Json names = Json::array();
        for (const Disk& disk : disks) {
            if (disk.use().kind == Use::SWAP) steps.take("swapoff " + shell_word(disk.node()), [&] { swap_off(disk.node()); });
            warn_of_partition(disk);
            steps.put("1", disk.path("reset"));
            if (remove_) steps.put(std::to_string(disk.number()), machine.control_path("hot_remove"));
            names.push_back(disk.name);
            if (!json_ && !dry_) print(disk.name + (remove_ ? ": removed\n" : ": reset\n"));
        }
        if (json_) print(Json{{"devices", names}, {"removed", remove_ && !dry_}, {"dry_run", dry_}, {"steps", Json::array(steps.said())}});
        else if (dry_) print(steps.text());
        return FINE;
    }

    /// The disk's swap area is the only place that knows what adopt found on the partition.
    static void warn_of_partition(const Disk& disk) {
        if (disk.backing().empty()) return;
        std::optional<Kept> kept;
        try {
            kept = kept_by(disk.node());
        } catch (const Failure&) {  // a disk without a size has none, and reset says itself what is wrong
        }
        if (!kept) return;
        fprintf(stderr, "pagepressctl: %s: adopt took %s, which is no swap area after this: %s makes it one again\n", disk.name.c_str(), disk.backing().c_str(),
                mkswap_line(kept->header, disk.backing()).c_str());
    }

    std::vector<std::string> devices_;
    bool all_ = false, remove_ = false, dry_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> reset_command() { return std::make_unique<Reset>(); }

}  // namespace pagepressctl
