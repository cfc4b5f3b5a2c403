// SPDX-License-Identifier: Apache-2.0
// What a root complex does with a card's memory requests: may they be, which bytes do they mean, how are they answered.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>

#include "tlp.hpp"

// Why the host must refuse this request of a card, or an empty text. The host allows `max_payload` and `max_read` bytes.
inline std::string breach(const Tlp& tlp, unsigned max_payload, unsigned max_read) {
    const size_t size = tlp.kind == Tlp::read ? 4 * size_t(tlp.dwords) : tlp.payload.size();
    const char* what = size == 0 ? "of no bytes"
                       : size > (tlp.kind == Tlp::read ? max_read : max_payload)         ? "longer than the host allows"
                       : tlp.address / 4096 != (tlp.address + size - 1) / 4096           ? "across 4 KiB"
                                                                                         : nullptr;
    if (!what) return {};
    char text[96];
    std::snprintf(text, sizeof text, "a request %s (address %#llx, %zu bytes)", what, (unsigned long long)tlp.address, size);
    return text;
}

// Calls `store(address, bytes, count)` for each run of bytes that a write's byte enables mean, in order.
template <class Store> void each_run(const Tlp& write, Store store) {
    const auto enabled = [&write](size_t byte) {
        const size_t dword = byte / 4;
        const uint8_t enables = dword == 0 ? write.first_enables : dword + 1 == write.dwords ? write.last_enables : 0xf;
        return enables >> byte % 4 & 1;
    };
    for (size_t from = 0; from < write.payload.size();) {
        if (!enabled(from)) {
            from++;
            continue;
        }
        size_t to = from;
        while (to < write.payload.size() && enabled(to)) to++;
        store(write.address + from, write.payload.data() + from, to - from);
        from = to;
    }
}

// Calls `send(tlp)` for each completion of the read `asked`; they end at multiples of `boundary` bytes.
template <class Send> void each_completion(const Tlp& asked, const Bytes& data, size_t boundary, Send send) {
    for (size_t done = 0; done < data.size();) {
        const uint64_t at = asked.address + done;
        const size_t size = std::min(data.size() - done, boundary - size_t(at % boundary));
        Tlp tlp;
        tlp.kind = Tlp::completion;
        tlp.address = at & 0xfff;
        tlp.tag = asked.tag;
        tlp.bytes_to_come = unsigned(data.size() - done);
        tlp.dwords = unsigned(size / 4);
        tlp.payload.assign(data.begin() + long(done), data.begin() + long(done + size));
        done += size;
        send(std::move(tlp));
    }
}

// The one completion of a read that the host refuses: Unsupported Request.
inline Tlp refusal(const Tlp& asked) {
    Tlp tlp;
    tlp.kind = Tlp::completion;
    tlp.address = asked.address & 0xfff;
    tlp.tag = asked.tag;
    tlp.bytes_to_come = 4 * asked.dwords;
    tlp.status = Tlp::unsupported_request;
    return tlp;
}
