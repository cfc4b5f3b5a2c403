// SPDX-License-Identifier: Apache-2.0
/// pagepressctl metrics: OpenMetrics text, for node_exporter's text folder or any scraper.
#include <cmath>

#include "command.hpp"
#include "disk.hpp"
#include "exposition.hpp"
#include "files.hpp"
#include "latency.hpp"
#include "management.hpp"
#include "output.hpp"

namespace pagepressctl {

namespace {

/// OrigDataSize is orig_data_size.
std::string snake(const std::string& name) {
    std::string text;
    for (size_t i = 0; i < name.size(); i++) {
        bool upper = isupper(static_cast<unsigned char>(name[i]));
        if (upper && i && !isupper(static_cast<unsigned char>(name[i - 1]))) text += '_';
        text += static_cast<char>(tolower(static_cast<unsigned char>(name[i])));
    }
    return text;
}

bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() && !text.compare(text.size() - end.size(), end.size(), end);
}

/// Name of the family, without _total.
std::string family_of(const AttributeGroup& group, const Attribute& attribute) {
    std::string name = std::string("pagepress_") + (std::string(group.name) == "card" ? "card_" : "") + snake(attribute.file);
    if (attribute.unit == Unit::NANOSECONDS) name = name.substr(0, name.size() - 3) + "_seconds";  // of _ns
    if (attribute.unit == Unit::BYTES && !ends_with(name, "_bytes")) name += "_bytes";
    return name;
}

void add_family(Exposition& text, const AttributeGroup& group, const Attribute& attribute,
                const std::vector<std::pair<std::string, Figures>>& disks) {
    std::string name = family_of(group, attribute);
    text.head(name, attribute.word ? Kind::STATESET : attribute.counter ? Kind::COUNTER : Kind::GAUGE, attribute.help);
    if (attribute.word) return text.states({}, CARD_STATES, disks.front().second.word(attribute.file));
    for (const auto& [disk, figures] : disks) {
        uint64_t number = figures.number(attribute.file);
        text.sample(attribute.shared ? Labels{} : Labels{{"device", disk}},
                    attribute.unit == Unit::NANOSECONDS ? format("%.9f", static_cast<double>(number) * 1e-9) : std::to_string(number));
        if (attribute.shared) break;
    }
}

void add_histograms(Exposition& text, const Latencies& latencies) {
    text.head("pagepress_page_duration_seconds", Kind::HISTOGRAM, "how long pages took, by who did them");
    for (const auto& [way, histogram] : latencies) {
        uint64_t sum = 0;
        for (size_t bucket = 0; bucket < histogram.buckets.size(); bucket++) {
            if (!histogram.buckets[bucket]) continue;
            sum += histogram.buckets[bucket];
            std::string bound = format("%.9g", std::ldexp(1e-9, static_cast<int>(bucket) + 1));
            text.line("_bucket", {{"way", way}, {"le", bound}}, std::to_string(sum));
        }
        text.line("_bucket", {{"way", way}, {"le", "+Inf"}}, std::to_string(sum));
        if (text.form() != Form::TEXTFILE) continue;
        text.line("_sum", {{"way", way}}, "NaN");  // the driver keeps no sum
        text.line("_count", {{"way", way}}, std::to_string(sum));
    }
}

class Metrics : public Command {
    const char* name() const override { return "metrics"; }
    const char* summary() const override { return "every figure as OpenMetrics text, for Prometheus"; }
    const char* notes() const override {
        return "Counters end in _total, sizes in _bytes, times in _seconds. What cards count for all disks\n"
               "together carries no label, what one card's firmware says its address. Histograms of latencies come from debugfs: for root alone. Without the module:\n"
               "pagepress_disks 0.\n";
    }

    void declare(Arguments& arguments) override {
        arguments.text("--textfile", textfile_, "put them at once into this file, in the form that node_exporter's text folder takes");
    }

    ExitCode run(const Machine& machine) override {
        std::vector<std::pair<std::string, Figures>> disks;
        for_each_disk(machine, [&](const Disk& disk) { disks.push_back({disk.name, disk.figures()}); });
        Exposition text(textfile_.empty() ? Form::OPENMETRICS : Form::TEXTFILE);
        text.head("pagepress_disks", Kind::GAUGE, "disks of the driver");
        text.sample({}, disks.size());
        if (!disks.empty())
            for (const AttributeGroup& group : ATTRIBUTE_GROUPS)
                for (const Attribute& attribute : group.attributes) add_family(text, group, attribute, disks);
        if (auto latencies = read_latencies(machine)) add_histograms(text, *latencies);
        add_firmware(text, machine);
        if (textfile_.empty()) print(text.whole());
        else replace_file(textfile_, text.whole());
        return FINE;
    }

    std::string textfile_;
};

}  // namespace

std::unique_ptr<Command> metrics_command() { return std::make_unique<Metrics>(); }

}  // namespace pagepressctl
