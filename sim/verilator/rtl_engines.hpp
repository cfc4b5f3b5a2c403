// SPDX-License-Identifier: Apache-2.0
/// The Verilated engines. They throw std::runtime_error when the hardware does not answer a register access or a reset.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "board.hpp"
#include "card_engine.hpp"

namespace card {

/// Level axi: the core, by its register bus, its memory bus and its interrupt levels.
/// `trace`: an .fst file for waves, or empty. Throws std::runtime_error where this build has no waves.
std::unique_ptr<CardEngine> make_axi_engine(CardHost& host, const std::string& trace);

/// Level pcie: the whole card, by the transaction layer packets of its PCIe block; its management part with `board` around it and
/// `boot_rom` in it.
std::unique_ptr<CardEngine> make_pcie_engine(CardHost& host, const std::string& trace, Board& board, const std::vector<uint32_t>& boot_rom);

}  // namespace card
