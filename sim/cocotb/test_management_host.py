# SPDX-License-Identifier: Apache-2.0
"""management_host: the host's window; accesses under stalls, and no write but to what may be written."""
import random

import cocotb

from pagepress_management import *  # noqa: F403
from runner import run
from stream_bench import Bench, Sink, Source

STATE = {"cause": 2, "bites": 0x1234, "state_stage": STAGE_RUNNING, "state_report": 0x89ABCDEF, "state_version": 0x01020304,
         "state_heartbeat": 77, "state_throttle": 3, "milliseconds": 0xFEDCBA98, "mailboxState": MAILBOX_STATE_ANSWERED,
         "responseLength": 200, "logNext": 41, "telemetrySequence": 0xA1B2C3D4}


class Window:
    def __init__(self, dut):
        self.dut = dut
        self.ask = Source(dut, "io_host_access", ("write", "address", "data"))
        self.answer = Sink(dut, "io_host_answer", ("",))
        self.bench = Bench(dut, [self.ask], [self.answer])
        self.events, self.before = [], {}
        for name, value in {**STATE, "coreReset": 0, "responseData": 0, "logData": 0, "telemetryData": 0}.items():
            getattr(dut, f"io_{name}").value = value

    async def access(self, write, address, data=0):
        self.answer.received.clear()
        self.ask.send(write=write, address=address, data=data)
        dut = self.dut
        for _ in range(300):
            # The three memories: a word a cycle after it was named.
            words = int(dut.io_responseWord.value), int(dut.io_logWord.value), int(dut.io_telemetryWord.value)
            await self.bench.step()
            dut.io_responseData.value, dut.io_logData.value, dut.io_telemetryData.value = 0x1000 + words[0], 0x2000 + words[1], 0x3000 + words[2]
            if dut.io_bufferWrite_valid.value == 1:
                self.events.append(("buffer", int(dut.io_bufferWrite_payload_word.value), int(dut.io_bufferWrite_payload_data.value)))
            if dut.io_send_valid.value == 1:
                self.events.append(("send", int(dut.io_send_payload.value)))
            if dut.io_telemetryTake.value == 1:
                self.events.append(("take",))
            if self.answer.received:
                return self.answer.received[0][""]
        raise AssertionError("an access was never answered")


async def start(dut):
    window = Window(dut)
    await window.bench.reset()
    window.bench.stall(random.choice((0, 0.4)), random.choice((0, 0.4)))
    return window


def registers(running):
    at_rest = {REGISTER_MANAGEMENT_MAGIC: MANAGEMENT_MAGIC_VALUE, REGISTER_MANAGEMENT_VERSION: MANAGEMENT_INTERFACE_VERSION_VALUE,
               REGISTER_CORE_CONTROL: 0, REGISTER_CORE_STATUS: 0x12340200, REGISTER_HEARTBEAT: 77, REGISTER_BOOT_REPORT: 0,
               REGISTER_FIRMWARE_VERSION: 0, REGISTER_MAILBOX_STATUS: 200 << MAILBOX_STATUS_LENGTH_SHIFT | MAILBOX_STATE_ANSWERED,
               REGISTER_LOG_NEXT: 41, REGISTER_UPTIME: 0xFEDCBA98, REGISTER_THROTTLE: 0, REGISTER_TELEMETRY_SEQUENCE: 0xA1B2C3D4}
    if running:
        at_rest |= {REGISTER_CORE_STATUS: 0x12340200 | STAGE_RUNNING, REGISTER_BOOT_REPORT: 0x89ABCDEF,
                    REGISTER_FIRMWARE_VERSION: 0x01020304, REGISTER_THROTTLE: 3}
    return at_rest


@cocotb.test()
async def map_of_the_window(dut):
    window = await start(dut)
    for running in (True, False):
        dut.io_coreReset.value = not running
        expected = registers(running)
        for address in range(0, MANAGEMENT_WINDOW_BYTES, 4):
            if 0x40 <= address < MAILBOX_REQUEST_OFFSET and random.random() < 0.7:
                continue
            if address in expected:
                value = expected[address]
            elif MAILBOX_RESPONSE_OFFSET <= address < MAILBOX_RESPONSE_OFFSET + MAILBOX_BYTES:
                value = 0x1000 + (address - MAILBOX_RESPONSE_OFFSET) // 4
            elif LOG_OFFSET <= address < LOG_OFFSET + LOG_ENTRIES * LOG_ENTRY_BYTES:
                value = 0x2000 + (address - LOG_OFFSET) // 4
            elif address >= TELEMETRY_OFFSET:
                value = 0x3000 + address // 4
                if address not in (TELEMETRY_OFFSET, MANAGEMENT_WINDOW_BYTES - 4) and random.random() < 0.9:
                    continue
            else:
                value = 0
            assert await window.access(0, address) == value, hex(address)
    assert not window.events


@cocotb.test()
async def writes(dut):
    window = await start(dut)
    for _ in range(150):
        address, data = 4 * random.randrange(MANAGEMENT_WINDOW_BYTES // 4), random.getrandbits(32)
        if random.random() < 0.5:
            address = random.choice((REGISTER_CORE_CONTROL, REGISTER_MAILBOX_SEND, REGISTER_TELEMETRY_TAKE, MAILBOX_REQUEST_OFFSET + address % MAILBOX_BYTES))
        held = int(dut.io_hold.value)
        window.events.clear()
        assert await window.access(1, address, data) == 0
        expected = []
        if address == REGISTER_MAILBOX_SEND:
            expected = [("send", data)]
        elif address == REGISTER_TELEMETRY_TAKE:
            expected = [("take",)]
        elif MAILBOX_REQUEST_OFFSET <= address < MAILBOX_REQUEST_OFFSET + MAILBOX_BYTES:
            expected = [("buffer", (address - MAILBOX_REQUEST_OFFSET) // 4, data)]
        assert window.events == expected, hex(address)
        assert int(dut.io_hold.value) == (data & 1 if address == REGISTER_CORE_CONTROL else held), hex(address)
        assert await window.access(0, REGISTER_CORE_CONTROL) == int(dut.io_hold.value)


def test_management_host():
    run("management_host", module=__name__)
