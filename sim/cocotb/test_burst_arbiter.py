# SPDX-License-Identifier: Apache-2.0
"""burst_arbiter: every burst once, urgent ports first, nobody starved, turns within a class."""
import random

import cocotb

from runner import run
from stream_bench import Bench, Sink, Source

URGENT = (0, 2)
ORDINARY = (1, 3)
PATIENCE = 4


def setup(dut):
    ports = [Source(dut, f"io_requests_{index}", ["address", "beats"]) for index in range(4)]
    granted = Sink(dut, "io_granted", ["burst_address", "burst_beats", "port"])
    return Bench(dut, ports, [granted]), ports, granted


@cocotb.test()
async def every_burst_once(dut):
    bench, ports, granted = setup(dut)
    await bench.reset()
    bench.stall(0.5, 0.3)
    sent = [[(random.randrange(1 << 58) << 6, random.randint(1, 32)) for _ in range(60)] for _ in ports]
    for port, bursts in zip(ports, sent):
        for address, beats in bursts:
            port.send(address=address, beats=beats)
    await bench.until(lambda: len(granted.received) == 240, 5000)
    for index, bursts in enumerate(sent):
        assert [(got["burst_address"], got["burst_beats"]) for got in granted.received if got["port"] == index] == bursts


@cocotb.test()
async def urgent_first_but_fair(dut):
    bench, ports, granted = setup(dut)
    await bench.reset()
    for port in ports:
        for beat in range(60):
            port.send(address=64 * beat, beats=1)
    await bench.until(lambda: len(granted.received) >= 100, 1000)
    order = [got["port"] for got in granted.received[8:100]]
    assert order.count(1) + order.count(3) >= len(order) // (PATIENCE + 1), "the ordinary ports starve"
    assert order.count(0) + order.count(2) >= len(order) * 3 // 4, "the urgent ports do not come first"
    for ports_of_class in (URGENT, ORDINARY):
        turns = [port for port in order if port in ports_of_class]
        assert all(turns[at] != turns[at + 1] for at in range(len(turns) - 1)), "a port is served twice in a row"
    run_length = 0
    for port in order:
        run_length = 0 if port in ORDINARY else run_length + 1
        assert run_length <= PATIENCE


def test_burst_arbiter():
    run("burst_arbiter", module=__name__)
