# SPDX-License-Identifier: Apache-2.0
"""lane_crossing: no word is lost, doubled or late between two clocks of any ratio, and none outlives a reset."""
import random

import cocotb
from cocotb.triggers import Timer

from pagepress_interface import *  # noqa: F403 (statuses)
from runner import run
from stream_bench import BYTE_FIELDS, Sink, Source

BUS = 4000  # picoseconds of a cycle
# Of the lane's clock, and when it rises first: 250/300 MHz, equal ones in and out of phase, nearly equal, others.
RATIOS = ((3333, 0), (4000, 0), (4000, 1700), (4001, 5), (13700, 900), (1100, 300), (5000, 2500))
WORDS = 16  # room of a stream in the crossing
FIELDS = {"command": ("limit", "skipVerify"), "source": tuple(BYTE_FIELDS.values()), "sink": tuple(BYTE_FIELDS.values()),
          "result": ("status", "length", "crc32c", "detail")}
WIDTHS = {"limit": 14, "skipVerify": 1, "fragment_data": 128, "fragment_count": 5, "last": 1, "status": 8, "length": 14,
          "crc32c": 32, "detail": 64}


class Side:
    """A clock and the ports on it."""

    def __init__(self, clk, period, phase):
        self.clk, self.period, self.next = clk, period, phase
        self.edges, self.ports, self.runs = 0, [], True


class Crossing:
    """The block between a bus and a lane that send each other random words; `sent` and `came` since the last reset."""

    def __init__(self, dut, period, phase):
        self.dut = dut
        self.bus, self.lane = Side(dut.clk, BUS, 1000), Side(dut.engine_clk, period, phase)
        self.sources, self.sinks = {}, {}
        self.resets, self.opened = 0, False  # cycles of reset for the lane; commands are let in again since the last stop
        for name, fields in FIELDS.items():
            towards_lane = name in ("command", "source")
            ends = ("io_bus_", self.bus), ("io_lane_", self.lane)
            (push, first), (pop, second) = ends if towards_lane else ends[::-1]
            self.sources[name], self.sinks[name] = Source(dut, push + name, fields), Sink(dut, pop + name, fields)
            first.ports.append(self.sources[name])
            second.ports.append(self.sinks[name])
        self.sent = {name: [] for name in FIELDS}
        for clk in (dut.clk, dut.engine_clk):
            clk.value = 0
        dut.reset.value, dut.io_stopped.value = 1, 1

    def send(self, name, count):
        for _ in range(count):
            words = {field: random.getrandbits(WIDTHS[field]) for field in FIELDS[name]}
            self.sent[name].append(words)
            self.sources[name].send(**words)

    def forget(self, names):
        """What a reset does to those who use these streams; a port may then fall silent in the middle of an offer."""
        for name in names:
            source, sink = self.sources[name], self.sinks[name]
            source.queue.clear()
            source.offered, source.valid.value = False, 0
            self.sent[name].clear()
            sink.received.clear()

    async def edge(self):
        """The next rising edge of either clock, or of both."""
        for side in (self.bus, self.lane):
            if not side.runs:
                side.next = max(side.next, min(self.bus.next, self.lane.next) + 1)
        now = min(side.next for side in (self.bus, self.lane) if side.runs)
        due = [side for side in (self.bus, self.lane) if side.runs and side.next == now]
        for side in due:
            for port in side.ports:
                port.before_edge()
            side.clk.value = 0
        await Timer(1, "ns")
        held = self.dut.io_laneReset.value == 1
        if self.lane in due and held:
            self.resets += 1
        if self.bus in due and not self.opened and self.may_enter():
            self.opened = True
            assert not any(self.sinks[name].received for name in ("command", "source")), "the lane has not forgotten"
            assert self.resets >= 3, f"{self.resets} cycles of reset for the lane"
        fired = [(port, self.sees(side, port)) for side in due for port in side.ports]
        for side in due:
            side.clk.value = 1
        await Timer(1, "ns")
        for port, did in fired:
            port.after_edge(did)
        for side in due:
            side.edges += 1
            side.next += side.period
        if self.lane in due and held:  # the lane forgets
            self.forget_lane()

    def may_enter(self):
        return self.dut.io_bus_command_ready.value == 1 and self.dut.io_stopped.value == 0

    def sees(self, side, port):
        forgets = self.dut.io_laneReset if side is self.lane else self.dut.io_stopped
        if forgets.value == 1 and isinstance(port, Sink):
            port.waiting = None
            return False
        return port.at_edge(side.edges)

    def forget_lane(self):
        self.forget(("sink", "result"))
        for name in ("command", "source"):
            self.sinks[name].received.clear()

    async def edges(self, side, count):
        end = side.edges + count
        while side.edges < end:
            await self.edge()

    async def stop(self, cycles, reset):
        """READY falls, or the whole core is reset: the bus side forgets at once."""
        if any(self.sinks[name].received for name in ("command", "source")):
            self.resets = 0  # else the lane is as clean as the last one left it
        self.dut.io_stopped.value = 1
        self.dut.reset.value = int(reset)
        await self.edges(self.bus, 2)  # until `closed`
        self.forget(("command", "source"))
        for name in ("sink", "result"):
            self.sinks[name].received.clear()
        self.dut.reset.value, self.opened = 0, False
        await self.edges(self.bus, cycles)
        self.dut.io_stopped.value = 0

    def stall(self, probability):
        for port in self.bus.ports + self.lane.ports:
            port.stall = probability

    def check(self, whole):
        for name, sink in self.sinks.items():
            came, sent = sink.received, self.sent[name]
            assert came == (sent if whole else sent[:len(came)]), f"{name}: {len(came)} of {len(sent)} words, or not these"

    async def through(self, most=4000):
        """Until all that was sent has come."""
        end = self.bus.edges + most
        while not self.opened or any(len(self.sinks[name].received) < len(self.sent[name]) for name in FIELDS):
            await self.edge()
            assert self.bus.edges < end, {name: (len(self.sinks[name].received), len(self.sent[name])) for name in FIELDS}
        self.check(whole=True)


