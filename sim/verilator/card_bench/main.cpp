// SPDX-License-Identifier: Apache-2.0
// Plays pages through a verilated card at the end of a modelled PCIe link, and measures one row of `make bench-card`:
//
//   card_bench pages=FILE streams=FILE compressed=FILE traffic=KIND [commands=N] [queues=N] [depth_log2=N] [seed=N]
//              [engine_kilohertz=N] [generation=N] [width=N] [max_payload=BYTES] [max_read=BYTES] [round_trip_ns=N] [jitter_ns=N]
//
//   pages    raw pages
//   streams  what decompress commands are given: each page's stream behind its length as a little-endian 32-bit number;
//            0xFFFFFFFF and nothing for a page that is not to be decompressed
//   compressed  written, in the same form: what the card made of each page; as above where it was not asked or incompressible
//   traffic  compress, decompress, mixed (7 in 10 compress): `queues` queues always full;
//            alone: one decompress at a time; loaded: the same on a queue of its own while `queues` others compress
//   engine_kilohertz: of the engines' clock, 250000 unless given; without effect where they have none of their own
//   push     none, dwords, line: how the lone queue's commands reach the card; line is a whole line in one packet, the default
//   generation=0 is a link, and a host, that take no time
//
// Prints JSON: `cycles` from the first measured completion to the last, `pages` completed in them, `latencies_ns` by kind
// (loaded and alone: of the lone queue only), with `latency_pages` of the decompressed; `link_ns`, the least time that the
// link needs for them, and what went over link and interfaces meanwhile. Every decompressed page is compared, and every
// stream with the page's first one; the caller decodes those. Exit 1 and one line on stderr when anything is wrong.
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>

#include "software.hpp"

namespace {

constexpr uint32_t no_stream = 0xFFFFFFFF;
constexpr uint64_t patience = 200'000;      // cycles without a completion that mean a card that hangs
constexpr uint64_t software_cycles = 16;    // between two looks of a processor at its rings
constexpr unsigned lone_warm_up = 4;

class Options {
public:
    Options(int count, char** words) {
        for (int index = 1; index < count; index++) {
            const std::string word = words[index];
            const size_t equals = word.find('=');
            if (equals == std::string::npos) throw std::runtime_error("'" + word + "' is not name=value");
            values[word.substr(0, equals)] = word.substr(equals + 1);
        }
    }
    std::string text(const std::string& name, const std::string& otherwise) const {
        return values.count(name) ? values.at(name) : otherwise;
    }
    std::string text(const std::string& name) const {
        if (!values.count(name)) throw std::runtime_error(name + "= is missing");
        return values.at(name);
    }
    template <class Number> void set(const std::string& name, Number& number) const {
        if (values.count(name)) number = Number(std::stod(values.at(name)));
    }

private:
    std::map<std::string, std::string> values;
};

Bytes contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path);
    return Bytes(std::istreambuf_iterator<char>(file), {});
}

Pages read_pages(const Options& options) {
    Pages pages;
    const Bytes plain = contents(options.text("pages")), streams = contents(options.text("streams"));
    for (size_t at = 0; at + page_bytes <= plain.size(); at += page_bytes)
        pages.plain.emplace_back(plain.begin() + at, plain.begin() + at + page_bytes);
    for (size_t at = 0; at + 4 <= streams.size();) {
        uint32_t length;
        std::memcpy(&length, &streams[at], 4);
        at += 4;
        if (length == no_stream) length = 0;
        if (at + length > streams.size()) throw std::runtime_error("the last stream is cut short");
        pages.streams.emplace_back(streams.begin() + at, streams.begin() + at + length);
        at += length;
    }
    if (pages.plain.empty() || pages.streams.size() != pages.plain.size())
        throw std::runtime_error("pages and streams do not belong together");
    pages.compressed.resize(pages.plain.size());
    pages.incompressible.resize(pages.plain.size());
    return pages;
}

