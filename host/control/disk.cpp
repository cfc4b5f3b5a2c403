// SPDX-License-Identifier: Apache-2.0
#include "disk.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "exit.hpp"
#include "files.hpp"

namespace pagepressctl {

namespace {

constexpr std::string_view PREFIX = "pagepress";

}  // namespace

std::optional<unsigned> disk_number(const std::string& name) {
    if (name.compare(0, PREFIX.size(), PREFIX)) return {};
    auto number = parse_number(name.substr(PREFIX.size()));
    if (!number || *number > 1000 || name != std::string(PREFIX) + std::to_string(*number)) return {};
    return static_cast<unsigned>(*number);
}

uint64_t Figures::number(std::string_view file) const { return numbers_.find(file)->second; }
const std::string& Figures::word(std::string_view file) const { return words_.find(file)->second; }

double Figures::ratio() const {
    uint64_t memory = number("MemUsedTotal");
    return memory ? static_cast<double>(number("OrigDataSize")) / static_cast<double>(memory) : 0;
}

void Figures::add(const Figures& other) {
    for (const AttributeGroup& group : ATTRIBUTE_GROUPS)
        for (const Attribute& attribute : group.attributes)
            if (!attribute.word && !attribute.shared) numbers_[attribute.file] += other.number(attribute.file);
}

std::string Use::said() const {
    switch (kind) {
        case SWAP: return "swap, priority " + std::to_string(swap.priority);
        case MOUNTED: return "mounted on " + where;
        case HELD: return "held by " + where;
        default: return "-";
    }
}

std::string Disk::name_of(std::string name) {
    if (name.compare(0, 5, "/dev/") == 0) name.erase(0, 5);
    if (name.empty() || name[0] == '.' || name.find('/') != std::string::npos)
        throw Failure(ABSENT, "'" + name + "' is not the name of a disk: write for example pagepress0");
    return name;
}

Disk::Disk(const Machine& machine, const std::string& name)
    : name(name_of(name)), machine_(machine), folder_(machine.sysfs + "/block/" + this->name) {
    struct stat status;
    if (!disk_number(this->name))
        throw Failure(ABSENT, this->name + " is not a Pagepress disk: they are called pagepress0 and so on");
    if (stat(folder_.c_str(), &status))
        throw Failure(ABSENT, folder_ + ": " + (errno != ENOENT           ? strerror(errno)
                                                : machine.module_loaded() ? "no such disk: pagepressctl list tells which there are"
                                                                          : "no such disk: the module pagepress is not loaded"));
}

unsigned Disk::number() const {
    auto number = disk_number(name);
    if (!number) throw Failure(ABSENT, name + ": not the name of a Pagepress disk");
    return *number;
}

uint64_t Disk::read(const char* file) const { return read_number(path(file)); }

Figures Disk::figures() const {
    Figures figures;
    for (const AttributeGroup& group : ATTRIBUTE_GROUPS)
        for (const Attribute& attribute : group.attributes) {
            std::string file = path(std::string(group.folder) + attribute.file);
            if (attribute.word) figures.words_[attribute.file] = read_word(file);
            else figures.numbers_[attribute.file] = read_number(file);
        }
    return figures;
}

std::string Disk::content() const {
    if (uint64_t pages = stored_pages()) return std::to_string(pages) + " pages";
    std::string origin = line_or_empty(path("origin_dev"));
    return origin.empty() || origin == "none" ? "" : "an origin, " + origin;
}

std::string Disk::backing() const {
    std::string device = line_or_empty(path("backing_dev"));
    return device == "none" ? "" : device;
}

Use Disk::use() const {
    Use use;
    for (const Swap& swap : machine_.swaps())
        if (swap.path == "/dev/" + name || swap.path == node()) {
            use.kind = Use::SWAP;
            use.swap = swap;
            return use;
        }
    const std::string number = line_or_empty(path("dev"));
    for (const Mount& mount : machine_.mounts())
        if (mount.number == number || mount.source == "/dev/" + name || mount.source == node()) {
            use.kind = Use::MOUNTED;
            use.where = mount.folder;
            return use;
        }
    auto holders = names_in(path("holders"));
    if (!holders.empty()) {
        use.kind = Use::HELD;
        use.where = holders.front();
    }
    return use;
}

void for_each_disk(const Machine& machine, const std::function<void(const Disk&)>& look) {
    for (const std::string& name : machine.disks()) try {
            look(Disk(machine, name));
        } catch (const Failure&) {
            if (exists(machine.sysfs + "/block/" + name)) throw;
        }
}

}  // namespace pagepressctl