@cocotb.test()
async def words_cross_at_every_ratio(dut):
    """All words come once, in order, unchanged; at full rate without stalls; as late as a few cycles at most."""
    for period, phase in RATIOS:
        crossing = Crossing(dut, period, phase)
        await crossing.stop(3, reset=True)
        crossing.send("command", 1)
        await crossing.through()
        for name in FIELDS:  # one alone
            await crossing.edges(crossing.bus, 20)
            source = crossing.bus if name in ("command", "source") else crossing.lane
            sink = crossing.lane if source is crossing.bus else crossing.bus
            while crossing.sources[name].queue or not crossing.sent[name] or name == "command" and len(crossing.sent[name]) < 2:
                if not crossing.sources[name].queue:
                    crossing.send(name, 1)
                await crossing.edge()
            start = sink.edges
            await crossing.through()
            taken = crossing.sinks[name].cycles[-1] - start + 1
            assert taken <= 4, f"{name}: {taken} cycles on its way at {period} ps"
        slower = crossing.bus if period < BUS else crossing.lane
        start, count = slower.edges, 10 * WORDS
        for name in ("source", "sink"):
            crossing.send(name, count)
        await crossing.through()
        spent = slower.edges - start
        assert spent <= count + WORDS, f"{spent} cycles for {count} words at {period} ps"
        for _ in range(3):
            crossing.stall(random.choice((0.1, 0.5, 0.8)))
            for name in FIELDS:
                crossing.send(name, random.randint(1, 60))
            await crossing.through()
        crossing.stall(0)


@cocotb.test()
async def reset_at_any_moment(dut):
    """With words under way in all streams: nothing of before comes after, and nothing of after is lost, however fast."""
    for period, phase in (*RATIOS, (random.randint(500, 20000), random.randint(0, 4000))):
        crossing = Crossing(dut, period, phase)
        await crossing.stop(3, reset=True)
        for _ in range(8):
            crossing.stall(random.choice((0, 0.3, 0.7)))
            crossing.send("command", random.randint(1, 5))  # waits outside until the lane is ready
            crossing.send("source", random.randint(0, 60))
            if random.random() < 0.7:
                while not (crossing.opened and crossing.sinks["command"].received):
                    await crossing.edge()
                for name in ("sink", "result"):  # a lane that has no command is silent
                    crossing.send(name, random.randint(0, 60))
            await crossing.edges(random.choice((crossing.bus, crossing.lane)), random.randint(0, 80))
            if crossing.opened:
                crossing.check(whole=False)
            if random.random() < 0.3:
                await crossing.through()
            await crossing.stop(random.randint(0, 6), reset=random.random() < 0.5)
        crossing.stall(0)
        crossing.send("command", 1)
        await crossing.through()
        for name in FIELDS:
            crossing.send(name, 40)
        await crossing.through()


@cocotb.test()
async def a_clock_stands_still(dut):
    """Nothing enters before the lane's clock has run; a clock that stops, also in a reset, delays and changes nothing."""
    crossing = Crossing(dut, *RATIOS[0])
    crossing.lane.runs = False
    await crossing.stop(3, reset=True)
    crossing.send("command", 2)
    crossing.send("source", 5)
    await crossing.edges(crossing.bus, 60)
    assert not crossing.sources["command"].ready.value and len(crossing.sources["source"].queue) == 5
    crossing.lane.runs = True
    await crossing.through()
    for _ in range(10):
        for name in FIELDS:
            crossing.send(name, random.randint(1, 40))
        await crossing.edges(crossing.bus, random.randint(0, 30))
        stops, runs = random.sample((crossing.bus, crossing.lane), 2)
        stops.runs = False
        await crossing.edges(runs, random.randint(1, 40))
        if stops is crossing.lane and random.random() < 0.5:
            await crossing.stop(random.randint(0, 6), reset=False)
            crossing.send("command", 3)
            await crossing.edges(crossing.bus, 40)
            assert len(crossing.sources["command"].queue) == 3, "a command entered beside a lane whose reset has not begun"
        stops.runs = True
        while not crossing.opened:
            await crossing.edge()
        await crossing.through()


def test_lane_crossing():
    run("lane_crossing", module=__name__)
