// SPDX-License-Identifier: Apache-2.0
/// pagepressctl adopt: a swap partition becomes the backing device of a disk, and plain swap again.
#include "command.hpp"
#include "content.hpp"
#include "device.hpp"
#include "disk.hpp"
#include "files.hpp"
#include "json.hpp"
#include "output.hpp"
#include "prepare.hpp"
#include "swap.hpp"

namespace pagepressctl {

namespace {

constexpr unsigned NO_PRIORITY = MOST_PRIORITY + 1;

std::string swapon_line(int priority, const std::string& node) {
    return "swapon " + (priority < 0 ? "" : format("--priority %d ", priority)) + shell_word(node);
}

class Adopt : public Command {
    const char* name() const override { return "adopt"; }
    const char* summary() const override { return "a swap partition as the backing device of a disk, and back"; }
    const char* notes() const override {
        return "Turns the partition's swap off, gives it to a disk for pages that memory should not hold, and turns the disk's swap on.\n"
               "Without --disk the disk is the first that nobody uses and that holds nothing, else a new one; without --size it gets twice\n"
               "the RAM and the partition's size. What holds a file system is refused, also with --force. When a step fails, or on an\n"
               "interrupt, those before it are taken back: the partition is then swap as it was. --undo makes the partition plain swap\n"
               "again, with its UUID, label and priority.\n";
    }

    void declare(Arguments& arguments) override {
        arguments.text("PARTITION", partition_, "a block device that is swap, on or off");
        arguments.text("-d,--disk", device_, "the disk, pagepress0 or /dev/pagepress0");
        arguments.flag("--undo", undo_, "give the partition back");
        wanted_.declare(arguments, "of the disk's swap area (default the partition's, else 100)", "also a device that is no swap area, and a disk that holds pages: both are dropped");
    }

    ExitCode run(const Machine& machine) override {
        if (partition_.empty()) throw Failure(USAGE, "say which partition: see pagepressctl adopt --help");
        if (undo_ && (wanted_.force || wanted_.priority != NO_PRIORITY || !(device_ + wanted_.size + wanted_.mem_limit + wanted_.pool_budget).empty()))
            throw Failure(USAGE, "--undo takes the partition alone: see pagepressctl adopt --help");
        wanted_.evaluate(machine);
        node_ = block_device(partition_);
        Steps steps(wanted_.dry);
        steps.all_or_nothing([&] { undo_ ? give_back(machine, steps) : take(machine, steps); });
        report(machine, steps);
        return FINE;
    }

    void take(const Machine& machine, Steps& steps) {
        steps.take_turn(machine);  // the partition is looked at below
        for (const std::string& name : machine.disks())
            if (same_device(machine.dev + "/" + name, node_)) throw Failure(REFUSED, node_ + ": a Pagepress disk itself");
        check_free(machine, node_);
        examine(machine);
        bytes_ = wanted_.size.empty() ? (machine.memory_bytes() * 2 / page_bytes() + bytes_of(kept_.header) / page_bytes()) * page_bytes() : wanted_.bytes;
        area_priority_ = wanted_.priority != NO_PRIORITY ? static_cast<int>(wanted_.priority)
                         : kept_.was_on && kept_.priority >= 0 ? kept_.priority : static_cast<int>(USUAL_PRIORITY);

        disk_ = choose_disk(machine, steps, device_, wanted_.force);
        turn_off(machine, steps, node_, kept_.was_on, kept_.priority);
        // The disk writes over it as soon as there is something to write. Taken back after the disk has let go.
        std::string node = node_, header = kept_.header;
        if (was_swap_) steps.undo_by([node, header] { make_swap(node, header); });
        made_ = prepare_disk(machine, steps, disk_, {bytes_, false, node_, wanted_.limit_bytes, wanted_.pool_budget});
        bytes_ = made_.bytes;
        std::string disk_node = machine.dev + "/" + disk_;
        steps.take("mkswap " + shell_word(disk_node), [&] { make_swap(disk_node, kept_); });
        turn_on(steps, disk_node, area_priority_);
    }

