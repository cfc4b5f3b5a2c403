// SPDX-License-Identifier: Apache-2.0
/// pagepressctl firmware: what stands in a card's two slots; a new image; back to the other one.
#include <unistd.h>

#include <chrono>

#include "command.hpp"
#include "json.hpp"
#include "management.hpp"
#include "output.hpp"

namespace pagepressctl {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds PATIENCE{30};  // until a restarted firmware has confirmed itself
constexpr unsigned POLL_MICROSECONDS = 100'000;

class Firmware : public Command {
    const char* name() const override { return "firmware"; }
    const char* summary() const override { return "a card's firmware: list, update, rollback"; }
    const char* notes() const override {
        return "list           the two slots: what runs, what the next restart boots, below which version images are refused\n"
               "update IMAGE   checks and writes it to the slot that does not run, restarts the firmware, and waits until the new one has\n"
               "               confirmed itself; if it does not, the old one goes on\n"
               "rollback       the image of the other slot, in the same way; from an image on trial to the confirmed one without another trial\n"
               "Pages go their way meanwhile. An image is made and signed by `make firmware`. update and rollback need root.\n";
    }

    void declare(Arguments& arguments) override {
        arguments.choice("ACTION", action_, {"list", "update", "rollback"}, "list, update or rollback");
        arguments.text("IMAGE", image_, "update: the image's file");
        arguments.text("-c,--card", address_, "PCI address, for example 0000:01:00.0 (default: the first card that has firmware)");
        arguments.flag("--no-restart", later_, "update, rollback: leave the restart to whoever does it next");
        arguments.flag("--json", json_, "one line of JSON instead of text");
    }

    ExitCode run(const Machine& machine) override {
        if (action_.empty()) throw Failure(USAGE, "say what to do, list, update or rollback: see pagepressctl firmware --help");
        if (image_.empty() == (action_ == "update"))
            throw Failure(USAGE, image_.empty() ? "say which image: see pagepressctl firmware --help" : "an image is for firmware update alone");
        if (later_ && action_ == "list") throw Failure(USAGE, "--no-restart is for firmware update and rollback alone");
        Management management(machine, address_);
        if (action_ == "list") return list(management);
        std::string target = other_slot(action_ == "update" ? upload_firmware(machine, management, image_) : roll_back_firmware(machine, management));
        return later_ ? say_later(management, target) : restart(management, target);
    }

    static std::string other_slot(const std::string& slot) { return slot == "A" ? "B" : "A"; }

    /// Whoever updates by other means, or restarts the firmware meanwhile, may have changed what the next restart boots.
    static FirmwareIdentity still_wanted(const Management& management, const std::string& target) {
        FirmwareIdentity identity = management.identity();
        if (identity.slot != target && identity.next_slot != target)
            throw Failure(WRONG, management.address() + ": somebody else has interfered: the next restart of the firmware boots slot " + identity.next_slot +
                                     ", not " + target + ": try again");
        return identity;
    }

    ExitCode list(const Management& management) const {
        FirmwareIdentity identity = management.identity();
        std::string other = other_slot(identity.slot);
        if (json_) {
            print(Json{{"card", management.address()}, {"slot", identity.slot}, {"version", identity.version}, {"on_trial", identity.on_trial},
                       {"next_slot", identity.next_slot}, {"other_slot", other}, {"other_version", identity.other_version},
                       {"other_status", identity.other_status}, {"floor", identity.floor}});
            return FINE;
        }
        Table table({"slot", "version", "state", "next restart"});
        auto next = [&](const std::string& slot) { return slot == identity.next_slot ? "boots it" : ""; };
        table.row({identity.slot, identity.version, identity.on_trial ? "runs on trial" : "runs", next(identity.slot)});
        table.row({other, identity.other_version == "0.0.0" ? "-" : identity.other_version, identity.other_status, next(other)});
        print(table.text() + "versions below " + identity.floor + " are refused\n");
        return FINE;
    }

    ExitCode say_later(const Management& management, const std::string& target) const {
        still_wanted(management, target);
        if (json_) print(Json{{"card", management.address()}, {"next_slot", target}, {"restarted", false}});
        else print(management.address() + ": the next restart of the firmware boots slot " + target + (action_ == "update" ? " on trial\n" : "\n"));
        return FINE;
    }

    /// Boots the slot that is asked for, unless somebody else has already: until its trial has ended a restart would end it.
    ExitCode restart(const Management& management, const std::string& target) const {
        FirmwareIdentity now = still_wanted(management, target);
        if (now.slot != target) management.write("control", "restart");
        std::string trouble = "it is still on trial";
        // By the clock: one that does not answer makes each poll take seconds.
        for (auto end = Clock::now() + PATIENCE; Clock::now() < end;) {
            usleep(POLL_MICROSECONDS);
            try {
                now = management.identity();
            } catch (const Failure& failure) {
                if (failure.code != REFUSED) throw;
                trouble = failure.what();
                continue;
            }
            if (now.slot == target && !now.on_trial) return say_running(management, now);
            if (now.slot != target && now.next_slot == now.slot)
                throw Failure(WRONG, management.address() + ": the image of slot " + target + " did not confirm itself: " + now.version +
                                         " of slot " + now.slot + " runs: see pagepressctl log");
        }
        throw Failure(WRONG, management.address() + ": the firmware has not come back: " + trouble);
    }

    ExitCode say_running(const Management& management, const FirmwareIdentity& now) const {
        if (json_) print(Json{{"card", management.address()}, {"version", now.version}, {"slot", now.slot}, {"restarted", true}});
        else print(management.address() + ": firmware " + now.version + " runs from slot " + now.slot + "\n");
        return FINE;
    }

    std::string action_, image_, address_;
    bool later_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> firmware_command() { return std::make_unique<Firmware>(); }

}  // namespace pagepressctl
