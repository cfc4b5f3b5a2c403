// SPDX-License-Identifier: Apache-2.0
/// Waves of a Verilated model, in cards that are built to record them.
#pragma once

#include <verilated.h>

#include <stdexcept>
#include <string>
#if WAVES
#include <verilated_fst_c.h>
#endif

namespace card {

class Waves {
public:
    /// Records `model` to `file`; nothing where that is empty. Throws std::runtime_error where this build has no waves.
    template <class Model>
    void open(Model& model, const std::string& file) {
        if (file.empty()) return;
#if WAVES
        context_ = model.contextp();
        context_->traceEverOn(true);
        model.trace(&recorder_, 99);
        recorder_.open(file.c_str());
#else
        (void)model;
        throw std::runtime_error("this card records no waves: run make card WAVES=1");
#endif
    }

    /// The model was evaluated.
    void step() {
#if WAVES
        if (!recorder_.isOpen()) return;
        context_->timeInc(1);
        recorder_.dump(context_->time());
#endif
    }

    void close() {
#if WAVES
        if (recorder_.isOpen()) recorder_.close();
#endif
    }

private:
#if WAVES
    VerilatedContext* context_ = nullptr;
    VerilatedFstC recorder_;
#endif
};

}  // namespace card
