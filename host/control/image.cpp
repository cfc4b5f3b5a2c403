// SPDX-License-Identifier: Apache-2.0
/// pagepressctl image: page images are made, checked and looked at.
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "command.hpp"
#include "files.hpp"
#include "json.hpp"
#include "output.hpp"
#include "page_image.hpp"
#include "terminal.hpp"

namespace pagepressctl {

namespace {

/// A percentage on standard error, while that is a terminal; wiped at its end.
class Percentage {
public:
    ~Percentage() {
        if (shown_ >= 0) fputs("\r\033[K", stderr);
    }
    Progress callback() {
        if (!isatty(STDERR_FILENO)) return [](uint64_t, uint64_t) {};
        return [this](uint64_t done, uint64_t all) {
            int percent = all ? static_cast<int>(static_cast<double>(done) * 100 / static_cast<double>(all)) : 100;
            if (percent == shown_) return;
            shown_ = percent;
            fprintf(stderr, "\r%3d %% of %s", percent, bytes(all).c_str());
        };
    }

private:
    int shown_ = -1;
};

std::string percent(uint64_t part, uint64_t all) { return format("%.1f %%", all ? 100.0 * static_cast<double>(part) / static_cast<double>(all) : 0); }

/// What of an image's pages, contents and streams another one holds as well.
struct Common {
    Common(const PageImage& image, const PageImage& other) {
        const auto& theirs = other.entries();
        std::vector<bool> held;
        for (const PageImage::Entry& entry : image.entries()) {
            auto found = std::lower_bound(theirs.begin(), theirs.end(), entry,
                                          [](const PageImage::Entry& one, const PageImage::Entry& two) { return one.hash < two.hash; });
            held.push_back(found != theirs.end() && found->hash == entry.hash);
            if (held.back()) contents++, stream_bytes += entry.length;
        }
        for (uint32_t entry : image.map()) pages += held[entry];
    }
    uint64_t pages = 0, contents = 0, stream_bytes = 0;
};

class Image : public Command {
    const char* name() const override { return "image"; }
    const char* summary() const override { return "page images: pack, verify, info"; }
    const char* notes() const override {
        return "pack -o IMAGE SOURCE...   the pages of files, block devices and older images, one after the other; the end of each is\n"
               "                          filled up with zeros to a whole page\n"
               "verify IMAGE...           every byte of it: by its hash, or that it is zero\n"
               "info IMAGE...             what its header, index and map say; they match its root hash, streams are not looked at\n"
               "An image has each content once, compressed, and is found by its SHA-256. Its root hash stands for all of it.\n";
    }

    void declare(Arguments& arguments) override {
        arguments.choice("ACTION", action_, {"pack", "verify", "info"}, "pack, verify or info");
        arguments.texts("FILE", files_, "pack: what is packed; else images");
        arguments.text("-o,--output", output_, "pack: the image, a file or a block device");
        arguments.choice("--page-bytes", page_bytes_, {"4096", "16384", "65536"}, "pack: the page of the kernel that will read it (default 4096)");
        arguments.flag("--force", force_, "pack: write over a file or block device that is there");
        arguments.text("--root", root_, "verify: the root hash that the image must have");
        arguments.text("--with", with_, "info: how much of each image this other one holds as well");
        arguments.flag("--json", json_, "lines of JSON instead of text");
    }

    ExitCode run(const Machine&) override {
        if (action_.empty()) throw Failure(USAGE, "say what to do, pack, verify or info: see pagepressctl image --help");
        if (files_.empty()) throw Failure(USAGE, "say which file: see pagepressctl image --help");
        only("pack", !output_.empty(), "--output");
        only("pack", force_, "--force");
        only("pack", page_bytes_ != "4096", "--page-bytes");
        only("verify", !root_.empty(), "--root");
        only("info", !with_.empty(), "--with");
        if (action_ == "pack") pack();
        else
            for (const std::string& file : files_) action_ == "verify" ? verify(file) : info(file);
        return FINE;
    }

    void only(const char* action, bool given, const char* option) const {
        if (given && action_ != action) throw Failure(USAGE, std::string(option) + " is for image " + action + " alone");
    }

