// SPDX-License-Identifier: Apache-2.0
/// pagepress-card: listens, serves one client, keeps the card running in between.
#include <poll.h>
#include <sys/signalfd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <stdexcept>

#include "board_files.hpp"
#include "control.hpp"
#include "counters_file.hpp"
#include "listener.hpp"
#include "log.hpp"
#include "model_engine.hpp"
#include "options.hpp"
#include "rtl_engines.hpp"
#include "server.hpp"

namespace card {

namespace {

/// A set of signals as a descriptor, so that waits can end on them.
class Signals {
public:
    explicit Signals(std::initializer_list<int> signals) {
        sigset_t set;
        sigemptyset(&set);
        for (int signal : signals) sigaddset(&set, signal);
        sigprocmask(SIG_BLOCK, &set, nullptr);
        descriptor_ = FileDescriptor(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    }
    int number() const { return descriptor_.number(); }
    /// The signal that had come, taken away; 0 when none had.
    int take() const {
        signalfd_siginfo information;
        bool taken = ::read(number(), &information, sizeof(information)) == sizeof(information);
        return taken ? static_cast<int>(information.ssi_signo) : 0;
    }

private:
    FileDescriptor descriptor_;
};

class Process {
    static constexpr int COMMANDS_A_TURN = 64;

public:
    explicit Process(const Options& options)
        : board_(options), listener_(options.socket),
          memory_([this](bool writing, uint64_t address, void* data, size_t bytes) {
              return by_message(writing, address, data, bytes);
          }),
          control_(options.control.empty() ? nullptr : std::make_unique<Control>(options.control)),
          function_([&](CardHost& host) { return make_engine(options, host); }, memory_), counters_(options.counters) {}

    void run() {
        puts("ready");
        fflush(stdout);
        counters_.write(function_);
        while (!finished_) {
            bool working = function_.engine().run();
            bool managing = function_.engine().manage();
            wait(working || managing);
            handle_signals();
            if (control_) control_->serve(faults_, *faulty_, board_.board());
            serve();
            counters_.write_when_due(function_, worked_);
            worked_ = working;
        }
        counters_.write(function_);
    }

private:
    std::unique_ptr<CardEngine> make_engine(const Options& options, CardHost& host) {
        auto make = [&](CardHost& around) { return make_sound_engine(options, around); };
        if (!control_) return make(host);
        auto faulty = std::make_unique<FaultyEngine>(make, host, faults_);
        faulty_ = faulty.get();
        return faulty;
    }

    std::unique_ptr<CardEngine> make_sound_engine(const Options& options, CardHost& host) {
        if (options.engine == "model")
            return std::make_unique<ModelEngine>(host, *board_.board(), options.page_shift, options.instant, options.cold_format);
        if (options.level == "axi") return make_axi_engine(host, options.trace);
        return make_pcie_engine(host, options.trace, *board_.board(), board_.boot_rom());
    }

    void wait(bool working) {
        // One client at a time: the next one waits in the listener's queue.
        int source = connection_ ? connection_->number() : listener_.number();
        pollfd waits[] = {{source, POLLIN, 0}, {end_.number(), POLLIN, 0}, {report_.number(), POLLIN, 0},
                          {control_ ? control_->number() : -1, POLLIN, 0}};
        bool queued = connection_ && connection_->has_queued();
        poll(waits, std::size(waits), working || queued ? 0 : counters_.due_in_ms());
    }

    void handle_signals() {
        if (int asked = report_.take()) {
            counters_.write(function_);
            if (asked == SIGUSR2) raise(SIGSTOP);  // before the card does more than it wrote
        }
        if (end_.take()) finished_ = true;
    }

    void serve() {
        if (!connection_) {
            FileDescriptor client = listener_.accept();
            if (!client) return;
            connection_ = std::make_unique<Connection>(std::move(client), end_.number());
            server_ = std::make_unique<Server>(*connection_, function_, memory_);
        }
        // A flood of messages must not keep the card from running.
        for (int turn = 0; turn < COMMANDS_A_TURN; turn++) {
            auto message = connection_->next_command();
            if (!message) break;
            worked_ = true;
            server_->handle(*message);
        }
        if (connection_->open() || connection_->has_queued()) return;
        // A client that never agreed on a version was only looking; one that did takes the card with it.
        finished_ = finished_ || server_->negotiated();
        server_.reset();
        connection_.reset();
        memory_.clear();
    }

    bool by_message(bool writing, uint64_t address, void* data, size_t bytes) {
        auto* piece = static_cast<uint8_t*>(data);
        while (bytes) {
            vfio_user::DmaAccess access{address, std::min(bytes, vfio_user::MAX_TRANSFER)};
            uint16_t command = writing ? vfio_user::DMA_WRITE : vfio_user::DMA_READ;
            auto answer = connection_ ? connection_->request(command, &access, sizeof(access), writing ? piece : nullptr,
                                                             writing ? access.count : 0)
                                      : std::nullopt;
            if (!answer) return false;
            if (!writing) {
                if (answer->payload.size() != sizeof(access) + access.count) return false;
                std::memcpy(piece, answer->payload.data() + sizeof(access), access.count);
            }
            address += access.count;
            piece += access.count;
            bytes -= access.count;
        }
        return true;
    }

    Signals end_{SIGTERM, SIGINT}, report_{SIGUSR1, SIGUSR2};
    BoardFiles board_;
    Listener listener_;
    GuestMemory memory_;
    FaultPlan faults_;
    FaultyEngine* faulty_ = nullptr;  // the function's engine, where a control socket was asked for
    std::unique_ptr<Control> control_;
    CardFunction function_;
    CountersFile counters_;
    std::unique_ptr<Connection> connection_;
    std::unique_ptr<Server> server_;
    bool finished_ = false, worked_ = false;
};

}  // namespace

}  // namespace card

int main(int count, char** words) {
    auto options = card::parse_options(count, words);
    try {
        if (!options.log.empty()) {
            FILE* file = fopen(options.log.c_str(), "ae");
            if (!file) throw std::runtime_error("cannot write " + options.log + ": " + strerror(errno));
            card::log_file() = file;
        }
        // A client may hand us a pipe as its eventfd and close the other end.
        signal(SIGPIPE, SIG_IGN);
        card::Process(options).run();
    } catch (const std::exception& error) {
        fprintf(stderr, "pagepress-card: %s\n", error.what());
        return 1;
    }
    return 0;
}
