// SPDX-License-Identifier: Apache-2.0
#include "telemetry_page.hpp"

#include <cstring>

namespace pagepressctl {

namespace {

/// The next part, of `size` bytes of which this program knows the first.
template <class Part> Part part(const std::string& bytes, size_t* at, size_t size) {
    Part read;
    std::memcpy(&read, bytes.data() + *at, sizeof read);
    *at += size;
    return read;
}

std::string name_of(const std::vector<const char*>& names, unsigned number) {
    return number < names.size() ? names[number] : std::to_string(number);
}

}  // namespace

TelemetryPage read_telemetry_page(const std::string& bytes, std::string* wrong) {
    TelemetryPage page;
    size_t at = 0;
    if (bytes.size() < sizeof page.header) {
        *wrong = "is " + std::to_string(bytes.size()) + " bytes long, less than a header";
        return page;
    }
    page.header = part<pagepress_telemetry_header>(bytes, &at, 0);
    const pagepress_telemetry_header& header = page.header;
    size_t length = size_t{header.header_bytes} + header.telemetry_bytes + header.link_bytes + size_t{header.lanes} * header.lane_bytes +
                    size_t{header.queues} * header.queue_bytes;
    if (header.header_bytes < sizeof header || header.telemetry_bytes < sizeof page.general || header.link_bytes < sizeof page.link ||
        header.lane_bytes < sizeof(pagepress_lane) || header.queue_bytes < sizeof(pagepress_telemetry_queue))
        *wrong = "has a part that is shorter than its interface says";
    else if (header.lanes > PAGEPRESS_LANE_COUNT || header.queues > PAGEPRESS_QUEUE_COUNT)
        *wrong = "has " + std::to_string(header.lanes) + " lanes and " + std::to_string(header.queues) + " queues";
    else if (length != header.length || length != bytes.size())
        *wrong = "is " + std::to_string(bytes.size()) + " bytes long, its parts " + std::to_string(length);
    if (!wrong->empty()) return page;
    at = header.header_bytes;
    page.general = part<pagepress_telemetry>(bytes, &at, header.telemetry_bytes);
    page.link = part<pagepress_telemetry_link>(bytes, &at, header.link_bytes);
    for (unsigned lane = 0; lane < header.lanes; lane++) page.lanes.push_back(part<pagepress_lane>(bytes, &at, header.lane_bytes));
    for (unsigned queue = 0; queue < header.queues; queue++) page.queues.push_back(part<pagepress_telemetry_queue>(bytes, &at, header.queue_bytes));
    return page;
}

std::vector<std::pair<const char*, int64_t>> telemetry_figures(const pagepress_telemetry& general) {
    return {
        {"uptime", general.uptime},
        {"running", general.running},
        {"temperature", static_cast<int32_t>(general.temperature)},
        {"temperature_peak", static_cast<int32_t>(general.temperature_peak)},
        {"voltage_core", general.voltage_core},
        {"voltage_aux", general.voltage_aux},
        {"voltage_memory", general.voltage_memory},
        {"throttle", general.throttle},
        {"sensors_silent", general.sensors_silent},
        {"messages", general.messages},
        {"messages_refused", general.messages_refused},
        {"flash_errors", general.flash_errors},
        {"throttle_time", general.throttle_time},
        {"stack_used", general.stack_used},
        {"stack_size", general.stack_size},
        {"loop_longest", general.loop_longest},
        {"self_test_failed", general.self_test_failed},
        {"temperature_begin", general.temperature_begin},
        {"temperature_hardest", general.temperature_hardest},
    };
}

#define NAME(name, number) #name,
std::string lane_kind_name(unsigned kind) { return name_of({PAGEPRESS_LANE_KIND_TABLE(NAME)}, kind); }
std::string lane_state_name(unsigned state) { return name_of({PAGEPRESS_LANE_STATE_TABLE(NAME)}, state); }
std::string lane_cause_name(unsigned cause) { return name_of({PAGEPRESS_LANE_CAUSE_TABLE(NAME)}, cause); }
#undef NAME

}  // namespace pagepressctl
