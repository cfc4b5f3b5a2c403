# SPDX-License-Identifier: Apache-2.0
"""card_managed: the host reaches the management part through BAR0 beside pages, and nothing that goes on there touches a page."""
import random
from pathlib import Path

import cocotb
import pytest
from sampled import sampled
from cocotb.triggers import gather

import lzo
from card_bench import QUEUES, CardBench
from core_bench import QUIET
from core_checks import check
from pagepress_interface import *  # noqa: F403 (registers, statuses, entries)
from pagepress_management import *  # noqa: F403 (the window)
from runner import run

WINDOW = MANAGEMENT_WINDOW_OFFSET
PATIENCE = 2048  # cycles after which the host is answered whatever the management clock does: ManagementWindow.patience
HOLD = CORE_CONTROL_HOLD_MASK


def hostile_program():
    """Words for the boot ROM: for ever write and read a random address, every other one among the peripherals."""
    def shift(function, amount):  # x6 = x5 << or >> amount; x5 ^= x6
        return [amount << 20 | 5 << 15 | function << 12 | 6 << 7 | 0x13, 6 << 20 | 5 << 15 | 4 << 12 | 5 << 7 | 0x33]

    loop = [*shift(1, 13), *shift(5, 17), *shift(1, 5),
            0xFFC2F393,  # andi x7, x5, -4
            0x0053A023,  # sw x5, 0(x7)
            0x0092F3B3,  # and x7, x5, x9
            0x0083E3B3,  # or x7, x7, x8
            0x0053A023, 0x0003A503]  # sw x5, 0(x7); lw x10, 0(x7)
    begin = [0x80000437,  # lui x8, 0x80000: the peripherals
             0x000074B7, 0x01C48493,  # lui x9, 7; addi x9, x9, 28: bits of their first registers' addresses
             0x000012B7, 0x008282B3, 0x0002A283,  # lui x5, 1; add x5, x5, x8; lw x5, 0(x5): the time,
             0x00542623,  # sw x5, 12(x8): a heartbeat,
             0x12345337, 0x0062C2B3]  # lui x6, 0x12345; xor x5, x5, x6: for numbers of its own after each reset
    back = -4 * len(loop) & 0x1FFFFF
    jump = (back >> 20 & 1) << 31 | (back >> 1 & 0x3FF) << 21 | (back >> 11 & 1) << 20 | (back >> 12 & 0xFF) << 12 | 0x6F
    return [*begin, *loop, jump]


if cocotb.is_simulation:  # finds it when it begins: this module is loaded before
    Path("boot_rom.hex").write_text("".join(f"{word:08x}\n" for word in hostile_program()))


def make(bench, count):
    jobs = [bench.decompress(lzo.compress(page, "lzo1x_1"), page) if index % 2 else bench.compress(page)
            for index, page in enumerate(lzo.sample_pages(count, random.getrandbits(32)))]
    random.shuffle(jobs)
    return jobs


async def start(dut, **link):
    bench = await CardBench.start(dut, **link)
    await bench.enable()
    bench.rings = [await bench.ring(queue, 4) for queue in range(QUEUES)]
    return bench


async def pages(bench, count=4):
    lots = [make(bench, count) for _ in bench.rings]
    await gather(*[ring.run(lot) for ring, lot in zip(bench.rings, lots)])
    for job in sum(lots, []):
        check(bench, job)


@cocotb.test()
async def window_beside_pages(dut):
    """Reads of any size and whole writes, while the program writes all that it can reach and pages go on."""
    bench = await start(dut)
    window, looked = bench.window, 0

    async def look():
        nonlocal looked
        while not done:
            kind = random.randrange(4)
            if kind == 0:
                await bench.write(WINDOW + REGISTER_CORE_CONTROL, HOLD)
                await bench.write(WINDOW + REGISTER_CORE_CONTROL + 0x800, 0)  # nothing there
                await window.write(WINDOW + REGISTER_CORE_CONTROL, b"\0\0")  # half a word is no write
                assert await bench.read(WINDOW + REGISTER_CORE_CONTROL) == HOLD
                await bench.write(WINDOW + REGISTER_CORE_CONTROL, 0)
                assert await bench.read(WINDOW + REGISTER_CORE_CONTROL) == 0
            elif kind == 1:
                await window.write(WINDOW + MAILBOX_REQUEST_OFFSET, random.randbytes(random.choice((4, 64, MAILBOX_BYTES))))
                await bench.write(WINDOW + REGISTER_MAILBOX_SEND, random.choice((0, 8, MAILBOX_BYTES)))
            elif kind == 2:
                words = await window.read(WINDOW - 8, 16)
                expected = (0, 0, MANAGEMENT_MAGIC_VALUE, MANAGEMENT_INTERFACE_VERSION_VALUE)
                assert words == b"".join(word.to_bytes(4, "little") for word in expected)
            else:
                await window.read(WINDOW + LOG_OFFSET, 64)
            assert await bench.read(WINDOW + REGISTER_MANAGEMENT_MAGIC) == MANAGEMENT_MAGIC_VALUE
            assert await bench.read(REGISTER_MAGIC) == MAGIC_VALUE
            looked += 1

    done = False
    looking = cocotb.start_soon(look())
    rounds = 0
    while rounds < sampled(3, 2) or looked <= 10:
        await pages(bench)
        rounds += 1
    done = True
    await looking
    await bench.until(lambda beats: beats, WINDOW + REGISTER_HEARTBEAT)  # the program has run
    assert await bench.read(REGISTER_STATUS) == STATUS_READY_MASK and await bench.read(WINDOW + MANAGEMENT_WINDOW_BYTES) == 0
    await bench.disable()
    bench.finish()


