// SPDX-License-Identifier: Apache-2.0
#include "screen.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

namespace pagepress_xrt {

namespace {

FILE* words;        // the real standard error
bool leaving = false;

/// XRT's emulation library calls exit() itself, with 0 even, when its device process has gone.
void exited_by_another() {
    if (leaving) return;
    Screen::complain("XRT ended this program: the device process is gone");
    _exit(LOST);
}

FILE* keep(int number) {
    FILE* stream = fdopen(fcntl(number, F_DUPFD_CLOEXEC, 3), "w");
    if (!stream) {
        perror("pagepress-xrt: cannot keep its output");
        _exit(FAILED);
    }
    return stream;
}

}  // namespace

Screen::Screen(bool quiet) : output_(keep(STDOUT_FILENO)), words_(keep(STDERR_FILENO)) {
    words = words_;
    setvbuf(words_, nullptr, _IONBF, 0);
    int elsewhere = quiet ? open("/dev/null", O_WRONLY | O_CLOEXEC) : STDERR_FILENO;
    dup2(elsewhere, STDOUT_FILENO);
    if (quiet) dup2(elsewhere, STDERR_FILENO);
    atexit(exited_by_another);
}

void Screen::progress(const char* what, size_t done, size_t total) {
    if (!isatty(fileno(words_))) return;
    fprintf(words_, "\r%s %zu of %zu pages (%zu %%)\033[K", what, done, total, total ? 100 * done / total : 100);
    shown_ = true;
}

void Screen::end_progress() {
    if (shown_) fputs("\r\033[K", words_);
    shown_ = false;
}

void Screen::complain(const std::string& message) {
    fprintf(words ? words : stderr, "pagepress-xrt: %s\n", message.c_str());
}

void Screen::leave(ExitCode code, bool lost) {
    if (fflush(output_)) {
        complain("the output cannot be written");
        code = FAILED;
    }
    leaving = true;
    if (lost) _exit(code);
    exit(code);
}

}  // namespace pagepress_xrt
