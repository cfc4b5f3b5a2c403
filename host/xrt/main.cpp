// SPDX-License-Identifier: Apache-2.0
// The command line of pagepress-xrt.
#include <CLI/CLI.hpp>
#include <cinttypes>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "work.hpp"

using namespace pagepress_xrt;

namespace {

constexpr char EXITS[] =
    "Exit status: 0 fine; 1 a file or a page was not right; 2 wrong usage; 3 no such device or no good xclbin;\n"
    "4 the device does not answer any more.\n"
    "In emulation (XCL_EMULATION_MODE=hw_emu) times mean nothing; cycles are those of the hardware.";

struct Options : Wishes {
    std::string xclbin, device = "0", list;
    unsigned kernels = 0, timeout = 120;
    bool software = false, only_device = false, trust = false, json = false, quiet = false;
};

void add_device(CLI::App& command, Options& options) {
    command.add_option("--xclbin", options.xclbin, "xclbin with the kernels; none: in software")->envname("PAGEPRESS_XCLBIN");
    command.add_flag("--software", options.software, "use no card, whatever the environment says");
    command.add_option("--device", options.device, "card: XRT's index or bus address (0)");
    command.add_option("--kernels", options.kernels, "kernels to use (all), or threads in software (1)");
    command.add_option("--timeout", options.timeout, "seconds after which a card that does not answer is given up (120)")->check(CLI::Range(1, 86400));
    command.add_flag("--only-device", options.only_device, "do in software nothing that the card fails to do");
    command.add_flag("--json", options.json, "one line of JSON instead of text");
    command.add_flag("--quiet", options.quiet, "hide what XRT prints");
}

void add_files(CLI::App& command, Options& options) {
    command.add_option("FILE", options.files, "files");
    command.add_option("--file-list", options.list, "a file that names further files, one a line");
}

pagepress::Device open_device(const Options& options) {
    pagepress_options wanted = pagepress::default_options();
    wanted.xclbin = options.software || options.xclbin.empty() ? nullptr : options.xclbin.c_str();
    wanted.device = options.device.c_str();
    wanted.kernels = options.kernels;
    wanted.timeout_ms = options.timeout * 1000;
    wanted.forbid_software = options.only_device;
    wanted.trust_answers = options.trust;
    return pagepress::Device(wanted);
}

void read_list(Options& options) {
    if (options.list.empty()) return;
    std::ifstream list(options.list);
    if (!list) throw FileError(options.list + ": cannot be read");
    for (std::string line; std::getline(list, line);)
        if (!line.empty()) options.files.push_back(line);
}

/// Of XRT's emulation, whose seconds mean nothing.
bool emulated() { return getenv("XCL_EMULATION_MODE") != nullptr; }

template <typename... Values>
std::string format(const char* pattern, Values... values) {
    char text[256];
    snprintf(text, sizeof text, pattern, values...);
    return text;
}

double ratio(double over, double under) { return under ? over / under : 0; }

void print(Screen& screen, const Options& options, const std::string& command, const Tally& tally, const pagepress_information& device) {
    uint64_t cycles = tally.compress_cycles + tally.decompress_cycles;
    if (options.json) {
        nlohmann::ordered_json line = {{"command", command}, {"device", device.name}, {"kernels", device.kernels}, {"files", tally.files},
            {"pages", tally.pages}, {"stored_pages", tally.stored_pages}, {"wrong_pages", tally.wrong_pages}, {"bytes_in", tally.bytes_in},
            {"bytes_out", tally.bytes_out}, {"card_pages", device.card_pages}, {"software_pages", device.software_pages},
            {"card_failures", device.failures}, {"card_mismatches", device.mismatches}, {"cycles", device.cycles}};
        if (cycles) line.update({{"compress_cycles", tally.compress_cycles}, {"decompress_cycles", tally.decompress_cycles}});
        if (command == "benchmark") line.update({{"rounds", options.rounds}, {"stream_pages", tally.stream_pages}});
        if (command == "benchmark" && !emulated()) line.update({{"compress_seconds", tally.compress_seconds}, {"decompress_seconds", tally.decompress_seconds}});
        fprintf(screen.output(), "%s\n", line.dump().c_str());
        return;
    }
    FILE* to = screen.output();
    fprintf(to, "%s: %zu files, %zu pages, %" PRIu64 " bytes to %" PRIu64 " (%.3f), by %s: %" PRIu64 " answers of the card, %" PRIu64 " by software\n",
            command.c_str(), tally.files, tally.pages, tally.bytes_in, tally.bytes_out, ratio(static_cast<double>(tally.bytes_out), static_cast<double>(tally.bytes_in)),
            device.name, device.card_pages, device.software_pages);
    if (device.failures || device.mismatches)
        fprintf(to, "the card failed to do %" PRIu64 " commands; %" PRIu64 " of its answers did not agree with their checksums\n", device.failures, device.mismatches);
    auto line = [&](const char* what, size_t pages, uint64_t spent, double seconds) {
        auto count = static_cast<double>(pages), bytes = count * device.page_bytes;
        std::string text;
        if (spent) text = format("%10" PRIu64 " cycles, %.1f a page, %.2f plain bytes a cycle", spent, ratio(static_cast<double>(spent), count), ratio(bytes, static_cast<double>(spent)));
        if (seconds > 0 && !emulated()) text += format("%s%.3f s, %.0f pages a second, %.0f MB/s", text.empty() ? "" : "; ", seconds, count / seconds, bytes / seconds / 1e6);
        if (!text.empty()) fprintf(to, "%-10s %s\n", what, text.c_str());
    };
    bool repeated = command == "benchmark";
    line("compress", tally.pages * (repeated ? options.rounds : 1), tally.compress_cycles, tally.compress_seconds);
    line("decompress", repeated ? tally.stream_pages * options.rounds : tally.pages, tally.decompress_cycles, tally.decompress_seconds);
}

ExitCode exit_code(pagepress_error error) {
    switch (error) {
        case PAGEPRESS_ERROR_NO_DEVICE:
        case PAGEPRESS_ERROR_XCLBIN:
        case PAGEPRESS_ERROR_IN_USE: return NO_DEVICE;
        case PAGEPRESS_ERROR_LOST: return LOST;
        case PAGEPRESS_ERROR_ARGUMENT: return USAGE;
        default: return FAILED;
    }
}

/// Carries the command out; the device is closed at the end unless it is lost.
ExitCode carry_out(Screen& screen, Options& options, const std::string& command, bool* lost) try {
    read_list(options);
    if (options.files.empty()) {
        Screen::complain(options.list.empty() ? "no files: name some, or give --file-list" : options.list + ": names no files");
        return USAGE;
    }
    auto device = std::make_unique<pagepress::Device>(open_device(options));
    ExitCode code = FINE;
    try {
        Work work(*device, screen);
        Tally tally = command == "compress" ? work.compress(options) : command == "decompress" ? work.decompress(options)
                      : command == "validate" ? work.validate(options) : work.benchmark(options);
        pagepress_information information = device->information();
        print(screen, options, command, tally, information);
        if (tally.wrong_pages) {
            Screen::complain(std::to_string(tally.wrong_pages) + " of " + std::to_string(tally.pages) + " pages did not come back as they were");
            code = FAILED;
        } else if (command == "validate" && !options.json) {
            fprintf(screen.output(), "PASS: every page came back as it was, and every stream is good for liblzo2\n");
        }
        if (information.lost) {
            Screen::complain("the card does not answer any more; software did its pages");
            code = LOST;
        }
    } catch (...) {
        *lost = device->information().lost;
        if (*lost) device.release();  // XRT would not come back from closing it
        throw;
    }
    *lost = device->information().lost;
    if (*lost) device.release();
    return code;
} catch (const FileError& error) {
    Screen::complain(error.what());
    return FAILED;
} catch (const pagepress::Error& error) {
    Screen::complain(error.what());
    *lost |= error.code == PAGEPRESS_ERROR_LOST;
    return exit_code(error.code);
} catch (const std::exception& error) {
    Screen::complain(error.what());
    return FAILED;
}

}  // namespace

