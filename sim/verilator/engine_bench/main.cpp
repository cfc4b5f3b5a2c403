// SPDX-License-Identifier: Apache-2.0
// Runs a set of pages through the verilated engines of one format and counts cycles:
//
//   engine_bench PAGES SOFTWARE STREAMS CYCLES FAILURES LIMIT
//
//   PAGES     file of raw pages
//   SOFTWARE  file of the streams that a software codec made of them, in the form of STREAMS
//   STREAMS   written: each page's stream, in order, behind its length as a little-endian 32-bit number;
//             0xFFFFFFFF and nothing for a page the compressor calls incompressible
//   CYCLES    written: JSON, see below
//   FAILURES  start of the names of files that keep a failing page and its stream
//   LIMIT     most bytes a stream may have
//
// Both engines see every page twice: alone, which gives latencies (first word in to last word out, both counted),
// and back to back, which gives rates: from the first page's last word out to the last page's, of every `stretch`.
// Streams of both passes are decompressed and compared with their pages; the back-to-back pass writes STREAMS. The
// decompressor does the same with the software's streams.
// One line with the number of pages done goes to stdout now and then. Exit 1 and one line on stderr when a page is
// not given back, or an engine breaks its contract.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>

#include "block.hpp"
#include "Vpage_compressor.h"
#include "Vpage_decompressor.h"
#ifdef WITH_LANE
#include "Vcompress_lane.h"
#endif

namespace {

constexpr size_t page_bytes = 4096;
constexpr size_t batch = 64;      // pages between two lines of progress
constexpr size_t stretch = 1024;  // most pages back to back: filling and draining the engine must not count
constexpr uint32_t no_stream = 0xFFFFFFFF;

// What a pass of one engine over all pages measured.
struct Measure {
    std::vector<uint64_t> latencies;  // cycles of each page alone; decompress: of each page that has a stream
    uint64_t cycles = 0;              // back to back, from each stretch's first page out to its last
    uint64_t bytes = 0;               // plain bytes that came out in them
};

struct Bench {
    std::string failures;
    uint32_t limit;
    Block<Vpage_compressor> compressor{"compressor", limit};
    Block<Vpage_decompressor> decompressor{"decompressor", page_bytes};
    Measure compress, decompress, decompress_software;
#ifdef WITH_LANE
    Block<Vcompress_lane> verifying{"lane", limit}, trusting{"lane without verification", limit, true};
    std::vector<uint64_t> verified, unverified;  // latencies of the pages that gave a stream
#endif

    // Runs pages `first` and following, and software's streams of them, one by one.
    void alone(const std::vector<Bytes>& pages, const std::vector<Bytes>& software, size_t first) {
        open(pages, software, first, Pace::alone, decompress_software);
        pass(pages, first, Pace::alone);
        lanes(pages, first);
    }

    // The same back to back; returns the compressor's streams, empty where there is none.
    std::vector<Bytes> back_to_back(const std::vector<Bytes>& pages, const std::vector<Bytes>& software, size_t first) {
        open(pages, software, first, Pace::back_to_back, decompress_software);
        return pass(pages, first, Pace::back_to_back);
    }

private:
    std::vector<Bytes> pass(const std::vector<Bytes>& pages, size_t first, Pace pace) {
        const std::vector<Outcome> compressed = compressor.run(pages, pace);
        count(compress, compressed, pace);
        std::vector<Bytes> streams(pages.size());
        for (size_t index = 0; index < pages.size(); index++) {
            const Outcome& outcome = compressed[index];
            if (outcome.status == PAGEPRESS_STATUS_INCOMPRESSIBLE) continue;
            const auto wrong = [&](const std::string& what) { fail(first + index, pages[index], outcome.bytes, what); };
            if (outcome.status != PAGEPRESS_STATUS_SUCCESS) wrong("compressed with status " + std::to_string(outcome.status));
            if (outcome.bytes.empty()) wrong("compressed to nothing");
            check_length(outcome, "stream", wrong);
            streams[index] = outcome.bytes;
        }
        open(pages, streams, first, pace, decompress);
        return streams;
    }