void write_streams(const std::string& path, const std::vector<Bytes>& streams) {
    std::ofstream file(path, std::ios::binary);
    for (const Bytes& stream : streams) {
        const uint32_t length = stream.empty() ? no_stream : uint32_t(stream.size());
        file.write(reinterpret_cast<const char*>(&length), 4);
        file.write(reinterpret_cast<const char*>(stream.data()), std::streamsize(stream.size()));
    }
    if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

class Run {
public:
    Run(const Options& options, const LinkShape& shape, Pages& pages)
        : pages(pages), least{shape}, bytes_per_ns(shape.generation ? shape.bytes_per_ns() : 0), host(shape, 1) {
        unsigned seed = 1;
        options.set("commands", commands);
        options.set("queues", queue_count);
        options.set("depth_log2", depth_log2);
        options.set("seed", seed);
        unsigned engine_kilohertz = clock_kilohertz;
        options.set("engine_kilohertz", engine_kilohertz);
        host.run_engines_at(engine_kilohertz);
        random.seed(seed);
        traffic = options.text("traffic");
        const char* const known[] = {"compress", "decompress", "mixed", "alone", "loaded"};
        if (std::find(std::begin(known), std::end(known), traffic) == std::end(known))
            throw std::runtime_error("traffic=" + traffic + " is none of compress, decompress, mixed, alone, loaded");
        lone = traffic == "alone" || traffic == "loaded";
        const std::map<std::string, Push> ways = {{"none", Push::none}, {"dwords", Push::dwords}, {"line", Push::line}};
        const std::string way = options.text("push", "line");
        if (!ways.count(way)) throw std::runtime_error("push=" + way + " is none of none, dwords, line");
        push = ways.at(way);
        if (traffic == "alone") queue_count = 0;
        for (size_t page = 0; page < pages.plain.size(); page++)
            if (!pages.streams[page].empty()) decompressible.push_back(page);
        if (decompressible.empty() && traffic != "compress") throw std::runtime_error("no page has a stream to decompress");
    }

    void operator()() {
        enable();
        while (measured < commands) step(true);
        last = host.traffic();
        const uint64_t end = host.cycle();
        while (in_flight()) step(false);
        cycles = end - begin;
        if (host.dropped_completions())
            throw std::runtime_error(std::to_string(host.dropped_completions()) + " completions did not fit the block's receive buffer");
    }

    void print() const {
        const auto sum = [](uint64_t from, uint64_t to) { return std::to_string(to - from); };
        std::cout << "{\"cycles\": " << cycles << ", \"pages\": " << completed << ", \"compressed\": " << compressed
                  << ", \"link_ns\": " << (bytes_per_ns ? least.time() : 0) << ", \"link_bytes_per_ns\": " << bytes_per_ns
                  << ", \"up_bytes\": " << uint64_t(last.up_bytes - first.up_bytes)
                  << ", \"down_bytes\": " << uint64_t(last.down_bytes - first.down_bytes)
                  << ", \"request_beats\": " << sum(first.request_beats, last.request_beats)
                  << ", \"completion_beats\": " << sum(first.completion_beats, last.completion_beats)
                  << ", \"read_bytes\": " << sum(first.read_bytes, last.read_bytes)
                  << ", \"written_bytes\": " << sum(first.written_bytes, last.written_bytes)
                  << ", \"reads\": " << sum(first.reads, last.reads)
                  << ", \"reads_outstanding\": " << double(last.outstanding_sum - first.outstanding_sum) / double(cycles)
                  << ", \"request_stalls\": " << sum(first.stalled_request_cycles, last.stalled_request_cycles)
                  << ", \"completions_buffered\": " << host.most_completions()
                  << ", \"engines\": " << engines << ", \"latencies_ns\": {";
        for (const unsigned opcode : {PAGEPRESS_OPCODE_COMPRESS, PAGEPRESS_OPCODE_DECOMPRESS}) {
            std::cout << (opcode == PAGEPRESS_OPCODE_COMPRESS ? "\"compress\": [" : ", \"decompress\": [");
            list(opcode, [](const Finished& one) { return one.latency / 1000; });
            std::cout << "]";
        }
        std::cout << "}, \"latency_pages\": [";
        list(PAGEPRESS_OPCODE_DECOMPRESS, [](const Finished& one) { return one.page; });
        std::cout << "]}\n";
    }

private:
    template <class Value> void list(unsigned opcode, Value value) const {
        const char* comma = "";
        for (const Finished& one : latencies)
            if (one.opcode == opcode) std::cout << comma << value(one), comma = ", ";
    }

    void enable() {
        if (host.read_register(PAGEPRESS_REGISTER_MAGIC) != PAGEPRESS_MAGIC_VALUE)
            throw std::runtime_error("the card does not know its own magic number");
        const uint32_t capabilities = host.read_register(PAGEPRESS_REGISTER_CAPABILITIES);
        engines = host.read_register(PAGEPRESS_REGISTER_ENGINES);
        const unsigned present =
            (capabilities & PAGEPRESS_CAPABILITIES_QUEUE_PAIRS_MASK) >> PAGEPRESS_CAPABILITIES_QUEUE_PAIRS_SHIFT;
        const unsigned wanted = queue_count + lone;
        if (wanted > present)
            throw std::runtime_error("this card has " + std::to_string(present) + " queues, not " + std::to_string(wanted));
        host.written = [this](const Tlp& tlp, Picoseconds now) { look(tlp.address, now); };
        host.write_register(PAGEPRESS_REGISTER_CONTROL, PAGEPRESS_CONTROL_ENABLE_MASK);
        for (unsigned index = 0; index < wanted; index++) {
            const unsigned deep = index < queue_count ? depth_log2 : PAGEPRESS_MIN_DEPTH_LOG2;
            queues.push_back(std::make_unique<Queue>(host, pages, index, deep, index < queue_count ? Push::none : push));
        }
        warm_up = 2 * queue_count * ((1u << depth_log2) - 1);
        for (int cycle = 0; cycle < 1000; cycle++) host.tick();  // until all that is written
    }

    void look(uint64_t address, Picoseconds now) {
        for (auto& queue : queues) {
            const auto finished = queue->look(address, now);
            if (!finished) continue;
            moved = host.cycle();
            const bool is_lone = lone && queue == queues.back();
            ended++;
            lone_ended += is_lone;
            if (is_lone) lone_pause = random() % 64;
            if (!counting && (!lone || lone_ended > lone_warm_up) && ended > warm_up) {
                counting = true;
                begin = host.cycle();
                first = host.traffic();
                return;
            }
            if (!counting || measured >= commands) return;
            completed++;
            least.command(finished->source_bytes, finished->output_bytes);
            compressed += finished->opcode == PAGEPRESS_OPCODE_COMPRESS;
            if (lone && !is_lone) return;
            measured++;
            latencies.push_back(*finished);
            return;
        }
    }

    void step(bool more) {
        if (more && host.cycle() % software_cycles == 0) {
            for (unsigned index = 0; index < queue_count; index++) {
                while (queues[index]->has_room()) submit(*queues[index], next_opcode());
                queues[index]->acknowledge();
                queues[index]->ring();
            }
        }
        if (lone) queues.back()->acknowledge();
        if (more && lone && !queues.back()->in_flight() && !lone_pause--) {
            submit(*queues.back(), PAGEPRESS_OPCODE_DECOMPRESS);
            queues.back()->ring();
        }
        host.tick();
        if (host.cycle() - moved > patience)
            throw std::runtime_error("the card makes no progress, " + std::to_string(ended) + " commands done");
    }

    unsigned next_opcode() {
        if (traffic == "decompress") return PAGEPRESS_OPCODE_DECOMPRESS;
        return traffic == "mixed" && random() % 10 >= 7 ? PAGEPRESS_OPCODE_DECOMPRESS : PAGEPRESS_OPCODE_COMPRESS;
    }

    void submit(Queue& queue, unsigned opcode) {
        const bool decompresses = opcode == PAGEPRESS_OPCODE_DECOMPRESS;
        queue.submit(opcode, decompresses ? decompressible[next_decompress++ % decompressible.size()] : next_compress++ % pages.plain.size());
    }

    unsigned in_flight() const {
        unsigned sum = 0;
        for (const auto& queue : queues) sum += queue->in_flight();
        return sum;
    }

    Pages& pages;
    Least least;
    double bytes_per_ns;
    std::string traffic;
    unsigned commands = 1000, queue_count = 3, depth_log2 = 5, warm_up = 0;
    bool lone = false, counting = false;
    Push push = Push::line;
    std::mt19937_64 random;
    Host host;
    std::vector<std::unique_ptr<Queue>> queues;
    std::vector<size_t> decompressible;
    size_t next_decompress = 0, next_compress = 0;
    uint64_t lone_pause = 0, moved = 0, begin = 0, cycles = 0;
    unsigned ended = 0, lone_ended = 0, measured = 0, completed = 0, compressed = 0;
    uint32_t engines = 0;
    std::vector<Finished> latencies;
    Host::Traffic first{}, last{};
};

}  // namespace

int main(int count, char** words) {
    try {
        const Options options(count, words);
        LinkShape shape;
        options.set("generation", shape.generation);
        options.set("width", shape.width);
        options.set("max_payload", shape.max_payload);
        options.set("max_read", shape.max_read);
        options.set("boundary", shape.boundary);
        options.set("round_trip_ns", shape.round_trip_ns);
        options.set("jitter_ns", shape.jitter_ns);
        Pages pages = read_pages(options);
        Run run(options, shape, pages);
        run();
        write_streams(options.text("compressed"), pages.compressed);
        run.print();
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
