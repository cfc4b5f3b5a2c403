// SPDX-License-Identifier: Apache-2.0
/// A card's telemetry page: one snapshot of what its sensors, link, lanes and queues count, as management.toml lays it out.
#pragma once

#include <string>
#include <vector>

#include "pagepress_management.h"

namespace pagepressctl {

struct TelemetryPage {
    pagepress_telemetry_header header{};
    pagepress_telemetry general{};
    pagepress_telemetry_link link{};
    std::vector<pagepress_lane> lanes;
    std::vector<pagepress_telemetry_queue> queues;
};

/// Of the bytes of a page; parts may be longer than this program knows them. What is no page is told in a line: `wrong`, else empty.
TelemetryPage read_telemetry_page(const std::string& bytes, std::string* wrong);

/// Each general figure by the name that it has in the interface.
std::vector<std::pair<const char*, int64_t>> telemetry_figures(const pagepress_telemetry& general);

/// The names that the interface gives, or the number where it gives none.
std::string lane_kind_name(unsigned kind);
std::string lane_state_name(unsigned state);
std::string lane_cause_name(unsigned cause);

}  // namespace pagepressctl
