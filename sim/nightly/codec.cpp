// SPDX-License-Identifier: Apache-2.0
// The card model's codec (sim/reference/page_codec.h) against liblzo2 and the kernel's LZO, both ways:
//
//   codec SEED FIRST COUNT REAL KERNEL FAILURES
//
//   SEED            of all random choices
//   FIRST COUNT     the batches to run, `batch` pages each; a batch depends on SEED and its number alone
//   REAL            file of raw pages to draw from
//   KERNEL          path of libkernel_lzo.so
//   FAILURES        folder that keeps a failing page and stream
//
// Prints counts as JSON. Exit 1 and one line on stderr at the first failure, 2 for a wrong command line.
#include <memory>

#include "page_codec.h"
#include "report.hpp"
#include "stream_maker.hpp"

namespace {

constexpr size_t batch = 1000;
constexpr size_t guard_bytes = 64;
constexpr uint8_t guard = 0x5A;

struct Answer {
    uint8_t status;
    Bytes bytes;
    bool kept_inside;  // not a byte outside the destination
};

// Calls the codec on a destination between guards.
template <class Function>
Answer call(Function function, const Bytes& source, size_t limit) {
    Bytes room(limit + 2 * guard_bytes, guard);
    size_t length = 0;
    // A copy of exactly the source's size: sanitizers see a read past it.
    const std::unique_ptr<uint8_t[]> exact(new uint8_t[source.size() + 1]);
    std::copy(source.begin(), source.end(), exact.get());
    const uint8_t status = function(exact.get(), source.size(), room.data() + guard_bytes, limit, &length);
    const auto is_guard = [](uint8_t value) { return value == guard; };
    const auto begin = room.begin() + guard_bytes, end = begin + limit;
    const bool inside = length <= limit && std::all_of(room.begin(), begin, is_guard) && std::all_of(end, room.end(), is_guard);
    return {status, Bytes(begin, begin + std::min(length, limit)), inside};
}

class Run {
public:
    Run(uint64_t seed, const Bytes& real, const std::string& kernel, std::string failures)
        : seed(seed), lzo(kernel), pages(real), streams(lzo, pages), failures(std::move(failures)) {}

    void batches(uint64_t first, uint64_t count) {
        for (uint64_t number = first; number < first + count; number++) {
            Random random(seed, number);
            for (size_t index = 0; index < batch; index++) {
                try {
                    one(random);
                } catch (const std::exception& error) {
                    throw std::runtime_error("batch " + std::to_string(number) + ": page " + std::to_string(index) + ": " + error.what());
                }
            }
        }
        counts.print();
    }

private:
    static constexpr const char* statuses[] = {"SUCCESS", "", "", "", "", "", "", "", "", "", "MALFORMED_STREAM",
                                               "OUTPUT_OVERRUN", "OUTPUT_UNDERRUN"};

    void one(Random& random) {
        Bytes page = pages.make(random);
        if (random.one_in(16)) page.resize(random.between(1, page.size()));
        const Bytes ours = compress(page);
        limit(page, ours, random);
        const Lzo::Codec codec = random.one_in(24) ? Lzo::LZO1X_999 : random.pick(fast_codecs);
        const Bytes theirs = lzo.compress(codec, page);
        decompress(theirs, page);
        counts.add("pages");
        for (Bytes stream : {ours, theirs}) {
            StreamMaker::change(stream, random);
            judge(stream, random.one_in(8) ? random.between(1, page.size()) : page.size());
        }
        if (random.one_in(4)) judge(StreamMaker::tokens(random, 600), random.between(1, 600));
        if (random.one_in(4)) judge(StreamMaker::noise(random, 60), random.between(1, 200));
    }

    // Our stream of a page, which both decoders and ours decompress.
    Bytes compress(const Bytes& page) {
        const Answer answer = call(page_compress, page, 2 * PageMaker::page_bytes);
        expect(answer.kept_inside, page, answer.bytes, "the compressor wrote outside its destination");
        expect(answer.status == PAGEPRESS_STATUS_SUCCESS, page, answer.bytes, "compressed with status " + std::to_string(answer.status));
        expect(answer.bytes[0] != 17, page, answer.bytes, "the stream begins with 17, which the kernel takes as a version header");
        const std::string refusal = refused_by(lzo, answer.bytes, page);
        expect(refusal.empty(), page, answer.bytes, refusal);
        decompress(answer.bytes, page);
        return answer.bytes;
    }

    void decompress(const Bytes& stream, const Bytes& page) {
        const Answer answer = call(page_decompress, stream, page.size());
        expect(answer.kept_inside, page, stream, "the decompressor wrote outside its destination");
        expect(answer.status == PAGEPRESS_STATUS_SUCCESS, page, stream, "decompressed with status " + std::to_string(answer.status));
        expect(answer.bytes == page, page, stream, "decompressed to other bytes");
        counts.add("streams decompressed");
    }

    // A limit below the stream's length is INCOMPRESSIBLE, any other changes nothing.
    void limit(const Bytes& page, const Bytes& stream, Random& random) {
        const size_t limits[] = {stream.size(), stream.size() - 1, random.between(1, PageMaker::page_bytes)};
        const size_t limit = random.pick(limits);
        const Answer answer = call(page_compress, page, limit);
        expect(answer.kept_inside, page, stream, "the compressor wrote outside its destination");
        const bool fits = stream.size() <= limit;
        expect(answer.status == (fits ? PAGEPRESS_STATUS_SUCCESS : PAGEPRESS_STATUS_INCOMPRESSIBLE), page, stream,
               "status " + std::to_string(answer.status) + " within " + std::to_string(limit) + " bytes");
        expect(fits ? answer.bytes == stream : answer.bytes.empty(), page, stream, "a limit changed the stream");
    }

    void judge(const Bytes& stream, size_t limit) {
        const Answer answer = call(page_decompress, stream, limit);
        expect(answer.kept_inside, answer.bytes, stream, "the decompressor wrote outside its destination");
        const std::string objection = Verdict(lzo, stream, limit).objection(answer.status, answer.bytes);
        expect(objection.empty(), answer.bytes, stream, "broken stream for " + std::to_string(limit) + " bytes: " + objection);
        counts.add("broken streams");
        counts.add(statuses[answer.status]);
    }

    void expect(bool good, const Bytes& page, const Bytes& stream, const std::string& what) const {
        if (!good) fail(failures + "/codec", page, stream, what);
    }

    static constexpr Lzo::Codec fast_codecs[] = {Lzo::LZO1X_1, Lzo::KERNEL_LZO1X_1, Lzo::LZO_RLE};

    uint64_t seed;
    Lzo lzo;
    PageMaker pages;
    StreamMaker streams;
    std::string failures;
    Counts counts;
};

}  // namespace

int main(int count, char** words) {
    if (count != 7) {
        std::cerr << "usage: codec SEED FIRST COUNT REAL KERNEL FAILURES\n";
        return 2;
    }
    try {
        Run(std::stoull(words[1]), read_file(words[4]), words[5], words[6]).batches(std::stoull(words[2]), std::stoull(words[3]));
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
