// SPDX-License-Identifier: Apache-2.0
/// Stands in for rtl_engine.cpp in the CHECKED build, which tests the server and the model with sanitizers.
#include <stdexcept>

#include "rtl_engine.hpp"

namespace card {

class RtlEngine::Clock {};

RtlEngine::RtlEngine(CardHost&, const std::string&) {
    throw std::runtime_error("this card was made without the core (CHECKED=1): use --engine model");
}
RtlEngine::~RtlEngine() = default;
uint32_t RtlEngine::read(uint32_t) { return ~0u; }
void RtlEngine::write(uint32_t, uint32_t) {}
bool RtlEngine::run() { return false; }
void RtlEngine::reset() {}

}  // namespace card
