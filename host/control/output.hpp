// SPDX-License-Identifier: Apache-2.0
/// Words and numbers for people and programs.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <string>
#include <vector>

namespace pagepressctl {

enum class Style { HEADING, GOOD, WARNING, BAD, FAINT };

/// Whether standard output is a terminal that can do more than print lines.
bool on_a_screen();
/// Whether it shows colours, and NO_COLOR is not set.
bool colourful();
/// `text`, coloured where colourful().
std::string paint(Style style, const std::string& text);

/// printf into a string.
std::string format(const char* form, ...) __attribute__((format(printf, 1, 2)));
/// 1536 is "1.5 KiB"; three or four digits. Units K, M, G, T, P, E of 1024.
std::string bytes(uint64_t number);
/// 12345 is "12.3k"; units of 1000.
std::string count(double number);
/// Of nanoseconds: "850 ns", "12.3 us", "4.1 ms", "2.0 s".
std::string duration(double nanoseconds);
/// "2.84", or "-" for 0.
std::string ratio(double value);

/// Rows below a heading, each column as wide as its widest cell; a column whose heading begins with '>' is set to the right.
class Table {
public:
    explicit Table(std::vector<std::string> headings) : headings_(std::move(headings)) {}
    void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    std::string text() const;

private:
    std::vector<std::string> headings_;
    std::vector<std::vector<std::string>> rows_;
};

/// To standard output.
void print(const std::string& text);

}  // namespace pagepressctl