    // Decompresses the streams that there are; each must give its page.
    void open(const std::vector<Bytes>& pages, const std::vector<Bytes>& streams, size_t first, Pace pace, Measure& measure) {
        std::vector<Bytes> sources;
        std::vector<size_t> owners;  // which page each of `sources` belongs to
        for (size_t index = 0; index < pages.size(); index++) {
            if (streams[index].empty()) continue;
            sources.push_back(streams[index]);
            owners.push_back(index);
        }
        const std::vector<Outcome> opened = decompressor.run(sources, pace);
        count(measure, opened, pace);
        for (size_t index = 0; index < owners.size(); index++) {
            const Bytes& page = pages[owners[index]];
            const Outcome& outcome = opened[index];
            const auto wrong = [&](const std::string& what) { fail(first + owners[index], page, sources[index], what); };
            if (outcome.status != PAGEPRESS_STATUS_SUCCESS) wrong("decompressed with status " + std::to_string(outcome.status));
            const auto other = std::mismatch(page.begin(), page.end(), outcome.bytes.begin(), outcome.bytes.end()).first;
            if (outcome.bytes != page)
                wrong("decompressed to other bytes, the first at " + std::to_string(other - page.begin()));
            check_length(outcome, "page", wrong);
        }
    }

    template <class Wrong>
    static void check_length(const Outcome& outcome, const std::string& what, const Wrong& wrong) {
        if (outcome.length != outcome.bytes.size())
            wrong("result says " + std::to_string(outcome.length) + " bytes, the " + what + " has " +
                  std::to_string(outcome.bytes.size()));
    }

    // The same pages through the lane with and without verification: what verification adds.
    void lanes([[maybe_unused]] const std::vector<Bytes>& pages, [[maybe_unused]] size_t first) {
#ifdef WITH_LANE
        const std::vector<Outcome> with = verifying.run(pages, Pace::alone), without = trusting.run(pages, Pace::alone);
        for (size_t index = 0; index < pages.size(); index++) {
            const uint8_t status = with[index].status;
            if (status == PAGEPRESS_STATUS_SAME_FILLED || status == PAGEPRESS_STATUS_INCOMPRESSIBLE) continue;
            if (status != PAGEPRESS_STATUS_SUCCESS || without[index].status != status)
                fail(first + index, pages[index], with[index].bytes, "the lane answers status " + std::to_string(status) +
                     ", without verification " + std::to_string(without[index].status));
            verified.push_back(with[index].last_out - with[index].first_in + 1);
            unverified.push_back(without[index].last_out - without[index].first_in + 1);
        }
#endif
    }

    static void count(Measure& measure, const std::vector<Outcome>& outcomes, Pace pace) {
        if (outcomes.empty()) return;
        if (pace == Pace::alone) {
            for (const Outcome& outcome : outcomes) measure.latencies.push_back(outcome.last_out - outcome.first_in + 1);
        } else {
            measure.cycles += outcomes.back().last_out - outcomes.front().last_out;
            measure.bytes += (outcomes.size() - 1) * page_bytes;
        }
    }

    static void write(const std::string& path, const Bytes& bytes) {
        std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }

