// SPDX-License-Identifier: Apache-2.0
/// pagepressctl setup: from nothing to swap on.
#include "command.hpp"
#include "content.hpp"
#include "device.hpp"
#include "files.hpp"
#include "json.hpp"
#include "output.hpp"
#include "prepare.hpp"
#include "swap.hpp"

namespace pagepressctl {

namespace {

class Setup : public Command {
    const char* name() const override { return "setup"; }
    const char* summary() const override { return "from nothing to swap on: a disk, its size, swap"; }
    const char* notes() const override {
        return "Takes the disk named, which is made if need be; else the first that nobody uses and that holds nothing; else a new one.\n"
               "SIZE is an expression: numbers and ram are MiB, 2G is 2 GiB; + - * / ( ), min(a, b), max(a, b):\n"
               "  pagepressctl setup --size 'min(ram / 2, 8192)'\n"
               "A disk that has a size keeps it unless --size is given; a new one gets twice the RAM.\n"
               "A writeback device that holds a file system, a volume or a partition table is refused without --force.\n"
               "When a step fails, those before it are taken back.\n";
    }

    void declare(Arguments& arguments) override {
        arguments.text("DEVICE", device_, "the disk, pagepress0 or /dev/pagepress0");
        arguments.text("-w,--writeback-device", backing_, "a block device for pages that memory should not hold");
        arguments.flag("--no-swap", no_swap_, "leave the disk as a plain block device");
        arguments.flag("--no-swapon", no_swapon_, "write the swap area and leave it off, for systemd to turn on");
        wanted_.declare(arguments, "of the swap area: the highest is filled first (default 100)", "also a disk that holds pages, and a device that holds a file system or the like: both are dropped");
    }

    ExitCode run(const Machine& machine) override {
        wanted_.evaluate(machine);
        if (wanted_.pool_budget == "auto" && backing_.empty())
            throw Failure(USAGE, "--pool-budget auto needs a device for the pages that leave memory: name it with --writeback-device");
        if (wanted_.size.empty()) wanted_.bytes = machine.memory_bytes() * 2 / page_bytes() * page_bytes();
        Steps steps(wanted_.dry);
        std::string name;
        steps.all_or_nothing([&] { name = carry_out(machine, steps); });
        report(machine, steps, name);
        return FINE;
    }

    std::string carry_out(const Machine& machine, Steps& steps) {
        std::string name = choose_disk(machine, steps, device_, wanted_.force);
        if (!backing_.empty()) take_device(machine, steps, name);
        made_ = prepare_disk(machine, steps, name, {wanted_.bytes, wanted_.size.empty(), backing_, wanted_.limit_bytes, wanted_.pool_budget});
        if (no_swap_) return name;
        std::string node = machine.dev + "/" + name;
        steps.take("mkswap " + shell_word(node), [&] { make_swap(node); });
        if (no_swapon_) return name;
        steps.take(format("swapon --priority %u ", wanted_.priority) + shell_word(node), [&] { swap_on(node, static_cast<int>(wanted_.priority)); },
                   [node] { swap_off(node); });
        return name;
    }

    /// The driver writes over whatever it is given: only a swap area that is off, and what nobody knows, as its own pages of an earlier
    /// boot, is taken without a word.
    void take_device(const Machine& machine, Steps& steps, const std::string& disk) const {
        const std::string node = machine.node_of(backing_);
        if (same_file(node, machine.node_of(state_of(machine, disk).backing))) return;  // it has it
        if (!exists(node)) return;  // the driver says what is wrong
        if (swap_on_device(machine, node)) throw Failure(REFUSED, node + " is swap: pagepressctl adopt takes it");
        check_free(machine, node);
        const auto marks = marks_on(node, !header_of_swap(node).empty());
        if (marks.empty()) return;
        if (!wanted_.force)
            throw Failure(REFUSED, node + " holds " + marks.front().content + ": name another device; wipefs -a " + shell_word(node) + ", or setup --force, drops it");
        // Else the next boot finds what the disk has not written over yet.
        steps.take("wipefs --all " + shell_word(node), [&] { wipe(node, marks); }, [node, marks] { put_back(node, marks); });
    }

    void report(const Machine& machine, const Steps& steps, const std::string& name) const {
        std::string state = steps.dry() ? "" : line_or_empty(machine.sysfs + "/block/" + name + "/pagepress/card_state");
        const Prepared disk = steps.dry() ? made_ : state_of(machine, name);
        if (wanted_.json) {
            Json line = {{"device", name}, {"disksize", disk.bytes}, {"backing_dev", disk.backing}, {"mem_limit", disk.mem_limit}};
            line.set("priority", no_swap_ || no_swapon_ ? Json() : Json(wanted_.priority));
            if (!steps.dry()) line.set("card_state", state);
            line.set("dry_run", steps.dry());
            line.set("steps", Json::array(steps.said()));
            print(line);
        } else if (steps.dry()) {
            print(steps.text());
        } else {
            std::string what = no_swap_ ? "a disk" : no_swapon_ ? "a swap area" : format("swap, priority %u", wanted_.priority);
            print(name + ": " + bytes(disk.bytes) + ", " + what + (disk.backing.empty() ? "" : ", backed by " + disk.backing) + ", card " +
                  state + "\n");
        }
    }

    std::string device_, backing_;
    bool no_swap_ = false, no_swapon_ = false;
    Wanted wanted_ = {"", "", USUAL_PRIORITY};
    Prepared made_;
};

}  // namespace

std::unique_ptr<Command> setup_command() { return std::make_unique<Setup>(); }

}  // namespace pagepressctl
