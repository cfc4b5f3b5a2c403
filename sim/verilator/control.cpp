// SPDX-License-Identifier: Apache-2.0
#include "control.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <vector>

#include <pagepress_management.h>

namespace card {

namespace {

constexpr size_t LONGEST_LINE = 1024;

std::vector<std::string> words_of(const std::string& line) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

/// What the management part shows of its firmware; `held`: the host's hold was what reset it last.
std::string firmware_state(FaultyEngine& engine) {
    auto seen = [&engine](uint32_t offset) { return engine.inspect(PAGEPRESS_MANAGEMENT_WINDOW_OFFSET + offset); };
    uint32_t status = seen(PAGEPRESS_REGISTER_CORE_STATUS);
    bool running = (status & PAGEPRESS_CORE_STATUS_STAGE_MASK) == PAGEPRESS_STAGE_RUNNING << PAGEPRESS_CORE_STATUS_STAGE_SHIFT;
    bool held = (status & PAGEPRESS_CORE_STATUS_CAUSE_MASK) == PAGEPRESS_RESET_CAUSE_HOST << PAGEPRESS_CORE_STATUS_CAUSE_SHIFT;
    uint32_t bites = (status & PAGEPRESS_CORE_STATUS_BITES_MASK) >> PAGEPRESS_CORE_STATUS_BITES_SHIFT;
    return "running " + std::to_string(running) + " heartbeat " + std::to_string(seen(PAGEPRESS_REGISTER_HEARTBEAT)) + " held " +
           std::to_string(held) + " bites " + std::to_string(bites);
}

/// An engine that breaks has a page of this kind in it, or will have.
std::string kind_of_lane(const std::string& lane) {
    return std::strtoul(lane.c_str(), nullptr, 10) < Board::LANES / 2 ? "decompress" : "compress";
}

}  // namespace

void Control::serve(FaultPlan& plan, FaultyEngine& engine, Board* board) {
    if (!client_) {
        client_ = listener_.accept();
        received_.clear();
    }
    if (!client_) return;
    char piece[512];
    ssize_t count = recv(client_.number(), piece, sizeof(piece), MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0 || received_.size() > LONGEST_LINE) {
        client_ = FileDescriptor();
        return;
    }
    received_.append(piece, static_cast<size_t>(count));
    for (size_t end; (end = received_.find('\n')) != std::string::npos; received_.erase(0, end + 1)) {
        std::string reply = answer(received_.substr(0, end), plan, engine, board) + "\n";
        // Answers are short: a client that does not read them is not waited for.
        if (send(client_.number(), reply.data(), reply.size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0) break;
    }
}

std::string Control::answer(const std::string& line, FaultPlan& plan, FaultyEngine& engine, Board* board) {
    std::vector<std::string> words = words_of(line);
    std::string command = words.empty() ? "" : words[0];
    if (command == "firmware" && words.size() == 1 && board) return firmware_state(engine);
    if (command == "sensor" || command == "flash" || command == "lane" || command == "firmware") {
        std::string wrong = board ? board->command(words) : "this card has no management part";
        if (wrong.empty() && command == "lane" && words[2] != "well") plan.arm({"engine-fault", "opcode=" + kind_of_lane(words[1])});
        return wrong.empty() ? "ok" : "error " + wrong;
    }
    if (!words.empty()) words.erase(words.begin());
    if (command == "arm") {
        std::string wrong = plan.arm(words);
        return wrong.empty() ? "ok" : "error " + wrong;
    }
    if (command == "clear" && words.empty()) {
        plan.clear();
        engine.heal();
        return "ok";
    }
    if (command == "seed" && words.size() == 1) {
        plan.seed(std::strtoull(words[0].c_str(), nullptr, 10));
        return "ok";
    }
    if (command == "status" && words.empty())
        return "struck " + std::to_string(plan.struck()) + " armed " + std::to_string(plan.armed()) + " held " +
               std::to_string(engine.held());
    return "error expected: arm FAULT [opcode=...] [count=N] [one-in=N] [after=MS], clear, seed N, status, sensor, flash, lane, or firmware";
}

}  // namespace card
