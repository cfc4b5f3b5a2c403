# SPDX-License-Identifier: Apache-2.0
"""Blocks that windows of literals and matches go into: pages made up together with their sequences, and the bench.

    block = await WindowBench(dut).start(0.1, 0.1)      # stalls of sources and sinks
    answers = await block.run([random_page()])          # [(status, stream)]
"""
import os
import random

from stream_bench import Bench, ByteSink, Sink, Source

PAGE_BYTES = int(os.environ.get("ENCODER_PAGE_BYTES", "4096"))
WIDTH = 16
WINDOW_BYTES = int(os.environ.get("ENCODER_WINDOW_BYTES", "16"))
CHANNELS = 10  # distances a window's matches choose from
MATCH_FIELDS = [*(f"{name}_{index}" for name in ("length", "channel") for index in range(WINDOW_BYTES)),
                *(f"distance_{channel}" for channel in range(CHANNELS))]
FIELDS = ["slot", "last", "count", "covered", "starts", *(f"data_{index}" for index in range(WINDOW_BYTES)), *MATCH_FIELDS]
NO_LIMIT = 2 * PAGE_BYTES
SHARE = WINDOW_BYTES / 16  # of the whole pages: narrow windows come so many times as often
LATE_WINDOWS = 8  # windows may come so many cycles after room
LITERALS = [0, 1, 2, 3, 4, 5, 15, 16, 17, 18, 19, 20, 31, 32, 33, 237, 238, 239, 240, 272, 273, 274, 275, 527, 528, 529,
            783, 784]
LENGTHS = [3, 4, 5, 7, 8, 9, 10, 15, 16, 17, 32, 33, 34, 35, 48, 287, 288, 289, 542, 543, 544]
OFFSETS = [1, 2, 3, 4, 7, 8, 9, 16, 100, 1024, 2047, 2048, 2049, 2050, 3000, 4000]


class Page:
    """Bytes and the sequences they are to be written as: literals, then (match length, offset, literals) each."""

    def __init__(self):
        self.data, self.matches = bytearray(), []

    def literals(self, count):
        self.data += random.randbytes(min(count, PAGE_BYTES - len(self.data)))
        return self

    def match(self, length, offset):
        """Nothing when it would not be legal: no history, no room, no saving."""
        length = min(length, PAGE_BYTES - len(self.data))
        if offset <= len(self.data) and length >= (3 if offset <= 2048 else 4):
            self.matches.append((len(self.data), length, offset))
            for _ in range(length):
                self.data.append(self.data[-offset])
        return self

    def cut(self, length):
        """The first `length` bytes; a match too short then becomes literals."""
        self.data = self.data[:length]
        cut = [(at, min(size, length - at), offset) for at, size, offset in self.matches]
        self.matches = [(at, size, offset) for at, size, offset in cut if size >= (3 if offset <= 2048 else 4)]
        return self

    def windows(self, empty_last):
        """What MatchCarry says of the page, a dict a window."""
        ends = list(range(0, max(len(self.data), 1), WINDOW_BYTES))
        if empty_last and self.data and len(self.data) % WINDOW_BYTES == 0:
            ends.append(len(self.data))
        for at in ends:
            stop = min(at + WINDOW_BYTES, len(self.data))
            window = {"count": stop - at, "last": int(at == ends[-1]), "starts": 0, "covered": 0}
            for index in range(WINDOW_BYTES):
                window[f"data_{index}"] = self.data[at + index] if at + index < stop else random.randrange(256)
                # What is said of bytes without a match means nothing.
                window[f"length_{index}"] = random.randrange(WINDOW_BYTES + 1)
                window[f"channel_{index}"] = random.randrange(CHANNELS)
            channels = random.sample(range(CHANNELS), CHANNELS)
            window.update((f"distance_{channel}", random.randrange(PAGE_BYTES)) for channel in channels)
            for start, length, offset in self.matches:
                inside = min(start + length, stop) - max(start, at)
                if inside > 0 and start < at:
                    window["covered"] = inside
                elif inside > 0:
                    window["starts"] |= 1 << start - at
                    channel = channels.pop()
                    window[f"length_{start - at}"], window[f"channel_{start - at}"] = inside, channel
                    window[f"distance_{channel}"] = offset - 1
            yield window


