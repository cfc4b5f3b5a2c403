# SPDX-License-Identifier: Apache-2.0
"""management_telemetry: whoever reads the page sees one published snapshot whole, until somebody takes another; whatever is written and published meanwhile,
in whichever cycle."""
import random

import cocotb

from apb_bench import Peripheral
from pagepress_management import *  # noqa: F403
from runner import run

FIRST, LAST = TELEMETRY_OFFSET // 4, MANAGEMENT_WINDOW_BYTES // 4
WORDS = sorted({FIRST, FIRST + 1, 0x7FC // 4, 0x800 // 4, 0xBFC // 4, 0xC00 // 4, LAST - 1, *random.Random(7).sample(range(FIRST, LAST), 9)})


class Page:
    """What the three pages hold, and who has which."""

    def __init__(self, port):
        self.port, self.pages = port, [{} for _ in range(3)]
        self.shown = self.newest = 0
        self.written, self.published, self.sequence = 1, 0, 0

    def take(self):
        self.shown, self.sequence = self.newest, self.published

    def publish(self):
        self.newest, self.published = self.written, self.published + 1

    def write_next(self):
        (self.written,) = {0, 1, 2} - {self.newest, self.shown}

    async def looks_right(self):
        port = self.port
        assert port.get("sequence") == self.sequence
        for word in random.sample(WORDS, 3):
            port.set(word=word)
            await port.step()
            if word in self.pages[self.shown]:
                assert port.get("data") == self.pages[self.shown][word], f"word {word} of snapshot {self.sequence}"

    async def fill(self, words):
        for word in words:
            self.pages[self.written][word] = data = random.getrandbits(32)
            await self.port.write(4 * word, data)


async def publish_and_take(port, moment):
    """An access that publishes, in its second cycle; the host takes in its first, its second, or the one behind."""
    for cycle, (select, enable) in enumerate(((1, 0), (1, 1), (0, 0))):
        port.set(apb_PADDR=REGISTER_TELEMETRY_PUBLISH, apb_PWRITE=1, apb_PSEL=select, apb_PENABLE=enable, take=cycle == moment)
        await port.step()
    port.set(take=0)


@cocotb.test()
async def snapshots(dut):
    port = await Peripheral(dut, take=0, word=0).start()
    page = Page(port)
    assert port.get("sequence") == 0 and await port.read(REGISTER_TELEMETRY_PUBLISH) == 0
    for _ in range(150):
        match random.randrange(5):
            case 0:
                await page.fill(WORDS)
            case 1:  # half of one, and what is no word of the page
                await page.fill(random.sample(WORDS, len(WORDS) // 2))
                await port.write(4 * random.randrange(1, FIRST), random.getrandbits(32))
            case 2:
                await port.write(REGISTER_TELEMETRY_PUBLISH, random.getrandbits(32))
                page.publish()
                page.write_next()
                assert await port.read(REGISTER_TELEMETRY_PUBLISH) == page.published
            case 3:
                page.take()
                await port.pulse(take=1)
            case 4:  # both within three cycles: taken before, in the same cycle (the one before, still), after
                moment = random.randrange(3)
                await publish_and_take(port, moment)
                if moment < 2:
                    page.take()
                page.publish()
                page.write_next()
                if moment == 2:
                    page.take()
        await page.looks_right()
    assert page.published > 20


def test_management_telemetry():
    run("management_telemetry", module=__name__)
