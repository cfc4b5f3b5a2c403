# SPDX-License-Identifier: Apache-2.0
"""core: cycles that a command spends outside its engine and the link; rtl/README.md defines them.

A pushed command was written to its window before; its cycles count from the doorbell as well."""
import random
import statistics

import cocotb
from cocotb.triggers import RisingEdge

import lzo
from core_bench import PAGE, QUIET, CoreBench
from pagepress_interface import *  # noqa: F403 (statuses)
from runner import run
from stalls import Stalls

# The medians of the recorded pages, as rtl/README.md states them, and some cycles for buffers that lie worse.
MOST = {"compress": 77 + 4, "decompress": 50 + 4, "decompress pushed": 36 + 4}
PAGES = 6
PORTS = {name: f"m_axi_{name}" for name in (
    "arvalid", "arready", "rvalid", "rlast", "awvalid", "awready", "wvalid", "wready", "wlast", "bvalid")}
COMPRESSOR, DECOMPRESSOR = "compressUnits_0.lane", "decompressUnits_0.lane"
INSIDE = {
    OPCODE_COMPRESS: (f"{COMPRESSOR}.compressor.io_source_valid", f"{COMPRESSOR}.verifier.io_verdict_valid", None),
    OPCODE_DECOMPRESS: (f"{DECOMPRESSOR}.engine.io_source_valid", f"{DECOMPRESSOR}.engine.io_sink_valid",
                        f"{DECOMPRESSOR}.engine.io_sink_payload_last"),
}


class Watch:
    """What happens at the core's bus, and when its engine begins and ends, in the cycles of one command."""

    def __init__(self, dut, opcode):
        self.dut, self.cycle = dut, 0
        self.ports = {name: getattr(dut, port) for name, port in PORTS.items()}
        self.doorbell = dut.s_axi_wvalid, dut.s_axi_wready
        self.begins, self.ends, self.last = (path and self.signal(path) for path in INSIDE[opcode])
        self.rung = self.begun = self.ended = None
        self.events = {name: [] for name in ("request", "data", "data end", "beat", "beat end", "answer")}
        self.task = cocotb.start_soon(self.run())

    def signal(self, path):
        handle = self.dut
        for name in path.split("."):
            handle = getattr(handle, name)
        return handle

    async def run(self):
        while True:
            await RisingEdge(self.dut.clk)
            self.cycle += 1
            now = {name: bool(port.value) for name, port in self.ports.items()}
            for event, happens in (
                    ("request", now["arvalid"] and now["arready"]), ("data", now["rvalid"]),
                    ("data end", now["rvalid"] and now["rlast"]), ("beat", now["wvalid"] and now["wready"]),
                    ("beat end", now["wvalid"] and now["wready"] and now["wlast"]), ("answer", now["bvalid"])):
                if happens:
                    self.events[event].append(self.cycle)
            if self.rung is None and all(signal.value for signal in self.doorbell):
                self.rung = self.cycle
            if self.begun is None and self.begins.value:
                self.begun = self.cycle
            if self.ends.value and (self.last is None or self.last.value):
                self.ended = self.cycle

    def outside(self, pushed):
        """Cycles before the engine and behind it, without those of the link."""
        self.task.cancel()
        events = self.events
        entry = 0 if pushed else events["data end"][0] - events["request"][0]
        page = next(at for at in events["data"] if pushed or at > events["data end"][0]) - events["request"][0 if pushed else 1]
        before = self.begun - self.rung - entry - page
        *_, written, completed = events["beat end"]
        sending = sum(self.ended < at <= written for at in events["beat"])
        answer = events["answer"][-2] - written
        behind = completed - self.ended - sending - answer
        return before, behind


@cocotb.test()
async def outside_engine_and_link(dut):
    bench = await CoreBench.start(dut, stalls=0)
    await bench.enable()
    ring = await bench.ring(0)
    pages = [page for page in lzo.fixed_pages(4 * PAGES) if len(lzo.compress(page, "lzo1x_1")) < 3 * PAGE // 4][:PAGES]
    def decompress(page):
        return bench.decompress(lzo.compress(page, "lzo1x_1"), page)

    found = {}
    for kind, make, pushed in (("compress", bench.compress, False), ("decompress", decompress, False),
                               ("decompress pushed", decompress, True)):
        figures = []
        for page in pages:
            job = make(page)
            await bench.cycles(50)
            for offset, dword in ring.push(job) if pushed else ():
                await bench.write(offset, dword)
            watch = Watch(dut, job.entry.opcode)
            await ring.submit([job])
            while not ring.poll():
                await bench.cycles(1)
            await bench.cycles(4)
            assert job.completion.status == STATUS_SUCCESS
            figures.append(watch.outside(pushed))
            await ring.acknowledge()
        found[kind] = statistics.median(map(sum, figures))
        cocotb.log.info("%s: %d cycles outside engine and link, %d of them before the engine", kind, found[kind],
                         statistics.median(before for before, _ in figures))
        assert found[kind] <= MOST[kind]
    assert found["decompress pushed"] < found["decompress"]
    assert (await bench.counters())["commands_pushed"] == len(pages)


@cocotb.test()
async def engine_cycles_on_the_bus(dut):
    """However long a command's data take to come, engine_cycles is the time between the first request for them and the completion
    that leaves, less the same few cycles for every command of a kind. Nothing is written but completions, as a page's way out ends later."""
    bench = await CoreBench.start(dut, stalls=0)
    await bench.enable()
    ring = await bench.ring(0)
    data = Stalls(dut.clk, [bench.bus.read_if.r_channel])

    def nothing(_):
        return bench.decompress(lzo.compress(b"", "lzo1x_1") + bytes(random.randrange(PAGE)), None)  # it ends at once

    for make, status in ((bench.compress, STATUS_INCOMPRESSIBLE), (nothing, STATUS_MALFORMED_STREAM)):
        less, told = set(), set()
        for stalls in (0, 0.1, 0.6, 0, 0.9):
            job = make(random.randbytes(PAGE))
            data.set(stalls)
            watch = Watch(dut, job.entry.opcode)
            await ring.submit([job])
            while not ring.poll():
                await bench.cycles(1)
            await bench.cycles(4)
            watch.task.cancel()
            assert job.completion.status == status
            told.add(job.completion.engine_cycles)
            less.add(watch.events["beat end"][-1] - watch.events["request"][1] - job.completion.engine_cycles)
            await ring.acknowledge()
        cocotb.log.info("%s: %d to %d cycles in the engine, %s less than on the bus", status, min(told), max(told), less)
        assert len(less) == 1 and 0 < max(less) < 12 and max(told) > 2 * min(told)


def test_core_latency():
    run("core", module=__name__, environment=QUIET)
