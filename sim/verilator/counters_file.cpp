// SPDX-License-Identifier: Apache-2.0
#include "counters_file.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "log.hpp"

namespace card {

namespace {

constexpr int64_t PERIOD_MS = 1000;

int64_t now_ms() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

}  // namespace

void CountersFile::write(CardFunction& function) {
    changed_ = false;
    written_ms_ = now_ms();
    if (path_.empty()) return;
    std::string partial = path_ + ".part";
    FILE* file = fopen(partial.c_str(), "w");
    if (!file) {
        log("cannot write %s: %s", partial.c_str(), strerror(errno));
        return;
    }
    auto counters = function.counters();
    auto& bridge = function.bridge();
    auto number = [file](const char* name, uint64_t value) { fprintf(file, ",\n  \"%s\": %" PRIu64, name, value); };
    auto& engine = function.engine();
    fprintf(file, "{\n  \"engine\": \"%s\",\n  \"level\": \"%s\"", engine.name(), engine.level());
#define COUNTER(NAME, index, name) number(#name, counters[index]);
    PAGEPRESS_COUNTERS(COUNTER)
#undef COUNTER
    number("pages", counters[PAGEPRESS_COUNTER_PAGES_COMPRESSED] + counters[PAGEPRESS_COUNTER_PAGES_SAME_FILLED] +
                        counters[PAGEPRESS_COUNTER_PAGES_INCOMPRESSIBLE] + counters[PAGEPRESS_COUNTER_PAGES_DECOMPRESSED]);
    number("bridge_interrupts", bridge.interrupts);
    number("bridge_read_bytes", bridge.read_bytes);
    number("bridge_write_bytes", bridge.write_bytes);
    number("bridge_read_errors", bridge.read_errors);
    number("bridge_write_errors", bridge.write_errors);
    fputs("\n}\n", file);
    if (fclose(file) || rename(partial.c_str(), path_.c_str())) log("cannot write %s: %s", path_.c_str(), strerror(errno));
}

void CountersFile::write_when_due(CardFunction& function, bool worked) {
    changed_ = changed_ || worked;
    if (changed_ && now_ms() - written_ms_ >= PERIOD_MS) write(function);
}

int CountersFile::due_in_ms() const {
    if (path_.empty() || !changed_) return -1;
    return static_cast<int>(std::clamp<int64_t>(written_ms_ + PERIOD_MS - now_ms(), 0, PERIOD_MS));
}

}  // namespace card
