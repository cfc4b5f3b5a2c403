// SPDX-License-Identifier: Apache-2.0
/// pagepress-generator: systemd calls it early in a boot and on daemon-reload; from pagepress.conf it writes units into the first folder
/// named on its command line. PAGEPRESS_ROOT: below which folder pagepress.conf is looked for, for tests.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../control/exit.hpp"
#include "../control/files.hpp"
#include "units.hpp"

using namespace pagepressctl;

namespace {

constexpr char WANTS[] = "swap.target.wants";

/// systemd throws away what generators print: while it boots the kernel's log is what remains.
void complain(const std::string& problem) {
    FILE* log = getenv("SYSTEMD_SCOPE") ? fopen("/dev/kmsg", "we") : nullptr;
    fprintf(log ? log : stderr, "%spagepress-generator: %s\n", log ? "<3>" : "", problem.c_str());
    if (log) fclose(log);
}

std::string variable(const char* name) {
    const char* value = getenv(name);
    return value ? value : "";
}

/// Where nothing is to be made: an initial RAM disk, a container, or a boot that was told so.
bool stays_out(const Machine& machine) {
    if (variable("SYSTEMD_IN_INITRD") == "1" || variable("SYSTEMD_VIRTUALIZATION").compare(0, 10, "container:") == 0) return true;
    for (const std::string& word : words_of(line_or_empty(machine.proc + "/cmdline")))
        if (word == "systemd.pagepress=0") return true;
    return false;
}

Failure cannot(const std::string& path) { return Failure(REFUSED, path + ": cannot be written: " + strerror(errno)); }

void write_unit(const std::string& folder, const std::string& name, const std::string& text) {
    std::string path = folder + "/" + name;
    FILE* file = fopen(path.c_str(), "wxe");
    if (!file) throw cannot(path);
    bool written = fwrite(text.data(), 1, text.size(), file) == text.size();
    if (fclose(file) || !written) throw cannot(path);
    if (name.compare(0, 4, "dev-")) return;
    std::string wants = folder + "/" + WANTS;
    if (mkdir(wants.c_str(), 0755) && errno != EEXIST) throw cannot(wants);
    if (symlink(("../" + name).c_str(), (wants + "/" + name).c_str())) throw cannot(wants + "/" + name);
}

}  // namespace

int main(int count, char** words) {
    if (count < 2 || words[1][0] != '/') {
        fprintf(stderr, "usage: pagepress-generator NORMAL-FOLDER [EARLY-FOLDER LATE-FOLDER]\n"
                        "systemd calls it: see pagepress-generator(8), and pagepress.conf(5) for what to write\n");
        return USAGE;
    }
    Machine machine = Machine::from_environment();
    if (stays_out(machine)) return FINE;
    Configuration configuration = read_configuration(variable("PAGEPRESS_ROOT"));
    for (const std::string& problem : configuration.problems) complain(problem);
    ExitCode code = configuration.problems.empty() ? FINE : USAGE;
    int before = -1;
    for (const auto& [number, disk] : configuration.disks) try {
            for (const auto& [name, text] : units_of(machine, number, disk, before)) write_unit(words[1], name, text);
            before = static_cast<int>(number);
        } catch (const Failure& failure) {
            complain((failure.code == USAGE ? disk.file + ": [pagepress" + std::to_string(number) + "] " : "") + failure.what());
            code = failure.code;
        }
    return code;
}
