// SPDX-License-Identifier: Apache-2.0
#include "terminal.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "output.hpp"

namespace pagepressctl {

namespace {

constexpr int TO_END[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

volatile sig_atomic_t signalled = 0;  // the signal's number
volatile sig_atomic_t to_stop = 0;

void on_signal(int number) { signalled = number; }
void on_stop(int) { to_stop = 1; }

int64_t milliseconds() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

/// While it lives, what on_signal and on_stop take comes inside of ppoll alone: none that comes just before it waits for its end.
class SignalsWait {
public:
    SignalsWait() {
        sigset_t ours;
        sigemptyset(&ours);
        for (int number : TO_END) sigaddset(&ours, number);
        sigaddset(&ours, SIGTSTP);
        sigprocmask(SIG_BLOCK, &ours, &outside_);
    }
    ~SignalsWait() { sigprocmask(SIG_SETMASK, &outside_, nullptr); }
    SignalsWait(const SignalsWait&) = delete;
    SignalsWait& operator=(const SignalsWait&) = delete;
    const sigset_t* outside() const { return &outside_; }

private:
    sigset_t outside_;
};

/// A line cut to so many columns; colours take none.
std::string cut(const std::string& line, unsigned columns) {
    std::string kept;
    bool escape = false;
    for (char letter : line) {
        escape = escape || letter == '\033';
        if (!escape && !columns) continue;  // what ends a colour still goes through
        columns -= !escape;
        kept += letter;
        escape = escape && letter != 'm';
    }
    return kept;
}

}  // namespace

void heed_interrupts() {
    struct sigaction action = {};
    action.sa_handler = on_signal;
    for (int number : TO_END) {
        struct sigaction inherited;
        sigaction(number, nullptr, &inherited);
        // What the caller has ignored, as nohup does, is to end nothing. A reader that has gone is another matter.
        if (inherited.sa_handler != SIG_IGN || number == SIGPIPE) sigaction(number, &action, nullptr);
    }
}

bool interrupted() { return signalled; }

bool reader_gone() { return signalled == SIGPIPE; }

InterruptsWait::InterruptsWait() {
    sigset_t ours;
    sigemptyset(&ours);
    for (int number : TO_END) sigaddset(&ours, number);
    sigprocmask(SIG_BLOCK, &ours, &outside_);
}

InterruptsWait::~InterruptsWait() { sigprocmask(SIG_SETMASK, &outside_, nullptr); }

Terminal::Terminal(bool live) : live_(live && on_a_screen()) {
    if (!live_) return;
    struct sigaction action = {};
    action.sa_handler = on_stop;
    action.sa_flags = SA_RESTART;  // a screen is drawn whole before
    sigaction(SIGTSTP, &action, nullptr);
    enter();
}

Terminal::~Terminal() {
    if (live_) leave();
}

void Terminal::enter() {
    keys_ = isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &before_) == 0;
    if (keys_) {
        termios raw = before_;
        raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);  // interrupts stay signals
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
    }
    fputs("\033[?1049h\033[?25l", stdout);  // the second page, no cursor
    fflush(stdout);
}

void Terminal::leave() {
    fputs("\033[?25h\033[?1049l", stdout);
    fflush(stdout);
    if (keys_) tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
}

void Terminal::show(const std::string& text) {
    if (!live_) {
        print((first_ ? "" : "\n") + text);
    } else {
        winsize window = {};
        ioctl(STDOUT_FILENO, TIOCGWINSZ, &window);
        unsigned rows = window.ws_row ? window.ws_row : 24, columns = window.ws_col ? window.ws_col : 80;
        std::string screen = "\033[H";
        for (size_t begin = 0; begin < text.size() && rows > 1; rows--) {
            size_t end = std::min(text.find('\n', begin), text.size());
            // Cleared first: behind a line as wide as the window the cursor still stands on its last character.
            screen += "\033[K" + cut(text.substr(begin, end - begin), columns) + "\n";
            begin = end + 1;
        }
        print(screen + "\033[J");
    }
    first_ = false;
    fflush(stdout);
    if (live_ && interrupted()) clearerr(stdout);  // the signal cut it short: nobody wants the rest
}

/// As a shell expects of a program that is stopped; it goes on when the shell says so.
void Terminal::stop() {
    leave();
    to_stop = 0;
    raise(SIGSTOP);
    enter();
}

bool Terminal::wait(double seconds) {
    const int64_t end = milliseconds() + static_cast<int64_t>(seconds * 1000);
    const SignalsWait signals;
    for (int64_t left; !signalled && (left = end - milliseconds()) > 0;) {
        if (to_stop) {
            stop();
            return !signalled;  // the next screen at once
        }
        pollfd keyboard = {STDIN_FILENO, POLLIN, 0};
        timespec longest = {left / 1000, left % 1000 * 1'000'000};
        if (ppoll(&keyboard, keys_ ? 1 : 0, &longest, signals.outside()) <= 0) continue;
        char key;
        if (read(STDIN_FILENO, &key, 1) != 1) keys_ = false;
        else if (key == 'q' || key == 'Q') return false;
        else if (key == ' ') return true;  // the next screen at once
    }
    return !signalled;
}

}  // namespace pagepressctl
