// SPDX-License-Identifier: Apache-2.0
/// The command line, by CLI11: the one file that includes it, for the compiler takes seconds over it.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstring>

#include "command.hpp"
#include "files.hpp"
#include "output.hpp"
#include "pagepress_interface.h"

namespace pagepressctl {

namespace {

constexpr char EXITS[] =
    "Exit status: 0 fine; 1 no such disk or card, or a file of it is missing; 2 wrong usage; 3 a file holds\n"
    "something unexpected; 4 the output cannot be written; 5 in use, not permitted, or refused by the kernel;\n"
    "6 doctor has a warning; 7 doctor has an error, bench read a page that was not the one it wrote,\n"
    "selftest found a part that fails, lanes an engine that stays out, or new firmware did not confirm itself.\n";

std::string usage(const std::vector<std::unique_ptr<Command>>& commands) {
    std::string text = "usage: pagepressctl ";
    for (const auto& command : commands) text += (command == commands.front() ? "" : "|") + std::string(command->name());
    text +=
        " [OPTIONS] [DEVICE]\n       pagepressctl COMMAND --help\n       pagepressctl --help | --version\n\n"
        "Shows, sets up and watches Pagepress disks: swap that a card compresses.\n\n";
    for (const auto& command : commands) {
        std::string name = command->name();
        text += "  " + name + std::string(12 - name.size(), ' ') + command->summary() + "\n";
    }
    return text + "\n--sysfs FOLDER, of every command: where sysfs is mounted (default $PAGEPRESS_SYSFS, else /sys).\n" + EXITS;
}

/// What CLI11 says, as one line.
ExitCode wrong_usage(std::string problem, const std::string& command) {
    for (char& letter : problem)
        if (letter == '\n') letter = ' ';
    fprintf(stderr, "pagepressctl: %s: see pagepressctl %s--help\n", problem.c_str(),
            command.empty() ? "" : (command + " ").c_str());
    return USAGE;
}

}  // namespace

void Arguments::flag(const char* names, bool& value, const char* help) {
    application_.add_flag(names, value, help);
    declared_.push_back({names, help, false, {}});
}
void Arguments::text(const char* names, std::string& value, const char* help) {
    // A shell variable that is not set: what is left out has a meaning of its own, the first card for example.
    application_.add_option(names, value, help)->check([](const std::string& given) { return given.empty() ? "an empty text is no value" : ""; });
    declared_.push_back({names, help, true, {}});
}
void Arguments::texts(const char* names, std::vector<std::string>& value, const char* help) {
    application_.add_option(names, value, help);
    declared_.push_back({names, help, true, {}, true});
}
void Arguments::choice(const char* names, std::string& value, const std::vector<std::string>& choices, const char* help) {
    application_.add_option(names, value, help)->check(CLI::IsMember(choices));
    declared_.push_back({names, help, true, choices});
}
void Arguments::number(const char* names, unsigned& value, unsigned least, unsigned most, const char* help) {
    // Of digits alone: CLI11 would take 010 for eight.
    auto in_range = [=](const std::string& text) {
        auto number = parse_number(text);
        bool good = number && *number >= least && *number <= most && std::to_string(*number) == text;
        return good ? "" : format("%s is no whole number in range %u to %u", text.c_str(), least, most);
    };
    application_.add_option(names, value, help)->check(in_range);
    declared_.push_back({names, help, true, {}});
}
void Arguments::seconds(const char* names, double& value, double least, double most, const char* help) {
    // CLI11's range takes what is no number at all for a good one.
    auto in_range = [=](const std::string& text) {
        double number = strtod(text.c_str(), nullptr);
        return number >= least && number <= most ? "" : format("%s is not in %g to %g", text.c_str(), least, most);
    };
    application_.add_option(names, value, help)->check(in_range);
    declared_.push_back({names, help, true, {}});
}

namespace {

/// What every command takes besides its own.
void declare(Command& command, Arguments& arguments, std::string& sysfs) {
    command.declare(arguments);
    arguments.text("--sysfs", sysfs, "where sysfs is mounted (default $PAGEPRESS_SYSFS, else /sys)");
}

}  // namespace

std::vector<Declared> options_of(Command& command) {
    CLI::App application;
    Arguments arguments(application);
    std::string sysfs;
    declare(command, arguments, sysfs);
    std::vector<Declared> options = arguments.declared();
    options.push_back({"-h,--help", "what it does and how it ends", false, {}});
    return options;
}

Wish parse(int count, char** words, const std::vector<std::unique_ptr<Command>>& commands, std::string& sysfs) {
    if (count < 2) {
        fputs(usage(commands).c_str(), stderr);
        return {nullptr, USAGE};
    }
    const std::string first = words[1];
    if (first == "--help" || first == "-h") {
        fputs(usage(commands).c_str(), stdout);
        return {nullptr, FINE};
    }
    if (first == "--version") {
        printf("pagepressctl for interface %u.%u\n", PAGEPRESS_VERSION_MAJOR, PAGEPRESS_VERSION_MINOR);
        return {nullptr, FINE};
    }
    for (const auto& command : commands) {
        if (first != command->name()) continue;
        CLI::App application(command->summary(), "pagepressctl " + first);
        Arguments arguments(application);
        declare(*command, arguments, sysfs);
        application.footer(std::string(command->notes()) + (*command->notes() ? "\n" : "") + EXITS);
        try {
            application.parse(count - 1, words + 1);
            return {command.get(), FINE};
        } catch (const CLI::Success& wish) {
            application.exit(wish);
            return {nullptr, FINE};
        } catch (const CLI::ParseError& error) {
            return {nullptr, wrong_usage(error.what(), first)};
        }
    }
    return {nullptr, wrong_usage("unknown command '" + first + "'", "")};
}

}  // namespace pagepressctl
