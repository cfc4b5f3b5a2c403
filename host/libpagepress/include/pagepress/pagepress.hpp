// SPDX-License-Identifier: Apache-2.0
/// libpagepress for C++17: the C interface with destructors, exceptions and futures. Header only.
#pragma once

#include <pagepress/pagepress.h>

#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace pagepress {

class Error : public std::runtime_error {
public:
    Error(pagepress_error which, const char* message) : std::runtime_error(message), code(which) {}
    const pagepress_error code;
};

inline void check(pagepress_error code) {
    if (code != PAGEPRESS_OK) throw Error(code, pagepress_message());
}

inline pagepress_options default_options() {
    pagepress_options options{};
    options.size = sizeof(options);
    return options;
}

class Device {
public:
    explicit Device(const pagepress_options& options = default_options()) {
        pagepress_device* device = nullptr;
        check(pagepress_open(&options, &device));
        device_.reset(device);
    }

    /// Returns when every page has its result.
    void run(pagepress_page* pages, size_t count) { check(pagepress_run(device_.get(), pages, count)); }

    /// The pages, their sources and destinations must stay until the future is ready; that throws Error.
    std::future<void> submit(pagepress_page* pages, size_t count) {
        auto promise = std::make_unique<std::promise<void>>();
        std::future<void> future = promise->get_future();
        check(pagepress_submit(device_.get(), pages, count, &finish, promise.get()));
        promise.release();  // finish() has it now
        return future;
    }

    pagepress_information information() const {
        pagepress_information information{};
        information.size = sizeof(information);
        check(pagepress_inform(device_.get(), &information));
        return information;
    }

    /// For the C interface; this object keeps it.
    pagepress_device* handle() const { return device_.get(); }

private:
    static void finish(void* context, pagepress_error error) {
        std::unique_ptr<std::promise<void>> promise(static_cast<std::promise<void>*>(context));
        if (error == PAGEPRESS_OK)
            promise->set_value();
        else
            promise->set_exception(std::make_exception_ptr(Error(error, pagepress_message())));
    }

    struct Close {
        void operator()(pagepress_device* device) const { pagepress_close(device); }
    };
    std::unique_ptr<pagepress_device, Close> device_;
};

}  // namespace pagepress
