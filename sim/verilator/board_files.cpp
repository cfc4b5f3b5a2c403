// SPDX-License-Identifier: Apache-2.0
#include "board_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <pagepress_management.h>

#include "log.hpp"

namespace card {

namespace {

std::ifstream opened(const std::string& path, const char* advice) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(path + " cannot be read" + advice);
    return file;
}

std::vector<uint8_t> contents(const std::string& path, const char* advice) {
    auto file = opened(path, advice);
    return std::vector<uint8_t>(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

BoardFiles::BoardFiles(const Options& options) : folder_(options.firmware), flash_(options.flash) {
    if (options.engine == "rtl" && options.level == "axi") return;
    namespace files = std::filesystem;
    if (folder_.empty()) folder_ = files::read_symlink("/proc/self/exe").parent_path().parent_path() / "firmware";
    board_.emplace();
    if (flash_.empty() || !files::exists(flash_)) {
        board_->put_image(contents(folder_ + "/firmware.img", ": run make firmware"));
        return;
    }
    auto held = contents(flash_, "");
    if (held.size() != Flash::BYTES) throw std::runtime_error(flash_ + " is no flash's contents: it has not " + std::to_string(Flash::BYTES) + " bytes");
    board_->flash.memory = std::move(held);
}

BoardFiles::~BoardFiles() {
    if (!board_ || flash_.empty()) return;
    std::ofstream file(flash_, std::ios::binary);
    file.write(reinterpret_cast<const char*>(board_->flash.memory.data()), Flash::BYTES);
    if (!file.flush()) log("cannot write %s", flash_.c_str());
}

std::vector<uint32_t> BoardFiles::boot_rom() const {
    auto file = opened(folder_ + "/boot_rom.hex", ": run make firmware");
    file >> std::hex;
    std::vector<uint32_t> words{std::istream_iterator<uint32_t>(file), {}};
    if (words.size() != PAGEPRESS_CORE_ROM_BYTES / 4) throw std::runtime_error(folder_ + "/boot_rom.hex is no boot ROM: run make firmware");
    return words;
}

}  // namespace card