    /// What the partition holds, and how it is used.
    void examine(const Machine& machine) {
        auto swap = swap_on_device(machine, node_);
        kept_.header = header_of_swap(node_);
        was_swap_ = !kept_.header.empty();
        std::string content = swap ? "" : content_of(node_, was_swap_);
        if (!content.empty()) throw Failure(REFUSED, node_ + " holds " + content + ": not touched, --force or not");
        if (!was_swap_ && !wanted_.force) throw Failure(REFUSED, node_ + " is no swap area: --force takes it, and drops what it holds");
        if (!was_swap_) kept_.header = new_header(node_);
        if (has_bad_pages(kept_.header)) throw Failure(REFUSED, node_ + " has bad pages, which a backing device may not have");
        kept_.was_on = swap.has_value();
        if (swap) kept_.priority = swap->priority;
    }

    void give_back(const Machine& machine, Steps& steps) {
        steps.take_turn(machine);
        for (const std::string& name : machine.disks())
            if (same_device(Disk(machine, name).backing(), node_)) disk_ = name;
        if (disk_.empty()) throw Failure(REFUSED, node_ + ": no disk has it as its backing device");
        Disk disk(machine, disk_);
        Use use = disk.use();
        if (use.kind == Use::MOUNTED || use.kind == Use::HELD) throw Failure(REFUSED, disk_ + " is in use: " + use.said());
        auto kept = kept_by(disk.node());
        if (!kept) throw Failure(REFUSED, disk_ + " did not get " + node_ + " from adopt: pagepressctl reset " + disk_ + " lets it go");
        kept_ = *kept;
        bytes_ = disk.size();
        area_priority_ = kept_.priority;

        turn_off(machine, steps, disk.node(), use.kind == Use::SWAP, use.swap.priority);
        std::string disk_node = disk.node();
        steps.put("1", disk.path("reset"), [restore = restorer_of(disk.path("")), disk_node, kept] {
            restore();
            make_swap(disk_node, *kept);
        });
        steps.take(mkswap_line(kept_.header, node_), [&] { make_swap(node_, kept_.header); });
        if (kept_.was_on) turn_on(steps, node_, kept_.priority);
    }

    static void turn_off(const Machine& machine, Steps& steps, const std::string& node, bool on, int priority) {
        auto off = [&] {
            try {
                swap_off(node);
            } catch (const Failure&) {  // of a process that was killed one cannot know how far it had come
                if (!swap_on_device(machine, node)) swap_on(node, priority);
                throw;
            }
        };
        if (on) steps.take("swapoff " + shell_word(node), off, [node, priority] { swap_on(node, priority); });
    }

    static void turn_on(Steps& steps, const std::string& node, int priority) {
        steps.take(swapon_line(priority, node), [&] { swap_on(node, priority); }, [node] { swap_off(node); });
    }

    void report(const Machine& machine, const Steps& steps) const {
        bool on = undo_ ? kept_.was_on : true;
        if (wanted_.json) {
            const Prepared disk = steps.dry() ? made_ : state_of(machine, disk_);
            Json line = {{"partition", node_}, {"device", disk_}, {"disksize", bytes_}, {"mem_limit", disk.mem_limit}, {"undone", undo_ && !steps.dry()}};
            line.update({{"uuid", uuid_of(kept_.header)}, {"label", label_of(kept_.header)}, {"was_on", kept_.was_on}});
            line.set("priority", on ? Json(area_priority_) : Json());
            if (!steps.dry()) line.set("card_state", line_or_empty(machine.sysfs + "/block/" + disk_ + "/pagepress/card_state"));
            line.set("dry_run", steps.dry());
            line.set("steps", Json::array(steps.said()));
            print(line);
        } else if (steps.dry()) {
            print(steps.text());
        } else if (undo_) {
            print(node_ + ": plain swap again, " + (on ? "on" : "off") + "; " + disk_ + ": reset\n");
        } else {
            print(disk_ + ": " + bytes(bytes_) + format(", swap, priority %d, backed by ", area_priority_) + node_ + "\n");
        }
    }

    std::string partition_, device_;
    bool undo_ = false;
    Wanted wanted_ = {"", "", NO_PRIORITY};

    std::string node_, disk_;
    Kept kept_;
    bool was_swap_ = false;  // the partition, on or off
    int area_priority_ = 0;
    uint64_t bytes_ = 0;
    Prepared made_;
};

}  // namespace

std::unique_ptr<Command> adopt_command() { return std::make_unique<Adopt>(); }

}  // namespace pagepressctl
