# SPDX-License-Identifier: Apache-2.0
"""Drives and watches the streams of one block, cycle by cycle, with random stalls.

    bench = Bench(dut, sources=[ByteSource(dut, "io_source", 16)], sinks=[ByteSink(dut, "io_sink", 16)])
    await bench.reset()
    bench.sources[0].send(page)
    await bench.until(lambda: bench.sinks[0].received, most=1000)

The bench makes the clock itself: inputs are set, the logic settles, handshakes are read, the clock
rises. Every sink checks that a payload offered and not taken stays as it is. A `stall` is the
probability that a port lets a cycle pass (0: never); `bench.cycle` counts cycles since reset.
"""
import random

from cocotb.triggers import Timer

from functional import points


class Port:
    """One stream of the block: its handshake and the payload fields that `fields` names."""

    def __init__(self, dut, name, fields):
        self.name, self.stall = name, 0.0
        self.valid = getattr(dut, f"{name}_valid")
        self.ready = getattr(dut, f"{name}_ready", None)  # of a flow: none, it is always taken
        payload = f"{name}_payload"
        self.fields = {field: getattr(dut, f"{payload}_{field}" if field else payload) for field in fields}

    def stalls(self):
        return self.stall > 0 and random.random() < self.stall


class Source(Port):
    """Feeds a stream: `send(field=value, …)` queues one transfer."""

    def __init__(self, dut, name, fields):
        super().__init__(dut, name, fields)
        self.queue, self.offered = [], False
        self.valid.value = 0

    def send(self, **values):
        self.queue.append(values)

    def before_edge(self):
        if not self.offered and self.queue and not self.stalls():
            for field, value in self.next_transfer().items():
                self.fields[field].value = value
            self.valid.value = 1
            self.offered = True

    def next_transfer(self):
        return self.queue[0]

    def at_edge(self, _cycle):
        if self.offered and self.ready.value == 1:
            self.taken()
            self.offered = False
            return True
        return False

    def taken(self):
        self.queue.pop(0)

    def after_edge(self, fired):
        if fired:
            self.valid.value = 0


class Sink(Port):
    """Takes a stream: `received` holds one dict a transfer, `cycles` when each came. One that is `patient` is ready only for what it has seen offered:
    a block that waits for its ready before it offers anything waits without end."""

    def __init__(self, dut, name, fields):
        super().__init__(dut, name, fields)
        self.received, self.cycles, self.waiting, self.open = [], [], None, None
        self.blocked = self.patient = False

    def before_edge(self):
        wanted = not self.blocked and not (self.patient and self.waiting is None) and not self.stalls()
        if wanted is not self.open:
            self.ready.value, self.open = int(wanted), wanted

    def at_edge(self, cycle):
        if self.valid.value != 1:
            assert self.waiting is None, f"{self.name}: valid fell before ready"
            return False
        if self.open and self.waiting is None:
            self.take({field: int(signal.value) for field, signal in self.fields.items()}, cycle)
            return True
        values = self.comparable({field: int(signal.value) for field, signal in self.fields.items()})
        assert self.waiting in (None, values), f"{self.name}: payload changed from {self.waiting} to {values}"
        self.waiting = values
        if self.open:
            self.take(values, cycle)
            self.waiting = None
        return self.open

    def comparable(self, values):
        return values

    def take(self, values, cycle):
        self.received.append(values)
        self.cycles.append(cycle)

    def after_edge(self, fired):
        pass


BYTE_FIELDS = {"data": "fragment_data", "count": "fragment_count", "last": "last"}


class ByteSource(Source):
    """Feeds a ByteStream: `send(page)` queues a page; bytes past `count` are random.

    `empty_last` ends pages of full words with an empty last word, as the contract allows.
    """

    def __init__(self, dut, name, width):
        super().__init__(dut, name, BYTE_FIELDS.values())
        self.width, self.sent, self.empty_last = width, 0, False
        self.first_cycles, self.started = [], 0

    def send(self, page):
        words = [page[at:at + self.width] for at in range(0, len(page), self.width)] or [b""]
        if self.empty_last and len(words[-1]) == self.width:
            words.append(b"")
        self.queue.extend((word, at == len(words) - 1) for at, word in enumerate(words))
        self.queue[-len(words)] += ("first",)

    def next_transfer(self):
        word, last = self.queue[0][:2]
        padding = random.randbytes(self.width - len(word)) if len(word) < self.width else b""
        return {"fragment_data": int.from_bytes(word + padding, "little"), "fragment_count": len(word),
                "last": int(last)}

    def at_edge(self, cycle):
        first = self.queue and len(self.queue[0]) == 3
        fired = super().at_edge(cycle)
        if fired and first:
            self.first_cycles.append(cycle)
        return fired


class ByteSink(Sink):
    """Takes a ByteStream and checks its contract: `pages` holds whole pages, `cycles` when each ended."""

    def __init__(self, dut, name, width):
        super().__init__(dut, name, BYTE_FIELDS.values())
        self.width, self.pages, self.page = width, [], bytearray()

    def comparable(self, values):
        mask = (1 << 8 * values["fragment_count"]) - 1
        return {**values, "fragment_data": values["fragment_data"] & mask}

    def take(self, values, cycle):
        count, last = values["fragment_count"], values["last"]
        assert count <= self.width, f"{self.name}: a word of {count} bytes"
        assert last or count == self.width, f"{self.name}: {count} bytes in a word that is not the last"
        self.page += (values["fragment_data"] & ((1 << 8 * count) - 1)).to_bytes(count, "little")
        if last:
            self.pages.append(bytes(self.page))
            self.page.clear()
            self.cycles.append(cycle)


class Bench:
    """Steps the clock; `sources` and `sinks` are the block's streams."""

    def __init__(self, dut, sources, sinks):
        self.dut, self.sources, self.sinks = dut, sources, sinks
        self.ports, self.cycle = [*sources, *sinks], 0

    async def reset(self):
        self.dut.reset.value = 1
        for _ in range(3):
            await self.clock()
        self.dut.reset.value = 0

    async def clock(self):
        self.dut.clk.value = 0
        await Timer(1, "ns")
        self.dut.clk.value = 1
        await Timer(1, "ns")

    async def step(self):
        """One cycle: what the ports offer is settled before the edge, and read there."""
        for port in self.ports:
            port.before_edge()
        self.dut.clk.value = 0
        await Timer(1, "ns")
        fired = [port.at_edge(self.cycle) for port in self.ports]
        self.dut.clk.value = 1
        await Timer(1, "ns")
        for port, did in zip(self.ports, fired):
            port.after_edge(did)
        self.cycle += 1

    async def until(self, done, most):
        """Step until `done()`; fail after `most` cycles."""
        start = self.cycle
        while not done():
            assert self.cycle - start < most, f"nothing came within {most} cycles"
            await self.step()

    def stall(self, sources, sinks):
        found = (("sources", self.sources, sources), ("sinks", self.sinks, sinks))
        points.stalls(self.dut._name, **{whose: probability for whose, ports, probability in found if ports})
        for port in self.sources:
            port.stall = sources
        for port in self.sinks:
            port.stall = sinks
            if isinstance(port, ByteSink):  # others may be asked who is ready
                port.patient = sinks > 0 and random.random() < 0.25
