// SPDX-License-Identifier: Apache-2.0
/// pagepressctl metrics: OpenMetrics text, for node_exporter's text folder or any scraper.
#include <cmath>

#include "command.hpp"
#include "disk.hpp"
#include "files.hpp"
#include "latency.hpp"
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

/// The two forms of the text. node_exporter reads Prometheus's older one, which names counters with their _total, has no sets of
/// states, and wants histograms to end in a sum and a count.
enum class Form { OPENMETRICS, TEXTFILE };

class Text {
public:
    explicit Text(Form form) : form_(form) {}

    void family(const AttributeGroup& group, const Attribute& attribute, const std::vector<std::pair<std::string, Figures>>& disks) {
        std::string name = family_of(group, attribute);
        if (attribute.word) return states(name, attribute.help, disks.front().second.word(attribute.file));
        head(name, attribute.counter ? "counter" : "gauge", attribute.help);
        for (const auto& [disk, figures] : disks) {
            text_ += name + (attribute.counter ? "_total" : "") + (attribute.shared ? "" : "{device=\"" + disk + "\"}") + " " +
                     value(attribute, figures.number(attribute.file)) + "\n";
            if (attribute.shared) break;
        }
    }

    void count_disks(size_t number) {
        head("pagepress_disks", "gauge", "disks of the driver");
        text_ += format("pagepress_disks %zu\n", number);
    }

    void histograms(const Latencies& latencies) {
        static const std::string name = "pagepress_page_duration_seconds";
        head(name, "histogram", "how long pages took, by who did them");
        for (const auto& [way, histogram] : latencies) {
            uint64_t sum = 0;
            for (size_t bucket = 0; bucket < histogram.buckets.size(); bucket++) {
                if (!histogram.buckets[bucket]) continue;
                sum += histogram.buckets[bucket];
                text_ += name + "_bucket{way=\"" + way + "\",le=\"" +
                         format("%.9g", std::ldexp(1e-9, static_cast<int>(bucket) + 1)) + "\"} " + std::to_string(sum) + "\n";
            }
            text_ += name + "_bucket{way=\"" + way + "\",le=\"+Inf\"} " + std::to_string(sum) + "\n";
            if (form_ == Form::TEXTFILE)  // the driver keeps no sum
                text_ += name + "_sum{way=\"" + way + "\"} NaN\n" + name + "_count{way=\"" + way + "\"} " + std::to_string(sum) + "\n";
        }
    }

    std::string whole() const { return text_ + (form_ == Form::OPENMETRICS ? "# EOF\n" : ""); }

private:
    void head(std::string name, std::string type, const char* help) {
        if (form_ == Form::TEXTFILE && type == "counter") name += "_total";
        if (form_ == Form::TEXTFILE && type == "stateset") type = "gauge";
        text_ += "# TYPE " + name + " " + type + "\n# HELP " + name + " " + help + "\n";
    }

    static std::string value(const Attribute& attribute, uint64_t number) {
        if (attribute.unit == Unit::NANOSECONDS) return format("%.9f", static_cast<double>(number) * 1e-9);
        return std::to_string(number);
    }

    void states(const std::string& name, const char* help, const std::string& present) {
        head(name, "stateset", help);
        for (const char* state : CARD_STATES)
            text_ += name + "{" + name + "=\"" + state + "\"} " + (present == state ? "1" : "0") + "\n";
    }

    const Form form_;
    std::string text_;
};

class Metrics : public Command {
    const char* name() const override { return "metrics"; }
    const char* summary() const override { return "every figure as OpenMetrics text, for Prometheus"; }
    const char* notes() const override {
        return "Counters end in _total, sizes in _bytes, times in _seconds. What cards count for all disks\n"
               "together carries no label. Histograms of latencies come from debugfs: for root alone. Without the module:\n"
               "pagepress_disks 0.\n";
    }

    void declare(Arguments& arguments) override {
        arguments.text("--textfile", textfile_, "put them at once into this file, in the form that node_exporter's text folder takes");
    }

    ExitCode run(const Machine& machine) override {
        std::vector<std::pair<std::string, Figures>> disks;
        for_each_disk(machine, [&](const Disk& disk) { disks.push_back({disk.name, disk.figures()}); });
        Text text(textfile_.empty() ? Form::OPENMETRICS : Form::TEXTFILE);
        text.count_disks(disks.size());
        if (!disks.empty())
            for (const AttributeGroup& group : ATTRIBUTE_GROUPS)
                for (const Attribute& attribute : group.attributes) text.family(group, attribute, disks);
        if (auto latencies = read_latencies(machine)) text.histograms(*latencies);
        if (textfile_.empty()) print(text.whole());
        else replace_file(textfile_, text.whole());
        return FINE;
    }

    std::string textfile_;
};

}  // namespace

std::unique_ptr<Command> metrics_command() { return std::make_unique<Metrics>(); }

}  // namespace pagepressctl
