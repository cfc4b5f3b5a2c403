// SPDX-License-Identifier: Apache-2.0
/// When the clock of Verilated hardware runs: in slices, and not while there is nothing to do.
#pragma once

namespace card {

class RunningClock {
public:
    /// Something came from outside that the hardware may act on.
    void wake() { calm_ = 0; }

    /// Calls `tick`, which clocks the hardware once and says whether that is at work, for a slice at most.
    /// False when the hardware has settled: then the clock may stand until `wake`.
    template <class Tick>
    bool slice(Tick tick) {
        for (int cycle = 0; cycle < SLICE_CYCLES && calm_ < SETTLED_CYCLES; cycle++) calm_ = tick() ? 0 : calm_ + 1;
        return calm_ < SETTLED_CYCLES;
    }

private:
    static constexpr int SLICE_CYCLES = 256;  // between two looks at the client
    /// Hardware may begin to work some cycles after it was woken.
    static constexpr int SETTLED_CYCLES = 64;

    int calm_ = 0;  // cycles without work
};

}  // namespace card
