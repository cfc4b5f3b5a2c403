// SPDX-License-Identifier: Apache-2.0
/// What setup, adopt and reset do to a disk, each step also as the line of shell that does the same.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "exit.hpp"
#include "turn.hpp"

namespace pagepressctl {

/// As a shell needs to read it as one word: unchanged where it reads it so anyway.
std::string shell_word(const std::string& text);

class Steps {
public:
    /// dry: say the steps only.
    explicit Steps(bool dry) : dry_(dry) {}

    /// From here on no other pagepressctl changes disks, until all steps are done or taken back. Throws as Turn does. Not when dry.
    void take_turn(const Machine& machine);
    /// Does it, unless dry. `undo`, if any, is done should a later step fail. Throws what `step` throws.
    void take(const std::string& shell, const std::function<void()>& step, const std::function<void()>& undo = {});
    /// Writes to a file of sysfs; waits a little while the disk is looked at by others.
    void put(const std::string& value, const std::string& path, const std::function<void()>& undo = {});
    /// What else to do should a later step fail.
    void undo_by(const std::function<void()>& undo);
    /// What the step taken last did away with for good, to be told should a later step fail.
    void lose(const std::string& what);
    /// Does `work`, which takes steps. When one fails, and on an interrupt, takes back what was done, the last first, and
    /// throws the Failure, which also says what could not be taken back. Interrupts meanwhile wait.
    void all_or_nothing(const std::function<void()>& work);

    const std::vector<std::string>& said() const { return said_; }
    /// The same, a line each.
    std::string text() const;
    bool dry() const { return dry_; }

private:
    void undo();
    [[noreturn]] void give_up(ExitCode code, const std::string& why) const;

    const bool dry_;
    bool revocable_ = false;  // an interrupt ends it
    std::unique_ptr<Turn> turn_;
    std::vector<std::string> said_;
    std::vector<std::function<void()>> undo_;
    std::vector<std::string> left_;  // of what was done, when all is taken back that can be
};

}  // namespace pagepressctl
