# SPDX-License-Identifier: Apache-2.0
"""page_copier: puts tokens together as the format says, whatever they reach for and whoever waits."""
import os
import random

import cocotb
import pytest
from sampled import sampled
from engine_bench import EngineBench
from lzo_verdict import interface
from runner import run
from stream_bench import Bench, ByteSink, Sink, Source

# The configuration under test: page_copier unless the environment says otherwise.
COPY_BYTES = int(os.environ.get("BLOCK_COPY_BYTES", 32))
BORDER = int(os.environ.get("BLOCK_BORDER", 32))
TOKENS = int(os.environ.get("BLOCK_TOKENS", 2))
PAGE_BYTES = 4096
LITERALS = 16
PARSER_LATENCY = 4
TOKEN_FIELDS = ("valid", "zeroRun", "matchLength", "distance", "runLength", "literals", "bytes")


class Token:
    """Copy `match` bytes from `distance` back (or as many zeros), then put `literals`, of a run with `left` to go."""

    def __init__(self, match=0, distance=1, literals=b"", zeros=False, left=None):
        self.match, self.distance, self.literals, self.zeros = match, distance, literals, zeros
        self.left = len(literals) if left is None else left

    def fields(self):
        padding = random.randbytes(LITERALS - len(self.literals))
        return {"valid": 1, "zeroRun": int(self.zeros), "matchLength": self.match,
                "distance": random.randrange(1 << 16) if self.zeros or not self.match else self.distance,
                "runLength": self.left, "literals": len(self.literals),
                "bytes": int.from_bytes(self.literals + padding, "little")}


def run_tokens(data):
    """A literal run as the parser cuts it."""
    return [Token(literals=data[at:at + LITERALS], left=len(data) - at) for at in range(0, len(data), LITERALS)]


def expected(tokens, malformed, limit):
    """(status, page) by the plainest reading of the tokens."""
    page = bytearray()
    for token in tokens:
        if token.match and not token.zeros and token.distance > len(page):
            return interface.STATUS_MALFORMED_STREAM, bytes(page)
        if len(page) + token.match + token.left > limit:
            return interface.STATUS_OUTPUT_OVERRUN, bytes(page)
        for _ in range(token.match):
            page.append(0 if token.zeros else page[-token.distance])
        page += token.literals
    if malformed:
        return interface.STATUS_MALFORMED_STREAM, bytes(page)
    return (interface.STATUS_SUCCESS if len(page) == limit else interface.STATUS_OUTPUT_UNDERRUN), bytes(page)


class GroupSource(Source):
    """Feeds groups of tokens as the parser does: one begun while there was room comes later, room or not.

    Fields of tokens that are not valid are random."""

    def __init__(self, dut):
        self.room, self.rooms = dut.io_room, [False] * PARSER_LATENCY
        names = [f"tokens_{k}_{field}" for k in range(TOKENS) for field in TOKEN_FIELDS]
        super().__init__(dut, "io_group", ["pageEnd", "malformed", *names])

    def before_edge(self):
        self.rooms.append(self.room.value == 1)
        if self.rooms.pop(0):
            super().before_edge()

    def at_edge(self, _cycle):
        taken = self.offered
        if taken:
            self.taken()
            self.offered = False
        return taken

    def send_page(self, tokens, malformed, lonely):
        """`lonely`: how often a group holds one token where it could hold two."""
        tokens = list(tokens)
        while tokens:
            size = 1 if len(tokens) == 1 or random.random() < lonely else TOKENS
            self.send_group(tokens[:size], False, False)
            del tokens[:size]
        self.send_group([], True, malformed)

    def send_group(self, tokens, end, malformed):
        values = {"pageEnd": int(end), "malformed": int(malformed)}
        for k in range(TOKENS):
            fields = tokens[k].fields() if k < len(tokens) else any_token().fields() | {"valid": 0}
            values |= {f"tokens_{k}_{field}": value for field, value in fields.items()}
        self.send(**values)


