# SPDX-License-Identifier: Apache-2.0
"""entry_writer: each entry is one burst of its own bytes, and is reported once it is in memory, in order, with its faults."""
import random

import cocotb

from pagepress_interface import COMPLETION_ENTRY_BYTES
from port_bench import WriteSide
from runner import run
from stream_bench import Bench, Sink, Source

ENTRIES = 60


class Flow(Sink):
    """Takes what has no ready."""

    def before_edge(self):
        self.open = True


@cocotb.test()
async def entries(dut):
    memory = {}
    port = WriteSide(dut, "io_port", len(dut.io_port_data_payload_data) // 8, memory)
    source, written = Source(dut, "io_entry", ["address", "data"]), Flow(dut, "io_written", [""])
    bench = Bench(dut, sources=[source, port], sinks=[written])
    await bench.reset()
    for stall in ((0, 0), (0.4, 0.4), (0, 0.8), (0.8, 0)):
        bench.stall(*stall)
        memory.clear()
        port.bursts.clear()
        written.received.clear()
        base = random.getrandbits(50) * COMPLETION_ENTRY_BYTES
        addresses = random.sample(range(base, base + 4096 * COMPLETION_ENTRY_BYTES, COMPLETION_ENTRY_BYTES), ENTRIES)
        port.faults = {address + random.randrange(0, COMPLETION_ENTRY_BYTES, port.width)
                       for address in addresses if random.random() < 0.3}
        failed = [any(address <= fault < address + COMPLETION_ENTRY_BYTES for fault in port.faults) for address in addresses]
        wanted = {}
        for address in addresses:
            data = random.randbytes(COMPLETION_ENTRY_BYTES)
            wanted.update(enumerate(data, address))
            source.send(address=address, data=int.from_bytes(data, "little"))
        await bench.until(lambda: len(written.received) == ENTRIES, 6000)
        assert memory == wanted, "bytes missing, wrong or outside"
        assert [bool(one[""]) for one in written.received] == failed
        assert port.bursts == [(address, max(1, COMPLETION_ENTRY_BYTES // port.width)) for address in addresses]


@cocotb.test()
async def reported_once_in_memory(dut):
    port = WriteSide(dut, "io_port", len(dut.io_port_data_payload_data) // 8, {})
    source, written = Source(dut, "io_entry", ["address", "data"]), Flow(dut, "io_written", [""])
    bench = Bench(dut, sources=[source, port], sinks=[written])
    await bench.reset()
    held, port.answers = [], []
    for count in range(3):
        source.send(address=COMPLETION_ENTRY_BYTES * count, data=count)
    for _ in range(100):
        await bench.step()
        held += port.answers
        port.answers.clear()
    assert len(held) == 3 and not written.received, "an entry was reported before its response"
    port.answers += held
    await bench.until(lambda: len(written.received) == 3, 50)


def test_entry_writer():
    run("entry_writer", module=__name__)
