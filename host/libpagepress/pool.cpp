// SPDX-License-Identifier: Apache-2.0
#include "pool.hpp"

#include <algorithm>
#include <cstdio>

#include "message.hpp"
#include "start_thread.hpp"
#include "status.hpp"

namespace pagepress {

Pool::Pool(std::shared_ptr<State> state, uint32_t page_bytes) : state_(std::move(state)), software_(page_bytes) {}

// From the other constructor's end on the destructor ends the threads that there are.
Pool::Pool(const Settings& settings) : Pool(std::make_shared<State>(), settings.page_bytes) {
    state_->settings = settings;
    size_t lanes = settings.card ? settings.card->kernels.size() : settings.threads;
    for (size_t index = 0; index < lanes; index++) {
        auto worker = settings.card ? std::move(settings.card->kernels[index]) : std::make_unique<Software>(settings.page_bytes);
        state_->lanes.push_back(std::make_shared<Lane>(std::move(worker), settings.page_bytes));
    }
    threads_.reserve(lanes);
    for (auto& lane : state_->lanes) threads_.push_back(start_thread(&Pool::serve, state_, lane));
    supervisor_ = start_thread(&Pool::supervise, this);
}

Pool::~Pool() {
    {
        std::lock_guard lock(state_->mutex);
        state_->closing = true;
    }
    state_->changed.notify_all();
    if (supervisor_.joinable()) supervisor_.join();
    for (size_t index = 0; index < threads_.size(); index++) {
        std::unique_lock lock(state_->mutex);
        bool stuck = state_->lanes[index]->stuck;
        lock.unlock();
        // XRT does not give such a thread back; it keeps what it needs. Any other may be at the caller's pages still.
        if (stuck)
            threads_[index].detach();
        else
            threads_[index].join();
    }
    // Destroying XRT's objects talks to the card.
    if (living(*state_) < state_->lanes.size()) new std::shared_ptr<State>(state_);
}

size_t Pool::living(const State& state) {
    return static_cast<size_t>(std::count_if(state.lanes.begin(), state.lanes.end(), [](auto& lane) { return !lane->lost; }));
}

void Pool::submit(pagepress_page* pages, size_t count, pagepress_done done, void* context) {
    size_t runs = (count + RUN_PAGES - 1) / RUN_PAGES;
    auto submission = std::make_shared<Submission>(Submission{done, context, runs});
    std::list<Run> fresh;
    for (size_t first = 0; first < count; first += RUN_PAGES) fresh.push_back({pages + first, std::min(RUN_PAGES, count - first), submission});
    {
        std::lock_guard lock(state_->mutex);
        state_->unfinished += runs;
        state_->waiting.splice(state_->waiting.end(), fresh);
    }
    if (runs)
        state_->changed.notify_all();
    else
        done(context, PAGEPRESS_OK);
}

void Pool::serve(std::shared_ptr<State> state, std::shared_ptr<Lane> lane) {
    std::unique_lock lock(state->mutex);
    for (;;) {
        state->changed.wait(lock, [&] { return !state->waiting.empty() || (state->closing && !state->unfinished); });
        if (state->waiting.empty()) return;
        lane->run.splice(lane->run.end(), state->waiting, state->waiting.begin());
        Run run = lane->run.front();
        lock.unlock();
        bool answered = true;
        try {
            lane->worker->fill(run.pages, run.count);
            lock.lock();
            lane->since = Clock::now();
            lane->running = true;
            lock.unlock();
            lane->worker->run();
        } catch (const std::exception& error) {
            answered = false;
            note(std::string("a kernel does not answer any more: ") + error.what());
        }
        lock.lock();
        if (lane->stuck) return;  // the supervisor has the run now
        lane->running = false;
        lane->run.clear();
        lane->lost = !answered;
        lock.unlock();
        if (answered) lane->worker->collect(run.pages, run.count);
        finish(*state, run, lane->software, answered);
        lock.lock();
        state->unfinished--;
        if (lane->lost || (state->closing && !state->unfinished)) state->changed.notify_all();
        if (lane->lost) return;
    }
}

/// Gives each page of a run its last result, and ends the submission with its last run. Without the lock.
void Pool::finish(State& state, Run& run, Software& software, bool answered) {
    uint64_t by_card = 0, by_software = 0, failures = 0;
    bool undone = false;
    for (size_t index = 0; index < run.count; index++) {
        pagepress_page& page = run.pages[index];
        if (!answered) {
            page.status = PAGEPRESS_STATUS_ABORTED;
            page.produced_length = page.crc32c = page.engine_cycles = page.by_software = 0;
            page.detail = 0;
        }
        if (!page.by_software && failed(page.status)) {
            failures++;
            if (!state.settings.forbid_software) software.page(page);
        }
        undone |= page.status == PAGEPRESS_STATUS_ABORTED;
        (page.by_software ? by_software : by_card)++;
    }
    Submission& submission = *run.submission;
    bool last;
    {
        std::lock_guard lock(state.mutex);
        state.card_pages += by_card;
        state.software_pages += by_software;
        state.failures += failures;
        if (undone) submission.error = PAGEPRESS_ERROR_LOST;
        last = --submission.open_runs == 0;
    }
    if (!last) return;
    if (submission.error != PAGEPRESS_OK) note("the card does not answer any more, and software was forbidden to do its pages");
    submission.done(submission.context, submission.error);
}

void Pool::supervise() {
    std::unique_lock lock(state_->mutex);
    auto looked = Clock::now();
    for (;;) {
        if (state_->closing && !state_->unfinished) return;
        state_->changed.wait_for(lock, LOOK);
        // While the process was stopped, by a signal, a debugger or a paused virtual machine, no card could be heard: that is not its time.
        auto now = Clock::now();
        auto missed = std::max(now - looked - LOOK, Clock::duration::zero());
        looked = now;
        std::list<Run> orphans;
        for (auto& lane : state_->lanes) {
            uint64_t progress = lane->worker->progress();
            lane->since = progress != lane->progress ? now : std::min(now, lane->since + missed);
            lane->progress = progress;
            if (lane->running && state_->settings.card && now - lane->since > state_->settings.timeout) {
                lane->lost = lane->stuck = true;
                lane->running = false;
                orphans.splice(orphans.end(), lane->run);
            }
        }
        if (!living(*state_)) orphans.splice(orphans.end(), state_->waiting);
        lock.unlock();
        for (Run& run : orphans) finish(*state_, run, software_, false);
        lock.lock();
        state_->unfinished -= orphans.size();
        if (state_->closing && !state_->unfinished) state_->changed.notify_all();
    }
}

void Pool::inform(pagepress_information& information) {
    std::lock_guard lock(state_->mutex);
    const Settings& settings = state_->settings;
    information.page_bytes = settings.page_bytes;
    information.kernels = static_cast<uint32_t>(state_->lanes.size());
    information.clock_kilohertz = settings.card ? settings.card->clock_kilohertz : 0;
    information.lost = static_cast<uint32_t>(state_->lanes.size() - living(*state_));
    information.card_pages = state_->card_pages;
    information.software_pages = state_->software_pages;
    information.failures = state_->failures;
    information.cycles = information.mismatches = 0;
    for (auto& lane : state_->lanes) {
        Worker::Figures figures = lane->worker->figures();
        information.cycles += figures.cycles;
        information.mismatches += figures.mismatches;
    }
    snprintf(information.name, sizeof(information.name), "%s", settings.card ? settings.card->name.c_str() : "software");
}

}  // namespace pagepress
