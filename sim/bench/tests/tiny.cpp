// SPDX-License-Identifier: Apache-2.0
// Lets the netlist of test_energy.py run for a number of cycles: gates NETLIST ACTIVITY CYCLES.
#include "gates.hpp"

int main(int, char** argv) {
    Gates gates(argv[1]);
    gates[gates.port("run").front()] = 1;
    const int first = 8;  // whatever it begins with is over
    for (int cycle = 0, last = first + std::stoi(argv[3]); cycle <= last; cycle++) {
        gates.settle();
        if (cycle >= first) gates.look();
        gates.edge();
    }
    gates.write_activity(argv[2]);
}