@cocotb.test(timeout_time=500, timeout_unit="us")
async def clock_that_stands_still(dut):
    """An access is answered in time with 0, those behind it at once; pages and registers go on; then all is as before."""
    bench = await start(dut, stalls=0)
    await bench.write(WINDOW + REGISTER_CORE_CONTROL, HOLD)
    for round in range(sampled(3, 2)):
        assert await bench.read(WINDOW + REGISTER_MANAGEMENT_MAGIC) == MANAGEMENT_MAGIC_VALUE
        bench.management_clock.stop()
        running = cocotb.start_soon(pages(bench, 2))
        begin = bench.cycle
        if round == 1:
            await bench.write(WINDOW + REGISTER_CORE_CONTROL, HOLD)
        else:
            assert await bench.read(WINDOW + REGISTER_MANAGEMENT_MAGIC) == 0
        assert await bench.read(WINDOW + REGISTER_CORE_CONTROL) == 0 and bench.cycle - begin < 2 * PATIENCE
        begin = bench.cycle
        for _ in range(8):
            await bench.write(WINDOW + REGISTER_CORE_CONTROL, 0)
            assert await bench.read(WINDOW + REGISTER_CORE_STATUS) == 0 and await bench.read(REGISTER_MAGIC) == MAGIC_VALUE
        assert bench.cycle - begin < 2 * PATIENCE
        await running
        bench.management_clock.start()
        await bench.cycles(400)
        # The late answer was nobody's, and what was ignored stays so.
        assert await bench.read(WINDOW + REGISTER_MANAGEMENT_VERSION) == MANAGEMENT_INTERFACE_VERSION_VALUE
        assert await bench.read(WINDOW + REGISTER_CORE_CONTROL) == HOLD
    await bench.disable()
    bench.finish()


@cocotb.test()
async def function_level_reset(dut):
    """At any moment, accesses to the window under way: it ends, the management part does not notice, and answers behind it."""
    bench = await CardBench.start(dut)
    await bench.write(WINDOW + REGISTER_CORE_CONTROL, HOLD)
    assert await bench.read(WINDOW + REGISTER_CORE_CONTROL) == HOLD
    for _ in range(sampled(6, 2)):
        await bench.enable()
        bench.rings = [await bench.ring(queue, 4) for queue in range(QUEUES)]
        for ring in bench.rings:
            await ring.submit(make(bench, 2))
        events = await bench.read(WINDOW + REGISTER_LOG_NEXT)
        for _ in range(random.randrange(6)):
            await bench.write(WINDOW + REGISTER_MAILBOX_SEND, 1)
            await bench.window.write(WINDOW + MAILBOX_REQUEST_OFFSET, random.randbytes(64))
        await bench.cycles(random.randint(0, 300))
        await bench.function_reset()
        assert not bench.host.open
        assert await bench.read(REGISTER_CONTROL) == 0
        assert await bench.read(WINDOW + REGISTER_CORE_CONTROL) == HOLD
        assert await bench.read(WINDOW + REGISTER_LOG_NEXT) == events
        assert await bench.read(WINDOW + REGISTER_MANAGEMENT_MAGIC) == MANAGEMENT_MAGIC_VALUE
    await bench.enable()
    bench.rings = [await bench.ring(queue, 4) for queue in range(QUEUES)]
    await pages(bench, 2)
    bench.finish()


def test_card_management():
    run("card_managed", module=__name__, environment=QUIET)


@pytest.mark.night("test-whole")
def test_card_management_leaves_traffic_as_it_is():
    run("card_managed", module="test_card_traffic", environment=QUIET)


def test_card_management_leaves_function_level_resets_as_they_are():
    run("card_managed", module="test_card_link_faults", environment=QUIET, testcase="function_level_reset")
