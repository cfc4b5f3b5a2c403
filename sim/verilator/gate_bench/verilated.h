// SPDX-License-Identifier: Apache-2.0
// Stands in the place of Verilator's header: block.hpp, which drives verilated engines elsewhere, needs the name and no more.
#pragma once

class VerilatedContext {};
