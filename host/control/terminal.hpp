// SPDX-License-Identifier: Apache-2.0
/// A screen that is drawn again and again: the terminal's second page while top runs, plain text elsewhere.
#pragma once

#include <signal.h>
#include <termios.h>

#include <string>

namespace pagepressctl {

/// From now on signals that ask for an end, unless the caller has them ignored, and a reader of the output that has gone, only end waits;
/// every loop asks interrupted().
void heed_interrupts();
bool interrupted();
/// Whoever read the output has gone, as head does.
bool reader_gone();

/// While it lives, these signals wait, also those of programs that are started: what gives something back is not cut short.
class InterruptsWait {
public:
    InterruptsWait();
    ~InterruptsWait();
    InterruptsWait(const InterruptsWait&) = delete;
    InterruptsWait& operator=(const InterruptsWait&) = delete;

private:
    sigset_t outside_;
};

class Terminal {
public:
    /// live: clear and draw again, keys heard; only on a terminal that can. Everything is as before at the end.
    explicit Terminal(bool live);
    ~Terminal();
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    /// Shows a text of several lines, cut to the window where live.
    void show(const std::string& text);
    /// Waits; false when the user wants to leave (q, interrupt).
    bool wait(double seconds);

private:
    void enter();
    void leave();
    void stop();

    const bool live_;
    bool keys_ = false, first_ = true;
    termios before_ = {};
};

}  // namespace pagepressctl
