# SPDX-License-Identifier: Apache-2.0
"""The software side of a core under test: registers, rings, buffers.

    bench = await CoreBench.start(dut)
    ring = await bench.ring(0, depth_log2=4)
    job = bench.compress(page)
    await ring.run([job])                     # submits, waits for all, acknowledges
    assert job.completion.status == STATUS_SUCCESS

The card's memory is a HostMemory: a job opens exactly the bytes that the card may write. The AXI and
AXI4-Lite sides are cocotbext-axi's models. `bench.finish()` checks that nothing else was touched.
"""
import logging
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiSlave

import pagepress_interface as interface
from functional import points
from host_memory import FILL, HostMemory
from push_window import push_writes
from stalls import CLOCK_NS, Stalls, axi_channels

PAGE = 4096
ENGINE_CLOCK_PS = (3332, 3332, 4000, 2100, 7000)  # cycles of the engines' own clock, where there is one
# The bus models use names that cocotb has replaced; their warnings would bury a failure.
QUIET = {"PYTHONWARNINGS": "ignore::DeprecationWarning"}


def start_engine_clock(dut):
    """Start the engines' own clock at a speed drawn anew, if `dut` has one; return it."""
    if not hasattr(dut, "engine_clk"):
        return None
    clock = Clock(dut.engine_clk, random.choice(ENGINE_CLOCK_PS), "ps")
    clock.start()
    return clock


class Job:
    """One command and what came of it."""

    def __init__(self, entry, plain=None, destination=None):
        self.entry, self.plain, self.destination = entry, plain, destination
        self.completion = None

    def __repr__(self):
        return f"Job({self.entry}, completion {self.completion})"


