// SPDX-License-Identifier: Apache-2.0
#include "work.hpp"

#include <fcntl.h>
#include <lzo/lzo1x.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>

#include "lzop.hpp"

namespace pagepress_xrt {

namespace {

constexpr size_t SLICE_PAGES = 512;  // of one submission: progress is seen after each
const std::string SUFFIX = ".lzo";

std::string read_file(const std::string& path) {
    if (std::filesystem::is_directory(path)) throw FileError(path + ": cannot be read: " + std::strerror(EISDIR));
    std::ifstream file(path, std::ios::binary);
    if (!file) throw FileError(path + ": cannot be read: " + std::strerror(errno));
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Whole or not at all: what is there under the name is replaced at the end. For those who may read `input`, of a device for its owner
/// alone, and for no more than may read what it replaces.
void write_file(const std::string& path, const std::string& data, bool force, const std::string& input) {
    if (!force && std::filesystem::exists(path)) throw FileError(path + ": exists already: use --force to overwrite it");
    // Of this process alone: a link of that name is not followed, nor a file of somebody's lost.
    std::string unfinished = path + "." + std::to_string(getpid()) + ".unfinished";
    struct stat there;
    mode_t mode = stat(input.c_str(), &there) || !S_ISREG(there.st_mode) ? 0600 : there.st_mode & 0666;
    if (!stat(path.c_str(), &there) && S_ISREG(there.st_mode)) mode &= there.st_mode;
    int made = open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE* file = made < 0 ? nullptr : fdopen(made, "w");
    if (!file) throw FileError((errno == EEXIST ? unfinished : path) + ": cannot be written: " + std::strerror(errno));
    fchmod(made, mode | S_IRUSR);
    bool good = fwrite(data.data(), 1, data.size(), file) == data.size();
    good = fclose(file) == 0 && good;
    if (good && !rename(unfinished.c_str(), path.c_str())) return;
    std::string why = std::strerror(errno);
    unlink(unfinished.c_str());
    throw FileError(path + ": cannot be written: " + why);
}

/// Where the output of each file goes. Throws FileError where one would replace another's, or another's input.
std::vector<std::string> output_paths(const Wishes& wishes, const std::function<std::string(const std::string& path, const std::string& name)>& name_of) {
    std::vector<std::string> outputs;
    std::map<std::filesystem::path, std::string> inputs, taken;
    for (const std::string& input : wishes.files) inputs.emplace(std::filesystem::weakly_canonical(input), input);
    for (const std::string& input : wishes.files) {
        std::filesystem::path path(input), folder = wishes.folder.empty() ? path.parent_path() : std::filesystem::path(wishes.folder);
        std::string output = (folder / name_of(input, path.filename().string())).string();
        std::filesystem::path where = std::filesystem::weakly_canonical(output);
        if (inputs.count(where)) throw FileError(output + ": cannot be written of " + input + ": it is read as well");
        auto [other, fresh] = taken.emplace(where, input);
        if (!fresh) throw FileError(output + ": would be written of both " + other->second + " and " + input);
        outputs.push_back(output);
    }
    return outputs;
}

std::string lzo1x_1(const std::string& plain) {
    std::string stream(plain.size() + plain.size() / 16 + 67, '\0');
    std::vector<unsigned char> memory(LZO1X_1_MEM_COMPRESS);
    lzo_uint length = stream.size();
    lzo1x_1_compress(reinterpret_cast<const lzo_bytep>(plain.data()), plain.size(), reinterpret_cast<lzo_bytep>(stream.data()), &length, memory.data());
    stream.resize(length);
    return stream;
}

/// The plain bytes, or nothing of the length wanted.
std::string lzo1x_decompress(const void* stream, size_t bytes, uint32_t plain_length) {
    std::string plain(plain_length, '\0');
    lzo_uint length = plain_length;
    int code = lzo1x_decompress_safe(static_cast<const lzo_bytep>(stream), bytes, reinterpret_cast<lzo_bytep>(plain.data()), &length, nullptr);
    return code == LZO_E_OK && length == plain_length ? plain : std::string();
}

/// The page was neither compressed nor found to have no stream: where software is forbidden, the card has failed.
bool not_done(const pagepress_page& compression) {
    return compression.status != PAGEPRESS_STATUS_SUCCESS && compression.status != PAGEPRESS_STATUS_SAME_FILLED && compression.status != PAGEPRESS_STATUS_INCOMPRESSIBLE;
}

FileError card_failed(const std::string& path, const std::string& what, const pagepress_page& page) {
    return FileError(path + ": the card failed to do " + what + ": " + pagepress_status_name(page.status));
}

pagepress_page command(uint32_t opcode, const void* source, size_t bytes, void* destination, uint32_t capacity) {
    pagepress_page page{};
    page.opcode = opcode;
    page.source = source;
    page.source_length = static_cast<uint32_t>(bytes);
    page.destination = destination;
    page.destination_capacity = capacity;
    return page;
}

}  // namespace

Work::Work(pagepress::Device& device, Screen& screen) : device_(device), screen_(screen), page_bytes_(device.information().page_bytes) {
    if (lzo_init() != LZO_E_OK) throw std::runtime_error("liblzo2 does not fit this program's compiler");
}

void Work::run(const char* what, std::vector<pagepress_page>& pages) {
    std::deque<std::future<void>> slices;
    for (size_t first = 0; first < pages.size(); first += SLICE_PAGES)
        slices.push_back(device_.submit(&pages[first], std::min(SLICE_PAGES, pages.size() - first)));
    std::exception_ptr failure;
    for (size_t index = 0; index < slices.size(); index++) {
        screen_.progress(what, index * SLICE_PAGES, pages.size());
        try {
            slices[index].get();
        } catch (...) {
            failure = std::current_exception();  // the other slices still use the pages
        }
    }
    screen_.end_progress();
    if (failure) std::rethrow_exception(failure);
}

Tally Work::compress(const Wishes& wishes) {
    Tally tally;
    auto outputs = output_paths(wishes, [](const std::string&, const std::string& name) { return name + SUFFIX; });
    for (const std::string& path : wishes.files) {
        std::string plain = read_file(path);
        size_t whole = plain.size() / page_bytes_;
        std::string output(whole * page_bytes_, '\0');
        std::vector<pagepress_page> pages;
        for (size_t index = 0; index < whole; index++)
            pages.push_back(command(PAGEPRESS_OPCODE_COMPRESS, &plain[index * page_bytes_], page_bytes_, &output[index * page_bytes_], page_bytes_ - 1));
        run("compressing", pages);

        std::vector<LzopBlock> blocks;
        for (size_t at = 0; at < plain.size(); at += page_bytes_) {
            LzopBlock block;
            std::string part = plain.substr(at, page_bytes_);
            block.plain_length = static_cast<uint32_t>(part.size());
            const pagepress_page* page = at / page_bytes_ < whole ? &pages[at / page_bytes_] : nullptr;
            if (page && not_done(*page)) throw card_failed(path, "page " + std::to_string(at / page_bytes_), *page);
            if (page && page->status == PAGEPRESS_STATUS_SUCCESS)
                block.stream.assign(static_cast<const char*>(page->destination), page->produced_length);
            else  // a page of one word has no stream, what is left at the end is no page
                block.stream = lzo1x_1(part);
            if (block.stream.size() >= part.size()) {
                block.stream = part;
                tally.stored_pages++;
            }
            blocks.push_back(std::move(block));
        }
        std::string file = write_lzop(std::filesystem::path(path).filename().string(), plain, blocks);
        write_file(outputs[tally.files], file, wishes.force, path);
        tally.files++;
        tally.pages += whole;
        tally.bytes_in += plain.size();
        tally.bytes_out += file.size();
    }
    return tally;
}

Tally Work::decompress(const Wishes& wishes) {
    Tally tally;
    auto outputs = output_paths(wishes, [](const std::string& path, const std::string& name) {
        if (name.size() <= SUFFIX.size() || name.substr(name.size() - SUFFIX.size()) != SUFFIX) throw FileError(path + ": its name does not end in " + SUFFIX);
        return name.substr(0, name.size() - SUFFIX.size());
    });
    for (const std::string& path : wishes.files) {
        std::string file = read_file(path);
        std::vector<LzopBlock> blocks;
        try {
            blocks = read_lzop(file);
        } catch (const std::runtime_error& error) {
            throw FileError(path + ": " + error.what());
        }
        auto on_device = [&](const LzopBlock& block) { return block.plain_length == page_bytes_ && block.stream.size() < block.plain_length; };
        std::vector<pagepress_page> pages;
        std::vector<std::string> parts(blocks.size());
        for (size_t index = 0; index < blocks.size(); index++)
            if (on_device(blocks[index])) {
                parts[index].resize(page_bytes_);
                pages.push_back(command(PAGEPRESS_OPCODE_DECOMPRESS, blocks[index].stream.data(), blocks[index].stream.size(), parts[index].data(), page_bytes_));
            }
        run("decompressing", pages);

        std::string plain;
        size_t next = 0;
        for (size_t index = 0; index < blocks.size(); index++) {
            const LzopBlock& block = blocks[index];
            bool good = true;
            if (on_device(block))
                good = pages[next++].status == PAGEPRESS_STATUS_SUCCESS;
            else if (block.stream.size() == block.plain_length)
                parts[index] = block.stream;
            else
                parts[index] = lzo1x_decompress(block.stream.data(), block.stream.size(), block.plain_length);
            if (!good) {  // by the card's word alone
                std::string again = lzo1x_decompress(block.stream.data(), block.stream.size(), block.plain_length);
                if (!again.empty() && matches(block, again)) throw card_failed(path, "block " + std::to_string(index), pages[next - 1]);
            }
            if (!good || parts[index].size() != block.plain_length || !matches(block, parts[index]))
                throw FileError(path + ": block " + std::to_string(index) + " is damaged: " +
                                (good ? "its checksum is another" : pagepress_status_name(pages[next - 1].status)));
            plain += parts[index];
        }
        write_file(outputs[tally.files], plain, wishes.force, path);
        tally.files++;
        tally.pages += pages.size();
        tally.bytes_in += file.size();
        tally.bytes_out += plain.size();
    }
    return tally;
}

std::string Work::whole_pages(const Wishes& wishes, Tally& tally) const {
    std::string plain;
    for (const std::string& path : wishes.files) {
        std::string file = read_file(path);
        plain += file.substr(0, file.size() / page_bytes_ * page_bytes_);
        tally.files++;
    }
    tally.pages = plain.size() / page_bytes_;
    if (!tally.pages) throw FileError(wishes.files.front() + ": no whole page of " + std::to_string(page_bytes_) + " bytes" + (wishes.files.size() > 1 ? ", nor in the other files" : ""));
    tally.bytes_in = plain.size();
    return plain;
}

void Work::run_timed(const char* what, std::vector<pagepress_page>& pages, uint64_t& spent, double& seconds) {
    uint64_t before = cycles();
    auto begun = std::chrono::steady_clock::now();
    run(what, pages);
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    spent += cycles() - before;
}

Tally Work::benchmark(const Wishes& wishes) {
    Tally tally;
    std::string plain = whole_pages(wishes, tally), streams(plain.size(), '\0'), output(plain.size(), '\0');
    std::vector<pagepress_page> compressions, decompressions;
    for (size_t at = 0; at < plain.size(); at += page_bytes_)
        compressions.push_back(command(PAGEPRESS_OPCODE_COMPRESS, &plain[at], page_bytes_, &streams[at], page_bytes_));
    for (unsigned round = 0; round < wishes.rounds; round++) {
        run_timed("compressing", compressions, tally.compress_cycles, tally.compress_seconds);
        decompressions.clear();
        tally.bytes_out = tally.stored_pages = tally.wrong_pages = 0;
        for (size_t index = 0; index < tally.pages; index++) {
            const pagepress_page& page = compressions[index];
            bool good = page.status == PAGEPRESS_STATUS_SUCCESS;
            tally.bytes_out += good ? page.produced_length : page.status == PAGEPRESS_STATUS_INCOMPRESSIBLE ? page_bytes_ : 0;
            tally.stored_pages += page.status == PAGEPRESS_STATUS_INCOMPRESSIBLE;
            tally.wrong_pages += not_done(page);
            if (good) decompressions.push_back(command(PAGEPRESS_OPCODE_DECOMPRESS, page.destination, page.produced_length, &output[index * page_bytes_], page_bytes_));
        }
        run_timed("decompressing", decompressions, tally.decompress_cycles, tally.decompress_seconds);
    }
    for (const pagepress_page& page : decompressions) {
        size_t at = static_cast<size_t>(static_cast<const char*>(page.destination) - output.data());
        tally.wrong_pages += page.status != PAGEPRESS_STATUS_SUCCESS || output.compare(at, page_bytes_, plain, at, page_bytes_);
    }
    tally.stream_pages = decompressions.size();
    return tally;
}

Tally Work::validate(const Wishes& wishes) {
    Tally tally;
    std::string plain = whole_pages(wishes, tally);
    auto page_at = [&](size_t index) { return plain.substr(index * page_bytes_, page_bytes_); };
    std::vector<bool> wrong(tally.pages);

    std::string streams(plain.size(), '\0');
    std::vector<pagepress_page> compressions;
    for (size_t index = 0; index < tally.pages; index++)
        compressions.push_back(command(PAGEPRESS_OPCODE_COMPRESS, &plain[index * page_bytes_], page_bytes_, &streams[index * page_bytes_], page_bytes_));
    uint64_t before = cycles();
    run("compressing", compressions);
    tally.compress_cycles = cycles() - before;

    // The device's own stream in turns with one of liblzo2, which also stands for a page that has none.
    std::string output(plain.size(), '\0');
    std::vector<std::string> sources(tally.pages);
    std::vector<pagepress_page> decompressions;
    for (size_t index = 0; index < tally.pages; index++) {
        const pagepress_page& page = compressions[index];
        std::string original = page_at(index), own(static_cast<const char*>(page.destination), page.produced_length);
        switch (page.status) {
            case PAGEPRESS_STATUS_SUCCESS:
                wrong[index] = lzo1x_decompress(own.data(), own.size(), page_bytes_) != original;
                tally.bytes_out += page.produced_length;
                break;
            case PAGEPRESS_STATUS_SAME_FILLED:
                for (size_t at = 0; at < original.size(); at += sizeof(page.detail)) wrong[index] = wrong[index] || std::memcmp(&original[at], &page.detail, sizeof(page.detail));
                break;
            case PAGEPRESS_STATUS_INCOMPRESSIBLE:
                tally.stored_pages++;
                tally.bytes_out += page_bytes_;
                break;
            default: wrong[index] = true;
        }
        sources[index] = page.status == PAGEPRESS_STATUS_SUCCESS && index % 2 ? own : lzo1x_1(original);
        decompressions.push_back(command(PAGEPRESS_OPCODE_DECOMPRESS, sources[index].data(), sources[index].size(), &output[index * page_bytes_], page_bytes_));
    }
    before = cycles();
    run("decompressing", decompressions);
    tally.decompress_cycles = cycles() - before;
    for (size_t index = 0; index < tally.pages; index++)
        if (decompressions[index].status != PAGEPRESS_STATUS_SUCCESS || output.compare(index * page_bytes_, page_bytes_, plain, index * page_bytes_, page_bytes_))
            wrong[index] = true;
    for (bool bad : wrong) tally.wrong_pages += bad;
    return tally;
}

}  // namespace pagepress_xrt
