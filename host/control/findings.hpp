// SPDX-License-Identifier: Apache-2.0
/// What doctor finds.
#pragma once

#include <string>
#include <vector>

#include "disk.hpp"
#include "machine.hpp"

namespace pagepressctl {

/// GOOD: as it should be. NOTE: worth knowing. WARNING: less than there could be. ERROR: something is broken.
enum class Severity { GOOD, NOTE, WARNING, ERROR };

/// `about`: card, a card's address, disk's name, driver or system. next: what to do about it, "" for nothing.
struct Finding {
    Severity severity;
    std::string about, what, next;
};
using Findings = std::vector<Finding>;

/// Card and driver: is there one, does it work, and does it get the pages?
void examine_card(const Machine& machine, Findings& findings);
/// The firmware of every card: does it live, which image is it, is the card hot?
void examine_firmware(const Machine& machine, Findings& findings);
/// One disk: room, backing device, failures, use.
void examine_disk(const Machine& machine, const Disk& disk, Findings& findings);

}  // namespace pagepressctl
