// SPDX-License-Identifier: Apache-2.0
/// What setup and adopt do to a disk before there is swap on it: choose or make it, then backing device, size and limit.
#pragma once

#include <cstdint>
#include <string>

#include "machine.hpp"
#include "steps.hpp"

namespace pagepressctl {

/// The name of the disk `device`, which is made if need be; of "", the first that nobody uses and that holds nothing, else a new
/// one. Loads the module. Failure REFUSED where it is in use or, without `force`, holds pages.
std::string choose_disk(const Machine& machine, Steps& steps, const std::string& device, bool force);

struct Preparation {
    uint64_t bytes;       // the size
    bool keep;            // a disk that has one keeps that
    std::string backing;  // "" for none
    uint64_t mem_limit;   // 0 for none
};
/// Resets the disk where what is asked differs from what is. Returns its size.
uint64_t prepare_disk(const Machine& machine, Steps& steps, const std::string& name, const Preparation& wanted);

}  // namespace pagepressctl