int main(int count, char** words) {
    Options options;
    CLI::App application("Memory pages to LZO1X streams and back, on Pagepress kernels of a card that XRT drives, or in software.");
    application.footer(EXITS);
    application.set_version_flag("--version", std::string("pagepress-xrt for interface ") + pagepress_version());
    application.require_subcommand(1);
    auto* compress = application.add_subcommand("compress", "FILE to FILE.lzo, which lzop reads: a block a page");
    auto* decompress = application.add_subcommand("decompress", "FILE.lzo to FILE; also what lzop wrote");
    auto* validate = application.add_subcommand("validate", "the whole pages of files there and back, every stream checked with liblzo2; tells cycles");
    auto* benchmark = application.add_subcommand("benchmark", "the whole pages of files there and back so many times: cycles, and seconds but in emulation");
    for (auto* command : {compress, decompress, validate, benchmark}) {
        add_device(*command, options);
        add_files(*command, options);
    }
    for (auto* command : {compress, decompress}) {
        command->add_option("--output-folder", options.folder, "where the files go (beside their input)");
        command->add_flag("--force", options.force, "overwrite files that exist");
    }
    validate->add_flag("--trust-answers", options.trust, "leave the library's own check of answers out, so that only the comparison finds what is wrong");
    benchmark->add_option("--rounds", options.rounds, "how often (3)")->check(CLI::Range(1, 1000000));
    try {
        application.parse(count, words);
    } catch (const CLI::Success& wish) {
        return application.exit(wish);
    } catch (const CLI::ParseError& error) {
        fprintf(stderr, "pagepress-xrt: %s: see pagepress-xrt --help\n", error.what());
        return USAGE;
    }
    Screen screen(options.quiet);
    bool lost = false;
    ExitCode code = carry_out(screen, options, application.get_subcommands().front()->get_name(), &lost);
    screen.leave(code, lost);
}
