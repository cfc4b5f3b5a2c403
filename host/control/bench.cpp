// SPDX-License-Identifier: Apache-2.0
/// pagepressctl bench: a disk written and read at once, by the card and by software.
#include <unistd.h>

#include <functional>

#include "bench_load.hpp"
#include "command.hpp"
#include "disk.hpp"
#include "expression.hpp"
#include "files.hpp"
#include "json.hpp"
#include "output.hpp"
#include "prepare.hpp"
#include "terminal.hpp"
#include "turn.hpp"

namespace pagepressctl {

namespace {

constexpr unsigned SECONDS_TO_START = 30;  // that a card gets after it was bound again

/// Something that is taken back when bench ends, however it ends.
class AtEnd {
public:
    explicit AtEnd(std::function<void()> undo) : undo_(std::move(undo)) {}
    ~AtEnd() {
        try {
            undo_();
        } catch (const Failure& failure) {
            fprintf(stderr, "pagepressctl: %s\n", failure.what());
        }
    }
    AtEnd(const AtEnd&) = delete;
    AtEnd& operator=(const AtEnd&) = delete;

private:
    std::function<void()> undo_;
};

/// One way's pass and who did its pages.
struct Result {
    const char* way;
    Pass pass;
    uint64_t card_pages_out, software_pages_out, card_pages_in, software_pages_in;
};

class Bench : public Command {
    const char* name() const override { return "bench"; }
    const char* summary() const override { return "writes and reads a disk at once: the card against software"; }
    const char* notes() const override {
        return "Without DEVICE on a disk of its own, removed afterwards; a disk that is in use or holds pages is refused.\n"
               "Pages are words of text, a fifth noise; all of them are compared. For software's figures the cards are\n"
               "taken from the driver and given back: not while another disk is in use, unless --force (no page is lost).\n";
    }

    void declare(Arguments& arguments) override {
        arguments.text("DEVICE", device_, "an unused disk, pagepress0 or /dev/pagepress0");
        arguments.text("-s,--size", size_, "how much, as setup's SIZE (default 64 MiB)");
        arguments.number("--seed", seed_, 0, UINT32_MAX, "of the pages' content (default 1)");
        arguments.flag("--card-only", card_only_, "leave software out");
        arguments.flag("--force", force_, "take the cards away even while another disk is in use");
        arguments.flag("--json", json_, "one line of JSON instead of text");
    }

    ExitCode run(const Machine& machine) override {
        uint64_t size = size_of(size_, "--size", size_.find("ram") == std::string::npos ? 0 : machine.memory_bytes());
        machine.need_module();
        heed_interrupts();
        auto turn = std::make_unique<Turn>(machine);  // until the disk is open, which keeps others away
        std::string name = device_;
        std::unique_ptr<AtEnd> disk_back;
        if (name.empty()) {
            name = "pagepress" + std::to_string(read_number(machine.control_path("hot_add")));
            disk_back = std::make_unique<AtEnd>(
                [&] { write_value_when_free(machine.control_path("hot_remove"), std::to_string(*disk_number(name))); });
        }
        Disk disk(machine, name);
        name = disk.name;
        if (Use use = disk.use(); use.kind != Use::NOBODY) throw Failure(REFUSED, disk.name + " is in use: " + use.said());
        if (std::string content = disk.content(); !content.empty())
            throw Failure(REFUSED, disk.name + " holds " + content + ": pagepressctl reset " + disk.name + " drops it");
        const uint64_t had = disk.size();
        if (had && had < size)
            throw Failure(REFUSED, disk.name + " has only " + bytes(had) + ": a smaller --size, or reset it first");
        if (!disk_back)
            disk_back = std::make_unique<AtEnd>([reset = disk.path("reset"), restore = restorer_of(disk.path(""))] {
                write_value_when_free(reset, "1");  // as it was: without pages
                restore();
            });
        if (!had) write_value_when_free(disk.path("disksize"), std::to_string(size));

        std::vector<Result> results;
        {
            Load load(disk.node(), size, seed_);
            turn.reset();
            // A turn again before the disk is closed: a disk that nobody uses is another's to remove, and its number to take.
            AtEnd own_turn([&] { turn = std::make_unique<Turn>(machine, Turn::Interrupt::IS_LATE); });
            measure(machine, disk, load, results);
        }
        return report(disk, size, results);
    }

