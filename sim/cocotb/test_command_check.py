# SPDX-License-Identifier: Apache-2.0
"""command_check: every field of an entry reaches its command, and the first objection in the order of statuses is the answer."""
import random

import cocotb

from pagepress_interface import *  # noqa: F403 (statuses, entries)
from runner import run
from stream_bench import Bench, Sink, Source

PAGE, END = 4096, 1 << 64
NONE, COMPRESS, DECOMPRESS = range(3)
FIELDS = ["status", *(f"command_{name}" for name in (
    "queueIndex", "kind", "tag", "source", "destination", "sourceLength", "capacity", "expectedCrc32c", "skipVerify", "checkCrc"))]
WIDE = (0, 1, PAGE - 1, PAGE, PAGE + 1, 2 * PAGE - 1, 2 * PAGE, 2 * PAGE + 1, 1 << 31, (1 << 31) + PAGE, 0xFFFFFFFF)


def good(opcode):
    """An entry that may run."""
    length = PAGE if opcode == OPCODE_COMPRESS else random.randint(1, 2 * PAGE)
    return SubmissionEntry(
        opcode=opcode, format=FORMAT_LZO1X, flags=random.choice((0, FLAG_SKIP_VERIFY, FLAG_CHECK_CRC, FLAG_SKIP_VERIFY | FLAG_CHECK_CRC)),
        tag=random.getrandbits(32), source_address=random.getrandbits(64) | 1, destination_address=random.getrandbits(64) | 1,
        source_length=length, destination_capacity=random.randint(1, PAGE) if opcode == OPCODE_COMPRESS else PAGE,
        expected_crc32c=random.getrandbits(32), reserved=bytes(28))


def spoil(entry):
    """Change one field, perhaps for the worse."""
    name = random.choice(("opcode", "format", "flags", "source_length", "destination_capacity", "source_address",
                          "destination_address", "reserved"))
    value = {
        "opcode": lambda: random.getrandbits(8), "format": lambda: random.getrandbits(8),
        "flags": lambda: entry.flags | 1 << random.randrange(16),
        "source_length": lambda: random.choice(WIDE), "destination_capacity": lambda: random.choice(WIDE),
        "source_address": lambda: random.choice((0, 1 << random.randrange(64))),
        "destination_address": lambda: random.choice((0, 1 << random.randrange(64))),
        "reserved": lambda: (1 << random.randrange(8 * 28)).to_bytes(28, "little"),
    }[name]()
    setattr(entry, name, value)


def verdict(entry):
    """What the interface says of an entry."""
    moves = entry.opcode in (OPCODE_COMPRESS, OPCODE_DECOMPRESS)
    if not moves and entry.opcode != OPCODE_NOP:
        return STATUS_INVALID_OPCODE
    if moves and entry.format != FORMAT_LZO1X:
        return STATUS_INVALID_FORMAT
    if entry.flags & ~(FLAG_SKIP_VERIFY | FLAG_CHECK_CRC) or any(entry.reserved):
        return STATUS_INVALID_FLAGS
    compresses = entry.opcode == OPCODE_COMPRESS
    lengths = range(PAGE, PAGE + 1) if compresses else range(1, 2 * PAGE + 1)
    capacities = range(1, PAGE + 1) if compresses else range(PAGE, PAGE + 1)
    if moves and (entry.source_length not in lengths or entry.destination_capacity not in capacities):
        return STATUS_INVALID_LENGTH
    if moves and any(not address or address + length > END for address, length in (
            (entry.source_address, entry.source_length), (entry.destination_address, entry.destination_capacity))):
        return STATUS_INVALID_ADDRESS
    return STATUS_SUCCESS


async def examine(dut, entries, stalls):
    source, sink = Source(dut, "io_entry", ["queueIndex", "bytes"]), Sink(dut, "io_checked", FIELDS)
    bench = Bench(dut, sources=[source], sinks=[sink])
    await bench.reset()
    bench.stall(*stalls)
    queues = [random.randrange(4) for _ in entries]
    for entry, queue in zip(entries, queues):
        source.send(queueIndex=queue, bytes=int.from_bytes(entry.pack(), "little"))
    await bench.until(lambda: len(sink.received) == len(entries), 40 * len(entries) + 100)
    for entry, queue, found in zip(entries, queues, sink.received):
        status = verdict(entry)
        assert found["status"] == status, f"{entry}: {STATUS_NAMES[found['status']]}, not {STATUS_NAMES[status]}"
        assert (found["command_queueIndex"], found["command_tag"]) == (queue, entry.tag)
        kind = {OPCODE_COMPRESS: COMPRESS, OPCODE_DECOMPRESS: DECOMPRESS}.get(entry.opcode, NONE)
        assert found["command_kind"] == kind
        if status or kind == NONE:
            continue
        for name, value in (("source", entry.source_address), ("destination", entry.destination_address),
                            ("sourceLength", entry.source_length), ("capacity", entry.destination_capacity),
                            ("expectedCrc32c", entry.expected_crc32c), ("skipVerify", int(bool(entry.flags & FLAG_SKIP_VERIFY))),
                            ("checkCrc", int(bool(entry.flags & FLAG_CHECK_CRC)))):
            assert found[f"command_{name}"] == value, f"{name} of {entry}: {found[f'command_{name}']:#x}"


@cocotb.test()
async def good_entries(dut):
    for stalls in ((0, 0), (0.4, 0.4)):
        await examine(dut, [good(random.choice((OPCODE_NOP, OPCODE_COMPRESS, OPCODE_DECOMPRESS))) for _ in range(200)], stalls)


@cocotb.test()
async def each_field_alone(dut):
    """Every opcode, format and flag, each reserved bit, and the borders of every length."""
    entries = []
    for opcode in (OPCODE_NOP, OPCODE_COMPRESS, OPCODE_DECOMPRESS):
        for name, values in (("opcode", range(256)), ("format", range(256)), ("flags", [1 << bit for bit in range(16)]),
                             ("source_length", WIDE), ("destination_capacity", WIDE),
                             ("source_address", (0, 1, 1 << 32, 1 << 63)), ("destination_address", (0, 1, 1 << 32, 1 << 63)),
                             ("reserved", [(1 << bit).to_bytes(28, "little") for bit in range(8 * 28)])):
            for value in values:
                entry = good(opcode)
                setattr(entry, name, value)
                entries.append(entry)
    await examine(dut, entries, (0, 0))


@cocotb.test()
async def end_of_addresses(dut):
    """A buffer may end with the last byte that has an address, and not past it."""
    entries = []
    for opcode in (OPCODE_NOP, OPCODE_COMPRESS, OPCODE_DECOMPRESS):
        for past in (-1, 0, 1, 2, 64, PAGE):
            for name, length in (("source_address", "source_length"), ("destination_address", "destination_capacity")):
                for _ in range(10):
                    entry = good(opcode)
                    setattr(entry, name, min(END - getattr(entry, length) + past, END - 1))
                    entries.append(entry)
    await examine(dut, entries, (0, 0))


@cocotb.test()
async def many_objections(dut):
    """The one with the lowest number is the answer."""
    entries = []
    for _ in range(600):
        entry = good(random.choice((OPCODE_NOP, OPCODE_COMPRESS, OPCODE_DECOMPRESS)))
        for _ in range(random.randint(1, 5)):
            spoil(entry)
        entries.append(entry)
    assert {verdict(entry) for entry in entries} == {status for status, kind in STATUS_KINDS.items() if kind == "refused"} | {STATUS_SUCCESS}
    await examine(dut, entries, (0.3, 0.3))


def test_command_check():
    run("command_check", module=__name__)
