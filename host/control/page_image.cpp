// SPDX-License-Identifier: Apache-2.0
#include "page_image.hpp"

#include <endian.h>
#include <fcntl.h>
#include <lzo/lzo1x.h>
#include <nettle/sha2.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "exit.hpp"
#include "output.hpp"
#include "uapi/page_image.h"

namespace pagepressctl {

namespace {

constexpr size_t HASHED_HEADER = offsetof(pagepress_image_header, root);
constexpr size_t BUFFER = 1 << 20;

uint64_t rounded_up(uint64_t number, uint64_t multiple) { return (number + multiple - 1) / multiple * multiple; }

bool all_zeros(const uint8_t* data, size_t bytes) { return !bytes || (!data[0] && !memcmp(data, data + 1, bytes - 1)); }

/// The sectors that a stream takes, in bytes.
uint64_t room(uint32_t length) { return rounded_up(length, PAGEPRESS_IMAGE_SECTOR); }

Hash finished(sha256_ctx& context) {
    Hash hash;
    sha256_digest(&context, hash.size(), hash.data());
    return hash;
}

/// Of all that a root covers.
Hash root_of(const void* header, const void* index, size_t index_bytes, const void* map, size_t map_bytes) {
    sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, HASHED_HEADER, static_cast<const uint8_t*>(header));
    sha256_update(&context, index_bytes, static_cast<const uint8_t*>(index));
    sha256_update(&context, map_bytes, static_cast<const uint8_t*>(map));
    return finished(context);
}

}  // namespace

Hash hash_of(const void* data, size_t bytes) {
    sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, bytes, static_cast<const uint8_t*>(data));
    return finished(context);
}

std::string hexadecimal(const Hash& hash) {
    std::string text;
    for (uint8_t byte : hash) text += format("%02x", byte);
    return text;
}

size_t HashOfHash::operator()(const Hash& hash) const {
    size_t word;
    memcpy(&word, hash.data(), sizeof(word));
    return word;
}

// ---- a source ----

// O_NONBLOCK: a pipe that nobody writes to is told from a file at once.
Source::Source(const std::string& path) : path(path), file_(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
    struct stat status;
    if (file_ < 0 || fstat(file_, &status)) {
        int error = errno;
        if (file_ >= 0) close(file_);
        throw Failure(error == EACCES || error == EPERM ? REFUSED : ABSENT, path + ": cannot be read: " + strerror(error));
    }
    off_t end = S_ISREG(status.st_mode) || S_ISBLK(status.st_mode) ? lseek(file_, 0, SEEK_END) : -1;
    if (end < 0) {
        close(file_);
        throw Failure(MALFORMED, path + ": neither a file nor a block device");
    }
    bytes = static_cast<uint64_t>(end);
    mode = mode_of_copies(status);
}

Source::~Source() { close(file_); }

