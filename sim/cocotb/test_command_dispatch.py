# SPDX-License-Identifier: Apache-2.0
"""command_dispatch: each command reaches one engine of its kind or its completion, once; healthy idle engines first; queues by weight."""
import random

import cocotb

from exits import exits
from pagepress_interface import DEFAULT_WEIGHT, MAX_WEIGHT, STATUS_ABORTED, STATUS_INVALID_LENGTH, STATUS_SUCCESS
from runner import run
from stream_bench import Bench, Sink, Source
from weighted_turns import WIDEST_SHARE, longest_wait, longest_wait_ever, widest_share

QUEUES, COMPRESSORS, DECOMPRESSORS = 4, 3, 2
PAGE = 4096
WAITING = 16  # places of a queue
AHEAD = 2  # commands of a kind that have had their turn and wait for an engine
NONE, COMPRESS, DECOMPRESS = range(3)
COMMAND = ("queueIndex", "kind", "tag", "source", "destination", "sourceLength", "capacity", "expectedCrc32c",
           "skipVerify", "checkCrc")
ENDED = ("queueIndex", "kind", "tag", "status", "sourceLength", "producedLength", "crc32c", "detail", "engineCycles")


class Dispatch:
    def __init__(self, dut):
        self.dut = dut
        self.checked = Source(dut, "io_checked", [f"command_{name}" for name in COMMAND] + ["status"])
        self.compress = [Sink(dut, f"io_compress_command_{index}", COMMAND) for index in range(COMPRESSORS)]
        self.decompress = [Sink(dut, f"io_decompress_command_{index}", COMMAND) for index in range(DECOMPRESSORS)]
        self.ended = Sink(dut, "io_ended", ENDED)
        self.bench = Bench(dut, [self.checked], [*self.compress, *self.decompress, self.ended])
        self.exits = exits(dut)
        self.tags, self.left, self.handed, self.later = 0, [0] * QUEUES, [0] * QUEUES, []
        dut.io_queueEnabled.value = (1 << QUEUES) - 1
        self.weigh([DEFAULT_WEIGHT] * QUEUES)
        self.state(0, 0)

    def weigh(self, weights):
        for queue, weight in enumerate(weights):
            getattr(self.dut, f"io_weights_{queue}").value = weight

    def state(self, idle, faulty, ports="compress"):
        """Set engines' flags; the other kind's are all idle and healthy."""
        dut = self.dut
        dut.io_compress_idle.value, dut.io_compress_faulty.value = (1 << COMPRESSORS) - 1, 0
        dut.io_decompress_idle.value, dut.io_decompress_faulty.value = (1 << DECOMPRESSORS) - 1, 0
        getattr(dut, f"io_{ports}_idle").value, getattr(dut, f"io_{ports}_faulty").value = idle, faulty

    def send(self, kind, queue=0, status=STATUS_SUCCESS):
        self.tags += 1
        widths = {"source": 64, "destination": 64, "sourceLength": 13, "capacity": 13, "expectedCrc32c": 32,
                  "skipVerify": 1, "checkCrc": 1}
        command = {"queueIndex": queue, "kind": kind, "tag": self.tags,
                   **{name: random.getrandbits(width) for name, width in widths.items()}}
        if status == STATUS_SUCCESS:  # what is checked has these, and engines are given these
            command |= {COMPRESS: {"sourceLength": PAGE, "expectedCrc32c": 0, "checkCrc": 0},
                        DECOMPRESS: {"capacity": PAGE, "skipVerify": 0}}.get(kind, {})
        self.later.append(({"status": status, **{f"command_{name}": value for name, value in command.items()}}, queue))
        return command

    def hand_over(self):
        """Have the next command checked once its queue has a place."""
        if self.later and not self.checked.queue:
            values, queue = self.later[0]
            if self.handed[queue] - self.left[queue] < WAITING:
                self.later.pop(0)
                self.handed[queue] += 1
                self.checked.send(**values)

    async def step(self):
        self.hand_over()
        await self.bench.step()
        for exit_ in self.exits:
            if getattr(self.dut, f"{exit_}_valid").value == 1:
                self.left[int(getattr(self.dut, f"{exit_}_payload").value)] += 1

    async def steps(self, count):
        for _ in range(count):
            await self.step()

    def at_engines(self, sinks):
        return sorted((got for sink in sinks for got in sink.received), key=lambda got: got["tag"])


