// SPDX-License-Identifier: Apache-2.0
#include "files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "exit.hpp"

namespace pagepressctl {

namespace {

constexpr size_t LONGEST_VALUE = 63;  // a longer line is no value of ours
constexpr int RETRIES = 40;
constexpr unsigned RETRY_MICROSECONDS = 50'000;
constexpr unsigned MOST_NAMES = 100;  // that others may have where a new file is made

Failure fail(ExitCode code, const std::string& path, const std::string& problem) { return Failure(code, path + ": " + problem); }

/// The bytes of a file, `most` of them at most; `error` is the errno of what failed.
std::optional<std::string> slurp(const std::string& path, int* error, size_t most = std::string::npos) {
    int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        *error = errno;
        return {};
    }
    std::string text;
    char part[8192];
    ssize_t length = 0;
    while (text.size() < most && (length = read(file, part, std::min(sizeof part, most - text.size()))) > 0) text.append(part, static_cast<size_t>(length));
    *error = length < 0 ? errno : 0;
    close(file);
    if (length < 0) return {};
    return text;
}

int try_write(const std::string& path, const std::string& value) {
    int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) return errno;
    std::string line = value + "\n";
    int error = write(file, line.data(), line.size()) < 0 ? errno : 0;
    if (close(file) && !error) error = errno;
    return error;
}

[[noreturn]] void complain_of_write(const std::string& path, const std::string& value, int error) {
    if (error == ENOENT) throw fail(ABSENT, path, "missing: the loaded driver is of another version than this program");
    const char* hint = error == EACCES || error == EPERM ? ": be root" : error == EBUSY ? ": it is in use" : "";
    throw fail(REFUSED, path, "'" + value + "' is refused: " + strerror(error) + hint);
}

}  // namespace

std::string read_line(const std::string& path) {
    int error;
    auto text = slurp(path, &error);
    if (!text && error == ENOENT) throw fail(ABSENT, path, "missing: the loaded driver is of another version than this program");
    if (!text) throw fail(ABSENT, path, error == EISDIR || error == EIO ? "cannot be read" : strerror(error));
    if (text->empty()) throw fail(MALFORMED, path, "empty");
    return text->substr(0, std::min(text->find('\n'), LONGEST_VALUE));
}

uint64_t read_number(const std::string& path) {
    auto number = parse_number(read_line(path));
    if (!number) throw fail(MALFORMED, path, "not a whole number");
    return *number;
}

std::string read_word(const std::string& path) {
    std::string word = read_line(path);
    bool good = !word.empty() && word.size() < 32 && std::all_of(word.begin(), word.end(), [](char letter) {
        return (letter >= 'a' && letter <= 'z') || letter == '-' || letter == '_';
    });
    if (!good) throw fail(MALFORMED, path, "not a word");
    return word;
}

std::optional<std::string> try_read(const std::string& path, size_t most) {
    int error;
    auto text = slurp(path, &error, most);
    errno = error;
    return text;
}

std::string line_or_empty(const std::string& path) {
    std::string text = try_read(path).value_or("");
    text.resize(std::min(text.find('\n'), text.size()));
    text.resize(text.find_last_not_of(" \t") + 1);
    return text;
}

std::vector<std::string> lines_of(const std::string& path) {
    std::istringstream text(try_read(path).value_or(""));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
}

std::vector<std::string> names_in(const std::string& folder) {
    std::vector<std::string> names;
    if (DIR* open_folder = opendir(folder.c_str())) {
        while (dirent* entry = readdir(open_folder))
            if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
        closedir(open_folder);
    }
    std::sort(names.begin(), names.end());
    return names;
}

bool same_file(const std::string& one, const std::string& other) {
    struct stat first, second;
    return !stat(one.c_str(), &first) && !stat(other.c_str(), &second) &&
           (S_ISBLK(first.st_mode) && S_ISBLK(second.st_mode) ? first.st_rdev == second.st_rdev
                                                              : first.st_dev == second.st_dev && first.st_ino == second.st_ino);
}

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

void write_value(const std::string& path, const std::string& value) {
    if (int error = try_write(path, value)) complain_of_write(path, value, error);
}

void write_value_when_free(const std::string& path, const std::string& value) {
    int error = EBUSY;
    for (int retry = 0; error == EBUSY && retry < RETRIES; retry++) {
        if (retry) usleep(RETRY_MICROSECONDS);
        error = try_write(path, value);
    }
    if (error) complain_of_write(path, value, error);
}

mode_t mode_of_copies(const struct stat& status) { return S_ISREG(status.st_mode) ? status.st_mode & 0666 : 0600; }

NewFile::NewFile(const std::string& path, std::optional<mode_t> widest) : path_(path), written_to_(path) {
    struct stat there;
    const bool fresh = stat(path.c_str(), &there), replaced = fresh || S_ISREG(there.st_mode);
    unsigned names = 0;
    do {  // one that nobody has: others may write theirs, and a link of its name leads somewhere
        if (replaced) written_to_ = path + "." + std::to_string(getpid()) + (names ? "." + std::to_string(names) : "") + ".new";
        int file = open(written_to_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (replaced ? O_EXCL : O_TRUNC), widest ? 0600 : 0666);
        stream_ = file < 0 ? nullptr : fdopen(file, "w");
    } while (!stream_ && errno == EEXIST && ++names < MOST_NAMES);
    if (!stream_) throw fail(OUTPUT, path, std::string("cannot be written: ") + strerror(errno));
    if (replaced && widest && !fresh) *widest &= there.st_mode;
    if (replaced && widest) fchmod(fileno(stream_), *widest | S_IRUSR);
}

NewFile::~NewFile() {
    if (!stream_) return;
    fclose(stream_);
    if (written_to_ != path_) unlink(written_to_.c_str());
}

void NewFile::finish(bool replace) {
    bool good = !ferror(stream_);
    good = !fclose(stream_) && good;
    stream_ = nullptr;
    if (written_to_ != path_) {
        good = good && !renameat2(AT_FDCWD, written_to_.c_str(), AT_FDCWD, path_.c_str(), replace ? 0 : RENAME_NOREPLACE);
        // A file system that cannot tell whether there is one.
        if (!good && !replace && errno == EINVAL) good = !rename(written_to_.c_str(), path_.c_str());
        const int error = errno;
        if (!good) unlink(written_to_.c_str());
        errno = error;
    }
    if (good) return;
    if (!replace && errno == EEXIST) throw fail(REFUSED, path_, "is there already: somebody has put it there meanwhile");
    throw fail(OUTPUT, path_, std::string("cannot be written: ") + strerror(errno));
}

void replace_file(const std::string& path, const std::string& text) {
    struct stat there;
    if (!lstat(path.c_str(), &there) && !S_ISREG(there.st_mode)) throw fail(OUTPUT, path, "not replaced: it is no plain file");
    NewFile file(path);
    fwrite(text.data(), 1, text.size(), file.stream());
    file.finish();
}

std::optional<uint64_t> parse_number(const std::string& text) {
    if (text.empty() || !std::all_of(text.begin(), text.end(), [](char digit) { return digit >= '0' && digit <= '9'; }))
        return {};
    errno = 0;
    uint64_t number = strtoull(text.c_str(), nullptr, 10);
    if (errno) return {};
    return number;
}

std::vector<std::string> words_of(const std::string& line) {
    std::istringstream text(line);
    std::vector<std::string> words;
    for (std::string word; text >> word;) words.push_back(word);
    return words;
}

}  // namespace pagepressctl
