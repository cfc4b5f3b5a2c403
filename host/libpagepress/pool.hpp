// SPDX-License-Identifier: Apache-2.0
/// Submissions on workers: cuts them into runs, gives each to a free worker, and watches over those that do not come back.
#pragma once

#include <chrono>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "card.hpp"
#include "software.hpp"

namespace pagepress {

/// The supervisor's looks at the lanes are so far apart, unless the process or the machine stands still.
constexpr auto LOOK = std::chrono::milliseconds(100);

/// One per pagepress_submit, shared by its runs.
struct Submission {
    pagepress_done done;
    void* context;
    size_t open_runs;
    pagepress_error error = PAGEPRESS_OK;
};

class Pool {
public:
    struct Settings {
        std::shared_ptr<Card> card;  // empty: in software
        uint32_t page_bytes;
        uint32_t threads;  // in software
        std::chrono::milliseconds timeout;
        bool forbid_software;
    };

    /// Throws Failure where there is not enough memory, or no thread.
    explicit Pool(const Settings& settings);
    ~Pool();

    /// Throws std::bad_alloc, and has taken nothing then.
    void submit(pagepress_page* pages, size_t count, pagepress_done done, void* context);
    void inform(pagepress_information& information);

private:
    using Clock = std::chrono::steady_clock;

    struct Run {
        pagepress_page* pages = nullptr;
        size_t count = 0;
        std::shared_ptr<Submission> submission;
    };

    /// A worker with its thread. Born with the pool; shared with the thread, which a silent card may keep for ever.
    struct Lane {
        Lane(std::unique_ptr<Worker> worker, uint32_t page_bytes) : worker(std::move(worker)), software(page_bytes) {}
        std::unique_ptr<Worker> worker;
        Software software;  // for what the worker fails to do
        std::list<Run> run;  // under way, none or one
        /// Within run(): the card has the pages' copies, and the supervisor may take the run. Before and behind it the thread is at the pages
        /// themselves, and nobody else may give them back.
        bool running = false;
        Clock::time_point since;  // it runs, or has made its last progress, less what nobody watched of it
        uint64_t progress = 0;
        bool lost = false;
        bool stuck = false;  // lost within run(): the supervisor has done its pages
    };

    /// What threads need; it outlives the pool where a thread is lost.
    struct State {
        std::mutex mutex;
        std::condition_variable changed;
        std::list<Run> waiting;  // moved from list to list from here on: what was submitted needs no more memory
        std::vector<std::shared_ptr<Lane>> lanes;
        size_t unfinished = 0;  // runs submitted whose submission may not have been told: while it is, it may submit more
        bool closing = false;
        uint64_t card_pages = 0, software_pages = 0, failures = 0;
        Settings settings;
    };

    Pool(std::shared_ptr<State> state, uint32_t page_bytes);
    static void serve(std::shared_ptr<State> state, std::shared_ptr<Lane> lane);
    static void finish(State& state, Run& run, Software& software, bool answered);
    static size_t living(const State& state);
    void supervise();

    std::shared_ptr<State> state_;
    Software software_;  // the supervisor's
    std::vector<std::thread> threads_;
    std::thread supervisor_;
};

}  // namespace pagepress
