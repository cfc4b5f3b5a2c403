// SPDX-License-Identifier: Apache-2.0
// Pages to compress: random ones of every structure that memory has or a compressor may stumble over, and real ones,
// whole and changed.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>

#include "random.hpp"

class PageMaker {
public:
    static constexpr size_t page_bytes = 4096;

    // `real`: raw pages one after the other, at least one.
    explicit PageMaker(Bytes real) : real(std::move(real)) {}

    // A page of any make, in a quarter of all cases changed afterwards.
    Bytes make(Random& random) const {
        Bytes page = (this->*random.pick(makes))(random);
        if (random.one_in(4)) change(page, random);
        return page;
    }

    Bytes real_page(Random& random) const {
        const auto begin = real.begin() + random.below(real.size() / page_bytes) * page_bytes;
        return {begin, begin + page_bytes};
    }

private:
    using Make = Bytes (PageMaker::*)(Random&) const;
    static const std::array<Make, 14> makes;

    // Counts around the edges of what LZO's tokens can say, and around the engines' windows.
    static constexpr uint16_t literal_counts[] = {0, 1, 2, 3, 4, 5, 15, 16, 17, 18, 19, 20, 31, 33, 237, 238, 239, 240,
                                                  272, 273, 274, 275, 527, 528, 529};
    static constexpr uint16_t match_lengths[] = {2, 3, 4, 5, 7, 8, 9, 10, 15, 16, 17, 18, 31, 32, 33, 34, 35, 63, 64, 65,
                                                 287, 288, 289, 542, 543, 544, 1500};
    static constexpr uint16_t distances[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 63, 64, 65, 255,
                                             256, 257, 1023, 1024, 1025, 2046, 2047, 2048, 2049, 2050, 3071, 3072, 3073};

    static void append(Bytes& page, const Bytes& more) { page.insert(page.end(), more.begin(), more.end()); }

    static void repeat(Bytes& page, size_t distance, size_t length) {
        for (; length && page.size() < page_bytes; length--) page.push_back(page[page.size() - distance]);
    }

    Bytes noise(Random& random) const { return random.bytes(page_bytes); }

    Bytes runs(Random& random) const {
        Bytes page;
        while (page.size() < page_bytes) page.insert(page.end(), random.between(1, random.pick(match_lengths)), random.byte());
        page.resize(page_bytes);
        return page;
    }

    // Literals and repetitions one after the other, their counts and distances at every edge.
    Bytes script(Random& random) const {
        Bytes page = random.bytes(random.between(1, 40));
        while (page.size() < page_bytes) {
            append(page, random.bytes(random.pick(literal_counts)));
            const size_t distance = random.one_in(2) ? random.pick(distances) : random.between(1, page.size());
            if (distance <= page.size()) repeat(page, distance, random.pick(match_lengths));
        }
        page.resize(page_bytes);
        return page;
    }

    // Short matches with few literals between: the most tokens a page can hold.
    Bytes dense(Random& random) const {
        Bytes page = random.bytes(random.between(4, 400));
        const size_t longest = random.between(3, 9), literals = random.below(4);
        while (page.size() < page_bytes) {
            append(page, random.bytes(random.between(0, literals)));
            repeat(page, random.between(1, std::min<size_t>(page.size(), 2048)), random.between(2, longest));
        }
        page.resize(page_bytes);
        return page;
    }

    // Records of one size whose fields stay, count up, or are random.
    Bytes records(Random& random) const {
        const size_t stride = random.between(2, 96);
        const Bytes first = random.bytes(stride), kinds = random.bytes(stride);
        Bytes page(page_bytes);
        for (size_t at = 0; at < page_bytes; at++) {
            const size_t field = at % stride;
            page[at] = kinds[field] < 160 ? first[field] : kinds[field] < 220 ? first[field] + at / stride : random.byte();
        }
        return page;
    }

