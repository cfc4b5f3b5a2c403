// SPDX-License-Identifier: Apache-2.0
// The verilated engines at scale:
//
//   engines pages|streams SEED FIRST COUNT REAL KERNEL FAILURES
//
//   pages      random, structured and changed pages through the compressor, twice, and their streams through the
//              decompressor; a batch is 64 pages
//   streams    whole, cut, changed and made-up streams through the decompressor, a good one after each; a batch is
//              one way to break streams
//   the rest   as in codec.cpp
//
// Prints counts as JSON. Exit 1 and one line on stderr at the first failure, 2 for a wrong command line.
#include <memory>

#include "block.hpp"
#include "page_codec.h"
#include "report.hpp"
#include "stream_maker.hpp"

#include "Vpage_compressor.h"
#include "Vpage_decompressor.h"

namespace {

constexpr size_t page_bytes = PageMaker::page_bytes;
constexpr uint32_t no_limit = 2 * page_bytes;  // no page's stream is as long
constexpr size_t batch = 64;

// Most cycles an engine may have for `taken` bytes in and at most `given` out before it answers, those left out in
// which it was made to wait: a byte a cycle in and out, and its pipeline.
constexpr uint64_t most_cycles(size_t taken, size_t given) { return taken + given + 64; }

Stalls any_stalls(Random& random) {
    static constexpr unsigned chances[][2] = {{0, 0}, {0, 0}, {128, 0}, {0, 128}, {77, 77}, {13, 205}, {230, 13}};
    const auto& chance = chances[random.below(std::size(chances))];
    return {random.next(), chance[0], chance[1]};
}

// What must hold of one item; else its page and stream are kept and the run ends.
struct Expect {
    const std::string& failures;
    size_t index;
    const Bytes &page, &stream;

    void operator()(bool good, const std::string& what) const {
        if (!good) fail(failures + "/engines", page, stream, "item " + std::to_string(index) + ": " + what);
    }
};

class Run {
public:
    Run(const Bytes& real, const std::string& kernel, std::string failures)
        : lzo(kernel), pages(real), streams(lzo, pages), failures(std::move(failures)) {
        // The compressor's table is wiped after reset: its first page waits for that.
        compressor.run({pages.make(warm_up)}, Pace::alone);
    }

    void pages_batch(Random& random) {
        std::vector<Bytes> plain(batch);
        const bool whole = !random.one_in(8);
        for (Bytes& page : plain) {
            page = pages.make(random);
            if (!whole) page.resize(random.between(1, random.one_in(2) ? 80 : page_bytes));
        }
        const std::vector<Bytes> compressed = compress(plain, random);
        compress_within_limits(plain, compressed, random);
        decompress(plain, compressed, whole ? Pace::back_to_back : Pace::alone, random);
        std::vector<Bytes> others;
        for (const Bytes& page : plain) others.push_back(lzo.compress(static_cast<Lzo::Codec>(random.below(Lzo::CODECS)), page));
        decompress(plain, others, whole ? Pace::back_to_back : Pace::alone, random);
        counts.add("pages", plain.size());
    }

    void streams_batch(Random& random, uint64_t number) {
        std::vector<Bytes> broken;
        size_t limit = page_bytes;
        switch (number % 7) {
        case 0: {
            const Stream whole = streams.whole(random, limit);
            for (size_t cut = 0; cut < whole.bytes.size(); cut++)
                broken.emplace_back(whole.bytes.begin(), whole.bytes.begin() + cut);
            break;
        }
        case 1: {
            const Stream tiny = streams.tiny(random);
            limit = tiny.page.size();
            for (size_t at = 0; at < tiny.bytes.size(); at++)
                for (unsigned value = 0; value < 256; value++) broken.push_back(changed(tiny.bytes, at, value));
            break;
        }
        case 2: {
            limit = random.between(200, 1200);
            const Stream whole = streams.whole(random, limit);
            for (size_t at = 0; at < whole.bytes.size(); at++)
                for (const uint8_t value : {random.byte(), random.byte(), uint8_t{0}, static_cast<uint8_t>(whole.bytes[at] ^ 1)})
                    broken.push_back(changed(whole.bytes, at, value));
            break;
        }
        case 3:
            limit = random.between(1, 300);
            for (int left = 2000; left; left--) broken.push_back(StreamMaker::noise(random, random.one_in(20) ? 3 * limit : 60));
            break;
        case 4:
            limit = random.between(1, 800);
            for (int left = 1000; left; left--) broken.push_back(StreamMaker::tokens(random, limit));
            break;
        case 5:
            for (int left = 500; left; left--) {
                broken.push_back(streams.whole(random, limit).bytes);
                StreamMaker::change(broken.back(), random);
            }
            break;
        case 6:
            // Whole streams of pages longer or shorter than asked for.
            limit = random.between(1, page_bytes - 1);
            for (int left = 200; left; left--) broken.push_back(streams.whole(random, random.between(1, page_bytes)).bytes);
            break;
        }
        judge(broken, limit, random);
    }

