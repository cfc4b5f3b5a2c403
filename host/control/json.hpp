// SPDX-License-Identifier: Apache-2.0
/// JSON for programs: nlohmann's, behind a few names, for the compiler takes seconds over its header.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace pagepressctl {

/// One value. Members keep the order in which they were set.
class Json {
public:
    using Members = std::initializer_list<std::pair<const char*, Json>>;

    Json();  // null
    Json(Members members);
    Json(const char* text) : Json(std::string(text)) {}
    Json(const std::string& text);
    Json(bool value);
    Json(double value);
    template <class Number, class = std::enable_if_t<std::is_integral_v<Number> && !std::is_same_v<Number, bool>>>
    Json(Number number) : Json(number, std::is_signed<Number>()) {}
    static Json array();
    static Json array(const std::vector<std::string>& texts);
    static Json object();

    Json(const Json& other);
    Json(Json&& other) noexcept;
    Json& operator=(Json other);
    ~Json();

    void set(const std::string& name, const Json& value);
    void update(Members members);
    void push_back(const Json& value);

    /// As one line; bytes that are no UTF-8 are replaced.
    std::string line() const;

private:
    template <class Number>
    Json(Number number, std::true_type) : Json(Signed{number}) {}
    template <class Number>
    Json(Number number, std::false_type) : Json(Unsigned{number}) {}
    struct Signed {
        long long number;
    };
    struct Unsigned {
        unsigned long long number;
    };
    explicit Json(Signed number);
    explicit Json(Unsigned number);

    struct Value;
    std::unique_ptr<Value> value_;
};

/// To standard output.
void print(const Json& value);

}  // namespace pagepressctl
