// SPDX-License-Identifier: Apache-2.0
/// Programs that change disks take turns: what one has found unused is not another's before it is in use.
#pragma once

#include "machine.hpp"

namespace pagepressctl {

/// One program's turn, until it is destroyed. What holds it is a lock on a file that only root may open, so nobody else keeps
/// root from its turn; the kernel lets go of it when the program ends, however it ends.
class Turn {
public:
    enum class Interrupt { ENDS_THE_WAIT, IS_LATE };  // late: who cleans up waits although it was interrupted

    /// Waits for half a minute at most. Failure REFUSED when others still have theirs, on an interrupt that ends the wait, and
    /// without root's rights. Without the module there is nothing to take turns about.
    explicit Turn(const Machine& machine, Interrupt interrupt = Interrupt::ENDS_THE_WAIT);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    bool held() const { return file_ >= 0; }

private:
    int file_;
};

}  // namespace pagepressctl
