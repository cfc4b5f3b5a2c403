// SPDX-License-Identifier: Apache-2.0
/// Page images: driver/uapi/page_image.h says how they are laid out.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "files.hpp"

namespace pagepressctl {

using Hash = std::array<uint8_t, 32>;
Hash hash_of(const void* data, size_t bytes);
std::string hexadecimal(const Hash& hash);

/// Hashes are as good as random numbers.
struct HashOfHash {
    size_t operator()(const Hash& hash) const;
};

/// Of what is done already: bytes, and how many there are. Called often.
using Progress = std::function<void(uint64_t done, uint64_t all)>;

/// A file or block device that is read.
class Source {
public:
    /// Failure ABSENT where it cannot be read, MALFORMED where it is something else.
    explicit Source(const std::string& path);
    ~Source();
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    /// All of it; Failure where the device fails or the file has become shorter.
    void read(uint64_t offset, void* data, size_t bytes) const;
    /// Whether it says that it is a page image.
    bool says_image() const;

    const std::string path;
    uint64_t bytes;
    mode_t mode;  // of what is made of it

private:
    int file_;
};

/// An image whose header, index and map are sound and match its root. Its streams are proven as they are read.
class PageImage {
public:
    struct Entry {
        Hash hash;
        uint64_t offset;  // of the stream in the image, bytes
        uint32_t length;  // of the stream; page_bytes: as it is; 0: a page of zeros
    };

    /// Failure MALFORMED says what is wrong with it.
    explicit PageImage(const std::string& path);
    /// The plain page of an entry, proven by its hash; else Failure MALFORMED.
    void read(const Entry& entry, std::vector<uint8_t>& page) const;
    /// Every stream, and that nothing but zeros lies between them.
    void verify(const Progress& progress) const;

    uint32_t page_bytes() const { return page_bytes_; }
    uint64_t bytes() const { return bytes_; }
    const Hash& root() const { return root_; }
    const std::vector<Entry>& entries() const { return entries_; }  // by ascending hash
    const std::vector<uint32_t>& map() const { return map_; }       // of each page its entry
    uint64_t stream_bytes() const;

private:
    [[noreturn]] void fail(const std::string& what) const;
    void read_index(uint64_t offset, uint32_t pages, uint32_t entries, const std::vector<uint8_t>& hashed_header);
    void check_zeros(uint64_t from, uint64_t to) const;

    Source source_;
    uint32_t page_bytes_;
    uint64_t bytes_, index_offset_;
    Hash root_;
    std::vector<Entry> entries_;
    std::vector<uint32_t> map_;
};

/// Writes an image page by page. Until finish() has ended there is no image of that name, or, on a block device, one without
/// a header.
class PageImageWriter {
public:
    /// `force`: also over a file or a block device that is there. `widest`: who may read it, as of NewFile. Failure REFUSED, OUTPUT.
    PageImageWriter(const std::string& path, uint32_t page_bytes, bool force, mode_t widest);
    ~PageImageWriter();
    PageImageWriter(const PageImageWriter&) = delete;
    PageImageWriter& operator=(const PageImageWriter&) = delete;
    void add(const uint8_t* page);
    /// The root of what was written.
    Hash finish();

private:
    struct Place {
        uint32_t number, sector, length;
    };
    [[noreturn]] void fail(const std::string& what);
    void append(const void* data, size_t bytes);
    void write_buffer();
    void fill_up_to(size_t multiple);

    const std::string path_;
    const uint32_t page_bytes_;
    const bool force_;
    std::unique_ptr<NewFile> new_;  // none of a block device
    int file_;
    uint64_t end_;  // of what was appended, bytes
    std::vector<uint8_t> buffer_, stream_, workspace_;
    std::unordered_map<Hash, Place, HashOfHash> places_;
    std::vector<uint32_t> map_;  // numbers in the order in which contents were met
};

}  // namespace pagepressctl
