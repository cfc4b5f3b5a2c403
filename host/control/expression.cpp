// SPDX-License-Identifier: Apache-2.0
#include "expression.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "exit.hpp"
#include "machine.hpp"
#include "output.hpp"

namespace pagepressctl {

namespace {

constexpr double MEBIBYTE = 1 << 20;
constexpr unsigned DEEPEST = 50;  // parentheses within each other
constexpr double MOST_BYTES = 9.2e18;

/// A sum of products of values, each level a function. Values are MiB.
class Parser {
public:
    Parser(const std::string& text, const std::string& what, double ram) : text_(text), what_(what), ram_(ram) {}

    double whole() {
        double value = sum();
        if (at() != '\0') fail("what follows is no operator");
        return value;
    }

    [[noreturn]] void fail(const std::string& problem) const {
        throw Failure(USAGE, what_ + " '" + text_ + "': " + problem + format(" (character %zu)", place_ + 1) +
                                 ": see pagepressctl setup --help");
    }

private:
    /// The next character that is no blank.
    char at() {
        while (place_ < text_.size() && (text_[place_] == ' ' || text_[place_] == '\t')) place_++;
        return place_ < text_.size() ? text_[place_] : '\0';
    }

    bool take(char wanted) {
        if (at() != wanted) return false;
        place_++;
        return true;
    }

    double sum() {
        if (++depth_ > DEEPEST) fail("nested too deep");
        double value = product();
        for (;;)
            if (take('+')) value += product();
            else if (take('-')) value -= product();
            else break;
        depth_--;
        return value;
    }

    double product() {
        double value = factor();
        for (;;)
            if (take('*')) {
                value *= factor();
            } else if (take('/')) {
                double divisor = factor();
                if (divisor == 0) fail("division by zero");
                value /= divisor;
            } else {
                return value;
            }
    }

    double factor() {
        char first = at();
        if (isdigit(static_cast<unsigned char>(first)) || first == '.') return number();
        if (isalpha(static_cast<unsigned char>(first))) return named();
        if (!take('(')) fail(first ? "expected a number, ram, min, max or (" : "it ends too early");
        return inside();
    }

    double inside() {
        double value = sum();
        if (!take(')')) fail("expected )");
        return value;
    }

    double number() {
        size_t begin = place_;
        while (place_ < text_.size() && (isdigit(static_cast<unsigned char>(text_[place_])) || text_[place_] == '.')) place_++;
        std::string digits = text_.substr(begin, place_ - begin);
        if (std::count(digits.begin(), digits.end(), '.') > 1 || digits == ".") fail("not a number");
        double value = strtod(digits.c_str(), nullptr);
        switch (place_ < text_.size() ? text_[place_] : '\0') {
            case 'K': place_++; return value / 1024;
            case 'M': place_++; return value;
            case 'G': place_++; return value * 1024;
            case 'T': place_++; return value * 1024 * 1024;
            default: return value;
        }
    }

    double named() {
        size_t begin = place_;
        while (place_ < text_.size() && isalnum(static_cast<unsigned char>(text_[place_]))) place_++;
        std::string name = text_.substr(begin, place_ - begin);
        if (name == "ram") return ram_;
        if (name != "min" && name != "max") {
            place_ = begin;
            fail("unknown name " + name);
        }
        if (!take('(')) fail("expected ( after " + name);
        double value = sum();
        while (take(',')) value = name == "min" ? std::min(value, sum()) : std::max(value, sum());
        if (!take(')')) fail("expected , or )");
        return value;
    }

    const std::string& text_;
    const std::string& what_;
    const double ram_;
    size_t place_ = 0;
    unsigned depth_ = 0;
};

}  // namespace

uint64_t size_of(const std::string& text, const std::string& what, uint64_t ram_bytes) {
    Parser parser(text, what, static_cast<double>(ram_bytes) / MEBIBYTE);
    double size = parser.whole() * MEBIBYTE;
    if (!(size >= static_cast<double>(page_bytes()))) throw Failure(USAGE, what + " '" + text + "' is less than a page");
    if (size > MOST_BYTES) throw Failure(USAGE, what + " '" + text + "' is more than any disk");
    return static_cast<uint64_t>(size) / page_bytes() * page_bytes();
}

}  // namespace pagepressctl
