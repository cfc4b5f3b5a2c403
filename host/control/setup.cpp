// SPDX-License-Identifier: Apache-2.0
/// pagepressctl setup: from nothing to swap on.
#include <spawn.h>
#include <sys/wait.h>

#include "command.hpp"
#include "disk.hpp"
#include "expression.hpp"
#include "files.hpp"
#include "json.hpp"
#include "output.hpp"
#include "steps.hpp"
#include "swap.hpp"

extern char** environ;

namespace pagepressctl {

namespace {

constexpr unsigned MOST_DISKS = 32;        // of the driver
constexpr char NEW_DISK[] = "pagepressN";  // a disk whose number is not known before it is made

void load_module() {
    char name[] = "modprobe", module[] = "pagepress";
    char* words[] = {name, module, nullptr};
    pid_t process;
    int status = -1;
    if (posix_spawnp(&process, name, nullptr, nullptr, words, environ) || waitpid(process, &status, 0) != process || status)
        throw Failure(REFUSED, "the module pagepress cannot be loaded: is its package installed, and are you root?");
}

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
        if (!machine.module_loaded()) steps.take("modprobe pagepress", load_module);
        std::string name = device_.empty() ? unused(machine) : named(machine, steps);
        if (name.empty()) name = add(machine, steps);
        size(machine, steps, name);
        if (no_swap_) return name;
        std::string node = machine.dev + "/" + name;
        steps.take("mkswap " + node, [&] { make_swap(node); });
        if (no_swapon_) return name;
        steps.take(format("swapon --priority %u %s", priority_, node.c_str()), [&] { swap_on(node, priority_); });
        return name;
    }

    /// The first disk that nobody uses and that holds nothing, "" without one.
    static std::string unused(const Machine& machine) {
        for (const std::string& name : machine.disks()) {
            Disk disk(machine, name);
            if (disk.use().kind == Use::NOBODY && disk.stored_pages() == 0) return name;
        }
        return "";
    }

    /// The disk that was asked for. The driver numbers new ones from the lowest that is free, so those before it are made as well.
    std::string named(const Machine& machine, Steps& steps) const {
        std::string name = Disk::name_of(device_);
        auto wanted = disk_number(name);
        if (wanted && *wanted < MOST_DISKS && !exists(machine.sysfs + "/block/" + name)) {
            unsigned added = 0;
            do {
                std::string other = add(machine, steps);
                if (steps.dry()) return name;
                added = *disk_number(other);
            } while (added < *wanted);
            if (added > *wanted) throw Failure(REFUSED, name + " cannot be made: the driver offers pagepress" + std::to_string(added));
            return name;
        }
        Disk disk(machine, name);
        check_unused(disk);
        return name;
    }

    void check_unused(const Disk& disk) const {
        Use use = disk.use();
        if (use.kind != Use::NOBODY) throw Failure(REFUSED, disk.name + " is in use: " + use.said());
        if (!force_ && disk.stored_pages())
            throw Failure(REFUSED, disk.name + format(" holds %llu pages: --force drops them",
                                                      static_cast<unsigned long long>(disk.stored_pages())));
    }

    static std::string add(const Machine& machine, Steps& steps) {
        std::string path = machine.control_path("hot_add");
        auto name = std::make_shared<std::string>(NEW_DISK);  // the step that takes it back outlives this function
        if (steps.dry() && machine.module_loaded() && !exists(path))
            throw Failure(ABSENT, path + ": missing: the loaded driver is of another version than this program");
        steps.take(
            "cat " + path, [&] { *name = "pagepress" + std::to_string(read_number(path)); },
            [&machine, name] { write_value_when_free(machine.control_path("hot_remove"), std::to_string(*disk_number(*name))); });
        return steps.dry() ? *name : Disk(machine, *name).name;
    }

    /// Everything that must be so before swap: reset where what is asked differs from what is, backing device, size, limit.
    void size(const Machine& machine, Steps& steps, const std::string& name) {
        std::string folder = machine.sysfs + "/block/" + name + "/";
        bool fresh = !exists(folder + "disksize");
        uint64_t present = fresh ? 0 : read_number(folder + "disksize"),
                 stored = fresh ? 0 : read_number(folder + "pagepress/PagesStored");
        disksize_ = size_.empty() && present ? present : new_size_;
        auto reset = [folder] { write_value_when_free(folder + "reset", "1"); };
        bool again = present && (present != disksize_ || !backing_.empty() || stored);
        std::string backed = line_or_empty(folder + "backing_dev");
        if (again)
            steps.put("1", folder + "reset", [folder, present, backed] {  // as it was, but for its pages
                if (!backed.empty() && backed != "none") write_value_when_free(folder + "backing_dev", backed);
                write_value_when_free(folder + "disksize", std::to_string(present));
            });
        if (!backing_.empty()) steps.put(backing_, folder + "backing_dev", reset);
        if (!present || again) steps.put(std::to_string(disksize_), folder + "disksize", reset);
        if (limit_bytes_)
            steps.put(std::to_string(limit_bytes_), folder + "mem_limit", [folder] { write_value(folder + "mem_limit", "0"); });
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
