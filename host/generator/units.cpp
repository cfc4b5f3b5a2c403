// SPDX-License-Identifier: Apache-2.0
#include "units.hpp"

#include <cctype>

#include "../control/expression.hpp"
#include "../control/output.hpp"

namespace pagepressctl {

namespace {

constexpr char PROGRAM[] = "/usr/bin/pagepressctl";  // where the package puts it

/// % as it stands, not one of systemd's specifiers.
std::string literal(const std::string& text) {
    std::string result;
    for (char letter : text) result += letter == '%' ? "%%" : std::string(1, letter);
    return result;
}

/// A word of a command line.
std::string quoted(const std::string& word) {
    std::string result;
    for (char letter : literal(word)) {
        if (letter == '"' || letter == '\\') result += '\\';
        if (letter == '$') result += '$';
        result += letter;
    }
    return "\"" + result + "\"";
}

/// An expression's value as an option, "" where there is no expression.
std::string size_option(const char* option, const char* setting, const std::string& expression, const Machine& machine) {
    if (expression.empty()) return "";
    uint64_t bytes = size_of(expression, setting, expression.find("ram") == std::string::npos ? 0 : machine.memory_bytes());
    return format(" %s %lluK", option, static_cast<unsigned long long>(bytes / 1024));
}

}  // namespace

std::string escaped_path(const std::string& path) {
    std::string result, parts;
    for (char letter : path)  // one slash between parts, none at the ends
        if (letter != '/' || (!parts.empty() && parts.back() != '/')) parts += letter;
    if (!parts.empty() && parts.back() == '/') parts.pop_back();
    for (char letter : parts) {
        bool plain = isalnum(static_cast<unsigned char>(letter)) || letter == ':' || letter == '_' || (letter == '.' && !result.empty());
        result += letter == '/' ? "-" : plain ? std::string(1, letter) : format("\\x%02x", static_cast<unsigned char>(letter));
    }
    return result.empty() ? "-" : result;
}

std::map<std::string, std::string> units_of(const Machine& machine, unsigned number, const WantedDisk& disk, int before) {
    std::string name = "pagepress" + std::to_string(number), service = "pagepress-setup@" + name + ".service";
    std::string head = "# Made by pagepress-generator.\n[Unit]\nDocumentation=man:pagepress.conf(5) man:pagepress-generator(8)\nSourcePath=" +
                       literal(disk.file) + "\n";
    std::string order = before < 0 ? "" : "After=pagepress-setup@pagepress" + std::to_string(before) + ".service\n";
    std::string backing;
    if (!disk.writeback_device.empty()) {
        std::string device = escaped_path(disk.writeback_device) + ".device";
        order += "Requires=" + device + "\nAfter=" + device + "\n";
        backing = " --writeback-device " + quoted(disk.writeback_device);
    }
    // The swap unit depends on the disk, so stopping turns swap off before the disk is reset.
    std::string setup = head + "Description=Set up the compressed disk " + name +
                        "\nDefaultDependencies=no\nConflicts=shutdown.target\nBefore=shutdown.target\n" + order +
                        "\n[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=" + PROGRAM + " setup --no-swapon" +
                        size_option("--size", "size", disk.size, machine) + size_option("--mem-limit", "mem-limit", disk.mem_limit, machine) +
                        (disk.pool_budget.empty() ? "" : " --pool-budget " + disk.pool_budget) + backing + " " + name + "\nExecStop=" + PROGRAM + " reset " + name + "\n";
    std::string swap = head + "Description=Compressed swap on " + name + "\nRequires=" + service + "\nAfter=" + service +
                       "\n\n[Swap]\nWhat=/dev/" + name + "\nPriority=" + std::to_string(disk.priority) + "\n" +
                       (disk.options.empty() ? "" : "Options=" + literal(disk.options) + "\n");
    return {{service, setup}, {"dev-" + name + ".swap", swap}};
}

}  // namespace pagepressctl
