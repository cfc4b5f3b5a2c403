// SPDX-License-Identifier: Apache-2.0
/// What setup and adopt do to a disk before there is swap on it: choose or make it, then backing device, size and limit.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "command.hpp"
#include "machine.hpp"
#include "steps.hpp"

namespace pagepressctl {

constexpr unsigned MOST_PRIORITY = 32767, USUAL_PRIORITY = 100;

/// What the user says of the disk and its swap area.
struct Wanted {
    std::string size, mem_limit;  // expressions, "" where nothing is said
    unsigned priority;
    std::string pool_budget = "";  // auto, off, "" where nothing is said
    bool force = false, dry = false, json = false;

    uint64_t bytes = 0, limit_bytes = 0;  // their values, 0 without

    void declare(Arguments& arguments, const char* priority_help, const char* force_help);
    /// Bad expressions end the command before anything is touched.
    void evaluate(const Machine& machine);
};

/// The name of the disk `device`, which is made if need be; of "", the first that nobody uses and that holds nothing, else a new
/// one. Loads the module, and takes its turn. Failure REFUSED where it is in use or, without `force`, holds pages.
std::string choose_disk(const Machine& machine, Steps& steps, const std::string& device, bool force);

struct Preparation {
    uint64_t bytes;       // the size
    bool keep;            // a disk that has one keeps that
    std::string backing;  // "" for none
    uint64_t mem_limit;   // 0 for none
    std::string pool_budget;  // auto, off, or "" to leave it
};
/// What gives the disk whose folder in sysfs this is what a reset takes from it, but for its pages: backing device, origin, lookaside
/// image, size and limit as they are now. It tries all of them; Failure of the first that is refused.
std::function<void()> restorer_of(const std::string& folder);
/// What a disk has; nothing of one that is not there.
struct Prepared {
    uint64_t bytes = 0;
    std::string backing;  // "" for none
    uint64_t mem_limit = 0;
};
Prepared state_of(const Machine& machine, const std::string& name);
/// Resets the disk where what is asked differs from what is. Returns what it has then, or would have.
Prepared prepare_disk(const Machine& machine, Steps& steps, const std::string& name, const Preparation& wanted);

}  // namespace pagepressctl
