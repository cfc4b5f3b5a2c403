// SPDX-License-Identifier: Apache-2.0
#include "configuration.hpp"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

#include "../control/disk.hpp"
#include "../control/files.hpp"

namespace pagepressctl {

namespace {

constexpr const char* FOLDERS[] = {"/etc/systemd", "/run/systemd", "/usr/local/lib/systemd", "/usr/lib/systemd"};
constexpr unsigned MOST_DISKS = 32, HIGHEST_PRIORITY = 32767;

std::string trimmed(const std::string& text) {
    constexpr char BLANKS[] = " \t\r";
    size_t begin = text.find_first_not_of(BLANKS);
    return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(BLANKS) - begin + 1);
}

/// Something has this name, if only a link that leads nowhere.
bool stands(const std::string& path) {
    struct stat status;
    return lstat(path.c_str(), &status) == 0;
}

/// Why it is no file to read, "" for one. A link to /dev/null counts as empty, as for systemd; what else is no plain file may have
/// no end, or keep a boot waiting.
std::string hindrance(const std::string& path) {
    struct stat status;
    if (stat(path.c_str(), &status)) return errno == ENOENT ? "a link that leads nowhere" : strerror(errno);
    if (S_ISDIR(status.st_mode)) return "a folder, not a file";
    if (S_ISREG(status.st_mode) || (S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3))) return "";
    return "no plain file";
}

bool begins_with(const std::string& text, std::string_view begin) { return text.compare(0, begin.size(), begin) == 0; }

bool printable(const std::string& text) {
    for (unsigned char letter : text)
        if (letter < ' ' || letter == 127) return false;
    return true;
}

class Reader {
public:
    explicit Reader(Configuration& configuration) : configuration_(configuration) {}

    void read(const std::string& path) {
        path_ = path;
        section_.reset();
        line_ = 0;
        bool known = false;  // whether the section is one of ours: what stands in others was complained of
        std::string hindered = hindrance(path);
        auto text_of_file = hindered.empty() ? try_read(path) : std::nullopt;
        if (!text_of_file) return complain_of_file(hindered.empty() ? "it cannot be read" : hindered);
        std::string whole = *text_of_file;
        if (begins_with(whole, "\xff\xfe") || begins_with(whole, "\xfe\xff")) return complain_of_file("UTF-16: save it as UTF-8");
        if (begins_with(whole, "\xef\xbb\xbf")) whole.erase(0, 3);  // an editor's mark of UTF-8, which systemd skips too
        std::istringstream lines(whole);
        for (std::string raw; std::getline(lines, raw);) {
            line_++;
            std::string text = trimmed(raw);
            if (text.empty() || text[0] == '#' || text[0] == ';') continue;
            if (text[0] == '[') {
                known = begin_section(text);
            } else if (known) {
                setting(text);
            } else if (!section_ && !complained_of_section_) {
                complain("'" + text + "' stands in no section: write [pagepress0] before it");
            }
        }
    }

    /// Of disks that were complained of nothing is made.
    void finish() {
        for (const auto& [number, disk] : configuration_.disks)
            if (disk.pool_budget == "auto" && disk.writeback_device.empty() && wrong_.insert(number).second)
                configuration_.problems.push_back(disk.file + ": [pagepress" + std::to_string(number) + "] pool-budget auto needs a writeback-device");
        for (unsigned number : wrong_) configuration_.disks.erase(number);
    }

private:
    bool begin_section(const std::string& text) {
        section_.reset();
        complained_of_section_ = false;
        auto number = text.back() == ']' ? disk_number(text.substr(1, text.size() - 2)) : std::nullopt;
        if (!number || *number >= MOST_DISKS) {
            complained_of_section_ = true;
            complain("'" + text + "' is no disk: write [pagepress0] to [pagepress31]");
            return false;
        }
        section_ = *number;
        configuration_.disks[*number].file = path_;
        return true;
    }

    void setting(const std::string& text) {
        size_t equals = text.find('=');
        if (equals == std::string::npos) return complain("'" + text + "' is no setting: write NAME = VALUE");
        std::string name = trimmed(text.substr(0, equals)), value = trimmed(text.substr(equals + 1));
        WantedDisk& disk = configuration_.disks[*section_];
        if (!printable(value)) return complain("'" + name + "' holds a control character");
        if (name == "size") disk.size = value;
        else if (name == "mem-limit") disk.mem_limit = value;
        else if (name == "pool-budget") set_pool_budget(disk, value);
        else if (name == "options") disk.options = value;
        else if (name == "priority") set_priority(disk, value);
        else if (name == "writeback-device") set_writeback_device(disk, value);
        else complain("'" + name + "' is not known: there are size, mem-limit, pool-budget, priority, options and writeback-device");
    }

    void set_priority(WantedDisk& disk, const std::string& value) {
        auto number = value.empty() ? std::optional<uint64_t>(WantedDisk().priority) : parse_number(value);
        if (!number || *number > HIGHEST_PRIORITY) return complain("priority '" + value + "' is no number from 0 to 32767");
        disk.priority = static_cast<unsigned>(*number);
    }

    void set_pool_budget(WantedDisk& disk, const std::string& value) {
        if (!value.empty() && value != "auto" && value != "off") return complain("pool-budget is auto or off, not '" + value + "'");
        disk.pool_budget = value;
    }

    void set_writeback_device(WantedDisk& disk, const std::string& value) {
        // systemd would wait for any other path until it gives the boot's swap up.
        if (!value.empty() && (value.compare(0, 5, "/dev/") || (value + "/").find("/../") != std::string::npos))
            return complain("writeback-device '" + value + "' is no block device's path, which begins with /dev/");
        disk.writeback_device = value;
    }

    void complain_of_file(const std::string& problem) { configuration_.problems.push_back(path_ + ": not read: " + problem); }

    void complain(const std::string& problem) {
        configuration_.problems.push_back(path_ + ":" + std::to_string(line_) + ": " + problem);
        if (section_) wrong_.insert(*section_);
    }

    Configuration& configuration_;
    std::string path_;
    std::optional<unsigned> section_;
    bool complained_of_section_ = false;
    unsigned line_ = 0;
    std::set<unsigned> wrong_;
};

}  // namespace

Configuration read_configuration(const std::string& root) {
    Configuration configuration;
    Reader reader(configuration);
    std::map<std::string, std::string> parts;  // name → path
    bool found = false;
    for (const char* folder : FOLDERS) {
        std::string path = root + folder + "/pagepress.conf";
        if (!found && stands(path)) {
            found = true;
            reader.read(path);
        }
        if (std::string parts_folder = path + ".d"; stands(parts_folder) && !exists(parts_folder + "/."))
            configuration.problems.push_back(parts_folder + ": not read: no folder");
        for (const std::string& name : names_in(path + ".d"))
            if (name.size() > 5 && name.compare(name.size() - 5, 5, ".conf") == 0) parts.emplace(name, path + ".d/" + name);
    }
    for (const auto& part : parts) reader.read(part.second);
    reader.finish();
    return configuration;
}

}  // namespace pagepressctl
