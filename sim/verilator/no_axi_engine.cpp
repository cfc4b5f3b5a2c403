// SPDX-License-Identifier: Apache-2.0
/// Stands in for the Verilated engines in the CHECKED build, which tests the server and the model with sanitizers.
#include <stdexcept>

#include "rtl_engines.hpp"

namespace card {

std::unique_ptr<CardEngine> make_axi_engine(CardHost&, const std::string&) {
    throw std::runtime_error("this card was made without Verilog (CHECKED=1): use --engine model");
}

std::unique_ptr<CardEngine> make_pcie_engine(CardHost& host, const std::string& trace, Board&, const std::vector<uint32_t>&) {
    return make_axi_engine(host, trace);
}

}  // namespace card