def random_page():
    """Sequences of numbers at the edges of what tokens can say, or small ones, or any."""
    page, style = Page().literals(random.choice(LITERALS[1:])), random.randrange(4)
    while len(page.data) < PAGE_BYTES:
        offset = random.choice([*OFFSETS, random.randrange(1, PAGE_BYTES)])
        if style == 0:
            page.match(random.choice(LENGTHS), offset).literals(random.choice(LITERALS))
        elif style == 1:
            page.match(random.randrange(3, 7), offset % 2048 + 1).literals(random.randrange(6))
        elif style == 2:
            page.match(random.randrange(3, 60), offset).literals(random.randrange(40))
        else:
            page.match(3, random.randrange(1, 40)).literals(random.choice([0, 0, 0, 1, 4, 19]))
        if len(page.matches) == 0:
            page.literals(1)
    return page.cut(random.choice([PAGE_BYTES, PAGE_BYTES, random.randrange(PAGE_BYTES)]))


class LateSource(Source):
    """Sends where there was room some cycles before, as late as is allowed."""

    def __init__(self, dut, name, fields):
        super().__init__(dut, name, fields)
        self.room, self.rooms, self.delay = dut.io_room, [], 0

    def before_edge(self):
        self.rooms = [*self.rooms[-LATE_WINDOWS:], self.room.value == 1]
        if self.rooms[max(-len(self.rooms), -1 - self.delay)]:
            super().before_edge()

    def at_edge(self, _cycle):
        fired, self.offered = self.offered, False
        if fired:
            self.taken()
        return fired


class WindowBench:
    """The block and its bench."""

    def __init__(self, dut):
        self.dut = dut
        self.source = LateSource(dut, "io_source", FIELDS)
        self.sink, self.result = ByteSink(dut, "io_sink", WIDTH), Sink(dut, "io_result", ["status", "length"])
        self.bench = Bench(dut, [self.source], [self.sink, self.result])
        self.slot = 0

    async def start(self, *stall):
        for limit in (self.dut.io_limits_0, self.dut.io_limits_1):
            limit.value = NO_LIMIT
        self.bench.stall(*stall or (0, 0))
        await self.bench.reset()
        return self

    async def run(self, pages, limits=None, empty_last=False):
        """[(status, stream)] of `pages`; each page's limit is there from its first window to its last."""
        limits = limits or [NO_LIMIT] * len(pages)
        self.source.delay = random.choice((0, LATE_WINDOWS))
        first = len(self.result.received)
        ports = [self.dut.io_limits_0, self.dut.io_limits_1]
        for index, page in enumerate(pages):
            for window in page.windows(empty_last):
                self.source.send(slot=(self.slot + index) % 2, **window)
        most = self.bench.cycle + 20 * (len(self.source.queue) + 300 * len(pages))
        while len(self.result.received) - first < len(pages):
            self.show_limits(limits, ports)
            await self.bench.step()
            assert self.bench.cycle < most, "not every page was answered"
        self.slot = (self.slot + len(pages)) % 2
        answers = []
        for result, stream in zip(self.result.received[first:], self.sink.pages[first:]):
            assert result["length"] == len(stream)
            answers.append((result["status"], stream))
        return answers

    def show_limits(self, limits, ports):
        """Those of the page whose windows come and of the next."""
        taken = len(limits) - sum(window["last"] for window in self.source.queue)
        for page in range(taken, min(taken + 2, len(limits))):
            ports[(self.slot + page) % 2].value = limits[page]


def stalls():
    return random.choice([(0, 0), (0.5, 0), (0, 0.5), (0.3, 0.3), (0.05, 0.8), (0.9, 0.05)])
