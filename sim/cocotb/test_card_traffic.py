# SPDX-License-Identifier: Apache-2.0
"""card: enumeration, registers, interrupts and pages, as a host meets them across PCIe."""
import random

import cocotb
from cocotb.triggers import Timer, gather
from cocotbext.pcie.core.caps import PciCapId

import lzo
from card_bench import QUEUES, CardBench
from core_bench import PAGE, QUIET
from core_checks import check
from pagepress_interface import *  # noqa: F403 (registers, statuses, entries)
from runner import run

CODECS = sorted(lzo.COMPRESSORS)


def make(bench, count):
    """Commands of both kinds in turn on real pages, in random order."""
    jobs = []
    for index, page in enumerate(lzo.sample_pages(count, random.getrandbits(32))):
        if index % 2:
            jobs.append(bench.decompress(lzo.compress(page, random.choice(CODECS)), page))
        else:
            jobs.append(bench.compress(page))
    random.shuffle(jobs)
    return jobs


@cocotb.test()
async def enumeration(dut):
    bench = await CardBench.start(dut)
    device = bench.device
    assert (device.vendor_id, device.device_id) == (PCI_VENDOR_ID, PCI_DEVICE_ID)
    assert device.class_code == PCI_CLASS_CODE and device.bar_size[0] == BAR0_BYTES
    assert await bench.read(REGISTER_MAGIC) == MAGIC_VALUE
    assert await bench.read(REGISTER_VERSION) == VERSION_MAJOR << 16 | VERSION_MINOR
    assert await device.msix_vec_count() == QUEUES + 1
    assert await device.capability_read_dword(PciCapId.MSIX, 4) == MSIX_TABLE_OFFSET
    assert await device.capability_read_dword(PciCapId.MSIX, 8) == MSIX_PENDING_OFFSET


@cocotb.test()
async def register_accesses(dut):
    """Reads of any size and alignment, completed in pieces; writes by single bytes; other BARs."""
    bench = await CardBench.start(dut)
    window = bench.window
    # A table entry holds anything but its last two address bits and 31 of its mask word.
    expected = bytearray()
    for vector in range(QUEUES + 1):
        words = [random.getrandbits(32) & ~3, random.getrandbits(32), random.getrandbits(32), random.getrandbits(1)]
        expected += b"".join(word.to_bytes(4, "little") for word in words)
    await window.write(MSIX_TABLE_OFFSET, bytes(expected))
    expected += bytes(0x200)
    await window.write(MSIX_TABLE_OFFSET + 16 * (QUEUES + 1), random.randbytes(64))  # no vector there
    for _ in range(30):
        start = random.randrange(0x100)
        size = random.choice((1, 2, 3, 4, 8, 64, random.randint(1, 0x180)))
        assert await window.read(MSIX_TABLE_OFFSET + start, size) == expected[start:start + size], (start, size)
    assert await window.read(0, 4) == MAGIC_VALUE.to_bytes(4, "little")
    assert await window.read(0x10, 0) == b"", "a read of nothing flushes writes"
    # Half a word in the table, or in a register, is no write.
    await window.write(MSIX_TABLE_OFFSET + 5, b"\xff")
    assert await window.read(MSIX_TABLE_OFFSET + 4, 4) == expected[4:8]
    await window.write(REGISTER_CONTROL, b"\x01")
    assert await bench.read(REGISTER_CONTROL) == 0 and await bench.read(REGISTER_STATUS) == 0
    # BAR 2 answers: unsupported request.
    other = bench.device.bar_window[2]
    await other.write_dword(0x20, 1)
    for size in (4, 64):
        try:
            await other.read(0x40, size)
        except Exception as error:  # noqa: BLE001 (the model raises nothing more special)
            assert "Unsuccessful" in str(error)
        else:
            raise AssertionError("a BAR that is not there was read")
    assert await bench.read(REGISTER_MAGIC) == MAGIC_VALUE and await bench.read(REGISTER_CONTROL) == 0


