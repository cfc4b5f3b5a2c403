// SPDX-License-Identifier: Apache-2.0
// Byte strings to hand to a decompressor: streams of every codec whole, cut and changed, tokens put together at random,
// and noise.
#pragma once

#include <algorithm>

#include "lzo.hpp"
#include "page_maker.hpp"

// A stream, and the bytes it was made to give.
struct Stream {
    Bytes bytes, page;
};

class StreamMaker {
public:
    StreamMaker(const Lzo& lzo, const PageMaker& pages) : lzo(lzo), pages(pages) {}

    // The first `page_bytes` of a page, compressed by any software codec.
    Stream whole(Random& random, size_t page_bytes) const {
        Bytes page = pages.make(random);
        page.resize(page_bytes);
        return {lzo.compress(static_cast<Lzo::Codec>(random.below(Lzo::CODECS)), page), page};
    }

    // A stream of few bytes with several kinds of token, to try everything at.
    Stream tiny(Random& random) const {
        Bytes page = random.bytes(random.between(4, 12));
        page.insert(page.end(), random.between(0, 40), random.byte());
        const Bytes again(page.begin(), page.begin() + 4);
        for (const Bytes& more : {random.bytes(random.between(1, 4)), again, random.bytes(2), again, random.bytes(5)})
            page.insert(page.end(), more.begin(), more.end());
        return {lzo.compress(random.one_in(2) ? Lzo::LZO1X_999 : Lzo::LZO_RLE, page), page};
    }

    // One to a few changes of any kind.
    static void change(Bytes& stream, Random& random) {
        for (size_t left = random.pick(change_counts); left && !stream.empty(); left--) {
            const size_t at = random.below(stream.size());
            const auto place = stream.begin() + at;
            const size_t count = std::min(random.between(1, 8), stream.size() - at);
            switch (random.below(7)) {
            case 0: *place = random.byte(); break;
            case 1: *place ^= 1 << random.below(8); break;
            case 2: stream.erase(place, place + count); break;
            case 3: stream.insert(place, count, random.pick(telling)); break;
            case 4: insert(stream, at, Bytes(place, place + count)); break;
            case 5: stream.resize(at); break;
            case 6: insert(stream, at, random.bytes(count)); break;
            }
        }
    }

    // Tokens of every kind with random fields, most of them legal, perhaps an end mark.
    static Bytes tokens(Random& random, size_t limit) {
        Bytes stream;
        if (random.one_in(3)) stream = {17, static_cast<uint8_t>(random.one_in(8) ? random.byte() : random.below(2))};
        append_run(stream, random, random.between(4, std::max<size_t>(limit / 4, 5)));
        for (size_t left = random.below(limit / 6 + 2); left; left--) append_token(stream, random);
        if (!random.one_in(5)) append(stream, {17, 0, 0});
        return stream;
    }

    static Bytes noise(Random& random, size_t most) {
        Bytes stream = random.bytes(random.below(most + 1));
        // A beginning that most decoders get past, so that the rest is looked at.
        if (!stream.empty() && random.one_in(2)) stream[0] = static_cast<uint8_t>(random.between(17, 24));
        if (stream.size() > 1 && random.one_in(4)) stream[0] = 17, stream[1] = random.below(2);
        return stream;
    }

private:
    static constexpr uint8_t change_counts[] = {1, 1, 1, 2, 5};
    static constexpr uint8_t telling[] = {0, 0, 1, 15, 16, 17, 24, 32, 63, 64, 255};
    static constexpr uint16_t run_lengths[] = {4, 5, 17, 18, 19, 20, 31, 32, 33, 272, 273, 274, 528};
    static constexpr uint16_t match_lengths[] = {2, 3, 15, 16, 17, 31, 32, 33, 34, 35, 63, 64, 288, 289, 543};

    static void append(Bytes& stream, const Bytes& more) { stream.insert(stream.end(), more.begin(), more.end()); }
    static void insert(Bytes& stream, size_t at, const Bytes& more) {
        stream.insert(stream.begin() + at, more.begin(), more.end());
    }

    static void append_length(Bytes& stream, size_t rest) {
        for (; rest > 255; rest -= 255) stream.push_back(0);
        stream.push_back(rest);
    }

    static void append_run(Bytes& stream, Random& random, size_t count) {
        if (count <= 18) {
            stream.push_back(count - 3);
        } else {
            stream.push_back(0);
            append_length(stream, count - 18);
        }
        append(stream, random.bytes(count));
    }

    static void append_token(Bytes& stream, Random& random) {
        const size_t literals = random.one_in(2) ? 0 : random.below(4);
        switch (random.below(8)) {
        case 0: append_run(stream, random, random.one_in(8) ? random.pick(run_lengths) : random.between(4, 24)); return;
        case 1: append(stream, {static_cast<uint8_t>(random.below(4) << 2 | literals), random.byte()}); break;
        case 2: case 3: case 4:
            append(stream, {static_cast<uint8_t>((random.between(64, 255) & ~size_t{3}) | literals),
                            static_cast<uint8_t>(random.one_in(4) ? random.byte() : random.below(4))});
            break;
        case 5: case 6: {
            const size_t length = random.pick(match_lengths), back = random.below(random.one_in(2) ? 40 : 2000);
            stream.push_back(32 | (length <= 33 ? length - 2 : 0));
            if (length > 33) append_length(stream, length - 33);
            append(stream, {static_cast<uint8_t>(back << 2 | literals), static_cast<uint8_t>(back >> 6)});
            break;
        }
        case 7:
            // Far matches, zero runs of version 1, and end marks in mid-stream.
            append(stream, {static_cast<uint8_t>(random.between(16, 31)),
                            static_cast<uint8_t>(random.one_in(2) ? 0xFC | literals : random.byte()),
                            static_cast<uint8_t>(random.one_in(2) ? 0xFF : random.byte()), random.byte()});
            break;
        }
        append(stream, random.bytes(literals));
    }

    const Lzo& lzo;
    const PageMaker& pages;
};
