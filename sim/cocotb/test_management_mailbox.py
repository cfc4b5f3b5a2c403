# SPDX-License-Identifier: Apache-2.0
"""management_mailbox: a request and its response, whole and once, whatever either side does meanwhile."""
import random

import cocotb

from apb_bench import Peripheral
from pagepress_management import *  # noqa: F403
from runner import run

WORDS = MAILBOX_BYTES // 4


async def start(dut):
    return await Peripheral(dut, coreReset=0, write_valid=0, send_valid=0, responseWord=0).start()


async def fill(box, words):
    for index, word in enumerate(words):
        box.set(write_payload_word=index, write_payload_data=word)
        await box.pulse(write_valid=1)


async def send(box, length):
    box.set(send_payload=length)
    await box.pulse(send_valid=1)


async def response(box, count):
    words = []
    for index in range(count):
        box.set(responseWord=index)
        await box.step(1)
        words.append(box.get("responseData"))
    return words


@cocotb.test()
async def exchange(dut):
    box = await start(dut)
    assert box.get("state") == MAILBOX_STATE_IDLE and await box.read(REGISTER_MAILBOX_REQUEST) == 0
    for _ in range(6):
        count = random.choice((1, 2, WORDS, random.randint(1, WORDS)))
        asked, answer = [[random.getrandbits(32) for _ in range(count)] for _ in range(2)]
        await fill(box, asked)
        length = 4 * count - random.randrange(4)
        await send(box, length)
        assert box.get("state") == MAILBOX_STATE_REQUESTED
        await fill(box, [~word & 0xFFFFFFFF for word in asked])     # not now
        await send(box, 4)                                          # nor this
        assert await box.read(REGISTER_MAILBOX_REQUEST) == length
        assert [await box.read(MAILBOX_REQUEST_OFFSET + 4 * at) for at in range(count)] == asked
        for at, word in enumerate(answer):
            await box.write(MAILBOX_RESPONSE_OFFSET + 4 * at, word)
        assert box.get("state") == MAILBOX_STATE_REQUESTED
        await box.write(REGISTER_MAILBOX_ANSWER, 4 * count)
        assert (box.get("state"), box.get("responseLength")) == (MAILBOX_STATE_ANSWERED, 4 * count)
        assert await box.read(REGISTER_MAILBOX_REQUEST) == 0
        assert await response(box, count) == answer
        await box.write(REGISTER_MAILBOX_ANSWER, 8)                 # nobody asked
        assert box.get("responseLength") == 4 * count


@cocotb.test()
async def lengths(dut):
    """No length goes past the buffers: of a request it is ignored, of a response it is cut."""
    box = await start(dut)
    for length in (0, MAILBOX_BYTES + 1, 1 << 16, 0xFFFFFFFF):
        await send(box, length)
        assert box.get("state") == MAILBOX_STATE_IDLE
    for length in (MAILBOX_BYTES + 1, 1 << 16, 0xFFFFFFFF):
        await send(box, MAILBOX_BYTES)
        await box.write(REGISTER_MAILBOX_ANSWER, length)
        assert (box.get("state"), box.get("responseLength")) == (MAILBOX_STATE_ANSWERED, MAILBOX_BYTES)


@cocotb.test()
async def reset_answers(dut):
    """A core that is reset owes no answer: the host gets one of length 0, and only if it waited for one."""
    box = await start(dut)
    await box.pulse(coreReset=1)
    assert box.get("state") == MAILBOX_STATE_IDLE
    await send(box, 12)
    await box.pulse(coreReset=1)
    assert (box.get("state"), box.get("responseLength")) == (MAILBOX_STATE_ANSWERED, 0)
    await send(box, 16)
    await box.write(REGISTER_MAILBOX_ANSWER, 20)
    await box.pulse(coreReset=1)
    assert (box.get("state"), box.get("responseLength")) == (MAILBOX_STATE_ANSWERED, 20)


def test_management_mailbox():
    run("management_mailbox", module=__name__)