async def traffic(dut, count, **link):
    """Pages of both kinds on every queue at once; an interrupt never comes before its completion entry is in memory."""
    bench = await CardBench.start(dut, **link)
    await bench.enable()
    rings = [await bench.ring(queue, random.randint(2, 5)) for queue in range(QUEUES)]
    lots = [make(bench, count) for _ in rings]
    await gather(*[ring.run(lot) for ring, lot in zip(rings, lots)])
    for job in sum(lots, []):
        check(bench, job)
    await bench.read(REGISTER_STATUS)
    assert bench.interrupts[0] == 0 and all(bench.interrupts[1:]), bench.interrupts
    await bench.disable()
    bench.finish()
    return bench.host


@cocotb.test()
async def small_packets(dut):
    host = await traffic(dut, 3, payload=128, read_request=128)
    assert host.largest_read == host.largest_write == 128


@cocotb.test()
async def usual_packets(dut):
    """And without Extended Tags: never more than 32 reads at once."""
    host = await traffic(dut, 3, payload=256, read_request=512, extended_tags=False, boundary=128)
    assert host.largest_read == 512 and host.largest_write == 256 and 1 < host.most_open <= 32


@cocotb.test()
async def large_packets(dut):
    """A host that is slow to answer: many reads are open at once."""
    bench = await CardBench.start(dut, payload=512, read_request=4096, stalls=0)
    bench.host.delay = 4000
    await bench.enable()
    ring = await bench.ring(1, 5)
    jobs = make(bench, 12)
    await ring.run(jobs, burst=12)
    for job in jobs:
        check(bench, job)
    assert bench.host.largest_read == 512 and bench.host.largest_write == 256 and bench.host.most_open > 8
    bench.finish()


@cocotb.test()
async def pushed_entries(dut):
    """Copies in packets of a dword, two, the whole copy, and a whole line as a processor combines it, are all used."""
    bench = await CardBench.start(dut)
    await bench.enable()
    ring = await bench.ring(1, 2)
    sizes = (4, 8, 44, 64, 64, 4)
    for size in sizes:
        job = bench.nop()
        writes = ring.push(job)
        copy = b"".join(dword.to_bytes(4, "little") for _, dword in writes)
        copy += random.randbytes(PUSH_STRIDE - len(copy)) if size == PUSH_STRIDE else b""
        for at in range(0, len(copy), size):
            await bench.window.write(writes[0][0] + at, copy[at:at + size])
        await ring.submit([job])
        while not ring.poll():
            await bench.cycles(10)
        await ring.acknowledge()
    assert (await bench.counters())["commands_pushed"] == len(sizes)
    bench.finish()


@cocotb.test()
async def interrupts(dut):
    """A message finds its entry written; masked vectors pend, and are sent when unmasked unless software came first."""
    bench = await CardBench.start(dut)
    await bench.enable()
    ring = await bench.ring(2, 3)
    vector, pending = FIRST_QUEUE_VECTOR + 2, 1 << FIRST_QUEUE_VECTOR + 2
    mask = MSIX_TABLE_OFFSET + 16 * vector + 12
    seen = []

    async def taken():
        seen.append(len(ring.poll()))

    async def settle():
        await bench.read(REGISTER_STATUS)
        await Timer(2000, "ns")

    bench.device.request_irq(vector, taken)
    for _ in range(12):
        await ring.submit([bench.nop()])
        await settle()
        assert seen == [1], f"messages that found so many entries: {seen}"
        seen.clear()
        await ring.acknowledge()
        await bench.until(lambda value: not value, MSIX_PENDING_OFFSET)

    await bench.write(mask, 1)
    await ring.submit([bench.nop()])
    await settle()
    assert not seen and await bench.read(MSIX_PENDING_OFFSET) == pending
    await bench.write(mask, 0)
    await settle()
    assert seen == [1] and await bench.read(MSIX_PENDING_OFFSET) == 0
    seen.clear()
    await ring.acknowledge()

    await bench.write(mask, 1)
    await ring.submit([bench.nop()])
    await settle()
    assert len(ring.poll()) == 1
    await ring.acknowledge()
    await settle()
    assert await bench.read(MSIX_PENDING_OFFSET) == 0, "software was faster"
    await bench.write(mask, 0)
    await settle()
    assert not seen
    bench.finish()


def test_card_traffic():
    run("card_impatient", module=__name__, environment=QUIET)
