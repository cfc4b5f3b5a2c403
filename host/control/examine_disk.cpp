// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "files.hpp"
#include "findings.hpp"
#include "output.hpp"
#include "prepare.hpp"

namespace pagepressctl {

namespace {

constexpr double NEARLY_FULL = 0.95;
constexpr uint64_t BACKING_UNIT = 4096, SECTOR = 512;

void examine_memory(const Disk& disk, const Figures& figures, Findings& findings) {
    auto limit = parse_number(line_or_empty(disk.path("mem_limit")));
    auto used = static_cast<double>(figures.number("MemUsedTotal"));
    if (limit && *limit && used >= NEARLY_FULL * static_cast<double>(*limit))
        findings.push_back({Severity::WARNING, disk.name,
                            "the pool is full: " + bytes(figures.number("MemUsedTotal")) + " of mem_limit " + bytes(*limit),
                            "raise " + disk.path("mem_limit") + ", or give it a backing device"});
    if (uint64_t failed = figures.number("FailedWrites"))
        findings.push_back({Severity::WARNING, disk.name,
                            count(static_cast<double>(failed)) + " writes failed; swap kept those pages",
                            "dmesg | grep 'not written' says why"});
    if (uint64_t failed = figures.number("FailedReads"))
        findings.push_back({Severity::ERROR, disk.name, count(static_cast<double>(failed)) + " reads failed: pages are lost",
                            "dmesg | grep pagepress; test the machine's memory"});
    double ratio = figures.ratio();
    if (ratio > 0 && ratio < 1.05 && figures.number("MemUsedTotal") > 16u << 20)
        findings.push_back({Severity::NOTE, disk.name, format("pages hardly compress: ratio %.2f", ratio),
                            "a backing device takes what does not"});
}

void examine_backing(const Machine& machine, const Disk& disk, const Figures& figures, Findings& findings) {
    std::string backing = disk.backing();
    if (backing.empty()) return;
    if (line_or_empty(disk.path("writeback_limit_enable")) == "1" && line_or_empty(disk.path("writeback_limit")) == "0")
        findings.push_back({Severity::WARNING, disk.name, "writeback_limit is used up: nothing is written back",
                            "write a new one, or 0 to writeback_limit_enable"});
    if (uint64_t errors = figures.number("backing_errors"))
        findings.push_back({Severity::ERROR, disk.name,
                            format("%llu requests failed on %s", static_cast<unsigned long long>(errors), backing.c_str()),
                            "dmesg, smartctl: look at the device"});
    auto words = words_of(line_or_empty(disk.path("bd_stat")));
    auto taken = words.empty() ? std::nullopt : parse_number(words[0]);
    auto sectors =
        parse_number(line_or_empty(machine.sysfs + "/class/block/" + backing.substr(backing.rfind('/') + 1) + "/size"));
    if (taken && sectors && *sectors &&
        static_cast<double>(*taken * BACKING_UNIT) >= NEARLY_FULL * static_cast<double>(*sectors * SECTOR))
        findings.push_back({Severity::WARNING, disk.name, backing + " is full", "a larger backing device"});
}

void examine_use(const Machine& machine, const Disk& disk, const Figures& figures, Findings& findings) {
    Use use = disk.use();
    if (!figures.number("disksize")) {
        findings.push_back({Severity::NOTE, disk.name, "it has no size yet", "pagepressctl setup " + disk.name});
    } else if (use.kind == Use::NOBODY) {
        findings.push_back({Severity::NOTE, disk.name, "nobody uses it", "pagepressctl setup " + disk.name + " turns swap on"});
    } else if (use.kind == Use::SWAP) {
        std::vector<Swap> before;
        int highest = USUAL_PRIORITY - 1;
        for (const Swap& other : machine.swaps())
            if (other.path.find("/pagepress") == std::string::npos && other.priority > use.swap.priority) {
                before.push_back(other);
                highest = std::max(highest, other.priority);
            }
        for (const Swap& other : before) {
            // No priority below 0 can be asked for: then it is the disk that moves.
            bool below = use.swap.priority > 0;
            std::string node = below ? other.path : disk.node();
            findings.push_back({Severity::WARNING, disk.name, "swap goes to " + other.path + " first: its priority is higher",
                                format("swapoff %s; swapon --priority %d %s", node.c_str(),
                                       below ? use.swap.priority - 1 : std::min<int>(highest + 1, MOST_PRIORITY), node.c_str())});
        }
        findings.push_back({Severity::GOOD, disk.name,
                            use.said() + ", " + bytes(use.swap.used_bytes) + " of " + bytes(use.swap.bytes) + " used", ""});
    }
}

}  // namespace

void examine_disk(const Machine& machine, const Disk& disk, Findings& findings) {
    Figures figures = disk.figures();
    examine_memory(disk, figures, findings);
    examine_backing(machine, disk, figures, findings);
    examine_use(machine, disk, figures, findings);
}

}  // namespace pagepressctl