    Bytes pointers(Random& random) const {
        Bytes page(page_bytes);
        const uint64_t base = random.next() & 0x7FFFFFFFF000, spread = uint64_t{1} << random.between(8, 24);
        for (size_t at = 0; at < page_bytes; at += 8) {
            const uint64_t word = random.one_in(4) ? 0 : base + (random.below(spread) & ~size_t{7});
            std::memcpy(&page[at], &word, 8);
        }
        return page;
    }

    // Words of a small dictionary, the first ones far more often than the last.
    Bytes text(Random& random) const {
        std::vector<Bytes> words(random.between(2, 200));
        for (Bytes& word : words) {
            word = random.bytes(random.between(1, 12));
            for (uint8_t& letter : word) letter = 'a' + letter % 26;
            word.push_back(' ');
        }
        Bytes page;
        while (page.size() < page_bytes) append(page, words[random.below(random.between(1, words.size()))]);
        page.resize(page_bytes);
        return page;
    }

    Bytes few_symbols(Random& random) const {
        const Bytes symbols = random.bytes(random.between(2, 6));
        Bytes page(page_bytes);
        for (uint8_t& value : page) value = random.pick(symbols);
        return page;
    }

    Bytes sparse(Random& random) const {
        Bytes page(page_bytes, random.one_in(3) ? random.byte() : 0);
        for (size_t left = random.below(400); left; left--) page[random.below(page_bytes)] = random.byte();
        return page;
    }

    Bytes periodic(Random& random) const {
        Bytes page = random.bytes(random.below(20));
        const size_t period = random.one_in(2) ? random.pick(distances) : random.between(1, 300);
        append(page, random.bytes(period));
        repeat(page, period, page_bytes);
        page.resize(page_bytes);
        return page;
    }

    // What a kernel takes for another stream version: pages that begin with 17, or with a run that could be written so.
    Bytes begins_with_17(Random& random) const {
        Bytes page(random.between(1, 30), 17);
        append(page, random.bytes(random.pick(literal_counts)));
        while (page.size() < page_bytes) repeat(page, random.between(1, page.size()), random.pick(match_lengths));
        return page;
    }

    Bytes real_whole(Random& random) const { return real_page(random); }

    Bytes real_changed(Random& random) const {
        Bytes page = real_page(random);
        change(page, random);
        return page;
    }

    // One make up to somewhere, another from there.
    Bytes spliced(Random& random) const {
        Bytes page = (this->*makes[random.below(makes.size() - 1)])(random);
        const Bytes other = (this->*makes[random.below(makes.size() - 1)])(random);
        const size_t from = random.below(page_bytes);
        std::copy(other.begin() + from, other.end(), page.begin() + from);
        return page;
    }

    // Bytes, bits and stretches changed, moved, wiped.
    static void change(Bytes& page, Random& random) {
        for (size_t left = random.between(1, random.one_in(4) ? 100 : 6); left; left--) {
            const size_t at = random.below(page.size()), most = page.size() - at;
            const size_t length = std::min<size_t>(random.pick(match_lengths), most);
            switch (random.below(4)) {
            case 0: page[at] = random.byte(); break;
            case 1: page[at] ^= 1 << random.below(8); break;
            case 2: std::fill_n(page.begin() + at, length, random.one_in(2) ? 0 : random.byte()); break;
            case 3: std::memmove(&page[at], &page[random.below(page.size() - length + 1)], length); break;
            }
        }
    }

    Bytes real;
};

inline const std::array<PageMaker::Make, 14> PageMaker::makes = {
    &PageMaker::noise, &PageMaker::runs, &PageMaker::script, &PageMaker::dense, &PageMaker::records, &PageMaker::pointers,
    &PageMaker::text, &PageMaker::few_symbols, &PageMaker::sparse, &PageMaker::periodic, &PageMaker::begins_with_17,
    &PageMaker::real_whole, &PageMaker::real_changed, &PageMaker::spliced};
