// SPDX-License-Identifier: Apache-2.0
// A PCIe link: what it is, and each direction's time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <vector>

#include "tlp.hpp"

struct LinkShape {
    unsigned generation = 3;  // 0: a link and a host that take no time
    unsigned width = 16;
    unsigned max_payload = 256, max_read = 512;  // bytes
    unsigned boundary = 0;       // bytes that completions end at multiples of; 0: max_payload
    double round_trip_ns = 700;  // from a read's end on the wire to its first completion's begin, none before it
    double jitter_ns = 100;      // most that the host adds to it, read by read
    unsigned posted_headers = 64, posted_data = 1024, nonposted_headers = 64;  // the host's credits
    unsigned dllp_bytes = 8;     // of an acknowledgement and of a credit update
    unsigned tlps_per_dllp = 4;  // that either of them answers

    static constexpr double gigatransfers[] = {0, 2.5, 5, 8, 16, 32};

    // 8b/10b up to generation 2, then 128b/130b.
    double bytes_per_ns() const {
        return gigatransfers[generation] * width / 8 * (generation < 3 ? 8.0 / 10 : 128.0 / 130);
    }
    unsigned completion_boundary() const { return boundary ? boundary : max_payload; }
    // What a TLP costs the other direction: its share of an acknowledgement and of a credit update.
    double answer_bytes() const { return 2.0 * dllp_bytes / tlps_per_dllp; }
    Picoseconds one_way() const { return generation ? Picoseconds(round_trip_ns * 200) : 0; }
    Picoseconds host_time() const { return generation ? Picoseconds(round_trip_ns * 600) : 0; }
    Picoseconds jitter() const { return generation ? Picoseconds(jitter_ns * 1000) : 0; }
};

// The least that commands put on the link, in each direction: the entry, read with seven others, the source, the output,
// the completion; nothing for doorbells and interrupts, which any number of commands may share.
struct Least {
    const LinkShape& shape;
    double up_bytes = 0, down_bytes = 0;

    void command(unsigned source, unsigned output) {
        read(512, 1.0 / 8);
        read(source, 1);
        write(output);
        write(32);
    }
    // In nanoseconds, the fuller direction's time.
    double time() const { return std::max(up_bytes, down_bytes) / shape.bytes_per_ns(); }

private:
    static unsigned pieces(unsigned size, unsigned most) { return (size + most - 1) / most; }
    static unsigned overhead(Tlp::Kind kind) {
        Tlp tlp;
        tlp.kind = kind;
        tlp.address = 1ull << 32;  // as high as host memory
        return tlp.wire_bytes();
    }

    void read(unsigned size, double share) {
        count(up_bytes, down_bytes, overhead(Tlp::read), share * pieces(size, shape.max_read));
        count(down_bytes, up_bytes, overhead(Tlp::completion), share * pieces(size, shape.completion_boundary()));
        down_bytes += share * size;
    }
    void write(unsigned size) {
        count(up_bytes, down_bytes, overhead(Tlp::write), pieces(size, shape.max_payload));
        up_bytes += size;
    }
    void count(double& way, double& back, unsigned bytes, double tlps) {
        way += bytes * tlps;
        back += shape.answer_bytes() * tlps;
    }
};

// What is to happen, in the order of time.
class Agenda {
public:
    void at(Picoseconds time, std::function<void()> action) { events.push({time, count++, std::move(action)}); }

    // Everything up to `now`.
    void run(Picoseconds now) {
        while (!events.empty() && events.top().time <= now) {
            const auto action = events.top().action;
            events.pop();
            action();
        }
    }

private:
    struct Event {
        Picoseconds time;
        uint64_t order;
        std::function<void()> action;
        bool operator<(const Event& other) const {
            return time != other.time ? time > other.time : order > other.order;
        }
    };
    std::priority_queue<Event> events;
    uint64_t count = 0;
};

// One direction: TLPs in their order, each as long on the wire as it is, waiting for the other side's credits.
class Direction {
public:
    struct Credits {
        unsigned posted_headers, posted_data, nonposted_headers;
    };
    // `started`: its transmission begins, nothing overtakes it any more. `arrived`: the last byte is at the other side.
    std::function<void(const Tlp&, Picoseconds)> started, arrived;

    Direction(const LinkShape& shape, Agenda& agenda, Credits credits) : shape(shape), agenda(agenda), credits(credits) {}

    void send(Tlp tlp) {
        waiting_bytes += tlp.wire_bytes();
        waiting.push_back(std::move(tlp));
    }
    void answered_by(Direction& other) { opposite = &other; }
    unsigned queued_bytes() const { return waiting_bytes; }
    unsigned free_nonposted() const { return credits.nonposted_headers; }
    double sent_bytes() const { return total_bytes; }

    // Begin what can begin before the cycle ends that starts `now`.
    void run(Picoseconds now) {
        while (!waiting.empty() && free_at < double(now + clock_period) && affordable(waiting.front())) {
            Tlp tlp = std::move(waiting.front());
            waiting.pop_front();
            waiting_bytes -= tlp.wire_bytes();
            pay(tlp);
            const double start = std::max(free_at, double(now));
            occupy(tlp.wire_bytes(), start);
            if (opposite) opposite->occupy(shape.answer_bytes(), std::max(opposite->free_at, start));
            if (started) started(tlp, Picoseconds(start));
            const auto there = Picoseconds(free_at) + shape.one_way();
            agenda.at(there, [this, tlp = std::move(tlp), there] { arrived(tlp, there); });
        }
    }

    // The other side has taken `tlp` out of its buffer; that is known here after the way back.
    void release(const Tlp& tlp, Picoseconds now) {
        const bool posted = tlp.is_posted();
        const unsigned data = tlp.data_credits();
        agenda.at(now + shape.one_way(), [this, posted, data] {
            (posted ? credits.posted_headers : credits.nonposted_headers)++;
            if (posted) credits.posted_data += data;
        });
    }

private:
    bool affordable(const Tlp& tlp) const {
        if (tlp.kind == Tlp::completion) return true;  // asked for: there is room
        if (tlp.is_posted()) return credits.posted_headers && credits.posted_data >= tlp.data_credits();
        return credits.nonposted_headers;
    }

    void pay(const Tlp& tlp) {
        if (tlp.kind == Tlp::completion) return;
        (tlp.is_posted() ? credits.posted_headers : credits.nonposted_headers)--;
        if (tlp.is_posted()) credits.posted_data -= tlp.data_credits();
    }

    void occupy(double bytes, double start) {
        total_bytes += bytes;
        free_at = start + (shape.generation ? 1000 * bytes / shape.bytes_per_ns() : 0);
    }

    const LinkShape& shape;
    Agenda& agenda;
    Credits credits;
    Direction* opposite = nullptr;
    std::deque<Tlp> waiting;
    unsigned waiting_bytes = 0;
    double free_at = 0, total_bytes = 0;
};
