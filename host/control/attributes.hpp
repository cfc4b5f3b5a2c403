// SPDX-License-Identifier: Apache-2.0
/// What the driver shows of one disk in sysfs, in the order in which it is printed: the one list of these names here.
/// driver/docs/sysfs-block-pagepress explains each file.
#pragma once

#include <vector>

namespace pagepressctl {

enum class Unit { NONE, BYTES, NANOSECONDS };

/// One file. `counter`: it only grows; otherwise it follows the present. `shared`: of all cards together, under each disk
/// the same.
struct Attribute {
    const char* file;
    const char* help;  // for metrics
    bool word = false;
    bool counter = false;
    bool shared = false;
    Unit unit = Unit::NONE;
};

/// One folder. name: its key in JSON; title: its heading as text; folder: below the disk's, "" is the disk's own.
struct AttributeGroup {
    const char* name;
    const char* title;
    const char* folder;
    std::vector<Attribute> attributes;
};

extern const std::vector<AttributeGroup> ATTRIBUTE_GROUPS;
/// What `card_state` may be.
extern const std::vector<const char*> CARD_STATES;

}  // namespace pagepressctl
