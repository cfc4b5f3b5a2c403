// SPDX-License-Identifier: Apache-2.0
/// pagepressctl trace: pages from begin to end, put together from the driver's tracepoints.
#include <cmath>
#include <cstdlib>
#include <memory>

#include "command.hpp"
#include "files.hpp"
#include "json.hpp"
#include "output.hpp"
#include "pagepress_interface.h"
#include "terminal.hpp"
#include "trace_pages.hpp"
#include "trace_source.hpp"

namespace pagepressctl {

namespace {

#define STATUS_NAME(name, number, kind) #name,
constexpr const char* STATUSES[] = {PAGEPRESS_STATUSES(STATUS_NAME)};

std::string status_of(const TracedPage& page) {
    return page.status < std::size(STATUSES) ? STATUSES[page.status] : "status " + std::to_string(page.status);
}

const char* by(const TracedPage& page) {
    static const char* const names[] = {"", "card", "software", "direct"};
    return names[page.by];
}

double microseconds(double from, double to) { return (to - from) * 1e6; }

/// The stages a page went through: name, begin, end. Those that were not seen are left out.
std::vector<std::tuple<const char*, double, double>> stages_of(const TracedPage& page) {
    std::vector<std::tuple<const char*, double, double>> stages;
    const std::pair<const char*, double> times[] = {{"", page.begun},
                                                    {"prepare", page.submitted},
                                                    {"wait for the doorbell", page.rung},
                                                    {"card", page.completed},
                                                    {"judge", page.redo},
                                                    {page.redone          ? "software"
                                                     : page.has_request() ? "judge"
                                                                          : by(page),
                                                     page.ended}};
    double last = page.begun;
    for (const auto& [stage, time] : times)
        if (*stage && time > 0) {
            stages.push_back({stage, last, time});
            last = time;
        }
    return stages;
}

Json as_json(const TracedPage& page) {
    Json line = {{"device", page.disk}, {"slot", page.slot}, {"way", page.write ? "write" : "read"},
                 {"begun", page.begun}, {"by", by(page)},    {"task", page.task}};
    line.set("microseconds", page.ended > 0 ? Json(std::round(microseconds(page.begun, page.ended) * 1000) / 1000) : Json());
    if (page.has_request())
        line.update({{"card", page.card},
                     {"queue", page.queue},
                     {"request", page.request},
                     {"submitted", page.submitted},
                     {"rung", page.rung},
                     {"completed", page.completed},
                     {"verdict", page.verdict},
                     {"redone", page.redone}});
    if (page.completed > 0) line.update({{"status", status_of(page)}, {"cycles", page.cycles}});
    if (page.bytes) line.set("bytes", page.bytes);
    if (!page.stored.empty()) line.set("stored", page.stored);
    return line;
}

std::string as_text(const TracedPage& page) {
    auto at = [&](const char* stage, double time) {
        return time > 0 ? format(" %s +%.0f us", stage, microseconds(page.begun, time)) : std::string();
    };
    std::string text = format("%14.6f %s slot %llu %s:", page.begun, page.disk.c_str(),
                              static_cast<unsigned long long>(page.slot), page.write ? "write" : "read");
    if (page.has_request()) {
        text += format(" card %s queue %u request %#llx", page.card.c_str(), page.queue,
                       static_cast<unsigned long long>(page.request));
        text += at("submitted", page.submitted) + at("rung", page.rung) + at("completed", page.completed);
        if (page.completed > 0)
            text += format(" (%s, %llu bytes, %llu cycles)", status_of(page).c_str(), static_cast<unsigned long long>(page.bytes),
                           static_cast<unsigned long long>(page.cycles));
        if (!page.verdict.empty() && page.verdict != "done") text += " " + page.verdict;
        text += page.redone && !(page.redo > 0) ? " redone" : at("redone", page.redo);
    }
    text += page.ended > 0 ? std::string(" ") + by(page) + at("done", page.ended) : " not ended here";
    return text + (page.stored.empty() ? "" : ", stored as " + page.stored + " bytes") + "\n";
}

/// The format that Perfetto and chrome://tracing read: asynchronous spans, a track for each page, its stages within.
class ChromeTrace {
public:
    void add(const TracedPage& page) {
        const unsigned process = process_of(page.disk);
        double end = page.ended;
        for (double time : {page.begun, page.submitted, page.rung, page.completed, page.redo}) end = std::max(end, time);
        std::string id = format("%#x", ++pages_);
        // Nested in the file as well: times may be equal.
        Json arguments = as_json(page);
        const char* way = page.write ? "write" : "read";
        event("b", way, process, page.cpu, id, page.begun, &arguments);
        for (const auto& [stage, from, to] : stages_of(page)) {
            event("b", stage, process, page.cpu, id, from);
            event("e", stage, process, page.cpu, id, to);
        }
        event("e", way, process, page.cpu, id, end);
    }
    Json json() const { return {{"traceEvents", events_}, {"displayTimeUnit", "ns"}}; }

private:
    unsigned process_of(const std::string& disk) {
        auto [found, fresh] = processes_.emplace(disk, static_cast<unsigned>(processes_.size()) + 1);
        if (fresh) events_.push_back({{"ph", "M"}, {"name", "process_name"}, {"pid", found->second}, {"args", {{"name", disk}}}});
        return found->second;
    }
    void event(const char* phase, const char* name, unsigned process, unsigned cpu, const std::string& id, double time,
               const Json* arguments = nullptr) {
        Json event = {{"ph", phase}, {"cat", "page"}, {"name", name}, {"id", id}, {"pid", process}, {"tid", cpu}, {"ts", time * 1e6}};
        if (arguments) event.set("args", *arguments);
        events_.push_back(event);
    }

