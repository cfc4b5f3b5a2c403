# SPDX-License-Identifier: Apache-2.0
"""management_flash: SPI mode 0 as a flash sees it, at every divider; a reset of the core ends a transfer and lets the flash go."""
import random

import cocotb

from apb_bench import Peripheral
from pagepress_management import *  # noqa: F403
from runner import run


class Wire:
    """What a flash sees at rising clocks, and gives at falling ones."""

    def __init__(self, port):
        self.port, self.clock, self.seen, self.gives, self.rises = port, 0, [], [], []

    async def step(self):
        port = self.port
        port.set(pins_dataIn=self.gives[0] if self.gives else 1)
        await port.step()
        clock = port.get("pins_clock")
        if clock and not self.clock:
            self.seen.append(port.get("pins_dataOut"))
            self.rises.append(port.bench.cycle)
        if self.clock and not clock and self.gives:
            self.gives.pop(0)
        self.clock = clock


def bits(data):
    return [byte >> bit & 1 for byte in data for bit in range(7, -1, -1)]


@cocotb.test()
async def transfers(dut):
    port = await Peripheral(dut, coreReset=0, pins_dataIn=1).start()
    assert port.get("pins_selectNot") == 1
    for _ in range(12):
        divider = random.choice((0, 1, 5))
        await port.write(REGISTER_FLASH_CONTROL, FLASH_CONTROL_SELECT_MASK | divider << FLASH_CONTROL_DIVIDER_SHIFT)
        await port.step()
        assert port.get("pins_selectNot") == 0
        size = random.choice((1, 4))
        out, back = random.randbytes(size), random.randbytes(size)
        wire = Wire(port)
        wire.gives = bits(back)
        port.set(pins_dataIn=wire.gives[0])
        await begin(port, wire, REGISTER_FLASH_BYTE if size == 1 else REGISTER_FLASH_WORD, int.from_bytes(out, "little"))
        for _ in range(16 * size * (divider + 1) + 4):
            await wire.step()
        assert wire.seen == bits(out), "what went out"
        assert {second - first for first, second in zip(wire.rises, wire.rises[1:])} == {2 * (divider + 1)}
        assert await port.read(REGISTER_FLASH_STATUS) == 0
        value = await port.read(REGISTER_FLASH_DATA)
        assert (value >> 24 if size == 1 else value) == int.from_bytes(back, "little"), "what came in"
        await port.write(REGISTER_FLASH_CONTROL, 0)
        await port.step()
        assert port.get("pins_selectNot") == 1


async def begin(port, wire, register, value):
    """A write whose last cycles the flash watches, too."""
    dut = port.dut
    dut.io_apb_PADDR.value, dut.io_apb_PWRITE.value, dut.io_apb_PWDATA.value = register, 1, value
    dut.io_apb_PSEL.value, dut.io_apb_PENABLE.value = 1, 0
    await wire.step()
    dut.io_apb_PENABLE.value = 1
    await wire.step()
    dut.io_apb_PSEL.value = dut.io_apb_PENABLE.value = 0


@cocotb.test()
async def busy_and_reset(dut):
    port = await Peripheral(dut, coreReset=0, pins_dataIn=1).start()
    port.pause = 0
    await port.write(REGISTER_FLASH_CONTROL, FLASH_CONTROL_SELECT_MASK | 40 << FLASH_CONTROL_DIVIDER_SHIFT)
    await port.write(REGISTER_FLASH_WORD, 0)
    assert await port.read(REGISTER_FLASH_STATUS) == 1
    await port.write(REGISTER_FLASH_CONTROL, 0)     # ignored during a transfer
    await port.write(REGISTER_FLASH_BYTE, 0xFF)
    await port.step()
    assert port.get("pins_selectNot") == 0 and port.get("pins_dataOut") == 0
    await port.pulse(coreReset=1)
    await port.step(2)
    assert port.get("pins_selectNot") == 1 and port.get("pins_clock") == 0 and await port.read(REGISTER_FLASH_STATUS) == 0


FLOOR = range(FLASH_FLOOR_OFFSET, FLASH_FLOOR_OFFSET + 2 * FLASH_SECTOR_BYTES)


async def send(port, register, data):
    """What a flash sees of a transfer: the bits, or none when the port ignores it."""
    wire = Wire(port)
    await begin(port, wire, register, int.from_bytes(data, "little"))
    for _ in range(70):
        await wire.step()
    assert wire.seen in ([], bits(data))
    return bool(wire.seen)


@cocotb.test()
async def lock(dut):
    """Locked, only these commands begin, and none that changes the floor; what follows a command passes. A reset of the core unlocks."""
    port = await Peripheral(dut, coreReset=0, pins_dataIn=1).start()
    port.pause = 0
    offsets = [0, FLOOR[0] - 1, FLOOR[0], FLOOR[0] + 4096, FLOOR[-1], FLOOR[-1] + 1, FLASH_SLOT_B_OFFSET, FLASH_MAP_BYTES - 1, FLASH_MAP_BYTES,
               FLASH_MAP_BYTES + FLOOR[0], 0x800000 + FLOOR[0], random.choice(FLOOR)]
    for locked in (False, True, False):
        if locked:
            await port.write(REGISTER_FLASH_LOCK, 0)
        assert await port.read(REGISTER_FLASH_LOCK) == locked
        for _ in range(120):
            size, offset = random.choice((1, 4)), random.choice(offsets)
            command = random.choice((0x02, 0x03, 0x05, 0x06, 0x20, 0x9F, 0xC7, 0xD8, 0x01, random.randrange(256)))
            data = (bytes([command]) + offset.to_bytes(3, "big"))[:size]
            may = command in (0x05, 0x06, 0x9F) if size == 1 else (
                command == 0x03 or command in (0x02, 0x20) and offset < FLASH_MAP_BYTES and offset not in FLOOR)
            selected = random.random() < 0.9
            await port.write(REGISTER_FLASH_CONTROL, FLASH_CONTROL_SELECT_MASK if selected else 0)
            register = REGISTER_FLASH_BYTE if size == 1 else REGISTER_FLASH_WORD
            assert await send(port, register, data) == (not locked or may), data.hex()
            if selected and (may or not locked):  # its data
                assert await send(port, REGISTER_FLASH_BYTE, b"\xc7")
            elif locked:  # nothing has begun: what comes next is a command as well
                assert not await send(port, REGISTER_FLASH_BYTE, b"\xc7")
            await port.write(REGISTER_FLASH_CONTROL, 0)
        if locked:
            await port.pulse(coreReset=1)


def test_management_flash():
    run("management_flash", module=__name__)