class Copier(EngineBench):
    """The block, its bench, and the checks every page must pass."""

    def __init__(self, dut):
        self.dut, self.limit = dut, PAGE_BYTES
        self.source = GroupSource(dut)
        self.sink = ByteSink(dut, "io_sink", BORDER)
        self.result = Sink(dut, "io_result", ["status", "length"])
        self.bench = Bench(dut, [self.source], [self.sink, self.result])

    async def check(self, pages, limit=PAGE_BYTES, lonely=0.2):
        """`pages`: lists of tokens, or pairs of such a list and whether the stream was malformed."""
        self.dut.io_limit.value = limit
        pages = [page if isinstance(page, tuple) else (page, False) for page in pages]
        wanted = [expected(*page, limit) for page in pages]
        first = len(self.result.received)
        for page in pages:
            self.source.send_page(*page, lonely)
        most = 2000 + 20 * sum(len(tokens) + limit for tokens, _ in pages)
        await self.bench.until(lambda: self.answered(first) == len(pages), most)
        outputs, results = self.sink.pages[first:], self.result.received[first:]
        for (status, page), output, result in zip(wanted, outputs, results, strict=True):
            assert result["status"] == status, f"status {result['status']}, wanted {status}"
            assert result["length"] == len(output)
            # A step that offends comes to nothing, with the token before it that shares the step.
            assert page.startswith(output)
            exact = status in (interface.STATUS_SUCCESS, interface.STATUS_OUTPUT_UNDERRUN)
            assert len(page) - len(output) <= (0 if exact else COPY_BYTES), "too little of the page came out"
        return [status for status, _ in wanted]


def any_token():
    return Token(random.randrange(1, 300), random.randrange(1 << 16), random.randbytes(random.randrange(4)),
                 random.random() < 0.1, random.randrange(1, 5000))


def distance(reach, near):
    """Any distance up to `reach`: half of them below `near`, all sizes above."""
    if random.random() < 0.5:
        return random.randrange(1, min(near, reach) + 1)
    return random.randrange(1, min(1 << random.randrange(1, 17), reach) + 1)


def legal_page(length, mean_match=8, near=40, zeros=0.05, runs=0.1, fused=0.1):
    """Tokens of a page of `length` bytes."""
    tokens, made = [], 0
    while made < length:
        rest = length - made
        if not made or random.random() < runs:
            count = min(rest, random.choice((random.randrange(1, 20), random.randrange(1, 200))))
            tokens += run_tokens(random.randbytes(count))
            made += count
            continue
        match = min(rest, 1 + int(random.expovariate(1 / mean_match)))
        most = LITERALS if random.random() < fused else 3
        count = min(rest - match, random.randrange(most + 1))
        tokens.append(Token(match, distance(made, near), random.randbytes(count), random.random() < zeros))
        made += match + count
    return tokens


def stalls():
    return random.choice([(0, 0), (0.5, 0), (0, 0.5), (0.3, 0.3), (0.05, 0.8), (0.9, 0.05)])


@cocotb.test()
async def legal_pages(dut):
    """Random tokens: short and long, near and far, stalls of every kind."""
    block = await Copier(dut).start()
    for _ in range(sampled(24, 12)):
        block.bench.stall(*stalls())
        shape = {"mean_match": random.choice((2, 5, 12, 60, 700)), "near": random.choice((3, 20, 40, 100, 200)),
                 "zeros": random.choice((0, 0.1)), "runs": random.choice((0.02, 0.3)),
                 "fused": random.choice((0, 0.5))}
        limit = random.choice((PAGE_BYTES, PAGE_BYTES, random.randrange(1, 300)))
        pages = [legal_page(limit, **shape) for _ in range(4)]
        statuses = await block.check(pages, limit, lonely=random.choice((0, 0.3, 1)))
        assert set(statuses) == {interface.STATUS_SUCCESS}


@cocotb.test()
async def every_distance(dut):
    """Each short distance against each length around the copy width, at every place in a word and in every pairing."""
    block = await Copier(dut).start(0.0, 0.0)
    page, made, pages = [], 0, []
    for back in (*range(1, 41), 48, 63, 64, 65, 95, 96, 97, 127, 128, 129, 160, 161, 200):
        for match in (1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 34, 48, 65, 100):
            if made + match + 250 > PAGE_BYTES:
                pages.append(page + run_tokens(random.randbytes(PAGE_BYTES - made)))
                page, made = [], 0
            if not made:
                page, made = run_tokens(random.randbytes(230)), 230
            literals = random.randbytes(random.choice((0, 0, 1, 2, 3, 9, 16)))
            page.append(Token(match, back, literals))
            made += match + len(literals)
    await block.check(pages, lonely=0)
    block.bench.stall(0.2, 0.2)
    await block.check(pages[::3], lonely=0.3)