class CoreBench:
    @classmethod
    async def start(cls, dut, stalls=None):
        """Reset the core and give its bus models `stalls` (a probability; None draws one)."""
        self = cls()
        self.dut, self.memory, self.tags, self.rings = dut, HostMemory(len(dut.m_axi_araddr)), set(), []
        self.cycle, self.standing = 0, {}  # queue → how software last saw it
        logging.getLogger(f"cocotb.{dut._name}").setLevel(logging.ERROR)
        dut.reset.value = 1
        if hasattr(dut, "lanes_action_valid"):
            dut.lanes_action_valid.value = 0  # nobody asks anything of the lanes
        self.clock = Clock(dut.clk, CLOCK_NS, "ns")
        self.clock.start()
        self.engine_clock = start_engine_clock(dut)
        self.lite = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi"), dut.clk, dut.reset)
        self.bus = AxiSlave(AxiBus.from_prefix(dut, "m_axi"), dut.clk, dut.reset, target=self.memory)
        for model in (self.lite.write_if, self.lite.read_if, self.bus.write_if, self.bus.read_if):
            model.log.setLevel(logging.ERROR)
        self.channels = Stalls(dut.clk, axi_channels(self.bus))
        await ClockCycles(dut.clk, 5)
        dut.reset.value = 0
        self.set_stalls(random.choice((0, 0, 0.1, 0.4)) if stalls is None else stalls)
        self.watching = cocotb.start_soon(self.watch())
        await ClockCycles(dut.clk, 2)
        return self

    def set_stalls(self, probability):
        self.channels.set(probability)

    async def watch(self):
        """Count cycles and what is outstanding on the bus."""
        dut = self.dut
        self.reads_out = self.writes_out = 0
        while True:
            await RisingEdge(dut.clk)
            self.cycle += 1
            if dut.m_axi_arvalid.value and dut.m_axi_arready.value:
                self.reads_out += 1
            if dut.m_axi_rvalid.value and dut.m_axi_rready.value and dut.m_axi_rlast.value:
                self.reads_out -= 1
            if dut.m_axi_awvalid.value and dut.m_axi_awready.value:
                self.writes_out += 1
            if dut.m_axi_bvalid.value and dut.m_axi_bready.value:
                self.writes_out -= 1

    # Registers.

    async def read(self, offset):
        value = await self.lite.read_dword(offset)
        self.meet(offset, value)
        return value

    def meet(self, offset, value):
        """Counts functional points: how the card and its queues stand, as software sees it."""
        if offset == interface.REGISTER_FATAL_CAUSE and value:
            points.stopped("card", value)
        index, inside = divmod(offset - interface.QUEUE_BASE, interface.QUEUE_STRIDE)
        if inside == interface.REGISTER_QUEUE_STATUS and 0 <= index < interface.MAX_QUEUE_PAIRS:
            error, active = value & interface.QUEUE_STATUS_ERROR_MASK, value & interface.QUEUE_STATUS_ACTIVE_MASK
            if error:
                points.stopped("queue", value >> interface.QUEUE_STATUS_CAUSE_SHIFT)
            standing = "error" if error else "active" if active else "off"
            before = self.standing.get(index, "off")
            if before != standing:
                points.queue(before, standing)
            self.standing[index] = standing

    async def write(self, offset, value):
        await self.lite.write_dword(offset, value)

    def queue_register(self, index, offset):
        return interface.QUEUE_BASE + index * interface.QUEUE_STRIDE + offset

    async def doorbell(self, index, offset, value):
        await self.write(interface.DOORBELL_BASE + index * interface.DOORBELL_STRIDE + offset, value)

    async def counters(self):
        found = {}
        for index, name in enumerate(interface.COUNTER_NAMES):
            offset = interface.COUNTER_BASE + 8 * index
            high, again = None, await self.read(offset + 4)
            for _ in range(3):  # no counter carries twice in so little time
                high, low = again, await self.read(offset)
                again = await self.read(offset + 4)
                if high == again:
                    break
            assert high == again, f"{name}: its upper half never rests"
            found[name] = high << 32 | low
        return found

    # The card and its rings.

    async def enable(self):
        await self.write(interface.REGISTER_CONTROL, interface.CONTROL_ENABLE_MASK)
        await self.until(lambda value: value & interface.STATUS_READY_MASK, interface.REGISTER_STATUS)

    async def disable(self):
        """Disable the card; when READY has fallen nothing may be outstanding."""
        await self.write(interface.REGISTER_CONTROL, 0)
        await self.until(lambda value: not value & interface.STATUS_READY_MASK, interface.REGISTER_STATUS)
        assert self.reads_out == 0 and self.writes_out == 0, (
            f"READY fell with {self.reads_out} reads and {self.writes_out} writes outstanding")

    async def until(self, good, offset, most=20000):
        """Poll a register."""
        start = self.cycle
        while True:
            value = await self.read(offset)
            if good(value):
                return value
            assert self.cycle - start < most, f"register {offset:#x} is still {value:#x} after {most} cycles"

    async def ring(self, index, depth_log2=4, count=1, cycles=0):
        ring = Ring(self, index, depth_log2)
        await ring.enable(count, cycles)
        return ring

    def interrupt(self, vector):
        return bool(int(self.dut.interrupt.value) >> vector & 1)

    async def cycles(self, count):
        await ClockCycles(self.dut.clk, count)

    # Jobs.

    def tag(self):
        while True:
            tag = random.getrandbits(32)
            if tag not in self.tags:
                self.tags.add(tag)
                return tag

    def place(self, size):
        """A place that begins at any byte, often where pages and buffers begin."""
        return self.memory.place(size, random.choice((1, 1, 64, PAGE)))

    def source(self, data):
        address = self.place(len(data))
        self.memory.poke(address, data)
        return address

    def destination(self, size):
        address = self.place(size)
        self.memory.open(address, size)
        return address

    def nop(self, **changes):
        return Job(interface.SubmissionEntry(**{"tag": self.tag(), "opcode": interface.OPCODE_NOP, **changes}))

    def compress(self, page, capacity=PAGE, **changes):
        entry = interface.SubmissionEntry(
            opcode=interface.OPCODE_COMPRESS, format=interface.FORMAT_LZO1X, tag=self.tag(),
            source_address=self.source(page), destination_address=self.destination(capacity),
            source_length=len(page), destination_capacity=capacity)
        return self.job(entry, changes, page, capacity)

    def decompress(self, stream, plain, crc=None, **changes):
        size = len(plain) if plain else PAGE
        entry = interface.SubmissionEntry(
            opcode=interface.OPCODE_DECOMPRESS, format=interface.FORMAT_LZO1X, tag=self.tag(),
            flags=0 if crc is None else interface.FLAG_CHECK_CRC, expected_crc32c=crc or 0,
            source_address=self.source(stream), destination_address=self.destination(size),
            source_length=len(stream), destination_capacity=size)
        return self.job(entry, changes, plain, size)

    def job(self, entry, changes, plain, capacity):
        destination = (entry.destination_address, capacity)
        for name, value in changes.items():
            setattr(entry, name, value)
        return Job(entry, plain, destination)

    def output(self, job):
        """What the card produced; the rest of the destination must be untouched."""
        address, capacity = job.destination
        data = self.memory.peek(address, capacity)
        length = job.completion.produced_length
        rest = data[length:]
        assert rest == bytes([FILL]) * len(rest), f"bytes past the output were written: {job}"
        return data[:length]

    def untouched(self, job):
        address, capacity = job.destination
        assert self.memory.peek(address, capacity) == bytes([FILL]) * capacity, f"destination written: {job}"

    def finish(self):
        assert not self.memory.violations, f"stray writes (address, bytes): {self.memory.violations[:5]}"


