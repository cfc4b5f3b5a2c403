// SPDX-License-Identifier: Apache-2.0
#include "output.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace pagepressctl {

namespace {

std::string scaled(double number, double step, const char* const* units) {
    while (number >= step * 0.9995 && units[1]) {
        number /= step;
        units++;
    }
    bool whole = number == static_cast<double>(static_cast<uint64_t>(number));
    return format(whole ? "%.0f%s" : "%.1f%s", number, *units);
}

}  // namespace

bool on_a_screen() {
    static const bool answer = [] {
        const char* terminal = getenv("TERM");
        return isatty(STDOUT_FILENO) && terminal && *terminal && strcmp(terminal, "dumb");
    }();
    return answer;
}

bool colourful() {
    const char* no_colour = getenv("NO_COLOR");
    return on_a_screen() && !(no_colour && *no_colour);
}

std::string paint(Style style, const std::string& text) {
    if (!colourful()) return text;
    static const char* const codes[] = {"1", "32", "33", "31", "2"};
    return std::string("\033[") + codes[static_cast<int>(style)] + "m" + text + "\033[0m";
}

std::string format(const char* form, ...) {
    va_list arguments, again;
    va_start(arguments, form);
    va_copy(again, arguments);
    std::string text(static_cast<size_t>(std::max(0, vsnprintf(nullptr, 0, form, arguments))), '\0');
    vsnprintf(text.data(), text.size() + 1, form, again);
    va_end(again);
    va_end(arguments);
    return text;
}

std::string bytes(uint64_t number) {
    static const char* const units[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB", nullptr};
    return scaled(static_cast<double>(number), 1024, units);
}

std::string count(double number) {
    static const char* const units[] = {"", "k", "M", "G", "T", "P", nullptr};
    return scaled(number, 1000, units);
}

std::string duration(double nanoseconds) {
    static const char* const units[] = {" ns", " us", " ms", " s", nullptr};
    return scaled(nanoseconds, 1000, units);
}

std::string ratio(double value) { return value > 0 ? format("%.2f", value) : "-"; }

std::string Table::text() const {
    std::vector<size_t> widths;
    for (size_t column = 0; column < headings_.size(); column++) {
        size_t width = headings_[column].size() - (headings_[column][0] == '>');
        for (const auto& row : rows_) width = std::max(width, row[column].size());
        widths.push_back(width);
    }
    auto line = [&](auto cell_of) {
        std::string text;
        for (size_t column = 0; column < headings_.size(); column++) {
            std::string cell = cell_of(column), blanks(widths[column] - cell.size(), ' ');
            text += (column ? "  " : "") + (headings_[column][0] == '>' ? blanks + cell : cell + blanks);
        }
        text.resize(text.find_last_not_of(' ') + 1);
        return text;
    };
    std::string text =
        paint(Style::HEADING, line([&](size_t column) { return headings_[column].substr(headings_[column][0] == '>'); })) + "\n";
    for (const auto& row : rows_) text += line([&](size_t column) { return row[column]; }) + "\n";
    return text;
}

void print(const std::string& text) { fwrite(text.data(), 1, text.size(), stdout); }

}  // namespace pagepressctl
