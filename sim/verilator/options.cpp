// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>

namespace card {

namespace {

constexpr char HELP[] =
    "usage: pagepress-card --socket PATH --engine rtl|model [--level pcie|axi] [--log FILE] [--counters FILE]\n"
    "                      [--control PATH] [--firmware FOLDER] [--flash FILE] [--page-shift N] [--instant yes|no]\n"
    "                      [--cold-format yes|no] [--trace FILE.fst]\n"
    "\n"
    "A Pagepress card as a vfio-user server, for `-device vfio-user-pci` of QEMU. Prints `ready` when it listens,\n"
    "serves one client, and ends with status 0 when that client leaves or on SIGTERM or SIGINT.\n"
    "\n"
    "  --socket PATH     UNIX socket to make\n"
    "  --engine rtl      the Verilated hardware; its clock runs only while it has work\n"
    "  --engine model    a functional model behind the same registers and rings, for long runs\n"
    "  --level pcie      of the hardware all, by the packets of its PCIe block (the default)\n"
    "  --level axi       only its core, by the AXI buses\n"
    "  --log FILE        append messages there instead of standard error\n"
    "  --counters FILE   JSON with the card's counters: about once a second while it works, on SIGUSR1, and at the end;\n"
    "                    on SIGUSR2 too, and the process then stands still until SIGCONT\n"
    "  --control PATH    UNIX socket that takes lines to make the card fail, for tests of software\n"
    "  --firmware FOLDER the management part's boot_rom.hex and firmware.img (build/firmware of this program's tree)\n"
    "  --flash FILE      what its flash holds, written back at the end; without one, or if it is not there yet, firmware.img in slot A\n"
    "  --page-shift N    log2 of the model's page, 12 to 16 (12); the hardware's is the core's own\n"
    "  --instant yes     the model has answered all commands before the register write that tells of them is answered, and\n"
    "                    interrupts for their age only when nobody has written for ten milliseconds: no card takes less time\n"
    "  --cold-format yes the model knows the cold format, too (rtl/interface/cold.md); CAPABILITIES says so, and shows four\n"
    "                    engines of each kind. The hardware has what build/verilog was generated with\n"
    "  --trace FILE.fst  record waves of the hardware (only in a card made with WAVES=1)\n";

[[noreturn]] void refuse(const std::string& why) {
    fprintf(stderr, "pagepress-card: %s (see pagepress-card --help)\n", why.c_str());
    exit(2);
}

}  // namespace

Options parse_options(int count, char** words) {
    Options options;
    std::string page_shift, instant, cold_format;
    const std::map<std::string, std::string*> places = {{"--socket", &options.socket},
                                                        {"--engine", &options.engine},
                                                        {"--level", &options.level},
                                                        {"--log", &options.log},
                                                        {"--counters", &options.counters},
                                                        {"--control", &options.control},
                                                        {"--firmware", &options.firmware},
                                                        {"--flash", &options.flash},
                                                        {"--page-shift", &page_shift},
                                                        {"--instant", &instant},
                                                        {"--cold-format", &cold_format},
                                                        {"--trace", &options.trace}};
    for (int index = 1; index < count; index++) {
        std::string word = words[index];
        if (word == "--help" || word == "-h") {
            fputs(HELP, stdout);
            exit(0);
        }
        auto place = places.find(word);
        if (place == places.end()) refuse("unknown option " + word);
        if (++index == count || !*words[index]) refuse(word + " needs a value");
        *place->second = words[index];
    }
    if (options.socket.empty()) refuse("--socket is missing");
    if (options.engine != "rtl" && options.engine != "model") refuse("--engine must be rtl or model");
    if (!options.level.empty() && options.engine != "rtl") refuse("--level needs --engine rtl");
    if (options.level.empty()) options.level = "pcie";
    if (options.level != "axi" && options.level != "pcie") refuse("--level must be pcie or axi");
    if (!options.trace.empty() && options.engine != "rtl") refuse("--trace needs --engine rtl");
    auto of_model = [&](const char* name, const std::string& said, bool& option) {
        if (said.empty()) return;
        if (options.engine != "model") refuse(std::string(name) + " needs --engine model");
        if (said != "yes" && said != "no") refuse(std::string(name) + " must be yes or no");
        option = said == "yes";
    };
    of_model("--instant", instant, options.instant);
    of_model("--cold-format", cold_format, options.cold_format);
    if (!page_shift.empty()) {
        if (options.engine != "model") refuse("--page-shift needs --engine model");
        if (page_shift.size() != 2 || page_shift < "12" || page_shift > "16") refuse("--page-shift must be 12 to 16");
        options.page_shift = (unsigned)std::stoi(page_shift);
    }
    return options;
}

}  // namespace card