void Source::read(uint64_t offset, void* data, size_t wanted) const {
    for (size_t done = 0; done < wanted;) {
        ssize_t got = pread(file_, static_cast<char*>(data) + done, wanted - done, static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw Failure(ABSENT, path + ": cannot be read at byte " + std::to_string(offset + done) + ": " + strerror(errno));
        if (!got) throw Failure(MALFORMED, path + ": ends at byte " + std::to_string(offset + done) + ": it became shorter meanwhile");
        done += static_cast<size_t>(got);
    }
}

bool Source::says_image() const {
    char magic[sizeof(pagepress_image_header::magic)];
    if (bytes < sizeof(magic)) return false;
    read(0, magic, sizeof(magic));
    return !memcmp(magic, PAGEPRESS_IMAGE_MAGIC, sizeof(magic));
}

// ---- an image that is read ----

void PageImage::fail(const std::string& what) const { throw Failure(MALFORMED, source_.path + ": " + what); }

PageImage::PageImage(const std::string& path) : source_(path) {
    pagepress_image_header header;
    if (!source_.says_image()) fail("not a page image: make one with pagepressctl image pack");
    if (source_.bytes < PAGEPRESS_IMAGE_BLOCK) fail("a page image that was cut off: it ends within its header");
    source_.read(0, &header, sizeof(header));
    if (uint32_t version = le32toh(header.version); version != PAGEPRESS_IMAGE_VERSION)
        fail(format("a page image of version %u, and this program knows version %u: pack it again", version, PAGEPRESS_IMAGE_VERSION));
    page_bytes_ = le32toh(header.page_bytes);
    bytes_ = le64toh(header.bytes);
    index_offset_ = le64toh(header.index_offset);
    uint32_t pages = le32toh(header.pages), entries = le32toh(header.entries);
    if (page_bytes_ != 4096 && page_bytes_ != 16384 && page_bytes_ != 65536) fail(format("damaged: its pages have %u bytes", page_bytes_));
    if (bytes_ > source_.bytes)
        fail("a page image that was cut off: " + std::to_string(bytes_) + " bytes are named, " + std::to_string(source_.bytes) + " are there");
    uint64_t index_end = entries * uint64_t{sizeof(pagepress_image_entry)} + pages * uint64_t{sizeof(__le32)};
    if (!pages || !entries || entries > pages || index_offset_ % PAGEPRESS_IMAGE_BLOCK || index_offset_ < PAGEPRESS_IMAGE_BLOCK ||
        index_offset_ > bytes_ || rounded_up(index_end, PAGEPRESS_IMAGE_BLOCK) != bytes_ - index_offset_)
        fail("damaged: its header contradicts itself");
    memcpy(root_.data(), header.root, root_.size());
    const auto* start = reinterpret_cast<const uint8_t*>(&header);
    read_index(index_offset_, pages, entries, std::vector<uint8_t>(start, start + HASHED_HEADER));
}

void PageImage::read_index(uint64_t offset, uint32_t pages, uint32_t entries, const std::vector<uint8_t>& hashed_header) {
    std::vector<pagepress_image_entry> index(entries);
    std::vector<__le32> map(pages);
    size_t index_bytes = entries * sizeof(pagepress_image_entry), map_bytes = pages * sizeof(__le32);
    source_.read(offset, index.data(), index_bytes);
    source_.read(offset + index_bytes, map.data(), map_bytes);
    if (root_of(hashed_header.data(), index.data(), index_bytes, map.data(), map_bytes) != root_)
        fail("damaged: header, index and map do not match the root hash");
    // From here on it is what somebody packed; that it makes sense is asked all the same.
    entries_.reserve(entries);
    for (const pagepress_image_entry& one : index) {
        Entry entry = {{}, uint64_t{le32toh(one.sector)} * PAGEPRESS_IMAGE_SECTOR, le32toh(one.length)};
        memcpy(entry.hash.data(), one.hash, entry.hash.size());
        if (!entries_.empty() && entry.hash <= entries_.back().hash) fail("damaged: its index is not in order");
        if (entry.length > page_bytes_ || (entry.length && (entry.offset < PAGEPRESS_IMAGE_BLOCK || entry.offset + room(entry.length) > offset)))
            fail("damaged: an entry of its index names a place beyond its streams");
        entries_.push_back(entry);
    }
    map_.reserve(pages);
    for (__le32 one : map) {
        if (le32toh(one) >= entries) fail("damaged: its map names entries that are not there");
        map_.push_back(le32toh(one));
    }
}

void PageImage::read(const Entry& entry, std::vector<uint8_t>& page) const {
    std::vector<uint8_t> stream(entry.length);
    page.assign(page_bytes_, 0);
    if (entry.length) source_.read(entry.offset, stream.data(), entry.length);
    lzo_uint produced = page_bytes_;
    bool sound = true;
    if (entry.length == page_bytes_) page = stream;
    else if (entry.length)
        sound = lzo1x_decompress_safe(stream.data(), entry.length, page.data(), &produced, nullptr) == LZO_E_OK && produced == page_bytes_;
    if (!sound || hash_of(page.data(), page.size()) != entry.hash)
        fail("damaged: the stream at byte " + std::to_string(entry.offset) + " is not the page that was packed");
}

void PageImage::check_zeros(uint64_t from, uint64_t to) const {
    std::vector<uint8_t> gap;
    for (; from < to; from += gap.size()) {
        gap.resize(std::min<uint64_t>(to - from, BUFFER));
        source_.read(from, gap.data(), gap.size());
        if (!all_zeros(gap.data(), gap.size())) fail("damaged: there are bytes between its parts, from byte " + std::to_string(from) + " on");
    }
}

void PageImage::verify(const Progress& progress) const {
    std::vector<const Entry*> order;
    for (const Entry& entry : entries_) order.push_back(&entry);
    std::sort(order.begin(), order.end(), [](const Entry* one, const Entry* other) { return one->offset < other->offset; });
    uint64_t at = sizeof(pagepress_image_header);
    std::vector<uint8_t> page;
    for (const Entry* entry : order) {
        read(*entry, page);
        if (!entry->length) continue;
        check_zeros(at, entry->offset);
        at = entry->offset + entry->length;
        progress(at, bytes_);
    }
    check_zeros(at, index_offset_);
    check_zeros(index_offset_ + entries_.size() * sizeof(pagepress_image_entry) + map_.size() * sizeof(__le32), bytes_);
    progress(bytes_, bytes_);
}

uint64_t PageImage::stream_bytes() const {
    uint64_t sum = 0;
    for (const Entry& entry : entries_) sum += entry.length;
    return sum;
}

// ---- an image that is written ----

void PageImageWriter::fail(const std::string& what) { throw Failure(OUTPUT, path_ + ": " + what); }

PageImageWriter::PageImageWriter(const std::string& path, uint32_t page_bytes, bool force, mode_t widest)
    : path_(path), page_bytes_(page_bytes), force_(force), end_(0), stream_(page_bytes + page_bytes / 16 + 67),
      workspace_(LZO1X_999_MEM_COMPRESS) {
    struct stat status;
    if (!force && !lstat(path.c_str(), &status)) throw Failure(REFUSED, path + ": is there already: --force writes over it");
    bool there = !stat(path.c_str(), &status), device = there && S_ISBLK(status.st_mode);
    if (there && !device && !S_ISREG(status.st_mode)) throw Failure(REFUSED, path + ": neither a file nor a block device");
    if (!device) new_ = std::make_unique<NewFile>(path, widest);
    // O_EXCL: nobody has it mounted or uses it for swap.
    file_ = device ? open(path.c_str(), O_WRONLY | O_CLOEXEC | O_EXCL) : fileno(new_->stream());
    if (file_ < 0) {
        if (errno == EBUSY) throw Failure(REFUSED, path + ": is in use: unmount it");
        fail(std::string("cannot be written: ") + strerror(errno));
    }
    append(std::vector<uint8_t>(PAGEPRESS_IMAGE_BLOCK).data(), PAGEPRESS_IMAGE_BLOCK);
    if (device) write_buffer();  // an older header, if there was one, goes first
}

PageImageWriter::~PageImageWriter() {
    if (!new_) close(file_);
}

void PageImageWriter::write_buffer() {
    uint64_t offset = end_ - buffer_.size();
    for (size_t done = 0; done < buffer_.size();) {
        ssize_t written = pwrite(file_, buffer_.data() + done, buffer_.size() - done, static_cast<off_t>(offset + done));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) fail(std::string("cannot be written: ") + strerror(written < 0 ? errno : ENOSPC));
        done += static_cast<size_t>(written);
    }
    buffer_.clear();
}