@cocotb.test()
async def hazards(dut):
    """Tokens that read what the tokens just before them write, at each age, with gaps between them or none."""
    block = await Copier(dut).start()
    pages = []
    for age in range(1, 9):
        tokens, ends = run_tokens(random.randbytes(150)), [150]
        while ends[-1] < PAGE_BYTES - 60:
            size = random.choice((2, 4, 8, 16, 31, 32))
            # Straddle the beginning of what the token `age` before this one wrote.
            back = max(1, ends[-1] - ends[max(0, len(ends) - 1 - age)] + random.randrange(-3, 4))
            literals = random.randbytes(random.choice((0, 0, 1, 3)))
            tokens.append(Token(size, min(back, ends[-1]), literals))
            ends.append(ends[-1] + size + len(literals))
        pages.append(tokens + run_tokens(random.randbytes(PAGE_BYTES - ends[-1])))
    for source, sink in ((0, 0), (0.3, 0), (0.6, 0), (0, 0.4)):
        block.bench.stall(source, sink)
        for lonely in (0, 0.4):
            await block.check(pages, lonely=lonely)


@cocotb.test()
async def offences(dut):
    """Reaching before the page, past its limit, ending early or malformed: the status, and not a byte of the last page."""
    block = await Copier(dut).start(0.1, 0.1)
    seen = set()
    for _ in range(sampled(25, 14)):
        limit = random.choice((PAGE_BYTES, random.randrange(1, 600)))
        pages = []
        for _ in range(6):
            tokens = legal_page(limit, mean_match=random.choice((4, 30)))
            at = random.randrange(len(tokens))
            made = len(expected(tokens[:at], False, PAGE_BYTES)[1])
            kind = random.randrange(7)
            if kind == 0:  # by one byte or by far
                tokens.insert(at, Token(random.randrange(1, 80), made + random.choice((1, 2, 32, 5000, 40000)), b"x"))
            elif kind == 1:
                tokens.insert(at, Token(limit - made + random.choice((1, 2, 31, 32, 4000)), 1, zeros=True))
            elif kind == 2:  # a run is refused before its first byte
                tokens[at:at] = run_tokens(random.randbytes(limit - made + random.choice((1, 40))))
            elif kind == 3:  # lengths that no page has
                tokens.insert(at, Token(random.choice((4097, 8191, 8192, 16384, 32767)), 1, b"abc", random.random() < 0.5))
            elif kind == 4:
                del tokens[at:]
            pages.append((tokens, kind == 5))
            pages.append(legal_page(limit))
        statuses = await block.check(pages, limit, lonely=random.choice((0, 0.5)))
        seen |= set(statuses)
    assert seen == {interface.STATUS_SUCCESS, interface.STATUS_MALFORMED_STREAM, interface.STATUS_OUTPUT_OVERRUN,
                    interface.STATUS_OUTPUT_UNDERRUN}


@cocotb.test()
async def given_up(dut):
    """A page that failed takes a token a cycle, however long they are, and the page behind it is whole."""
    block = await Copier(dut).start()
    doomed = [Token(4, 1)] + [Token(PAGE_BYTES, 1, zeros=True) for _ in range(300)]
    behind = [Token(PAGE_BYTES, 9, zeros=True)]
    start = block.bench.cycle
    await block.check([doomed, behind], lonely=1)
    assert block.bench.cycle - start < 301 + PAGE_BYTES // COPY_BYTES + PAGE_BYTES // BORDER + 40


@cocotb.test()
async def rate(dut):
    """A full step each cycle, page behind page: nothing is lost between steps or pages."""
    block = await Copier(dut).start()
    pages = [run_tokens(random.randbytes(32)) + [Token(PAGE_BYTES - 32, back)] for back in (1, 7, 16, 32, 20, 5)]
    start = block.bench.cycle
    await block.check(pages, lonely=0)
    words = PAGE_BYTES // min(COPY_BYTES, BORDER)
    assert block.bench.cycle - start < len(pages) * (words + 5) + 20


def test_page_copier():
    run("page_copier", module=__name__)


def test_page_copier_needs_no_row_that_is_written():
    run("page_copier_tampered", module=__name__, testcase=["every_distance", "hazards"])


@pytest.mark.night("test-whole")
def test_page_copier_d1x16():
    run("page_copier_d1x16", module=__name__,
        environment={"BLOCK_COPY_BYTES": "16", "BLOCK_BORDER": "16", "BLOCK_TOKENS": "1"})