    [[noreturn]] void fail(size_t number, const Bytes& page, const Bytes& stream, const std::string& what) const {
        const std::string name = failures + std::to_string(number);
        write(name + ".page", page);
        write(name + ".stream", stream);
        throw std::runtime_error("page " + std::to_string(number) + ": " + what + "; kept in " + name + ".page and .stream");
    }
};

std::vector<Bytes> read_pages(const char* path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(std::string("cannot read ") + path);
    const Bytes data{std::istreambuf_iterator<char>(file), {}};
    if (data.empty() || data.size() % page_bytes) throw std::runtime_error(std::string(path) + " holds no whole pages");
    std::vector<Bytes> pages;
    for (size_t at = 0; at < data.size(); at += page_bytes) pages.emplace_back(data.begin() + at, data.begin() + at + page_bytes);
    return pages;
}

// The streams in a file of their form, one for each page; empty where there is none.
std::vector<Bytes> read_streams(const char* path, size_t pages) {
    std::ifstream file(path, std::ios::binary);
    std::vector<Bytes> streams(pages);
    for (Bytes& stream : streams) {
        uint32_t length = 0;
        for (int shift = 0; shift < 32; shift += 8) length |= uint32_t(file.get() & 0xFF) << shift;
        if (length == no_stream) continue;
        if (!file || length > 2 * page_bytes) throw std::runtime_error(std::string(path) + " does not hold a stream for each page");
        stream.resize(length);
        file.read(reinterpret_cast<char*>(stream.data()), length);
    }
    if (!file) throw std::runtime_error(std::string(path) + " is cut short");
    return streams;
}

void write_stream(std::ostream& file, const Bytes& stream) {
    const uint32_t length = stream.empty() ? no_stream : stream.size();
    for (int shift = 0; shift < 32; shift += 8) file.put(length >> shift & 0xFF);
    file.write(reinterpret_cast<const char*>(stream.data()), stream.size());
}

void write_list(std::ostream& file, const char* name, const std::vector<uint64_t>& values) {
    file << "\"" << name << "\": [";
    for (size_t index = 0; index < values.size(); index++) file << (index ? "," : "") << values[index];
    file << "]";
}

void write_measure(std::ostream& file, const char* name, const Measure& measure) {
    file << "\"" << name << "\": {\"bytes\": " << measure.bytes << ", \"cycles\": " << measure.cycles << ", ";
    write_list(file, "latencies", measure.latencies);
    file << "},\n";
}

void run(char** words) {
    const std::vector<Bytes> pages = read_pages(words[1]);
    const std::vector<Bytes> software = read_streams(words[2], pages.size());
    std::ofstream streams(words[3], std::ios::binary), cycles(words[4]);
    const auto bench = std::make_unique<Bench>(words[5], static_cast<uint32_t>(std::stoul(words[6])));
    const auto part = [](const std::vector<Bytes>& all, size_t first, size_t most) {
        return std::vector<Bytes>(all.begin() + first, all.begin() + std::min(first + most, all.size()));
    };
    for (size_t from = 0; from < pages.size(); from += stretch) {
        const size_t end = std::min(from + stretch, pages.size());
        for (size_t first = from; first < end; first += batch) {
            bench->alone(part(pages, first, batch), part(software, first, batch), first);
            std::cout << std::min(first + batch, end) << std::endl;
        }
        for (const Bytes& stream : bench->back_to_back(part(pages, from, stretch), part(software, from, stretch), from))
            write_stream(streams, stream);
    }
    cycles << "{";
    write_measure(cycles, "compress", bench->compress);
    write_measure(cycles, "decompress", bench->decompress);
    write_measure(cycles, "decompress_software", bench->decompress_software);
#ifdef WITH_LANE
    write_list(cycles, "verified", bench->verified);
    cycles << ",\n";
    write_list(cycles, "unverified", bench->unverified);
    cycles << ",\n";
#endif
    cycles << "\"source_width\": " << Block<Vpage_compressor>::source_width
           << ", \"sink_width\": " << Block<Vpage_decompressor>::sink_width << "}\n";
    streams.flush();
    cycles.flush();
    if (!streams || !cycles) throw std::runtime_error("cannot write the results (disk full?)");
}

}  // namespace

int main(int count, char** words) {
    if (count != 7) {
        std::cerr << "usage: engine_bench PAGES SOFTWARE STREAMS CYCLES FAILURES LIMIT\n";
        return 2;
    }
    try {
        run(words);
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