void PageImageWriter::append(const void* data, size_t bytes) {
    const auto* first = static_cast<const uint8_t*>(data);
    buffer_.insert(buffer_.end(), first, first + bytes);
    end_ += bytes;
    if (buffer_.size() >= BUFFER) write_buffer();
}

void PageImageWriter::fill_up_to(size_t multiple) {
    std::vector<uint8_t> zeros(rounded_up(end_, multiple) - end_);
    append(zeros.data(), zeros.size());
}

void PageImageWriter::add(const uint8_t* page) {
    if (map_.size() == UINT32_MAX) fail("more pages than an image can hold");
    auto [found, fresh] = places_.try_emplace(hash_of(page, page_bytes_));
    Place& place = found->second;
    if (fresh) {
        place.number = static_cast<uint32_t>(places_.size() - 1);
        lzo_uint length = 0;
        if (!all_zeros(page, page_bytes_)) {
            if (lzo1x_999_compress(page, page_bytes_, stream_.data(), &length, workspace_.data()) != LZO_E_OK) fail("liblzo2 fails");
            // No stream that takes as many sectors as the page.
            if (room(static_cast<uint32_t>(length)) >= page_bytes_) length = page_bytes_;
            if (end_ / PAGEPRESS_IMAGE_SECTOR > UINT32_MAX) fail("more bytes than an image can hold");
            place.sector = static_cast<uint32_t>(end_ / PAGEPRESS_IMAGE_SECTOR);
            append(length == page_bytes_ ? page : stream_.data(), length);
            fill_up_to(PAGEPRESS_IMAGE_SECTOR);
        }
        place.length = static_cast<uint32_t>(length);
    }
    map_.push_back(place.number);
}

