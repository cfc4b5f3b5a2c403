// SPDX-License-Identifier: Apache-2.0
/// One line a message, to standard error or the file of --log.
#pragma once

#include <cstdarg>
#include <cstdio>

namespace card {

inline FILE*& log_file() {
    static FILE* file = stderr;
    return file;
}

__attribute__((format(printf, 1, 2))) inline void log(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("pagepress-card: ", log_file());
    vfprintf(log_file(), format, arguments);
    fputc('\n', log_file());
    fflush(log_file());
    va_end(arguments);
}

}  // namespace card
