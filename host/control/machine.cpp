// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "disk.hpp"
#include "exit.hpp"
#include "files.hpp"
#include "output.hpp"
#include "pagepress_interface.h"

namespace pagepressctl {

namespace {

void take(const char* variable, std::string& folder) {
    const char* value = getenv(variable);
    if (value && *value) folder = value;
}

bool is_hexadecimal(const std::string& path, unsigned number) {
    std::string text = line_or_empty(path);
    return !text.empty() && strtoul(text.c_str(), nullptr, 16) == number;
}

/// A folder's name is its maker's choice, and goes to a terminal. As the kernel writes blanks.
std::string without_controls(const std::string& text) {
    std::string result;
    for (size_t at = 0; at < text.size(); at++) {
        auto byte_at = [&](size_t index) { return index < text.size() ? static_cast<unsigned char>(text[index]) : 0U; };
        bool control = byte_at(at) < ' ' || byte_at(at) == 127;
        // U+0080 to U+009F in UTF-8.
        unsigned bytes = control ? 1 : byte_at(at) == 0xc2 && byte_at(at + 1) >= 0x80 && byte_at(at + 1) < 0xa0 ? 2 : 0;
        if (!bytes) result += text[at];
        for (unsigned index = 0; index < bytes; index++) result += format("\\%03o", byte_at(at + index));
        if (bytes == 2) at++;
    }
    return result;
}

}  // namespace

Machine Machine::from_environment() {
    Machine machine;
    take("PAGEPRESS_SYSFS", machine.sysfs);
    take("PAGEPRESS_PROC", machine.proc);
    take("PAGEPRESS_DEV", machine.dev);
    return machine;
}

bool Machine::module_loaded() const {
    if (!exists(sysfs + "/module/pagepress")) return !disks().empty();
    std::string state = line_or_empty(sysfs + "/module/pagepress/initstate");
    return state.empty() || state == "live";
}
void Machine::need_module() const {
    if (!module_loaded()) throw Failure(ABSENT, "the module pagepress is not loaded: modprobe pagepress, or pagepressctl setup");
}
std::string Machine::parameter_path(const std::string& name) const { return sysfs + "/module/pagepress/parameters/" + name; }
std::string Machine::parameter(const std::string& name) const { return line_or_empty(parameter_path(name)); }
std::string Machine::card_path(const std::string& address) const { return sysfs + "/bus/pci/devices/" + address; }
std::string Machine::debugfs() const { return sysfs + "/kernel/debug/pagepress"; }
std::string Machine::tracefs() const { return sysfs + "/kernel/tracing"; }
std::string Machine::control_path(const char* file) const { return sysfs + "/class/pagepress-control/" + file; }
std::string Machine::node_of(const std::string& path) const { return path.compare(0, 5, "/dev/") ? path : dev + path.substr(4); }

std::vector<std::string> Machine::disks() const {
    std::vector<std::string> found;
    for (const std::string& name : names_in(sysfs + "/block"))
        if (disk_number(name)) found.push_back(name);
    std::sort(found.begin(), found.end(),
              [](const std::string& one, const std::string& other) { return *disk_number(one) < *disk_number(other); });
    return found;
}

std::vector<std::string> Machine::cards() const {
    std::vector<std::string> found;
    for (const std::string& address : names_in(sysfs + "/bus/pci/devices"))
        if (is_hexadecimal(card_path(address) + "/vendor", PAGEPRESS_PCI_VENDOR_ID) &&
            is_hexadecimal(card_path(address) + "/device", PAGEPRESS_PCI_DEVICE_ID))
            found.push_back(address);
    return found;
}

std::vector<Swap> Machine::swaps() const {
    std::vector<Swap> found;
    for (const std::string& line : lines_of(proc + "/swaps")) {
        auto words = words_of(line);  // path, type, KiB, used KiB, priority
        if (words.size() != 5 || words[0][0] != '/') continue;
        found.push_back({words[0], strtoull(words[2].c_str(), nullptr, 10) * 1024, strtoull(words[3].c_str(), nullptr, 10) * 1024,
                         atoi(words[4].c_str())});
    }
    return found;
}

std::vector<Mount> Machine::mounts() const {
    std::vector<Mount> found;
    for (const std::string& line : lines_of(proc + "/self/mountinfo")) {
        auto words = words_of(line);  // two numbers, device, root, folder, options, more of them, -, kind, source
        auto dash = std::find(words.begin() + static_cast<long>(std::min<size_t>(6, words.size())), words.end(), "-");
        if (words.end() - dash < 3) continue;
        bool own_number = dash[1] == "btrfs" || dash[1] == "bcachefs";
        found.push_back({words[2], without_controls(words[4]), own_number ? dash[2] : ""});
    }
    return found;
}

uint64_t Machine::memory_bytes() const {
    for (const std::string& line : lines_of(proc + "/meminfo")) {
        auto words = words_of(line);
        if (words.size() >= 2 && words[0] == "MemTotal:")
            if (auto kibibytes = parse_number(words[1])) return *kibibytes * 1024;
    }
    throw Failure(ABSENT, proc + "/meminfo: does not say how much memory there is");
}

uint64_t page_bytes() {
    static const auto bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

}  // namespace pagepressctl