Hash PageImageWriter::finish() {
    std::vector<std::pair<Hash, Place>> order(places_.begin(), places_.end());
    std::sort(order.begin(), order.end(), [](const auto& one, const auto& other) { return one.first < other.first; });
    std::vector<pagepress_image_entry> index;
    std::vector<uint32_t> sorted(order.size());
    for (const auto& [hash, place] : order) {
        sorted[place.number] = static_cast<uint32_t>(index.size());
        pagepress_image_entry entry = {{}, htole32(place.sector), htole32(place.length)};
        memcpy(entry.hash, hash.data(), hash.size());
        index.push_back(entry);
    }
    std::vector<__le32> map;
    for (uint32_t number : map_) map.push_back(htole32(sorted[number]));

    fill_up_to(PAGEPRESS_IMAGE_BLOCK);
    pagepress_image_header header = {};
    memcpy(header.magic, PAGEPRESS_IMAGE_MAGIC, sizeof(header.magic));
    header.version = htole32(PAGEPRESS_IMAGE_VERSION);
    header.page_bytes = htole32(page_bytes_);
    header.index_offset = htole64(end_);
    header.pages = htole32(static_cast<uint32_t>(map.size()));
    header.entries = htole32(static_cast<uint32_t>(index.size()));
    size_t index_bytes = index.size() * sizeof(index[0]), map_bytes = map.size() * sizeof(map[0]);
    header.bytes = htole64(rounded_up(end_ + index_bytes + map_bytes, PAGEPRESS_IMAGE_BLOCK));
    append(index.data(), index_bytes);
    append(map.data(), map_bytes);
    fill_up_to(PAGEPRESS_IMAGE_BLOCK);
    write_buffer();
    Hash root = root_of(&header, index.data(), index_bytes, map.data(), map_bytes);
    memcpy(header.root, root.data(), root.size());

    // The header last, when what it names is safe.
    if (fsync(file_)) fail(std::string("cannot be written: ") + strerror(errno));
    const auto* first = reinterpret_cast<const uint8_t*>(&header);
    buffer_.assign(first, first + sizeof(header));
    end_ = buffer_.size();
    write_buffer();
    if (fsync(file_)) fail(std::string("cannot be written: ") + strerror(errno));
    if (new_) new_->finish(force_);
    return root;
}

}  // namespace pagepressctl
