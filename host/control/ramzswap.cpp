// SPDX-License-Identifier: Apache-2.0
#include "ramzswap.hpp"

#include <unistd.h>

#include <algorithm>

#include "output.hpp"

namespace pagepressctl {

std::string ramzswap_table(const Figures& figures) {
    std::string text;
    auto line = [&text](const std::string& name, uint64_t value, const char* unit = "") {
        text += format("%-15s%llu%s\n", (name + ":").c_str(), static_cast<unsigned long long>(value), unit);
    };
    auto as_it_is = [&](const char* name) { line(name, figures.number(name)); };
    auto kilobytes = [&](const char* name, uint64_t number) { line(name, number / 1024, " kB"); };
    const uint64_t all = figures.number("PagesStored"), same = figures.number("ZeroPages");
    const uint64_t stored = all - std::min(all, same);  // read one after the other, while pages move
    auto share = [&](const char* name) { line(name, figures.number(name) * 100 / std::max<uint64_t>(stored, 1), " %"); };

    kilobytes("DiskSize", figures.number("disksize"));
    for (const char* name : {"NumReads", "NumWrites", "FailedReads", "FailedWrites", "InvalidIO", "NotifyFree", "ZeroPages"}) as_it_is(name);
    share("GoodCompress");
    share("NoCompress");
    line("PagesStored", stored);
    as_it_is("PagesUsed");
    kilobytes("OrigDataSize", stored * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)));
    kilobytes("ComprDataSize", figures.number("ComprDataSize"));
    kilobytes("MemUsedTotal", figures.number("MemUsedTotal"));
    return text;
}

}  // namespace pagepressctl
