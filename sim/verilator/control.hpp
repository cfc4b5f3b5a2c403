// SPDX-License-Identifier: Apache-2.0
/// The control socket: lines that arm faults, an answer to each (README.md).
#pragma once

#include <string>

#include "board.hpp"
#include "fault_plan.hpp"
#include "faulty_engine.hpp"
#include "listener.hpp"

namespace card {

class Control {
public:
    explicit Control(const std::string& path) : listener_(path) {}

    /// Where to wait for something to do.
    int number() const { return client_ ? client_.number() : listener_.number(); }
    /// Does what has come, without waiting. `board`: around the management part, if the card has one.
    void serve(FaultPlan& plan, FaultyEngine& engine, Board* board);

private:
    static std::string answer(const std::string& line, FaultPlan& plan, FaultyEngine& engine, Board* board);

    Listener listener_;
    FileDescriptor client_;  // one at a time
    std::string received_;   // of an unfinished line
};

}  // namespace card