    Json events_ = Json::array();
    std::map<std::string, unsigned> processes_;
    unsigned pages_ = 0;
};

class Trace : public Command {
    const char* name() const override { return "trace"; }
    const char* summary() const override { return "pages from begin to end, by the kernel's tracepoints"; }
    const char* notes() const override {
        return "A page is joined before and after the card by its request (driver/docs/tracing.md). Formats: text, a line\n"
               "a page; json, a line of JSON a page, and one where events were lost; chrome, one object for ui.perfetto.dev or chrome://tracing.\n"
               "The kernel is traced in a buffer of its own, so that other tracing goes on: for root alone.\n";
    }

    void declare(Arguments& arguments) override {
        arguments.text("-i,--input", input_,
                       "a recorded trace (the file `trace` of tracefs) instead of the kernel; - is standard input");
        arguments.text("-o,--output", output_, "a file instead of standard output");
        arguments.choice("-f,--format", format_, {"text", "json", "chrome"}, "text (default), json or chrome");
        arguments.flag("--json", json_, "as --format json");
        arguments.seconds("-s,--seconds", seconds_, 0.1, 86400, "how long the kernel is traced (default: until interrupted)");
        arguments.number("-c,--count", count_, 1, 100'000'000, "end after so many pages");
    }

    ExitCode run(const Machine& machine) override {
        if (json_) format_ = "json";
        heed_interrupts();
        if (!output_.empty()) open_output();
        FILE* out = file_ ? file_->stream() : stdout;
        unsigned pages = 0, events = 0;
        TraceJoiner joiner([&](const TracedPage& page) {
            if (count_ && pages == count_) return;
            pages++;
            show(page);
        });
        auto take = [&](const std::string& line) {
            if (auto event = parse_trace_line(line)) {
                events++;
                joiner.add(*event);
            } else if (auto lost = parse_lost_line(line)) {
                joiner.finish();
                note(*lost);
            }
            return !(count_ && pages == count_) && !ferror(out);
        };
        if (input_.empty()) trace_from_kernel(machine, seconds_, take);
        else trace_from_file(input_, take);
        joiner.finish();
        if (!input_.empty() && !events && !interrupted())
            throw Failure(MALFORMED, input_ + ": no event of the driver in it: is it the file `trace` of tracefs?");
        if (format_ == "chrome") {
            Json trace = chrome_.json();
            if (gaps_) trace.set("otherData", {{"lost_events", lost_}, {"gaps", gaps_}});
            write(trace.line());
        }
        if (file_) file_->finish();
        if (gaps_)
            fprintf(stderr, "pagepressctl: the kernel lost %llu events in %u places: pages under way there have no end, others are missing\n",
                    static_cast<unsigned long long>(lost_), gaps_);
        return FINE;
    }

    void open_output() {
        if (same_file(input_, output_)) throw Failure(USAGE, output_ + ": cannot be written while it is read");
        std::unique_ptr<char, void (*)(void*)> target(realpath(output_.c_str(), nullptr), free);  // a link stays one
        file_ = std::make_unique<NewFile>(target ? target.get() : output_);
    }

    void note(const LostEvents& lost) {
        gaps_++;
        lost_ += lost.events.value_or(0);
        if (format_ == "json") write(Json{{"lost_events", lost.events ? Json(*lost.events) : Json()}, {"cpu", lost.cpu}}.line());
    }

    void show(const TracedPage& page) {
        if (format_ == "chrome") chrome_.add(page);
        else write(format_ == "json" ? as_json(page).line() : as_text(page));
        if (input_.empty() && !file_) fflush(stdout);  // somebody reads along
    }

    void write(const std::string& text) { fwrite(text.data(), 1, text.size(), file_ ? file_->stream() : stdout); }

    std::string input_, output_, format_ = "text";
    double seconds_ = 86400;
    unsigned count_ = 0;
    bool json_ = false;
    std::unique_ptr<NewFile> file_;  // of --output
    unsigned gaps_ = 0;  // where events were lost
    uint64_t lost_ = 0;
    ChromeTrace chrome_;
};

}  // namespace

std::unique_ptr<Command> trace_command() { return std::make_unique<Trace>(); }

}  // namespace pagepressctl
