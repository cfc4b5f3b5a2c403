// SPDX-License-Identifier: Apache-2.0
#include "trace_pages.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <vector>

#include "files.hpp"

namespace pagepressctl {

namespace {

constexpr char MARK[] = ": pagepress_";
/// What driver/docs/tracing.md says of each: behind all but "done" and "failed" a CPU does the page again.
const std::set<std::string> VERDICTS = {"done", "failed", "later", "changed", "doubted", "reported"};

/// "pagepress0 slot=17 write ..." wherever it stands in the event's text.
bool place_of(const TraceEvent& event, std::string* disk, uint64_t* slot, bool* write) {
    auto number = event.number("slot");
    auto words = words_of(event.text);
    auto at =
        std::find_if(words.begin(), words.end(), [](const std::string& word) { return word.compare(0, 9, "pagepress") == 0; });
    if (!number || at == words.end()) return false;
    *disk = *at;
    *slot = *number;
    *write = std::find(words.begin(), words.end(), "write") != words.end();
    return true;
}

std::string card_of(const TraceEvent& event) { return event.text.substr(0, event.text.find(' ')); }

}  // namespace

std::optional<uint64_t> TraceEvent::number(const char* key) const {
    for (const std::string& word : words_of(text)) {
        size_t equals = word.find('=');
        if (equals == std::string::npos || word.compare(0, equals, key)) continue;
        const char* digits = word.c_str() + equals + 1;
        char* end;
        uint64_t value = strtoull(digits, &end, 0);
        if (end != digits && !*end) return value;
    }
    return {};
}

std::optional<TraceEvent> parse_trace_line(const std::string& line) {
    size_t mark = line.find(MARK);
    if (line.empty() || line[0] == '#' || mark == std::string::npos) return {};
    std::string head = line.substr(0, mark);
    size_t close = head.rfind(']'), open = head.rfind('['), stamp = head.find_last_of(" \t");
    size_t name = mark + sizeof MARK - 1, colon = line.find(':', name);
    if (open == std::string::npos || close == std::string::npos || close < open || stamp == std::string::npos ||
        colon == std::string::npos)
        return {};
    TraceEvent event;
    char* end;
    event.time = strtod(head.c_str() + stamp, &end);
    if (*end || event.time <= 0) return {};
    event.cpu = static_cast<unsigned>(strtoul(head.c_str() + open + 1, nullptr, 10));
    event.in_interrupt = head.find_first_of("hHs", close) < stamp;  // of flags like d.h1.
    event.task = head.substr(0, open);
    event.task.erase(0, event.task.find_first_not_of(" \t"));
    event.task.resize(event.task.find_last_not_of(" \t") + 1);
    event.name = line.substr(name, colon - name);
    event.text = line.substr(std::min(line.size(), colon + 2));
    event.text.resize(event.text.find_last_not_of(" \t\r") + 1);
    return event;
}

std::optional<LostEvents> parse_lost_line(const std::string& line) {
    unsigned cpu;
    unsigned long long events;
    int end = 0;
    if (sscanf(line.c_str(), "CPU:%u [LOST %llu EVENTS]%n", &cpu, &events, &end) == 2 && end) return LostEvents{cpu, events};
    if (sscanf(line.c_str(), "CPU:%u [LOST EVENTS]%n", &cpu, &end) == 1 && end) return LostEvents{cpu, {}};
    return {};
}

void TraceJoiner::add(const TraceEvent& event) {
    if (event.name == "page_begin") return begin(event);
    if (event.name == "request_submit") return submit(event);
    if (event.name == "queue_ring") return ring(event);
    if (event.name == "request_judge") return judge(event);
    if (event.name == "slot_give") return give(event);
    if (event.name == "page_software") return software(event);
    if (event.name == "io_end") return io_end(event);
    Key key;
    TracedPage* page = event.name == "request_complete" || event.name == "request_redo" ? request_of(event, &key) : nullptr;
    if (!page) return;
    if (event.name == "request_redo") {
        page->redone = true;
        page->redo = event.time;
    } else {
        page->completed = event.time;
        page->status = event.number("status").value_or(0);
        page->bytes = event.number("bytes").value_or(0);
        page->cycles = event.number("cycles").value_or(0);
    }
}

void TraceJoiner::begin(const TraceEvent& event) {
    TracedPage page;
    if (!place_of(event, &page.disk, &page.slot, &page.write)) return;
    page.begun = event.time;
    page.cpu = event.cpu;
    page.task = event.task;
    by_slot_[{page.disk, page.slot, page.write}].push_back(next_);
    open_.emplace(next_++, page);
}

/// The oldest open page of the disk, slot and way that the event names.
TracedPage* TraceJoiner::page_of(const TraceEvent& event, std::optional<bool> with_request, Key* key) {
    std::string disk;
    uint64_t slot;
    bool write;
    if (!place_of(event, &disk, &slot, &write)) return nullptr;
    if (event.name == "slot_give") write = true;
    auto keys = by_slot_.find({disk, slot, write});
    if (keys == by_slot_.end()) return nullptr;
    for (Key one : keys->second) {
        TracedPage& page = open_.at(one);
        if (with_request && page.has_request() != *with_request) continue;
        *key = one;
        return &page;
    }
    return nullptr;
}

TracedPage* TraceJoiner::request_of(const TraceEvent& event, Key* key) {
    auto queue = event.number("queue"), request = event.number("request");
    if (!queue || !request) return nullptr;
    auto found = by_request_.find({card_of(event), static_cast<unsigned>(*queue), *request});
    if (found == by_request_.end()) return nullptr;
    *key = found->second;
    return &open_.at(found->second);
}

void TraceJoiner::submit(const TraceEvent& event) {
    Key key;
    TracedPage* page = page_of(event, false, &key);
    if (!page) return;  // begun before the trace was
    page->card = card_of(event);
    page->queue = static_cast<unsigned>(event.number("queue").value_or(0));
    page->request = event.number("request").value_or(0);
    page->submitted = event.time;
    by_request_[{page->card, page->queue, page->request}] = key;
}

void TraceJoiner::ring(const TraceEvent& event) {
    const std::string card = card_of(event);
    for (const auto& [request, key] : by_request_) {
        TracedPage& page = open_.at(key);
        if (!page.rung && !page.completed && page.card == card && page.queue == event.number("queue")) page.rung = event.time;
    }
}

void TraceJoiner::judge(const TraceEvent& event) {
    Key key;
    TracedPage* page = request_of(event, &key);
    if (!page) return;
    // "... request=0x30005 done nanoseconds=9120": the one word that says no number
    for (const std::string& word : words_of(event.text))
        if (VERDICTS.count(word)) page->verdict = word;
    page->nanoseconds = event.number("nanoseconds").value_or(0);
    if (page->verdict == "later") page->redone = true;  // by a work, which no event announces
    if (page->verdict == "done" || page->verdict == "failed") end(key, TracedPage::CARD, event.time);
}

void TraceJoiner::give(const TraceEvent& event) {
    Key key;
    TracedPage* page = page_of(event, {}, &key);
    if (!page) return;                  // moved, not written
    auto words = words_of(event.text);  // pagepress0 slot=17 stream bytes=1713
    if (words.size() >= 3) page->stored = words[2] + " " + std::to_string(event.number("bytes").value_or(0));
    if (words.size() >= 3 && words[2] == "same" && (!page->has_request() || page->redone))
        end(key, TracedPage::DIRECT, event.time);
}

void TraceJoiner::software(const TraceEvent& event) {
    Key key;
    TracedPage* page = nullptr;
    for (bool with_request : {false, true})
        if (!page) page = page_of(event, with_request, &key);
    if (!page) return;
    page->bytes = event.number("bytes").value_or(0);
    page->nanoseconds = event.number("nanoseconds").value_or(0);
    end(key, TracedPage::SOFTWARE, event.time);
}

/// What this task has begun and nobody compresses or decompresses needed neither.
void TraceJoiner::io_end(const TraceEvent& event) {
    if (event.in_interrupt) return;
    std::string disk = event.text.substr(0, event.text.find(' '));
    std::vector<Key> direct;
    for (const auto& [key, page] : open_)
        if (page.disk == disk && page.task == event.task && !page.has_request()) direct.push_back(key);
    for (Key key : direct) end(key, TracedPage::DIRECT, event.time);
}

void TraceJoiner::end(Key key, TracedPage::By by, double time) {
    TracedPage page = std::move(open_.at(key));
    open_.erase(key);
    auto slot = by_slot_.find({page.disk, page.slot, page.write});
    slot->second.erase(std::find(slot->second.begin(), slot->second.end(), key));
    if (slot->second.empty()) by_slot_.erase(slot);
    if (page.has_request())
        if (auto request = by_request_.find({page.card, page.queue, page.request});
            request != by_request_.end() && request->second == key)
            by_request_.erase(request);
    page.by = by;
    page.ended = time;
    listener_(page);
}

void TraceJoiner::finish() {
    for (auto& [key, page] : open_) listener_(page);
    open_.clear();
    by_slot_.clear();
    by_request_.clear();
}

}  // namespace pagepressctl
