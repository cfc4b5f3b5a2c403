# SPDX-License-Identifier: Apache-2.0
"""A peripheral of the management core behind its APB port: `read`, `write`, and cycles between them.

Waits of random length stand between accesses, and between an access's two phases nothing changes, as APB wants.
"""
import random

from cocotb.triggers import Timer

from stream_bench import Bench


class Peripheral:
    def __init__(self, dut, **inputs):
        """`inputs`: what the block's other inputs are at first, without their `io_`."""
        self.dut, self.bench, self.pause = dut, Bench(dut, [], []), random.choice((0, 3))
        dut.io_apb_PSEL.value = dut.io_apb_PENABLE.value = 0
        self.set(**inputs)

    def set(self, **inputs):
        for name, value in inputs.items():
            getattr(self.dut, f"io_{name}").value = value

    def get(self, name):
        return int(getattr(self.dut, f"io_{name}").value)

    async def start(self):
        await self.bench.reset()
        return self

    async def step(self, cycles=1):
        for _ in range(cycles):
            await self.bench.step()

    async def pulse(self, **inputs):
        """These inputs for one cycle, then 0."""
        self.set(**inputs)
        await self.step()
        self.set(**dict.fromkeys(inputs, 0))

    async def access(self, address, write, data):
        await self.step(random.randint(0, self.pause))
        dut = self.dut
        dut.io_apb_PADDR.value, dut.io_apb_PWRITE.value, dut.io_apb_PWDATA.value = address, write, data
        dut.io_apb_PSEL.value, dut.io_apb_PENABLE.value = 1, 0
        await self.step()
        dut.io_apb_PENABLE.value = 1
        for _ in range(8):
            dut.clk.value = 0
            await Timer(1, "ns")
            ready, answer = int(dut.io_apb_PREADY.value), int(dut.io_apb_PRDATA.value)
            dut.clk.value = 1
            await Timer(1, "ns")
            if ready:
                dut.io_apb_PSEL.value = dut.io_apb_PENABLE.value = 0
                return answer
        raise AssertionError(f"an access to {address:#x} never ended")

    async def read(self, address):
        return await self.access(address, 0, random.getrandbits(32))

    async def write(self, address, value):
        await self.access(address, 1, value)
