// SPDX-License-Identifier: Apache-2.0
/// Families of figures as text for Prometheus.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace pagepressctl {

/// The two forms of the text. node_exporter reads Prometheus's older one, which names counters with their _total, has no sets of
/// states and no info, and wants histograms to end in a sum and a count.
enum class Form { OPENMETRICS, TEXTFILE };

enum class Kind { GAUGE, COUNTER, STATESET, INFO, HISTOGRAM };

using Labels = std::vector<std::pair<std::string, std::string>>;

/// A family is a head and its samples, which stand behind it. Names are without _total and _info.
class Exposition {
public:
    explicit Exposition(Form form) : form_(form) {}

    void head(const std::string& name, Kind kind, const std::string& help);
    /// Of the family whose head was last.
    void sample(const Labels& labels, const std::string& value) { line(ending(), labels, value); }
    void sample(const Labels& labels, uint64_t value) { sample(labels, std::to_string(value)); }
    /// A sample for each of `states`: 1 for `present`, 0 for the others.
    void states(const Labels& labels, const std::vector<const char*>& states, const std::string& present);
    /// With an ending of its own, as a histogram's have.
    void line(const std::string& ending, const Labels& labels, const std::string& value);

    Form form() const { return form_; }
    std::string whole() const { return text_ + (form_ == Form::OPENMETRICS ? "# EOF\n" : ""); }

private:
    const char* ending() const { return kind_ == Kind::COUNTER ? "_total" : kind_ == Kind::INFO ? "_info" : ""; }

    const Form form_;
    std::string text_, name_;
    Kind kind_ = Kind::GAUGE;
};

}  // namespace pagepressctl
