// SPDX-License-Identifier: Apache-2.0
/// pagepressctl top: what happens now, drawn again and again.
#include <time.h>

#include <memory>

#include "command.hpp"
#include "disk.hpp"
#include "files.hpp"
#include "json.hpp"
#include "latency.hpp"
#include "management.hpp"
#include "output.hpp"
#include "terminal.hpp"

namespace pagepressctl {

namespace {

/// What was read at one time.
struct Sample {
    double seconds = 0;  // of a clock that is never set
    std::vector<std::pair<std::string, Figures>> disks;
    std::optional<Latencies> latencies;

    const Figures* of(const std::string& disk) const {
        for (const auto& [name, figures] : disks)
            if (name == disk) return &figures;
        return nullptr;
    }
};

/// One ring pair, as the driver's dump of the queues has it.
struct Queue {
    std::string card;
    unsigned number = 0;
    uint64_t depth = 0, in_flight = 0;
    std::string state;
};

/// What the driver last saw of one card's firmware; nobody is asked.
struct Firmware {
    std::string card, state;
    uint64_t throttle;
};

/// Growth of numbers from `earlier` to `now`, a second; 0 for the first sample, or after a reset of the disk.
class Rate {
public:
    Rate(const Sample& now, const Sample* earlier, const std::string& disk)
        : now_(*now.of(disk)),
          earlier_(earlier ? earlier->of(disk) : nullptr),
          seconds_(earlier ? now.seconds - earlier->seconds : 0) {}
    double operator()(const char* file) const { return seconds_ > 0 ? grown(file) / seconds_ : 0; }
    double grown(const char* file) const {
        if (!earlier_ || now_.number(file) < earlier_->number(file)) return 0;
        return static_cast<double>(now_.number(file) - earlier_->number(file));
    }

private:
    const Figures& now_;
    const Figures* earlier_;
    double seconds_;
};

std::vector<Queue> read_queues(const Machine& machine) {
    std::vector<Queue> queues;
    for (const std::string& line : lines_of(machine.debugfs() + "/queues")) {
        auto words = words_of(line);
        if (words.size() > 2 && words[1] == "queue") {  // 0000:01:00.0 queue 0: QUEUE_STATUS ...
            queues.push_back({});
            queues.back().card = words[0];
            queues.back().number = static_cast<unsigned>(strtoul(words[2].c_str(), nullptr, 10));
        } else if (words.size() > 2 && words[1] == "depth" && !queues.empty()) {  // running depth 64 tail ...
            queues.back().state = words[0];
            queues.back().depth = strtoull(words[2].c_str(), nullptr, 10);
        } else if (!words.empty() && words[0] == "request" && !queues.empty()) {
            queues.back().in_flight++;
        }
    }
    return queues;
}

std::vector<Firmware> read_firmware(const Machine& machine) {
    std::vector<Firmware> found;
    for (const std::string& card : managed_cards(machine)) {
        std::string folder = machine.card_path(card) + "/management/", state = line_or_empty(folder + "state");
        if (!state.empty()) found.push_back({card, state, parse_number(line_or_empty(folder + "throttle")).value_or(0)});
    }
    return found;
}

constexpr struct {
    const char *title, *out, *in;
} WAYS[] = {
    {"card", "card_pages_out", "card_pages_in"},
    {"software", "software_pages_out", "software_pages_in"},
    {"direct", "direct_pages_out", "direct_pages_in"},
    {"backing device", "backing_pages_out", "backing_pages_in"},
};

class Top : public Command {
    const char* name() const override { return "top"; }
    const char* summary() const override { return "what happens now: pages a second, ratio, ways, queues, latencies"; }
    const char* notes() const override {
        return "q leaves, the space bar draws at once. Elsewhere than on a terminal each screen is printed below the last.\n"
               "Latencies (percentiles from histograms of powers of two) and queues come from debugfs: root alone.\n"
               "The first screen knows no rates; its latencies are those since the module was loaded.\n";
    }