def check_ended(dispatch, expected):
    """Those and no others have ended without an engine; `expected`: commands and their statuses."""
    def whose(got):
        return got["tag"], got["queueIndex"], got["kind"], got["sourceLength"]
    assert sorted((*whose(got), got["status"]) for got in dispatch.ended.received) == sorted(
        (*whose(command), status) for command, status in expected)
    assert all(got["producedLength"] == got["crc32c"] == got["detail"] == got["engineCycles"] == 0
               for got in dispatch.ended.received)


@cocotb.test()
async def everything_once(dut):
    dispatch = Dispatch(dut)
    await dispatch.bench.reset()
    dispatch.bench.stall(0.2, 0.6)
    sent = {NONE: [], COMPRESS: [], DECOMPRESS: [], "refused": []}
    for _ in range(200):
        kind, queue = random.randrange(3), random.randrange(QUEUES)
        refused = random.random() < 0.2
        command = dispatch.send(kind, queue, STATUS_INVALID_LENGTH if refused else STATUS_SUCCESS)
        sent["refused" if refused else kind].append(command)
    for _ in range(4000):
        dispatch.state(random.randrange(1 << COMPRESSORS), 0)
        await dispatch.step()
    assert dispatch.at_engines(dispatch.compress) == sent[COMPRESS]
    assert dispatch.at_engines(dispatch.decompress) == sent[DECOMPRESS]
    for sink in dispatch.compress + dispatch.decompress:
        assert sink.received, "an engine never gets work"
        for queue in range(QUEUES):
            tags = [got["tag"] for got in sink.received if got["queueIndex"] == queue]
            assert tags == sorted(tags), "commands of a kind and a queue overtake each other"
    check_ended(dispatch, [(command, STATUS_SUCCESS) for command in sent[NONE]] +
                [(command, STATUS_INVALID_LENGTH) for command in sent["refused"]])
    everything = sum(sent.values(), [])
    assert dispatch.left == [sum(command["queueIndex"] == queue for command in everything) for queue in range(QUEUES)]
    assert dut.io_busy.value == 0


@cocotb.test()
async def decompress_passes_compress(dut):
    """With every compressor blocked and all but one of its queue's places taken, a decompress command goes straight through."""
    dispatch = Dispatch(dut)
    await dispatch.bench.reset()
    for sink in dispatch.compress:
        sink.blocked = True
    for _ in range(WAITING - 1):
        dispatch.send(COMPRESS, queue=1)
    late = dispatch.send(DECOMPRESS, queue=1)
    await dispatch.steps(40)
    assert dispatch.at_engines(dispatch.decompress) == [late]


@cocotb.test()
async def best_engine_first(dut):
    """Idle before merely willing, healthy before faulty, faulty ones when there is nothing else."""
    dispatch = Dispatch(dut)
    await dispatch.bench.reset()
    for idle, faulty, allowed in ((0b010, 0b000, {1}), (0b111, 0b011, {2}), (0b001, 0b001, {1, 2}),
                                  (0b000, 0b101, {1}), (0b000, 0b111, {0, 1, 2}), (0b100, 0b111, {2})):
        dispatch.state(idle, faulty)
        for sink in dispatch.compress:
            sink.received.clear()
        for _ in range(12):
            dispatch.send(COMPRESS)
        await dispatch.steps(40)
        used = {index for index, sink in enumerate(dispatch.compress) if sink.received}
        assert used == allowed, f"idle {idle:03b}, faulty {faulty:03b}: engines {used}"
        assert len(dispatch.at_engines(dispatch.compress)) == 12
        # A faulty engine gets nothing even while the healthy ones are full.
        if faulty not in (0, 0b111):
            for index, sink in enumerate(dispatch.compress):
                sink.blocked = not faulty >> index & 1
            await dispatch.steps(2)
            before = [len(sink.received) for sink in dispatch.compress]
            dispatch.send(COMPRESS)
            await dispatch.steps(20)
            assert [len(sink.received) for sink in dispatch.compress] == before, "a faulty engine gets work"
            for sink in dispatch.compress:
                sink.blocked = False
            await dispatch.steps(20)