    Counts counts;

private:
    static constexpr const char* statuses[] = {"SUCCESS", "", "", "", "", "", "", "", "", "", "MALFORMED_STREAM",
                                               "OUTPUT_OVERRUN", "OUTPUT_UNDERRUN"};

    static Bytes changed(Bytes stream, size_t at, uint8_t value) {
        stream[at] = value;
        return stream;
    }

    // The stream that the card's model makes of a page.
    static Bytes modelled(const Bytes& page) {
        Bytes stream(no_limit);
        size_t length = 0;
        page_compress(page.data(), page.size(), stream.data(), stream.size(), &length);
        stream.resize(length);
        return stream;
    }

    // Every page compresses to a stream that both software decoders decompress, the model's byte for byte.
    std::vector<Bytes> compress(const std::vector<Bytes>& plain, Random& random) {
        std::vector<Bytes> compressed;
        const auto outcomes = compressor.run(plain, Pace::back_to_back, std::vector<uint32_t>(plain.size(), no_limit),
                                             any_stalls(random));
        for (size_t index = 0; index < plain.size(); index++) {
            const Outcome& outcome = outcomes[index];
            const Expect expect{failures, index, plain[index], outcome.bytes};
            expect(outcome.status == PAGEPRESS_STATUS_SUCCESS, "compressed with status " + std::to_string(outcome.status));
            expect(outcome.length == outcome.bytes.size(), "the result says " + std::to_string(outcome.length) + " bytes");
            expect(outcome.bytes[0] != 17, "the stream begins with 17, which the kernel takes as a version header");
            const std::string refusal = refused_by(lzo, outcome.bytes, plain[index]);
            expect(refusal.empty(), refusal);
            expect(outcome.bytes == modelled(plain[index]), "another stream than the card's model makes");
            check_compressor_cycles(expect, outcome, plain[index]);
            compressed.push_back(outcome.bytes);
        }
        return compressed;
    }

    // The same pages again, in other company: the same streams, or INCOMPRESSIBLE and at most a beginning of them.
    void compress_within_limits(const std::vector<Bytes>& plain, const std::vector<Bytes>& compressed, Random& random) {
        std::vector<uint32_t> limits;
        for (const Bytes& stream : compressed) {
            const size_t choices[] = {stream.size(), stream.size() - 1, page_bytes, random.between(1, stream.size())};
            limits.push_back(random.pick(choices));
        }
        const auto outcomes = compressor.run(plain, Pace::back_to_back, limits, any_stalls(random));
        for (size_t index = 0; index < plain.size(); index++) {
            const Outcome& outcome = outcomes[index];
            const Bytes& stream = compressed[index];
            const Expect expect{failures, index, plain[index], outcome.bytes};
            const bool fits = stream.size() <= limits[index];
            expect(outcome.status == (fits ? PAGEPRESS_STATUS_SUCCESS : PAGEPRESS_STATUS_INCOMPRESSIBLE),
                   "status " + std::to_string(outcome.status) + " for a stream of " + std::to_string(stream.size()) +
                   " bytes within " + std::to_string(limits[index]));
            expect(outcome.length == outcome.bytes.size(), "the result says " + std::to_string(outcome.length) + " bytes");
            expect(outcome.bytes.size() <= stream.size() && std::equal(outcome.bytes.begin(), outcome.bytes.end(), stream.begin())
                   && (!fits || outcome.bytes.size() == stream.size()), "another stream than without a limit");
            check_compressor_cycles(expect, outcome, plain[index]);
            counts.add(fits ? "within their limit" : "INCOMPRESSIBLE");
        }
    }