    void measure(const Machine& machine, const Disk& disk, Load& load, std::vector<Result>& results) {
        const std::string path = machine.parameter_path("read_path"), read_path = read_line(path);
        AtEnd restore([&] { write_value(path, read_path); });
        const bool card = disk.figures().word("card_state") == "ready";
        if (card) {
            write_value(path, "card");
            results.push_back(pass("card", disk, load));
        }
        if (card_only_ && !card) throw Failure(REFUSED, "no card is ready: pagepressctl doctor says why");
        if (card_only_) return;
        if (card && !force_ && others_in_use(machine, disk)) {
            fputs("pagepressctl: software is left out: another disk is in use and keeps its card (--force takes it)\n", stderr);
            return;
        }
        std::vector<std::string> cards = words_of(try_read(disk.path("card/address")).value_or(""));
        const std::string driver = machine.sysfs + "/bus/pci/drivers/pagepress/";
        std::vector<std::unique_ptr<AtEnd>> back;
        for (const std::string& address : cards) {
            write_value(driver + "unbind", address);
            back.push_back(std::make_unique<AtEnd>([=] { write_value(driver + "bind", address); }));
        }
        results.push_back(pass("software", disk, load));
        back.clear();
        for (unsigned waited = 0; card && disk.figures().word("card_state") != "ready" && waited < SECONDS_TO_START * 20;
             waited++)
            usleep(50'000);
    }

    static bool others_in_use(const Machine& machine, const Disk& disk) {
        for (const std::string& name : machine.disks())
            if (name != disk.name && Disk(machine, name).use().kind != Use::NOBODY) return true;
        return false;
    }

    static Result pass(const char* way, const Disk& disk, Load& load) {
        Figures before = disk.figures();
        Result result = {way, load.run(), 0, 0, 0, 0};
        Figures after = disk.figures();
        auto grown = [&](const char* file) { return after.number(file) - before.number(file); };
        result.card_pages_out = grown("card_pages_out");
        result.software_pages_out = grown("software_pages_out");
        result.card_pages_in = grown("card_pages_in");
        result.software_pages_in = grown("software_pages_in");
        return result;
    }

    ExitCode report(const Disk& disk, uint64_t size, const std::vector<Result>& results) const {
        Table table({"WAY", ">WRITE MB/s", ">READ MB/s", ">PAGE READ", ">99 %", ">CPU s", ">BY CARD OUT", ">IN"});
        Json lines = Json::array();
        uint64_t wrong = 0;
        for (const Result& result : results) {
            const Pass& pass = result.pass;
            auto rate = [&](double seconds) { return seconds > 0 ? static_cast<double>(size) / seconds / 1e6 : 0; };
            auto share = [](uint64_t card, uint64_t software) {
                return card + software
                           ? format("%.0f %%", 100.0 * static_cast<double>(card) / static_cast<double>(card + software))
                           : "-";
            };
            wrong += pass.wrong_pages;
            table.row({result.way, format("%.1f", rate(pass.write_seconds)), format("%.1f", rate(pass.read_seconds)),
                       duration(pass.single_half_ns), duration(pass.single_99_ns), format("%.2f", pass.cpu_seconds),
                       share(result.card_pages_out, result.software_pages_out),
                       share(result.card_pages_in, result.software_pages_in)});
            lines.push_back({{"way", result.way},
                             {"write_bytes_per_second", rate(pass.write_seconds) * 1e6},
                             {"read_bytes_per_second", rate(pass.read_seconds) * 1e6},
                             {"single_read_p50_ns", pass.single_half_ns},
                             {"single_read_p99_ns", pass.single_99_ns},
                             {"cpu_seconds", pass.cpu_seconds},
                             {"card_pages_out", result.card_pages_out},
                             {"software_pages_out", result.software_pages_out},
                             {"card_pages_in", result.card_pages_in},
                             {"software_pages_in", result.software_pages_in},
                             {"wrong_pages", pass.wrong_pages}});
        }
        if (json_) print(Json{{"device", disk.name}, {"bytes", size}, {"pages", size / page_bytes()}, {"results", lines}});
        else print(table.text());
        if (!wrong) return FINE;
        throw Failure(WRONG, std::to_string(wrong) + " pages came back other than they were written: take the card out of use");
    }

    std::string device_, size_ = "64";
    unsigned seed_ = 1;
    bool card_only_ = false, force_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> bench_command() { return std::make_unique<Bench>(); }

}  // namespace pagepressctl
