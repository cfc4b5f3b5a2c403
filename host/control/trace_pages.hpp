// SPDX-License-Identifier: Apache-2.0
/// Pages put together from the driver's tracepoints (driver/docs/tracing.md).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace pagepressctl {

/// A line of the kernel's trace. Seconds of the trace's clock.
struct TraceEvent {
    double time = 0;
    unsigned cpu = 0;
    bool in_interrupt = false;     // the task has nothing to do with it
    std::string task, name, text;  // name without pagepress_

    /// The number behind `key=`, decimal or 0x; nothing without it.
    std::optional<uint64_t> number(const char* key) const;
};
/// Nothing for a line of another kind.
std::optional<TraceEvent> parse_trace_line(const std::string& line);

/// The kernel's line about events that its buffer did not hold: CPU:3 [LOST 17 EVENTS].
struct LostEvents {
    unsigned cpu;
    std::optional<uint64_t> events;  // nothing where it does not know how many
};
/// Nothing for a line of another kind.
std::optional<LostEvents> parse_lost_line(const std::string& line);

/// What was seen of one page. Times are seconds of the trace's clock; those of stages that did not happen, or were not
/// seen, are 0.
struct TracedPage {
    enum By { NOBODY_YET, CARD, SOFTWARE, DIRECT } by = NOBODY_YET;
    std::string disk, task;
    uint64_t slot = 0;
    bool write = false, redone = false;
    unsigned cpu = 0;
    double begun = 0, submitted = 0, rung = 0, completed = 0, redo = 0, ended = 0;
    std::string card, verdict;  // of the card's answer
    unsigned queue = 0;
    uint64_t request = 0, status = 0, bytes = 0, cycles = 0, nanoseconds = 0;  // bytes: of the stream, as card or CPU say
    std::string stored;                                                        // kind and bytes that the slot holds, of a write

    bool has_request() const { return submitted > 0; }
};

/// Joins events in the order of their times: before and after the card by the request, else by disk and slot.
class TraceJoiner {
public:
    using Listener = std::function<void(const TracedPage&)>;
    explicit TraceJoiner(Listener listener) : listener_(std::move(listener)) {}

    void add(const TraceEvent& event);
    /// At the end, and where events were lost: pages whose end was not seen, in the order of their begin; `ended` is 0. No later event
    /// is taken for theirs.
    void finish();

private:
    using Slot = std::tuple<std::string, uint64_t, bool>;         // disk, slot, write
    using Request = std::tuple<std::string, unsigned, uint64_t>;  // card, queue, request
    using Key = uint64_t;                                         // pages are numbered as they begin

    TracedPage* page_of(const TraceEvent& event, std::optional<bool> with_request, Key* key);
    TracedPage* request_of(const TraceEvent& event, Key* key);
    void begin(const TraceEvent& event);
    void submit(const TraceEvent& event);
    void ring(const TraceEvent& event);
    void judge(const TraceEvent& event);
    void give(const TraceEvent& event);
    void software(const TraceEvent& event);
    void io_end(const TraceEvent& event);
    void end(Key key, TracedPage::By by, double time);

    Listener listener_;
    std::map<Key, TracedPage> open_;
    std::map<Slot, std::deque<Key>> by_slot_;
    std::map<Request, Key> by_request_;
    Key next_ = 0;
};

}  // namespace pagepressctl
