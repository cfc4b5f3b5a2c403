// SPDX-License-Identifier: Apache-2.0
#include "steps.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "exit.hpp"
#include "files.hpp"
#include "terminal.hpp"

namespace pagepressctl {

namespace {

constexpr char INTERRUPTED[] = "interrupted";

void heed() {
    if (interrupted()) throw Failure(REFUSED, INTERRUPTED);
}

}  // namespace

std::string shell_word(const std::string& text) {
    bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char letter) { return isalnum(letter) || strchr("/_-.,:+@%=", letter); });
    if (plain) return text;
    std::string word = "'";
    for (char letter : text) word += letter == '\'' ? "'\\''" : std::string(1, letter);
    return word + "'";
}

void Steps::take_turn(const Machine& machine) {
    if (!dry_ && !(turn_ && turn_->held())) turn_ = std::make_unique<Turn>(machine);
}

void Steps::take(const std::string& shell, const std::function<void()>& step, const std::function<void()>& undo) {
    if (revocable_) heed();
    said_.push_back(shell);
    if (dry_) return;
    step();
    if (undo) undo_.push_back(undo);
}

void Steps::undo_by(const std::function<void()>& undo) {
    if (!dry_) undo_.push_back(undo);
}

void Steps::lose(const std::string& what) {
    if (!dry_) left_.push_back(what);
}

void Steps::put(const std::string& value, const std::string& path, const std::function<void()>& undo) {
    take("echo " + shell_word(value) + " >" + shell_word(path), [&] { write_value_when_free(path, value); }, undo);
}

void Steps::all_or_nothing(const std::function<void()>& work) {
    revocable_ = true;
    heed_interrupts();
    try {
        work();
        heed();
    } catch (const Failure& failure) {
        const InterruptsWait undisturbed;
        const bool cut_short = interrupted();  // what a signal has cut short failed because of it
        undo();
        give_up(cut_short ? REFUSED : failure.code, cut_short ? INTERRUPTED : failure.what());
    }
}

void Steps::give_up(ExitCode code, const std::string& why) const {
    if (left_.empty()) throw Failure(code, why == INTERRUPTED ? why + ": all is as it was" : why);
    std::string left;
    for (const std::string& one : left_) left += (left.empty() ? "" : "; ") + one;
    throw Failure(code, why + "; not all is as it was: " + left);
}

std::string Steps::text() const {
    std::string text;
    for (const std::string& step : said_) text += step + "\n";
    return text;
}

void Steps::undo() {
    while (!undo_.empty()) {
        try {
            undo_.back()();
        } catch (const Failure& failure) {
            left_.push_back(failure.what());
        }
        undo_.pop_back();
    }
}

}  // namespace pagepressctl
