// SPDX-License-Identifier: Apache-2.0
/// Small files of the kernel's: one value, or some lines.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace pagepressctl {

/// The first line, without its end. Failure ABSENT where it cannot be read, MALFORMED where the file is empty.
std::string read_line(const std::string& path);
/// A line that is one whole decimal number below 2^64, without sign. Failure MALFORMED for anything else.
uint64_t read_number(const std::string& path);
/// A line that is one word of small letters, `-` and `_`. Failure MALFORMED for anything else.
std::string read_word(const std::string& path);

/// All of a file, or its first `most` bytes; nothing, and errno says why, where it cannot be read.
std::optional<std::string> try_read(const std::string& path, size_t most = std::string::npos);
/// Its first line, without blanks at the end, or "".
std::string line_or_empty(const std::string& path);
/// The lines of a file, none where it cannot be read.
std::vector<std::string> lines_of(const std::string& path);
/// The names in a folder, sorted; none where it cannot be read.
std::vector<std::string> names_in(const std::string& folder);
bool exists(const std::string& path);
/// Whether both name one file, or one block device.
bool same_file(const std::string& one, const std::string& other);

/// Writes a value as a shell's echo would. Failure REFUSED with the kernel's reason, ABSENT where there is no such file.
void write_value(const std::string& path, const std::string& value);
/// The same; waits up to two seconds while the file says EBUSY: udev looks into disks that have just changed.
void write_value_when_free(const std::string& path, const std::string& value);

/// A file that is written beside `path`, under a name that nobody has, and takes its place when it is whole: others see the old one or
/// all of the new. What lies there and is no plain file, as a pipe, is written as it is. Failure OUTPUT of all that fails.
class NewFile {
public:
    /// `widest`: who may read it at most, whatever the umask, and no more than may read the file that it replaces; the umask decides
    /// without it.
    explicit NewFile(const std::string& path, std::optional<mode_t> widest = {});
    /// Without finish() the old one stays, and nothing is left beside it.
    ~NewFile();
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;
    FILE* stream() const { return stream_; }
    /// `replace`: also where somebody else has put a file meanwhile; else that is Failure REFUSED.
    void finish(bool replace = true);

private:
    const std::string path_;
    std::string written_to_;
    FILE* stream_;
};

/// Who may read what is made of such a file: those who may read it, of a device its owner alone.
mode_t mode_of_copies(const struct stat& status);

/// Puts `text` into a file that others read at any moment, as NewFile does. Failure OUTPUT, also for a path where something else than
/// a plain file lies.
void replace_file(const std::string& path, const std::string& text);

std::optional<uint64_t> parse_number(const std::string& text);
/// What stands between blanks.
std::vector<std::string> words_of(const std::string& line);

}  // namespace pagepressctl
