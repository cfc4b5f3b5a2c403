// SPDX-License-Identifier: Apache-2.0
/// Stands in for the Verilated card where the card process has no more than a core (CORE=NAME), or no Verilog at all.
#include <stdexcept>

#include "rtl_engines.hpp"

namespace card {

std::unique_ptr<CardEngine> make_pcie_engine(CardHost&, const std::string&, Board&, const std::vector<uint32_t>&) {
    throw std::runtime_error("this card was made without PCIe: use --level axi, or --engine model where it has no Verilog");
}

}  // namespace card
