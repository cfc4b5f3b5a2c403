// SPDX-License-Identifier: Apache-2.0
/// A card's management part, as the driver shows it below management/ of the card's PCI device.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "exposition.hpp"
#include "machine.hpp"

namespace pagepressctl {

/// What stands in the file identity: the two slots, and which is to boot.
struct FirmwareIdentity {
    std::string version, slot, next_slot, other_version, other_status, floor;
    bool on_trial = false;
};

class Management {
public:
    /// Of the card at `address`, or of the first that has one where it is empty. Failure ABSENT without.
    Management(const Machine& machine, const std::string& address);

    const std::string& address() const { return address_; }
    std::string path(const std::string& file) const;
    /// The lines of a file. Failure REFUSED where the firmware does not answer, with the reason.
    std::vector<std::string> lines(const std::string& file) const;
    /// Whether the driver, and the card, have this file.
    bool has(const std::string& file) const;
    /// All of a file that is not text; REFUSED as `lines`.
    std::string bytes(const std::string& file) const;
    /// The same as pairs of a name and what stands behind it. Failure MALFORMED for a line without a name.
    std::vector<std::pair<std::string, std::string>> pairs(const std::string& file) const;
    FirmwareIdentity identity() const;
    /// What the driver saw a second ago, the firmware not being asked; "" of a card that has left.
    std::string seen(const char* file) const;
    /// Failure REFUSED with the reason.
    void write(const std::string& file, const std::string& value) const;
    /// Failure REFUSED, or ABSENT, with what that errno of a file means.
    [[noreturn]] void fail(const std::string& file, int error) const;
    /// The next restart is to boot the other slot. Failure REFUSED with the firmware's verdict on the image there.
    void roll_back() const;

private:
    /// 0, or the errno with which the driver refuses it.
    int try_write(const std::string& file, const std::string& value) const;

    std::string address_, folder_;
};

/// What a firmware's `state` may be.
extern const std::vector<const char*> FIRMWARE_STATES;

/// PCI addresses of the cards that the driver has and that have a management part. Reads one folder: cheap enough for every screen of top.
std::vector<std::string> managed_cards(const Machine& machine);

/// What metrics says of every card's firmware. Asks those that run: two seconds where one does not answer.
void add_firmware(Exposition& text, const Machine& machine);

/// The firmware's word for a refused image with what it means; others as they are.
std::string with_meaning(const std::string& status);

/// Brings an image to the slot that does not run, by the kernel's firmware-upload interface or the driver's file in debugfs.
/// Returns the slot that ran then. Failure REFUSED with the firmware's verdict.
std::string upload_firmware(const Machine& machine, const Management& management, const std::string& file);
/// Has the next restart boot the other slot; returns the slot that ran then. Not during an update, whose end it would change.
std::string roll_back_firmware(const Machine& machine, const Management& management);

}  // namespace pagepressctl