@cocotb.test()
async def disabled_queues_abort(dut):
    dispatch = Dispatch(dut)
    await dispatch.bench.reset()
    for sink in dispatch.compress + dispatch.decompress:
        sink.blocked = True
    await dispatch.steps(2)
    commands = [dispatch.send(random.choice((COMPRESS, DECOMPRESS)), queue=random.randrange(QUEUES)) for _ in range(40)]
    await dispatch.steps(60)
    dut.io_queueEnabled.value = 0b1011
    for sink in dispatch.compress + dispatch.decompress:
        sink.blocked = False
    await dispatch.steps(120)
    check_ended(dispatch, [(command, STATUS_ABORTED) for command in commands if command["queueIndex"] == 2])
    assert dispatch.ended.received
    ran = dispatch.at_engines(dispatch.compress + dispatch.decompress)
    assert ran == [command for command in commands if command["queueIndex"] != 2]


def order_of(sinks):
    """The queues of what engines have taken, as it came."""
    taken = [(cycle, got["queueIndex"]) for sink in sinks for cycle, got in zip(sink.cycles, sink.received)]
    assert len({cycle for cycle, _ in taken}) == len(taken), "two commands of a kind in one cycle"
    return [queue for _, queue in sorted(taken)]


@cocotb.test()
async def shares_follow_weights(dut):
    """While all queues have commands of a kind waiting its engines are shared by the weights, whatever stalls; no queue waits for longer
    than it may; and weights that are changed on the way count from the next cycle of turns on."""
    for kind in (COMPRESS, DECOMPRESS):
        dispatch = Dispatch(dut)
        await dispatch.bench.reset()
        dispatch.bench.stall(0.1, 0.95)
        powers = [[1 << (queue + first) % QUEUES for queue in range(QUEUES)] for first in range(QUEUES)]  # each bit of each queue's weight alone
        others = random.choice(([1, 2, 3, MAX_WEIGHT], [5, 5, 1, 7], [MAX_WEIGHT] * 4, [random.randint(1, MAX_WEIGHT) for _ in range(QUEUES)]))
        await share(dispatch, kind, random.sample([*powers, others], 5))


async def share(dispatch, kind, choices):
    """Weights as `choices` has them, one after the other."""
    sinks = dispatch.compress if kind == COMPRESS else dispatch.decompress
    expected = [[] for _ in range(QUEUES)]
    for change, weights in enumerate(choices):
        dispatch.weigh(weights)
        begun = len(order_of(sinks))
        settled = begun + (QUEUES * (MAX_WEIGHT + 1) + AHEAD if change else 0)  # the rest of a cycle of turns by other weights
        while len(order_of(sinks)) < settled + 5 * sum(weights):
            for queue in range(QUEUES):
                inside = dispatch.handed[queue] - dispatch.left[queue]
                assert inside > AHEAD or begun == 0, f"queue {queue} has {inside} commands: it does not always wait"
                if inside < WAITING and not any(whose == queue for _, whose in dispatch.later):
                    expected[queue].append(dispatch.send(kind, queue))
            for sink in sinks:
                sink.blocked = min(dispatch.handed) < WAITING  # until every queue has all that it may have
            await dispatch.step()
        order = order_of(sinks)
        for first in range(QUEUES):
            for second in range(first):
                wide = widest_share(order[settled:], weights, first, second)
                assert wide <= WIDEST_SHARE, f"queues {first} and {second} of weights {weights}: {wide}"
            others = "".join("." if queue == first else "x" for queue in order[settled:]).split(".")
            assert max(map(len, others)) <= longest_wait(weights, first)
            assert max(map(len, "".join("." if queue == first else "x" for queue in order).split("."))) <= longest_wait_ever(QUEUES)
    taken = dispatch.at_engines(sinks)
    for queue in range(QUEUES):
        ran = [got for got in taken if got["queueIndex"] == queue]
        assert ran == expected[queue][:len(ran)], "commands of a queue overtake each other"


def test_command_dispatch():
    run("command_dispatch", module=__name__)
