// SPDX-License-Identifier: Apache-2.0
// The codecs users run, liblzo2 and the kernel's lib/lzo, and what a stream must come to by them. When they themselves
// are wrong, which nobody expects, that is a std::logic_error.
#pragma once

#include <dlfcn.h>

#include <array>
#include <stdexcept>
#include <string>

#include "pagepress_interface.h"
#include "random.hpp"

// What a decoder made of a stream: its own error code, 0 for none, and what it had written by then.
struct Decoded {
    int error;
    Bytes bytes;
};

class Lzo {
public:
    enum Codec { LZO1X_1, LZO1X_999, KERNEL_LZO1X_1, LZO_RLE, CODECS };

    // `kernel`: path of libkernel_lzo.so. The two libraries give their functions the same names.
    explicit Lzo(const std::string& kernel) {
        void* const user = open("liblzo2.so.2");
        void* const linux = open(kernel.c_str());
        compressors = {find<Compress>(user, "lzo1x_1_compress"), find<Compress>(user, "lzo1x_999_compress"),
                       find<Compress>(linux, "lzo1x_1_compress"), find<Compress>(linux, "lzorle1x_1_compress")};
        liblzo2_safe = find<Decompress>(user, "lzo1x_decompress_safe");
        kernel_safe = find<Decompress>(linux, "lzo1x_decompress_safe");
    }

    Bytes compress(Codec codec, const Bytes& page) const {
        const Bytes source = with_slack(page);
        Bytes stream(page.size() + page.size() / 16 + 128);
        thread_local Bytes work(14 * 16384 * sizeof(void*));
        size_t length = stream.size();
        if (compressors[codec](source.data(), page.size(), stream.data(), &length, work.data()))
            throw std::logic_error("a software compressor failed");
        stream.resize(length);
        return stream;
    }

    Decoded liblzo2(const Bytes& stream, size_t limit) const { return decode(liblzo2_safe, stream, limit); }
    Decoded kernel(const Bytes& stream, size_t limit) const { return decode(kernel_safe, stream, limit); }

private:
    using Compress = int (*)(const uint8_t*, size_t, uint8_t*, size_t*, void*);
    using Decompress = int (*)(const uint8_t*, size_t, uint8_t*, size_t*, void*);

    static void* open(const char* path) {
        if (void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL)) return library;
        throw std::runtime_error(dlerror());
    }

    template <class Function>
    static Function find(void* library, const char* name) {
        if (void* function = dlsym(library, name)) return reinterpret_cast<Function>(function);
        throw std::runtime_error(dlerror());
    }

    // Decoders may look a word ahead of what they take.
    static Bytes with_slack(const Bytes& data) {
        Bytes source(data);
        source.resize(data.size() + 64, 0xA5);
        return source;
    }

    static Decoded decode(Decompress function, const Bytes& stream, size_t limit) {
        const Bytes source = with_slack(stream);
        Bytes page(limit + 64, 0xA5);
        size_t length = limit;
        const int error = function(source.data(), stream.size(), page.data(), &length, nullptr);
        for (size_t at = limit; at < page.size(); at++)
            if (page[at] != 0xA5) throw std::logic_error("a software decoder wrote past its limit");
        page.resize(length);
        return {error, page};
    }

    std::array<Compress, CODECS> compressors;
    Decompress liblzo2_safe, kernel_safe;
};

// Whether both decoders give the page for this stream; else who does not.
inline std::string refused_by(const Lzo& lzo, const Bytes& stream, const Bytes& page) {
    const Decoded user = lzo.liblzo2(stream, page.size()), kernel = lzo.kernel(stream, page.size());
    if (user.error || user.bytes != page) return "liblzo2 does not give the page back, error " + std::to_string(user.error);
    if (kernel.error || kernel.bytes != page) return "the kernel does not give the page back, error " + std::to_string(kernel.error);
    return {};
}

// What a decompressor must answer to any bytes taken as a stream for `limit` bytes: the rules of sim/cocotb/lzo_verdict.py.
class Verdict {
public:
    Verdict(const Lzo& lzo, const Bytes& stream, size_t limit) {
        if (stream.size() >= 5 && stream[0] == 17 && stream[1] > 1) {
            // The kernel takes every later version as version 1; the card takes no stream it does not know.
            allow(PAGEPRESS_STATUS_MALFORMED_STREAM);
            return;
        }
        Decoded decoded = lzo.kernel(stream, limit);
        bytes = std::move(decoded.bytes);
        if (decoded.error) {
            fail(lzo, stream, decoded.error);
            return;
        }
        allow(bytes.size() == limit ? PAGEPRESS_STATUS_SUCCESS : PAGEPRESS_STATUS_OUTPUT_UNDERRUN);
        exact = true;
        // The two libraries agree on every stream without version header.
        if (stream[0] == 17) return;
        const Decoded other = lzo.liblzo2(stream, limit);
        if (other.error || other.bytes != bytes) throw std::logic_error("the software decoders disagree");
    }

    // What is wrong with an answer, or nothing.
    std::string objection(uint8_t status, const Bytes& answer) const {
        if (!(statuses >> status & 1)) return "status " + std::to_string(status);
        const size_t shared = std::min(answer.size(), bytes.size());
        if (exact ? answer != bytes : !std::equal(answer.begin(), answer.begin() + shared, bytes.begin()))
            return "other bytes than the kernel's decoder, status " + std::to_string(status);
        return {};
    }

private:
    enum { INPUT_OVERRUN = -4, OUTPUT_OVERRUN = -5 };

    void allow(uint8_t status) { statuses |= 1u << status; }

    void fail(const Lzo& lzo, const Bytes& stream, int error) {
        // A stream both too long and broken may be called either: the kernel looks for the two in another order.
        const bool either = error == INPUT_OVERRUN || error == OUTPUT_OVERRUN;
        const bool broken = !either || lzo.kernel(stream, 1 << 20).error;
        if (broken) allow(PAGEPRESS_STATUS_MALFORMED_STREAM);
        if (either) allow(PAGEPRESS_STATUS_OUTPUT_OVERRUN);
    }

    uint32_t statuses = 0;
    bool exact = false;
    Bytes bytes;
};