    void declare(Arguments& arguments) override {
        arguments.texts("DEVICE", devices_, "disks, pagepress0 or /dev/pagepress0 (default: all)");
        arguments.flag("-1,--once", once_, "one screen, then end");
        arguments.number("-c,--count", count_, 1, 1'000'000'000, "so many screens, then end");
        arguments.seconds("-i,--interval", interval_, 0.05, 86400, "seconds from one screen to the next (default 1)");
        arguments.flag("--json", json_, "a line of JSON for each screen");
    }

    ExitCode run(const Machine& machine) override {
        heed_interrupts();
        if (once_) count_ = 1;
        Sample earlier, now = take(machine);
        Terminal terminal(!json_ && !once_);
        for (unsigned shown = 1;; shown++) {
            const Sample* before = shown > 1 ? &earlier : nullptr;
            if (json_) print(as_json(machine, now, before));
            else terminal.show(screen(machine, now, before));
            fflush(stdout);
            if (ferror(stdout) || (count_ && shown == count_) || !terminal.wait(interval_)) return FINE;
            earlier = std::move(now);
            now = take(machine);
        }
    }

    Sample take(const Machine& machine) const {
        Sample sample;
        auto look = [&](const Disk& disk) { sample.disks.push_back({disk.name, disk.figures()}); };
        if (devices_.empty()) for_each_disk(machine, look);
        for (const std::string& name : devices_) look(Disk(machine, name));
        if (sample.disks.empty())
            throw Failure(ABSENT, machine.sysfs + "/block: no Pagepress disk: pagepressctl setup makes one");
        sample.latencies = read_latencies(machine);
        timespec clock;
        clock_gettime(CLOCK_MONOTONIC, &clock);
        sample.seconds = static_cast<double>(clock.tv_sec) + static_cast<double>(clock.tv_nsec) * 1e-9;
        return sample;
    }

    /// Latencies since the last sample; of a quiet time, and of the first sample, those since the load.
    static Histogram recent(const Sample& now, const Sample* before, size_t way) {
        const Histogram& all = (*now.latencies)[way].second;
        if (!before || !before->latencies) return all;
        Histogram grown = all.since((*before->latencies)[way].second);
        return grown.pages() ? grown : all;
    }

    static std::string screen(const Machine& machine, const Sample& now, const Sample* before) {
        const Figures& first = now.disks.front().second;
        const std::string& state = first.word("card_state");
        Rate card(now, before, now.disks.front().first);
        std::string text = paint(Style::HEADING, "pagepress") + "  card " +
                           paint(state == "ready"  ? Style::GOOD
                                 : state == "dead" ? Style::BAD
                                                   : Style::WARNING,
                                 state) +
                           format("  cards %llu  late %llu  time-outs %llu  resets %llu",
                                  static_cast<unsigned long long>(first.number("present")),
                                  static_cast<unsigned long long>(first.number("card_late")),
                                  static_cast<unsigned long long>(first.number("card_timeouts")),
                                  static_cast<unsigned long long>(first.number("card_resets")));
        if (double cycles = card.grown("cycles"); cycles > 0)
            text += format("  compress busy %.0f %%  decompress busy %.0f %%", 100 * card.grown("compress_busy_cycles") / cycles,
                           100 * card.grown("decompress_busy_cycles") / cycles);
        text += firmware(machine) + "\n\n" + disks(machine, now, before).text() + "\n" + ways(now, before).text();
        if (now.latencies) text += "\n" + latencies(now, before).text();
        if (auto table = queues(machine)) text += "\n" + table->text();
        return text;
    }

    /// A line for each card whose firmware does not run, or finds the card hot.
    static std::string firmware(const Machine& machine) {
        std::string text;
        for (const Firmware& one : read_firmware(machine)) {
            if (one.state != "running") text += "\n" + one.card + "  firmware " + paint(Style::WARNING, one.state);
            else if (one.throttle) text += "\n" + one.card + "  " + paint(Style::WARNING, "hot") + format(": slows down, step %llu of 3", static_cast<unsigned long long>(one.throttle));
        }
        return text;
    }

    /// Where pages rest.
    static Table disks(const Machine& machine, const Sample& now, const Sample* before) {
        Table table({"DISK", ">STORED", ">MEMORY", ">RATIO", ">SAME", ">WHOLE", ">BACKED", ">OUT/s", ">IN/s", ">FAILED", "USE"});
        for (const auto& [name, figures] : now.disks) {
            Rate rate(now, before, name);
            auto pages = [&figures = figures](const char* file) { return count(static_cast<double>(figures.number(file))); };
            table.row({name, bytes(figures.number("OrigDataSize")), bytes(figures.number("MemUsedTotal")), ratio(figures.ratio()),
                       pages("ZeroPages"), pages("NoCompress"), pages("backed_pages"), count(rate("NumWrites")),
                       count(rate("NumReads")),
                       count(static_cast<double>(figures.number("FailedReads") + figures.number("FailedWrites"))),
                       Disk(machine, name).use().said()});
        }
        return table;
    }

    static Table ways(const Sample& now, const Sample* before) {
        Table table({"WAY", ">PAGES OUT", ">OUT/s", ">PAGES IN", ">IN/s"});
        for (const auto& way : WAYS) {
            double out = 0, in = 0, out_rate = 0, in_rate = 0;
            for (const auto& [name, figures] : now.disks) {
                Rate rate(now, before, name);
                out += static_cast<double>(figures.number(way.out));
                in += static_cast<double>(figures.number(way.in));
                out_rate += rate(way.out);
                in_rate += rate(way.in);
            }
            table.row({way.title, count(out), count(out_rate), count(in), count(in_rate)});
        }
        return table;
    }

    static Table latencies(const Sample& now, const Sample* before) {
        Table table({"LATENCY", ">PAGES", ">HALF", ">90 %", ">99 %"});
        for (size_t way = 0; way < now.latencies->size(); way++) {
            Histogram histogram = recent(now, before, way);
            if (!histogram.pages()) continue;
            table.row({(*now.latencies)[way].first, count(static_cast<double>(histogram.pages())),
                       duration(histogram.percentile(0.5)), duration(histogram.percentile(0.9)),
                       duration(histogram.percentile(0.99))});
        }
        return table;
    }

    static std::optional<Table> queues(const Machine& machine) {
        auto queues = read_queues(machine);
        if (queues.empty()) return {};
        Table table({"QUEUE", "STATE", ">DEPTH", ">IN FLIGHT"});
        for (const Queue& queue : queues)
            table.row({queue.card + " " + std::to_string(queue.number), queue.state, std::to_string(queue.depth),
                       std::to_string(queue.in_flight)});
        return table;
    }

    static Json as_json(const Machine& machine, const Sample& now, const Sample* before) {
        Json disks = Json::array(), queues = Json::array(), latencies = Json::object();
        for (const auto& [name, figures] : now.disks) {
            Rate rate(now, before, name);
            Json ways = Json::object();
            for (const auto& way : WAYS)
                ways.set(way.title, {{"pages_out", figures.number(way.out)},
                                     {"pages_in", figures.number(way.in)},
                                     {"pages_out_per_second", rate(way.out)},
                                     {"pages_in_per_second", rate(way.in)}});
            disks.push_back({{"device", name},
                             {"stored_bytes", figures.number("OrigDataSize")},
                             {"memory_bytes", figures.number("MemUsedTotal")},
                             {"ratio", figures.ratio()},
                             {"card_state", figures.word("card_state")},
                             {"pages_out_per_second", rate("NumWrites")},
                             {"pages_in_per_second", rate("NumReads")},
                             {"ways", ways}});
        }
        for (const Queue& queue : read_queues(machine))
            queues.push_back({{"card", queue.card},
                              {"queue", queue.number},
                              {"state", queue.state},
                              {"depth", queue.depth},
                              {"in_flight", queue.in_flight}});
        Json firmware = Json::array();
        for (const Firmware& one : read_firmware(machine))
            firmware.push_back({{"card", one.card}, {"state", one.state}, {"throttle", one.throttle}});
        Json line = {{"disks", disks}, {"queues", queues}, {"firmware", firmware}};
        if (!now.latencies) return line;
        for (size_t way = 0; way < now.latencies->size(); way++) {
            Histogram histogram = recent(now, before, way);
            latencies.set((*now.latencies)[way].first, {{"pages", histogram.pages()},
                                                        {"p50_ns", histogram.percentile(0.5)},
                                                        {"p90_ns", histogram.percentile(0.9)},
                                                        {"p99_ns", histogram.percentile(0.99)}});
        }
        line.set("latencies", latencies);
        return line;
    }

    std::vector<std::string> devices_;
    bool once_ = false, json_ = false;
    unsigned count_ = 0;
    double interval_ = 1;
};

}  // namespace

std::unique_ptr<Command> top_command() { return std::make_unique<Top>(); }

}  // namespace pagepressctl
