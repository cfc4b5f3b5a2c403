// SPDX-License-Identifier: Apache-2.0
/// Parses, runs one command, and sees that the output has been written.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>

#include "command.hpp"
#include "terminal.hpp"

using namespace pagepressctl;

namespace {

/// No file that is opened later gets the number of a standard stream that the caller has closed: what is printed would go into it. These
/// cannot be written to, as closed ones.
void hold_standard_streams() {
    int file;
    while ((file = open("/dev/null", O_RDONLY)) >= 0 && file <= STDERR_FILENO) {}
    if (file >= 0) close(file);
}

ExitCode complain(const std::string& message, ExitCode code) {
    fflush(stdout);
    fprintf(stderr, "pagepressctl: %s\n", message.c_str());
    return code;
}

ExitCode carry_out(Command& command, const Machine& machine) try { return command.run(machine); } catch (const Failure& failure) {
    return complain(failure.what(), failure.code);
} catch (const std::exception& error) {
    return complain(error.what(), MALFORMED);
}

}  // namespace

std::vector<std::unique_ptr<Command>> pagepressctl::all_commands() {
    std::vector<std::unique_ptr<Command>> commands;
    for (auto make : {status_command, list_command, setup_command, reset_command, adopt_command, top_command, doctor_command, regs_command,
                      selftest_command, log_command, telemetry_command, lanes_command, firmware_command, trace_command, metrics_command, bench_command, image_command, completion_command})
        commands.push_back(make());
    return commands;
}

int main(int count, char** words) {
    hold_standard_streams();
    signal(SIGCHLD, SIG_DFL);  // where the caller ignores it, nobody learns how a program that was started ended
    auto commands = all_commands();
    Machine machine = Machine::from_environment();
    Wish wish = parse(count, words, commands, machine.sysfs);
    ExitCode code = wish.command ? carry_out(*wish.command, machine) : wish.code;
    if (!fflush(stdout) && !ferror(stdout)) return code;
    if (!reader_gone()) perror("pagepressctl: cannot write the output");
    return code == FINE ? OUTPUT : code;
}
