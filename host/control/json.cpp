// SPDX-License-Identifier: Apache-2.0
#include "json.hpp"

#include <nlohmann/json.hpp>

#include "output.hpp"

namespace pagepressctl {

using Library = nlohmann::ordered_json;

struct Json::Value {
    Library json;
};

namespace {

template <class Value, class... From>
std::unique_ptr<Value> value_of(From&&... from) {
    auto value = std::make_unique<Value>();
    value->json = Library(std::forward<From>(from)...);
    return value;
}

}  // namespace

Json::Json() : value_(std::make_unique<Value>()) {}
Json::Json(Members members) : value_(value_of<Value>(Library::value_t::object)) { update(members); }
Json::Json(const std::string& text) : value_(value_of<Value>(text)) {}
Json::Json(bool value) : value_(value_of<Value>(value)) {}
Json::Json(double value) : value_(value_of<Value>(value)) {}
Json::Json(Signed number) : value_(value_of<Value>(number.number)) {}
Json::Json(Unsigned number) : value_(value_of<Value>(number.number)) {}
Json Json::object() { return Json(Members{}); }

Json Json::array() {
    Json json;
    json.value_->json = Library::array();
    return json;
}

Json Json::array(const std::vector<std::string>& texts) {
    Json json;
    json.value_->json = Library(texts);
    return json;
}

Json::Json(const Json& other) : value_(std::make_unique<Value>(*other.value_)) {}
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(Json other) {
    value_.swap(other.value_);
    return *this;
}
Json::~Json() = default;

void Json::set(const std::string& name, const Json& value) { value_->json[name] = value.value_->json; }
void Json::update(Members members) {
    for (const auto& [name, value] : members) set(name, value);
}
void Json::push_back(const Json& value) { value_->json.push_back(value.value_->json); }

std::string Json::line() const { return value_->json.dump(-1, ' ', false, Library::error_handler_t::replace) + "\n"; }

void print(const Json& value) { print(value.line()); }

}  // namespace pagepressctl