    void decompress(const std::vector<Bytes>& plain, const std::vector<Bytes>& compressed, Pace pace, Random& random) {
        std::vector<uint32_t> limits;
        for (const Bytes& page : plain) limits.push_back(page.size());
        const auto outcomes = decompressor.run(compressed, pace, limits, any_stalls(random));
        for (size_t index = 0; index < plain.size(); index++)
            check_page({failures, index, plain[index], compressed[index]}, outcomes[index], plain[index], compressed[index]);
        counts.add("streams decompressed", plain.size());
    }

    // Broken streams, a good one after each: the verdict of the software decoders, and the good pages whole.
    void judge(const std::vector<Bytes>& broken, size_t limit, Random& random) {
        std::vector<Bytes> sent;
        const Stream good = streams.whole(random, limit);
        for (const Bytes& stream : broken) sent.insert(sent.end(), {stream, good.bytes});
        const Pace pace = random.one_in(3) ? Pace::alone : Pace::back_to_back;
        const auto outcomes = decompressor.run(sent, pace, std::vector<uint32_t>(sent.size(), limit), any_stalls(random));
        for (size_t index = 0; index < sent.size(); index++) {
            const Outcome& outcome = outcomes[index];
            const Expect expect{failures, index, outcome.bytes, sent[index]};
            if (index % 2) {
                check_page(expect, outcome, good.page, good.bytes);
                continue;
            }
            const std::string objection = Verdict(lzo, sent[index], limit).objection(outcome.status, outcome.bytes);
            expect(objection.empty(), "broken stream for " + std::to_string(limit) + " bytes: " + objection);
            expect(outcome.length == outcome.bytes.size(), "the result says " + std::to_string(outcome.length) + " bytes");
            check_cycles(expect, "decompressor", outcome, sent[index].size(), limit);
            counts.add(statuses[outcome.status]);
        }
        counts.add("broken streams", broken.size());
    }

    void check_page(const Expect& expect, const Outcome& outcome, const Bytes& page, const Bytes& stream) {
        expect(outcome.status == PAGEPRESS_STATUS_SUCCESS, "decompressed with status " + std::to_string(outcome.status));
        expect(outcome.bytes == page, "decompressed to other bytes");
        expect(outcome.length == page.size(), "the result says " + std::to_string(outcome.length) + " bytes");
        check_cycles(expect, "decompressor", outcome, stream.size(), page.size());
    }

    void check_compressor_cycles(const Expect& expect, const Outcome& outcome, const Bytes& page) {
        check_cycles(expect, "compressor", outcome, behind + page.size(), outcome.bytes.size());
        behind = outcome.status == PAGEPRESS_STATUS_INCOMPRESSIBLE ? page.size() : 0;
    }

    void check_cycles(const Expect& expect, const std::string& engine, const Outcome& outcome, size_t taken, size_t given) {
        const uint64_t most = most_cycles(taken, given);
        expect(outcome.own_cycles <= most, "the " + engine + " took " + std::to_string(outcome.own_cycles) + " cycles, " +
               std::to_string(most) + " at most are allowed");
        counts.most("% of the " + engine + "'s bound of cycles", 100 * outcome.own_cycles / most);
    }

    Lzo lzo;
    PageMaker pages;
    StreamMaker streams;
    std::string failures;
    Random warm_up{0, 0};
    Block<Vpage_compressor> compressor{"compressor", no_limit};
    Block<Vpage_decompressor> decompressor{"decompressor", page_bytes};
    size_t behind = 0;  // bytes of the last page, if the compressor may still have to swallow them behind an early answer
};

void run(char** words) {
    const uint64_t seed = std::stoull(words[2]), first = std::stoull(words[3]), count = std::stoull(words[4]);
    const bool streams = words[1] == std::string("streams");
    const auto run = std::make_unique<Run>(read_file(words[5]), words[6], words[7]);
    for (uint64_t number = first; number < first + count; number++) {
        Random random(seed, 2 * number + streams);
        try {
            if (streams) run->streams_batch(random, number);
            else run->pages_batch(random);
        } catch (const std::exception& error) {
            throw std::runtime_error("batch " + std::to_string(number) + ": " + error.what());
        }
    }
    run->counts.print();
}

}  // namespace

int main(int count, char** words) {
    if (count != 8 || (words[1] != std::string("pages") && words[1] != std::string("streams"))) {
        std::cerr << "usage: engines pages|streams SEED FIRST COUNT REAL KERNEL FAILURES\n";
        return 2;
    }
    try {
        run(words);
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
