// SPDX-License-Identifier: Apache-2.0
#include "management.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "exit.hpp"
#include "files.hpp"
#include "output.hpp"

namespace pagepressctl {

namespace {

/// All of a file; `error` is the errno of what failed, else 0.
std::string read_all(const std::string& path, int* error) {
    std::string text;
    char part[4096];
    ssize_t length = -1;
    int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    *error = 0;
    while (file >= 0 && (length = read(file, part, sizeof part)) > 0) text.append(part, static_cast<size_t>(length));
    if (length < 0) *error = errno;
    if (file >= 0) close(file);
    return text;
}

}  // namespace

const std::vector<const char*> FIRMWARE_STATES = {"starting", "running", "silent", "dead", "unreachable", "away"};

std::vector<std::string> managed_cards(const Machine& machine) {
    std::vector<std::string> found;
    for (const std::string& name : names_in(machine.sysfs + "/bus/pci/drivers/pagepress"))  // files and, by address, the devices it has
        if (name.find(':') != std::string::npos && exists(machine.card_path(name) + "/management/state")) found.push_back(name);
    return found;
}

Management::Management(const Machine& machine, const std::string& address) {
    auto cards = machine.cards();
    if (cards.empty()) throw Failure(ABSENT, machine.sysfs + "/bus/pci: no Pagepress card on the bus");
    if (!address.empty()) {
        if (std::find(cards.begin(), cards.end(), address) == cards.end()) throw Failure(ABSENT, address + ": no Pagepress card");
        cards = {address};
    }
    for (const std::string& card : cards) {
        address_ = card;
        folder_ = machine.card_path(card) + "/management";
        if (exists(path("state"))) return;
    }
    if (!exists(machine.card_path(cards.front()) + "/driver")) throw Failure(ABSENT, cards.front() + ": no driver has the card: modprobe pagepress");
    throw Failure(ABSENT, cards.front() + ": this card has no management part, or none that the driver understands");
}

std::string Management::path(const std::string& file) const { return folder_ + "/" + file; }

void Management::fail(const std::string& file, int error) const {
    std::string state = line_or_empty(path("state"));
    switch (error) {
        case ENOENT:
            throw Failure(ABSENT, path(file) + ": missing: the loaded driver is of another version than this program, or the card has left");
        case EHOSTDOWN:
            throw Failure(REFUSED, address_ + ": the card's firmware does not run (" + state + "); pages do without it: see dmesg");
        case ETIMEDOUT:
            throw Failure(REFUSED, address_ + ": the card's firmware does not answer (" + state + "); pages do without it: see dmesg");
        case ECONNRESET:
            throw Failure(REFUSED, address_ + ": the card's firmware was reset before it answered: try again");
        case ENODATA:
            throw Failure(REFUSED, address_ + ": the card's firmware has published nothing yet (" + state + "): try again");
        case ENODEV:
            throw Failure(REFUSED, address_ + ": the card is away: suspended, being reset, or gone");
        default:
            throw Failure(REFUSED, path(file) + ": " + strerror(error) + (error == EACCES || error == EPERM ? ": be root" : ""));
    }
}

std::vector<std::string> Management::lines(const std::string& file) const {
    int error;
    std::istringstream text(read_all(path(file), &error));
    if (error) fail(file, error);
    std::vector<std::string> found;
    for (std::string line; std::getline(text, line);) found.push_back(line);
    return found;
}

bool Management::has(const std::string& file) const { return exists(path(file)); }

std::string Management::bytes(const std::string& file) const {
    int error;
    std::string found = read_all(path(file), &error);
    if (error) fail(file, error);
    return found;
}

std::vector<std::pair<std::string, std::string>> Management::pairs(const std::string& file) const {
    std::vector<std::pair<std::string, std::string>> found;
    for (const std::string& line : lines(file)) {
        size_t blank = line.find(' ');
        if (!blank || blank == std::string::npos || blank + 1 == line.size()) throw Failure(MALFORMED, path(file) + ": no name and value: '" + line + "'");
        found.emplace_back(line.substr(0, blank), line.substr(blank + 1));
    }
    return found;
}

FirmwareIdentity Management::identity() const {
    FirmwareIdentity identity;
    std::string trial;
    const std::pair<const char*, std::string*> wanted[] = {
        {"version", &identity.version}, {"slot", &identity.slot}, {"trial", &trial}, {"next_slot", &identity.next_slot},
        {"other_version", &identity.other_version}, {"other_status", &identity.other_status}, {"floor", &identity.floor},
    };
    for (const auto& [name, value] : pairs("identity"))
        for (const auto& [known, place] : wanted)
            if (name == known) *place = value;
    for (const auto& [known, place] : wanted)
        if (place->empty()) throw Failure(MALFORMED, path("identity") + ": has no " + known);
    identity.on_trial = trial != "0";
    return identity;
}

std::string Management::seen(const char* file) const { return line_or_empty(path(file)); }

int Management::try_write(const std::string& file, const std::string& value) const {
    int handle = open(path(file).c_str(), O_WRONLY | O_CLOEXEC);
    int error = handle < 0 || ::write(handle, value.data(), value.size()) < 0 ? errno : 0;
    if (handle >= 0) close(handle);
    return error;
}

void Management::write(const std::string& file, const std::string& value) const {
    if (int error = try_write(file, value)) fail(file, error);
}

void Management::roll_back() const {
    // As the driver makes errnos of the firmware's statuses: driver/docs/management.md. Of a header they say less than identity does.
    static constexpr std::pair<int, const char*> verdicts[] = {
        {ENODATA, "IMAGE_EMPTY"}, {EBADMSG, "IMAGE_TRUNCATED"}, {EFBIG, "IMAGE_TOO_LARGE"}, {ENOEXEC, "IMAGE_BAD_MAGIC"},
        {EKEYREJECTED, "IMAGE_BAD_SIGNATURE"}, {EKEYEXPIRED, "IMAGE_TOO_OLD"}, {ETIME, "FLASH_TIMEOUT"}, {EIO, "FLASH_FAILED"},
    };
    int error = try_write("control", "rollback");
    for (const auto& [number, status] : verdicts) {
        if (error != number) continue;
        std::string header = identity().other_status;
        throw Failure(REFUSED, "the other slot's image is refused by card " + address_ + " (" + with_meaning(header == "OK" ? status : header) + "); its running firmware stays");
    }
    if (error) fail("control", error);
}

}  // namespace pagepressctl
