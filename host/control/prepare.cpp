// SPDX-License-Identifier: Apache-2.0
#include "prepare.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <optional>

#include "disk.hpp"
#include "exit.hpp"
#include "expression.hpp"
#include "files.hpp"
#include "output.hpp"

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

/// Whether a program has it open for itself alone, as bench has; not seen without rights.
bool is_held(const std::string& node) {
    int file = open(node.c_str(), O_RDONLY | O_EXCL | O_CLOEXEC);
    bool held = file < 0 && errno == EBUSY;
    if (file >= 0) close(file);
    return held;
}

/// The first disk that nobody uses and that holds nothing, "" without one.
std::string unused(const Machine& machine) {
    for (const std::string& name : machine.disks()) {
        Disk disk(machine, name);
        if (disk.use().kind == Use::NOBODY && disk.content().empty() && !is_held(disk.node())) return name;
    }
    return "";
}

std::string add(const Machine& machine, Steps& steps) {
    std::string path = machine.control_path("hot_add");
    auto name = std::make_shared<std::string>(NEW_DISK);  // the step that takes it back outlives this function
    if (steps.dry() && machine.module_loaded() && !exists(path))
        throw Failure(ABSENT, path + ": missing: the loaded driver is of another version than this program");
    steps.take(
        "cat " + shell_word(path), [&] { *name = "pagepress" + std::to_string(read_number(path)); },
        [&machine, name] { write_value_when_free(machine.control_path("hot_remove"), std::to_string(*disk_number(*name))); });
    return steps.dry() ? *name : Disk(machine, *name).name;
}

void check_unused(const Disk& disk, bool force) {
    Use use = disk.use();
    if (use.kind != Use::NOBODY) throw Failure(REFUSED, disk.name + " is in use: " + use.said());
    if (std::string content = disk.content(); !force && !content.empty()) throw Failure(REFUSED, disk.name + " holds " + content + ": --force drops it");
}

/// The disk that was asked for. The driver numbers new ones from the lowest that is free, so those before it are made as well.
std::string named(const Machine& machine, Steps& steps, const std::string& device, bool force) {
    std::string name = Disk::name_of(device);
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
    check_unused(disk, force);
    return name;
}

}  // namespace

void Wanted::declare(Arguments& arguments, const char* priority_help, const char* force_help) {
    arguments.text("-s,--size", size, "SIZE of the disk, as setup --help tells");
    arguments.number("-p,--priority", priority, 0, MOST_PRIORITY, priority_help);
    arguments.text("-l,--mem-limit", mem_limit, "SIZE that stored pages may take of memory at most");
    arguments.text("-b,--pool-budget", pool_budget, "auto: the driver decides how much memory they take; off: it does not");
    arguments.flag("--force", force, force_help);
    arguments.flag("-n,--dry-run", dry, "say the steps, as lines of shell, and do none");
    arguments.flag("--json", json, "one line of JSON instead of text");
}

void Wanted::evaluate(const Machine& machine) {
    auto value = [&](const std::string& expression, const char* option) {
        uint64_t ram = expression.find("ram") == std::string::npos ? 0 : machine.memory_bytes();
        return expression.empty() ? 0 : size_of(expression, option, ram);
    };
    bytes = value(size, "--size");
    limit_bytes = value(mem_limit, "--mem-limit");
    if (!pool_budget.empty() && pool_budget != "auto" && pool_budget != "off")
        throw Failure(USAGE, "--pool-budget is auto or off, not '" + pool_budget + "'");
}

std::string choose_disk(const Machine& machine, Steps& steps, const std::string& device, bool force) {
    if (!machine.module_loaded()) steps.take("modprobe pagepress", load_module);
    steps.take_turn(machine);
    std::string name = device.empty() ? unused(machine) : named(machine, steps, device, force);
    return name.empty() ? add(machine, steps) : name;
}

std::function<void()> restorer_of(const std::string& folder) {
    std::vector<std::pair<std::string, std::string>> values;  // in the order in which the driver takes them
    for (const char* name : {"backing_dev", "origin_dev", "lookaside_dev", "disksize", "mem_limit"}) values.emplace_back(folder + name, line_or_empty(folder + name));
    return [values] {
        std::optional<Failure> first;
        for (const auto& [path, value] : values) try {
                if (!value.empty() && value != "none" && value != "0") write_value_when_free(path, value);
            } catch (const Failure& failure) {
                if (!first) first.emplace(failure);
            }
        if (first) throw *first;
    };
}

Prepared state_of(const Machine& machine, const std::string& name) {
    std::string folder = machine.sysfs + "/block/" + name + "/", backing = line_or_empty(folder + "backing_dev");
    if (!exists(folder + "disksize")) return {};
    return {read_number(folder + "disksize"), backing == "none" ? "" : backing, parse_number(line_or_empty(folder + "mem_limit")).value_or(0)};
}

Prepared prepare_disk(const Machine& machine, Steps& steps, const std::string& name, const Preparation& wanted) {
    std::string folder = machine.sysfs + "/block/" + name + "/";
    const Prepared before = state_of(machine, name);
    const bool there = exists(folder + "disksize"), holds = there && !Disk(machine, name).content().empty();
    uint64_t present = before.bytes, stored = there ? Disk(machine, name).stored_pages() : 0;
    uint64_t bytes = wanted.keep && present ? present : wanted.bytes;
    auto reset = [folder] { write_value_when_free(folder + "reset", "1"); };
    bool again = holds || (present && (present != bytes || !wanted.backing.empty()));
    if (again) {
        steps.put("1", folder + "reset", restorer_of(folder));
        if (stored) steps.lose(name + format(" has lost its %llu pages", static_cast<unsigned long long>(stored)));
    }
    if (!wanted.backing.empty()) steps.put(wanted.backing, folder + "backing_dev", reset);
    if (!present || again) steps.put(std::to_string(bytes), folder + "disksize", reset);
    if (wanted.mem_limit)
        steps.put(std::to_string(wanted.mem_limit), folder + "mem_limit", [folder, before] { write_value(folder + "mem_limit", std::to_string(before.mem_limit)); });
    std::string budget = folder + "pool_budget";
    if (!wanted.pool_budget.empty() && wanted.pool_budget != line_or_empty(budget))
        steps.put(wanted.pool_budget, budget, [budget, wanted] { write_value(budget, wanted.pool_budget == "auto" ? "off" : "auto"); });
    const Prepared kept = again ? Prepared() : before;
    return {bytes, wanted.backing.empty() ? kept.backing : wanted.backing, wanted.mem_limit ? wanted.mem_limit : kept.mem_limit};
}

}  // namespace pagepressctl
