// SPDX-License-Identifier: Apache-2.0
/// Stands in for the Verilated core where the card process is made without Verilog (CHECKED=1, MODEL=1).
#include <stdexcept>

#include "rtl_engines.hpp"

namespace card {

std::unique_ptr<CardEngine> make_axi_engine(CardHost&, const std::string&) {
    throw std::runtime_error("this card was made without Verilog: use --engine model");
}

}  // namespace card
