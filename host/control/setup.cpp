// SPDX-License-Identifier: Apache-2.0
/// pagepressctl setup: from nothing to swap on.
#include "command.hpp"
#include "expression.hpp"
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
               "When a step fails, those before it are taken back.\n";
    }

    void declare(Arguments& arguments) override {
        arguments.text("DEVICE", device_, "the disk, pagepress0 or /dev/pagepress0");
        arguments.text("-s,--size", size_, "SIZE of the disk");
        arguments.number("-p,--priority", priority_, 0, 32767, "of the swap area: the highest is filled first (default 100)");
        arguments.text("-w,--writeback-device", backing_, "a block device for pages that memory should not hold");
        arguments.text("-l,--mem-limit", limit_, "SIZE that stored pages may take of memory at most");
        arguments.flag("--no-swap", no_swap_, "leave the disk as a plain block device");
        arguments.flag("--no-swapon", no_swapon_, "write the swap area and leave it off, for systemd to turn on");
        arguments.flag("--force", force_, "also a disk that holds pages: they are dropped");
        arguments.flag("-n,--dry-run", dry_, "say the steps, as lines of shell, and do none");
        arguments.flag("--json", json_, "one line of JSON instead of text");
    }

    ExitCode run(const Machine& machine) override {
        check_sizes(machine);
        Steps steps(dry_);
        std::string name;
        try {
            name = carry_out(machine, steps);
        } catch (const Failure&) {
            steps.undo();
            throw;
        }
        report(machine, steps, name);
        return FINE;
    }

    /// Bad expressions end the command before anything is touched.
    void check_sizes(const Machine& machine) {
        uint64_t ram = size_.find("ram") == std::string::npos && limit_.find("ram") == std::string::npos && !size_.empty()
                           ? 0
                           : machine.memory_bytes();
        new_size_ = size_.empty() ? ram * 2 / page_bytes() * page_bytes() : size_of(size_, "--size", ram);
        if (!limit_.empty()) limit_bytes_ = size_of(limit_, "--mem-limit", ram);
    }

    std::string carry_out(const Machine& machine, Steps& steps) {
        std::string name = choose_disk(machine, steps, device_, force_);
        disksize_ = prepare_disk(machine, steps, name, {new_size_, size_.empty(), backing_, limit_bytes_});
        if (no_swap_) return name;
        std::string node = machine.dev + "/" + name;
        steps.take("mkswap " + node, [&] { make_swap(node); });
        if (no_swapon_) return name;
        steps.take(format("swapon --priority %u %s", priority_, node.c_str()), [&] { swap_on(node, static_cast<int>(priority_)); });
        return name;
    }

    void report(const Machine& machine, const Steps& steps, const std::string& name) const {
        std::string state = steps.dry() ? "" : line_or_empty(machine.sysfs + "/block/" + name + "/pagepress/card_state");
        if (json_) {
            Json line = {{"device", name}, {"disksize", disksize_}, {"backing_dev", backing_}, {"mem_limit", limit_bytes_}};
            line.set("priority", no_swap_ || no_swapon_ ? Json() : Json(priority_));
            if (!steps.dry()) line.set("card_state", state);
            line.set("steps", Json::array(steps.said()));
            print(line);
        } else if (steps.dry()) {
            for (const std::string& step : steps.said()) print(step + "\n");
        } else {
            std::string what = no_swap_ ? "a disk" : no_swapon_ ? "a swap area" : format("swap, priority %u", priority_);
            print(name + ": " + bytes(disksize_) + ", " + what + (backing_.empty() ? "" : ", backed by " + backing_) + ", card " +
                  state + "\n");
        }
    }

    std::string device_, size_, backing_, limit_;
    unsigned priority_ = 100;
    bool no_swap_ = false, no_swapon_ = false, force_ = false, dry_ = false, json_ = false;
    uint64_t new_size_ = 0, disksize_ = 0, limit_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Command> setup_command() { return std::make_unique<Setup>(); }

}  // namespace pagepressctl
