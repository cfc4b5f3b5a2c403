// SPDX-License-Identifier: Apache-2.0
/// What every command of pagepressctl is.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "exit.hpp"
#include "machine.hpp"

namespace CLI {
class App;
}

namespace pagepressctl {

/// An option or a word of a command, as completion needs it.
struct Declared {
    std::string names;  // "-c,--count", or "DEVICE"
    std::string help;
    bool takes_value;
    std::vector<std::string> choices;  // of its value, none for anything
    bool repeats = false;              // a word that may stand several times
};

/// The options of one command. `names` as CLI11 takes them: "-c,--count", or "DEVICE" for a word without dashes.
/// Values keep what they were where the command line says nothing.
class Arguments {
public:
    explicit Arguments(CLI::App& application) : application_(application) {}
    void flag(const char* names, bool& value, const char* help);
    void text(const char* names, std::string& value, const char* help);
    void texts(const char* names, std::vector<std::string>& value, const char* help);
    void choice(const char* names, std::string& value, const std::vector<std::string>& choices, const char* help);
    void number(const char* names, unsigned& value, unsigned least, unsigned most, const char* help);
    void seconds(const char* names, double& value, double least, double most, const char* help);
    const std::vector<Declared>& declared() const { return declared_; }

private:
    CLI::App& application_;
    std::vector<Declared> declared_;
};

class Command {
public:
    virtual ~Command() = default;
    virtual const char* name() const = 0;
    /// A line for --help.
    virtual const char* summary() const = 0;
    /// What its own --help says below the options.
    virtual const char* notes() const { return ""; }
    virtual void declare(Arguments& arguments) = 0;
    virtual ExitCode run(const Machine& machine) = 0;
};

/// All of them, in the order of --help.
std::vector<std::unique_ptr<Command>> all_commands();

/// The options of a command, --help and --sysfs among them.
std::vector<Declared> options_of(Command& command);

/// What the command line asks for: a command to run, or none and how to end, all having been said.
struct Wish {
    Command* command;
    ExitCode code;
};
/// `sysfs`: where --sysfs goes.
Wish parse(int count, char** words, const std::vector<std::unique_ptr<Command>>& commands, std::string& sysfs);

std::unique_ptr<Command> status_command();
std::unique_ptr<Command> list_command();
std::unique_ptr<Command> setup_command();
std::unique_ptr<Command> reset_command();
std::unique_ptr<Command> adopt_command();
std::unique_ptr<Command> top_command();
std::unique_ptr<Command> doctor_command();
std::unique_ptr<Command> regs_command();
std::unique_ptr<Command> selftest_command();
std::unique_ptr<Command> log_command();
std::unique_ptr<Command> telemetry_command();
std::unique_ptr<Command> lanes_command();
std::unique_ptr<Command> firmware_command();
std::unique_ptr<Command> trace_command();
std::unique_ptr<Command> metrics_command();
std::unique_ptr<Command> bench_command();
std::unique_ptr<Command> completion_command();
std::unique_ptr<Command> image_command();

}  // namespace pagepressctl
