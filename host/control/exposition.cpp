// SPDX-License-Identifier: Apache-2.0
#include "exposition.hpp"

namespace pagepressctl {

namespace {

constexpr const char* KINDS[] = {"gauge", "counter", "stateset", "info", "histogram"};

}  // namespace

void Exposition::head(const std::string& name, Kind kind, const std::string& help) {
    name_ = name;
    kind_ = kind;
    std::string called = form_ == Form::TEXTFILE ? name + ending() : name;
    bool younger = kind == Kind::STATESET || kind == Kind::INFO;  // than the text file's form
    std::string type = KINDS[static_cast<int>(form_ == Form::TEXTFILE && younger ? Kind::GAUGE : kind)];
    text_ += "# TYPE " + called + " " + type + "\n# HELP " + called + " " + help + "\n";
}

void Exposition::states(const Labels& labels, const std::vector<const char*>& states, const std::string& present) {
    for (const char* state : states) {
        Labels of_state = labels;
        of_state.emplace_back(name_, state);
        sample(of_state, present == state);
    }
}

void Exposition::line(const std::string& ending, const Labels& labels, const std::string& value) {
    std::string inner;
    for (const auto& [label, word] : labels) inner += (inner.empty() ? "" : ",") + label + "=\"" + word + "\"";
    text_ += name_ + ending + (inner.empty() ? "" : "{" + inner + "}") + " " + value + "\n";
}

}  // namespace pagepressctl
