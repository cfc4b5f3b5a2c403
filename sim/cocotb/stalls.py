# SPDX-License-Identifier: Apache-2.0
"""Random stalls of the bus models' channels.

    stalls = Stalls(dut.clk, axi_channels(bus))   # or others, of cocotbext-axi or cocotbext-pcie
    stalls.set(0.4)                               # the probability that a channel stands still; 0: never

A channel changes between two edges of the clock, and only where a stretch of stalls ends: to ask it at each edge would cost as much as
all else that Python does in a simulation.
"""
import random

import cocotb
from cocotb.triggers import RisingEdge, Timer

CLOCK_NS = 4  # every bench's


def axi_channels(model):
    """The five of a manager or subordinate, AXI4 or AXI4-Lite."""
    write, read = model.write_if, model.read_if
    return write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel


class Stalls:
    def __init__(self, clock, channels):
        self.clock, self.channels, self.tasks = clock, list(channels), []

    def set(self, probability):
        for task in self.tasks:
            task.cancel()
        for channel in self.channels:
            channel.pause = False
        self.tasks = [cocotb.start_soon(self.stall(channel, probability)) for channel in self.channels if probability]

    async def stall(self, channel, probability):
        """Stretches of stalls as well as single ones."""
        await RisingEdge(self.clock)
        await Timer(CLOCK_NS // 2, "ns")
        while True:
            channel.pause = random.random() < probability
            await Timer(CLOCK_NS * random.choice((1, 1, 1, 2, 5, 20)), "ns")