class Ring:
    """One queue pair as software runs it."""

    def __init__(self, bench, index, depth_log2):
        self.bench, self.index, self.depth = bench, index, 1 << depth_log2
        self.depth_log2 = depth_log2
        self.submission = bench.memory.place(self.depth * interface.SUBMISSION_ENTRY_BYTES, interface.RING_ALIGNMENT)
        self.completion = bench.memory.place(self.depth * interface.COMPLETION_ENTRY_BYTES, interface.RING_ALIGNMENT)
        bench.memory.open(self.completion, self.depth * interface.COMPLETION_ENTRY_BYTES)

    async def write(self, offset, value):
        await self.bench.write(self.bench.queue_register(self.index, offset), value)

    async def read(self, offset):
        return await self.bench.read(self.bench.queue_register(self.index, offset))

    async def enable(self, count=1, cycles=0):
        self.tail = self.head = self.taken = self.submitted = 0
        self.phase = 1
        self.open = {}  # tag → job
        self.done = 0
        size = self.depth * interface.COMPLETION_ENTRY_BYTES
        self.bench.memory.poke(self.completion, bytes(size))
        for offset, base in ((interface.REGISTER_SUBMISSION_BASE_LOW, self.submission),
                             (interface.REGISTER_COMPLETION_BASE_LOW, self.completion)):
            await self.write(offset, base & 0xFFFFFFFF)
            await self.write(offset + 4, base >> 32)
        await self.write(interface.REGISTER_DEPTH_LOG2, self.depth_log2)
        await self.write(interface.REGISTER_MODERATION,
                         count << interface.MODERATION_COUNT_SHIFT | cycles << interface.MODERATION_CYCLES_SHIFT)
        await self.write(interface.REGISTER_QUEUE_CONTROL, interface.QUEUE_CONTROL_ENABLE_MASK)

    async def disable(self):
        await self.write(interface.REGISTER_QUEUE_CONTROL, 0)
        await self.bench.until(lambda value: not value & interface.QUEUE_STATUS_ACTIVE_MASK,
                               self.bench.queue_register(self.index, interface.REGISTER_QUEUE_STATUS))

    def room(self):
        return (self.head - self.tail - 1) % self.depth

    def push(self, job, number=None):
        """What pushes `job` as the next entry, or as the `number`th since the ring was enabled: [(offset, dword)]."""
        return push_writes(self.index, job.entry, self.submitted if number is None else number)

    async def submit(self, jobs, pushes=()):
        """Put all of `jobs` (no more than there is room for) in the ring, write `pushes` and ring the doorbell."""
        assert len(jobs) <= self.room()
        for job in jobs:
            self.bench.memory.poke(self.submission + self.tail * interface.SUBMISSION_ENTRY_BYTES, job.entry.pack())
            assert job.entry.tag not in self.open
            self.open[job.entry.tag] = job
            self.tail = (self.tail + 1) % self.depth
        self.submitted += len(jobs)
        for offset, dword in pushes:
            await self.bench.write(offset, dword)
        await self.bench.doorbell(self.index, interface.REGISTER_SUBMISSION_TAIL, self.tail)

    def poll(self):
        """Take every completion that is there, without acknowledging; returns their jobs."""
        found = []
        while True:
            where = self.completion + self.taken * interface.COMPLETION_ENTRY_BYTES
            entry = interface.CompletionEntry.unpack(
                self.bench.memory.peek(where, interface.COMPLETION_ENTRY_BYTES))
            if entry.phase != self.phase:
                assert entry.phase in (0, 1), f"phase {entry.phase}"
                return found
            assert entry.tag in self.open, f"completion of nothing that is open (lost, doubled or foreign): {entry}"
            assert entry.reserved == bytes(2) and entry.reserved2 == bytes(2), entry
            job = self.open.pop(entry.tag)
            job.completion = entry
            points.completion(job.entry, entry)
            self.head = entry.submission_head
            found.append(job)
            self.done += 1
            self.taken = (self.taken + 1) % self.depth
            if self.taken == 0:
                self.phase ^= 1

    async def acknowledge(self):
        await self.bench.doorbell(self.index, interface.REGISTER_COMPLETION_HEAD, self.taken)

    async def run(self, jobs, most=200000, burst=None):
        """Submit `jobs` in random batches as room allows, take all completions."""
        waiting, start = list(jobs), self.bench.cycle
        while waiting or self.open:
            count = min(self.room(), len(waiting), random.randint(1, burst or 16))
            if count:
                await self.submit(waiting[:count])
                del waiting[:count]
            if self.poll():
                await self.acknowledge()
            else:
                await self.bench.cycles(random.randint(1, 40))
            assert self.bench.cycle - start < most, (
                f"queue {self.index}: {len(self.open)} of {len(jobs)} commands open after {most} cycles")
        return jobs
