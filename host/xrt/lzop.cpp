// SPDX-License-Identifier: Apache-2.0
#include "lzop.hpp"

#include <lzo/lzo1x.h>

#include <stdexcept>

namespace pagepress_xrt {

namespace {

const std::string MAGIC("\x89LZO\0\r\n\x1a\n", 9);
constexpr uint16_t WRITTEN_BY = 0x1030, LIBRARY = 0x20a0, NEEDED = 0x0940;
constexpr uint8_t LZO1X_METHODS[] = {1, 2, 3};  // lzo1x_1, lzo1x_1_15, lzo1x_999: one format
constexpr uint8_t LEVEL = 5;
constexpr uint32_t ADLER_PLAIN = 0x1, ADLER_STREAM = 0x2, EXTRA_FIELD = 0x40, CRC_PLAIN = 0x100, CRC_STREAM = 0x200, MULTIPART = 0x400, FILTER = 0x800,
                   HEAD_CRC = 0x1000, UNIX = 3 << 24;
constexpr uint32_t FILE_MODE = 0100644;

uint32_t adler(const std::string& data) {
    return lzo_adler32(1, reinterpret_cast<const lzo_bytep>(data.data()), data.size());
}

uint32_t crc(const std::string& data) {
    return lzo_crc32(0, reinterpret_cast<const lzo_bytep>(data.data()), data.size());
}

/// Integers are big-endian.
template <class Integer>
void put(std::string& file, Integer value) {
    for (size_t byte = sizeof(value); byte-- > 0;) file.push_back(static_cast<char>(value >> 8 * byte));
}

class Reader {
public:
    explicit Reader(const std::string& file) : file_(file) {}

    template <class Integer>
    Integer number() {
        Integer value = 0;
        for (unsigned char byte : take(sizeof(value))) value = static_cast<Integer>(uint64_t{value} << 8 | byte);
        return value;
    }
    std::string take(size_t bytes) {
        if (bytes > file_.size() - at_) throw std::runtime_error("ends in the middle: is all of the file there?");
        at_ += bytes;
        return file_.substr(at_ - bytes, bytes);
    }
    size_t at() const { return at_; }

private:
    const std::string& file_;
    size_t at_ = 0;
};

/// From behind its magic to its end.
void read_member(const std::string& file, Reader& reader, std::vector<LzopBlock>& blocks) {
    size_t head = reader.at();
    auto version = reader.number<uint16_t>();
    reader.number<uint16_t>();
    if (version >= NEEDED && reader.number<uint16_t>() > WRITTEN_BY + 0xf) throw std::runtime_error("needs a newer lzop");
    auto method = reader.number<uint8_t>();
    if (version >= NEEDED) reader.number<uint8_t>();
    auto flags = reader.number<uint32_t>();
    if (flags & (FILTER | MULTIPART | EXTRA_FIELD)) throw std::runtime_error("has filters, several parts or extra fields, which are not supported");
    reader.number<uint32_t>();
    reader.take(version >= NEEDED ? 8 : 4);
    reader.take(reader.number<uint8_t>());
    std::string text = file.substr(head, reader.at() - head);
    if (reader.number<uint32_t>() != (flags & HEAD_CRC ? crc(text) : adler(text))) throw std::runtime_error("has a broken head: its checksum is another");
    if (method < LZO1X_METHODS[0] || method > LZO1X_METHODS[2]) throw std::runtime_error("is not compressed by LZO1X");

    for (;;) {
        LzopBlock block;
        block.plain_length = reader.number<uint32_t>();
        if (!block.plain_length) return;
        auto length = reader.number<uint32_t>();
        if (block.plain_length > MOST_LZOP_BLOCK || !length || length > block.plain_length)
            throw std::runtime_error("has a block of impossible size");
        for (uint32_t flag : {ADLER_PLAIN, CRC_PLAIN})
            if (flags & flag) {
                block.plain_checksum = reader.number<uint32_t>();
                block.checked = true;
                block.by_crc = flag == CRC_PLAIN;
            }
        for (uint32_t flag : {ADLER_STREAM, CRC_STREAM})
            if (flags & flag && length < block.plain_length) reader.number<uint32_t>();
        block.stream = reader.take(length);
        blocks.push_back(std::move(block));
    }
}

}  // namespace

std::string write_lzop(const std::string& name, const std::string& plain, const std::vector<LzopBlock>& blocks) {
    std::string head;
    put(head, WRITTEN_BY);
    put(head, LIBRARY);
    put(head, NEEDED);
    put(head, LZO1X_METHODS[0]);
    put(head, LEVEL);
    put(head, ADLER_PLAIN | UNIX);
    put(head, FILE_MODE);
    put(head, uint64_t{0});  // no time: the same pages give the same file
    put(head, static_cast<uint8_t>(name.size() < 256 ? name.size() : 0));
    if (name.size() < 256) head += name;
    std::string file = MAGIC + head;
    put(file, adler(head));
    size_t at = 0;
    for (const LzopBlock& block : blocks) {
        put(file, block.plain_length);
        put(file, static_cast<uint32_t>(block.stream.size()));
        put(file, adler(plain.substr(at, block.plain_length)));
        file += block.stream;
        at += block.plain_length;
    }
    put(file, uint32_t{0});
    return file;
}

std::vector<LzopBlock> read_lzop(const std::string& file) {
    Reader reader(file);
    std::vector<LzopBlock> blocks;
    do {
        if (file.compare(reader.at(), MAGIC.size(), MAGIC))
            throw std::runtime_error(reader.at() ? "has something else than lzop's behind its end" : "is no lzop file");
        reader.take(MAGIC.size());
        read_member(file, reader, blocks);
    } while (reader.at() < file.size());
    return blocks;
}

bool matches(const LzopBlock& block, const std::string& plain) {
    return !block.checked || block.plain_checksum == (block.by_crc ? crc(plain) : adler(plain));
}

}  // namespace pagepress_xrt
