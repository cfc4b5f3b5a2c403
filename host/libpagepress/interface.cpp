// SPDX-License-Identifier: Apache-2.0
// The C interface: checks arguments, turns exceptions into codes.
#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <future>

#include "crc32c.hpp"
#include "message.hpp"
#include "pool.hpp"
#include "start_thread.hpp"

struct pagepress_device {
    explicit pagepress_device(const pagepress::Pool::Settings& settings) : pool(settings) {}
    pagepress::Pool pool;
};

namespace pagepress {

namespace {

constexpr uint32_t SOFTWARE_PAGE_BYTES = 4096, DEFAULT_TIMEOUT_MS = 120'000, MOST_THREADS = 256;

thread_local char message[512];

/// Runs `body`; what it throws becomes a code and this thread's message.
template <class Body>
pagepress_error guarded(Body body) try {
    body();
    return PAGEPRESS_OK;
} catch (const Failure& failure) {
    note(failure.what());
    return failure.code;
} catch (const std::bad_alloc&) {
    note("out of memory");
    return PAGEPRESS_ERROR_MEMORY;
} catch (const std::exception& error) {
    note(error.what());
    return PAGEPRESS_ERROR_LOST;
}

void require(bool good, const char* otherwise) {
    if (!good) throw Failure(PAGEPRESS_ERROR_ARGUMENT, otherwise);
}

/// Opening talks to the card, so it may never end.
std::shared_ptr<Card> open_in_time(const pagepress_options& options, std::chrono::milliseconds timeout) {
    std::promise<std::shared_ptr<Card>> promise;
    auto future = promise.get_future();
    start_thread([promise = std::move(promise), xclbin = std::string(options.xclbin), device = std::string(options.device ? options.device : "0"),
                 kernels = options.kernels, trust = options.trust_answers != 0]() mutable {
        try {
            promise.set_value(open_card(xclbin, device, kernels, trust));
        } catch (...) {
            promise.set_exception(std::current_exception());
        }
    }).detach();
    // Look by look, as the supervisor does: however long the process is stopped, that is one.
    for (auto left = timeout; future.wait_for(std::min(left, LOOK)) != std::future_status::ready; left -= LOOK)
        if (left <= LOOK)
            throw Failure(PAGEPRESS_ERROR_LOST, "the card does not answer: not open after " + std::to_string(timeout.count() / 1000) + " s");
    return future.get();
}

}  // namespace

void note(const std::string& text) {
    size_t bytes = std::min(text.size(), sizeof(message) - 1);
    std::transform(text.begin(), text.begin() + static_cast<ptrdiff_t>(bytes), message, [](char letter) { return letter == '\n' ? ' ' : letter; });
    message[bytes] = '\0';
}

}  // namespace pagepress

using namespace pagepress;

extern "C" {

pagepress_error pagepress_open(const pagepress_options* options, pagepress_device** device) {
    return guarded([&] {
        require(device, "pagepress_open: device is NULL");
        *device = nullptr;
        require(options && options->size == sizeof(*options), "pagepress_open: options.size is not that of this library's options");
        Pool::Settings settings{nullptr, SOFTWARE_PAGE_BYTES, std::max(1u, options->kernels),
                                std::chrono::milliseconds(options->timeout_ms ? options->timeout_ms : DEFAULT_TIMEOUT_MS), options->forbid_software != 0};
        if (options->xclbin) {
            settings.card = open_in_time(*options, settings.timeout);
            settings.page_bytes = settings.card->page_bytes;
        } else {
            require(settings.threads <= MOST_THREADS, "pagepress_open: more threads than 256");
        }
        *device = new pagepress_device(settings);
    });
}

void pagepress_close(pagepress_device* device) {
    delete device;
}

pagepress_error pagepress_submit(pagepress_device* device, pagepress_page* pages, size_t count, pagepress_done done, void* context) {
    return guarded([&] {
        require(device && done && (pages || !count), "pagepress_submit: device, done or pages is NULL");
        device->pool.submit(pages, count, done, context);
    });
}

pagepress_error pagepress_run(pagepress_device* device, pagepress_page* pages, size_t count) {
    struct Outcome {
        pagepress_error error;
        std::string message;
    };
    std::promise<Outcome> promise;
    pagepress_error error = pagepress_submit(
        device, pages, count,
        [](void* context, pagepress_error ended) { static_cast<std::promise<Outcome>*>(context)->set_value({ended, message}); }, &promise);
    if (error != PAGEPRESS_OK) return error;
    Outcome outcome = promise.get_future().get();
    if (outcome.error != PAGEPRESS_OK) note(outcome.message);
    return outcome.error;
}

pagepress_error pagepress_inform(pagepress_device* device, pagepress_information* information) {
    return guarded([&] {
        require(device && information && information->size == sizeof(*information), "pagepress_inform: NULL, or information.size is not this library's");
        device->pool.inform(*information);
    });
}

const char* pagepress_status_name(uint32_t status) {
#define NAME(name, number, kind) case number: return #name;
    switch (status) { PAGEPRESS_STATUSES(NAME) }
#undef NAME
    return "unknown status";
}

const char* pagepress_message(void) {
    return message;
}

uint32_t pagepress_crc32c(const void* data, size_t bytes) {
    return crc32c(data, bytes);
}

const char* pagepress_version(void) {
    static const std::string version = std::to_string(PAGEPRESS_VERSION_MAJOR) + "." + std::to_string(PAGEPRESS_VERSION_MINOR);
    return version.c_str();
}

}  // extern "C"
