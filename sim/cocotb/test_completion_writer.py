# SPDX-License-Identifier: Apache-2.0
"""completion_writer: each completion becomes one entry of its queue's ring, in order; failed rings get none."""
import random

import cocotb
from cocotb.triggers import Timer

from pagepress_interface import COMPLETION_ENTRY_BYTES, CompletionEntry
from runner import run
from stream_bench import Bench, Sink, Source

QUEUES = 4
FIELDS = ("queueIndex", "kind", "tag", "status", "sourceLength", "producedLength", "crc32c", "detail", "engineCycles")


class Writer:
    def __init__(self, dut):
        self.dut = dut
        self.source = Source(dut, "io_completion", FIELDS)
        self.entry = Sink(dut, "io_entry", ["address", "data"])
        self.bench = Bench(dut, [self.source], [self.entry])
        self.depth = [1 << random.randint(1, 5) for _ in range(QUEUES)]
        self.claims, self.discarded, self.written = [0] * QUEUES, [0] * QUEUES, []
        self.bases = [(index + 1) << 40 | random.getrandbits(28) << 12 for index in range(QUEUES)]
        self.heads = [random.getrandbits(10) for _ in range(QUEUES)]
        self.discard = [False] * QUEUES
        self.answers, self.seen, self.pause = [], 0, 0.0
        dut.io_response_valid.value = 0

    async def step(self):
        dut = self.dut
        index = int(dut.io_look_queue.value) % QUEUES  # of the last completion's queue, any before the first
        for name, value in (("base", self.bases[index]), ("tail", self.claims[index] % self.depth[index]),
                            ("submissionHead", self.heads[index]), ("phase", 1 - self.claims[index] // self.depth[index] % 2),
                            ("discard", int(self.discard[index]))):
            getattr(dut, f"io_look_view_{name}").value = value
        answer = bool(self.answers) and random.random() >= self.pause
        dut.io_response_valid.value = int(answer)
        if answer:
            dut.io_response_payload.value = int(self.answers.pop(0))
        for port in self.bench.ports:
            port.before_edge()
        dut.clk.value = 0
        await Timer(1, "ns")
        if dut.io_written_valid.value == 1:
            self.written.append((int(dut.io_written_payload_queueIndex.value), int(dut.io_written_payload_value.value)))
        claim = None
        if dut.io_claim_valid.value == 1:
            claim = int(dut.io_claim_payload_queueIndex.value)
            assert int(dut.io_claim_payload_value.value) == int(self.discard[claim])
        fired = [port.at_edge(self.bench.cycle) for port in self.bench.ports]
        dut.clk.value = 1
        await Timer(1, "ns")
        for port, did in zip(self.bench.ports, fired):
            port.after_edge(did)
        self.bench.cycle += 1
        if claim is not None:
            self.claims[claim] += 1
            self.discarded[claim] += self.discard[claim]


@cocotb.test()
async def entries(dut):
    writer = Writer(dut)
    await writer.bench.reset()
    for stall, held in ((0, 0), (0.5, 0), (0, 200), (0.2, 200)):
        writer.bench.stall(stall, stall)
        begun = writer.bench.cycle
        expected, before = [], list(writer.claims)
        for _ in range(150):
            values = {"queueIndex": random.randrange(QUEUES), "kind": random.randrange(3), "tag": random.getrandbits(32),
                      "status": random.randrange(17), "sourceLength": random.getrandbits(13),
                      "producedLength": random.getrandbits(13), "crc32c": random.getrandbits(32),
                      "detail": random.getrandbits(64), "engineCycles": random.getrandbits(32)}
            queue = values["queueIndex"]
            place = before[queue]
            before[queue] += 1
            address = writer.bases[queue] + place % writer.depth[queue] * COMPLETION_ENTRY_BYTES
            expected.append((queue, address, CompletionEntry(
                detail=values["detail"], produced_length=values["producedLength"], crc32c=values["crc32c"],
                engine_cycles=values["engineCycles"], submission_head=writer.heads[queue], tag=values["tag"],
                status=values["status"], phase=1 - place // writer.depth[queue] % 2)))
            writer.source.send(**values)
        writer.entry.received.clear()
        writer.written.clear()
        faults, taken = [], 0
        while len(writer.written) < len(expected):
            # For so long no entry is taken, and for so long again none is answered: what waits for either is full.
            writer.entry.blocked = writer.bench.cycle < begun + held
            writer.pause = 1 if writer.bench.cycle < begun + 2 * held else stall
            await writer.step()
            while taken < len(writer.entry.received):
                got = writer.entry.received[taken]
                queue, address, entry = expected[taken]
                assert got["address"] == address
                assert CompletionEntry.unpack(got["data"].to_bytes(COMPLETION_ENTRY_BYTES, "little")) == entry
                faults.append(random.random() < 0.1)
                writer.answers.append(faults[-1])
                taken += 1
            assert writer.bench.cycle < 20000, "completions are missing"
        assert writer.written == [(queue, int(fault)) for (queue, _, _), fault in zip(expected, faults)]
        assert writer.claims == before


@cocotb.test()
async def failed_ring(dut):
    """A discarding queue's completions are claimed and never written; the other queues go on."""
    writer = Writer(dut)
    await writer.bench.reset()
    writer.discard[1] = True
    for index in range(40):
        writer.source.send(**{**dict.fromkeys(FIELDS, 0), "queueIndex": index % 2, "tag": index})
    for _ in range(600):
        await writer.step()
        while len(writer.entry.received) > writer.seen:
            assert writer.entry.received[writer.seen]["address"] >> 40 == 1
            writer.seen += 1
            writer.answers.append(False)
    assert writer.seen == 20 and writer.discarded[1] == 20 and writer.claims[:2] == [20, 20]
    assert dut.io_busy.value == 0


def test_completion_writer():
    run("completion_writer", module=__name__)