    void pack() {
        if (output_.empty()) throw Failure(USAGE, "say where the image goes: --output IMAGE");
        uint64_t all = 0, done = 0;
        mode_t widest = 0666;  // it is for those alone who may read all that it holds
        for (const std::string& file : files_) {
            Source source(file);  // each can be read, before anything is written
            if (same_file(file, output_)) throw Failure(USAGE, file + ": cannot be packed into itself");
            all += source.bytes;
            widest &= source.mode;
        }
        if (!all) throw Failure(MALFORMED, files_.front() + ": is empty: an image has one page at least");
        uint32_t page_bytes = static_cast<uint32_t>(std::stoul(page_bytes_));
        heed_interrupts();
        Percentage percentage;
        Progress progress = [show = percentage.callback()](uint64_t now, uint64_t of) {
            if (interrupted()) throw Failure(REFUSED, "interrupted: no image was written");
            show(now, of);
        };
        PageImageWriter writer(output_, page_bytes, force_, widest);
        for (const std::string& file : files_) {
            Source source(file);
            auto step = [&](uint64_t now) { progress(done + now, all); };
            if (source.says_image()) pack_image(file, page_bytes, writer, source.bytes, step);
            else pack_bytes(source, page_bytes, writer, step);
            done += source.bytes;
        }
        writer.finish();
        show("packed", PageImage(output_), output_);
    }

    template <class Step>
    static void pack_bytes(const Source& source, uint32_t page_bytes, PageImageWriter& writer, Step step) {
        std::vector<uint8_t> pages(page_bytes * 16);
        for (uint64_t at = 0; at < source.bytes; at += pages.size()) {
            size_t size = std::min<uint64_t>(pages.size(), source.bytes - at);
            std::fill(pages.begin(), pages.end(), 0);
            source.read(at, pages.data(), size);
            for (size_t page = 0; page < size; page += page_bytes) writer.add(pages.data() + page);
            step(at + size);
        }
    }

    template <class Step>
    static void pack_image(const std::string& file, uint32_t page_bytes, PageImageWriter& writer, uint64_t size, Step step) {
        PageImage older(file);
        if (older.page_bytes() != page_bytes)
            throw Failure(MALFORMED, file + format(": an image of pages of %u bytes: say --page-bytes %u", older.page_bytes(), older.page_bytes()));
        std::vector<uint8_t> page;
        for (size_t at = 0; at < older.map().size(); at++) {
            older.read(older.entries()[older.map()[at]], page);
            writer.add(page.data());
            step(size * at / older.map().size());
        }
    }

    void verify(const std::string& file) {
        Percentage percentage;
        PageImage image(file);
        if (!root_.empty() && hexadecimal(image.root()) != root_)
            throw Failure(MALFORMED, file + ": another image: its root hash is " + hexadecimal(image.root()));
        image.verify(percentage.callback());
        show("verified", image, file);
    }

    void info(const std::string& file) {
        PageImage image(file);
        if (with_.empty()) return show("image", image, file);
        PageImage other(with_);
        if (other.page_bytes() != image.page_bytes()) throw Failure(MALFORMED, with_ + ": its pages have another size than those of " + file);
        Common common(image, other);
        show("image", image, file, &common);
    }

    void show(const char* what, const PageImage& image, const std::string& file, const Common* common = nullptr) const {
        uint64_t pages = image.map().size(), contents = image.entries().size(), streams = image.stream_bytes();
        if (json_) {
            Json line = {{what, file}, {"root", hexadecimal(image.root())}, {"page_bytes", image.page_bytes()}, {"pages", pages},
                         {"contents", contents}, {"stream_bytes", streams}, {"bytes", image.bytes()}};
            if (common)
                line.update({{"with", with_}, {"common_pages", common->pages}, {"common_contents", common->contents},
                             {"common_stream_bytes", common->stream_bytes}});
            return print(line);
        }
        uint64_t plain = pages * image.page_bytes();
        print(paint(Style::HEADING, file) + ": " + what + "\n  root      " + hexadecimal(image.root()) +
              format("\n  pages     %llu of %u bytes, %s", static_cast<unsigned long long>(pages), image.page_bytes(), bytes(plain).c_str()) +
              format("\n  contents  %llu, streams of %s", static_cast<unsigned long long>(contents), bytes(streams).c_str()) +
              "\n  image     " + bytes(image.bytes()) + ", " + percent(image.bytes(), plain) + " of the pages\n");
        if (common)
            print("  held by " + with_ + ": " + percent(common->pages, pages) + " of the pages, " + percent(common->contents, contents) +
                  " of the contents, " + percent(common->stream_bytes, streams) + " of the streams' bytes\n");
    }

    std::vector<std::string> files_;
    std::string action_, output_, root_, with_, page_bytes_ = "4096";
    bool force_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> image_command() { return std::make_unique<Image>(); }

}  // namespace pagepressctl
