# SPDX-License-Identifier: Apache-2.0
"""decompress_lane_cold: streams of both formats in any order, each judged as its own format's model has it."""
import random

import cocotb
from sampled import sampled
from cold import cold_compress, cold_decompress
from cold_writer import stream_of
from lzo import PAGE_BYTES, compress, crc32c, fixed_pages
from lzo_verdict import interface, verdict
from runner import run
from test_cold_decompressor import START, drawn, victims
from test_decompress_lane import WIDTH, Lane, tamper

SUCCESS = interface.STATUS_SUCCESS
CODECS = ("lzo1x_1", "lzo1x_999", "lzo-rle")
# Bytes a cycle that so many recorded pages come through with at least, back to back; a hundredth below what they do.
RATED_PAGES = sampled(40, 16)
LEAST_RATES = sampled({"LZO": 15.3, "cold": 10.3, "by turns": 9.2}, {"LZO": 15.4, "cold": 11.2, "by turns": 10.1})


class MixedLane(Lane):
    commands = [*Lane.commands, "cold"]

    async def start(self, *stalls):
        tamper(self.dut)
        await self.bench.reset()
        self.bench.stall(*stalls or (0, 0))
        return self

    def __init__(self, dut):
        super().__init__(dut)
        self.dut = dut

    async def check(self, jobs):
        """Every job must be answered as its format's model would; return the statuses seen."""
        for (stream, crc, check, cold), (result, page) in zip(jobs, await self.run(jobs), strict=True):
            shown = f"{'cold' if cold else 'LZO'} {stream.hex()}: {result}, {len(page)} bytes"
            if cold:
                status, expected = cold_decompress(stream, PAGE_BYTES)
                statuses = {status}
                assert page == expected, shown
            else:
                statuses, expected = verdict(stream, PAGE_BYTES)
                shared = min(len(page), len(expected))
                assert page[:shared] == expected[:shared], shown
            if statuses == {SUCCESS}:
                assert page == expected, shown
                if check and crc32c(page) != crc:
                    statuses = {interface.STATUS_CRC_MISMATCH}
            assert result["status"] in statuses, f"{shown}, wanted {statuses}"
            assert result["length"] == len(page) <= PAGE_BYTES and result["crc32c"] == crc32c(page) and result["detail"] == 0, shown
        return [result["status"] for result in self.result.received[-len(jobs):]]


def stream(page, cold):
    """A stream of `page` in either format."""
    return cold_compress(page, len(page) + START)[1] if cold else compress(page, random.choice(CODECS))


def good(page, cold):
    return stream(page, cold), crc32c(page), True, cold


def stalls():
    return random.choice([(0, 0), (0.5, 0.1), (0.1, 0.6), (0.3, 0.3), (0.9, 0.05)])


def runs(count):
    """`count` formats: by turns, drawn, or in runs of one."""
    kind = random.randrange(3)
    if kind == 0:
        return [index % 2 == 0 for index in range(count)]
    if kind == 1:
        return [random.random() < 0.5 for _ in range(count)]
    return [index // random.choice((2, 3, 5)) % 2 == 0 for index in range(count)]


@cocotb.test()
async def mixed_jobs(dut):
    """Good streams, wrong CRCs checked and not, changed, cut, of shorter and longer pages, none at all, and of the other format."""
    lane = await MixedLane(dut).start()
    for _ in range(sampled(12, 2)):
        lane.bench.stall(*stalls())
        lane.source.empty_last = random.random() < 0.5
        jobs = []
        for page in drawn(sampled(4, 1)):
            for cold in (False, True):
                taken, crc = stream(page, cold), crc32c(page)
                at = random.randrange(len(taken))
                jobs += [(taken, crc, True, cold), *((taken, crc ^ 1 << random.randrange(32), checked, cold) for checked in (False, True)),
                         (taken[:at] + bytes([taken[at] ^ 1 << random.randrange(8)]) + taken[at + 1:], crc, True, cold),
                         (taken[:at], crc, True, cold), (stream(page[:random.randrange(1, PAGE_BYTES)], cold), crc, True, cold),
                         (stream(page + b"more", cold), crc, True, cold), (taken, crc, True, not cold)]
        jobs += [(b"", 0, False, cold) for cold in (False, True)]
        random.shuffle(jobs)
        statuses = set(await lane.check(jobs))
        assert {SUCCESS, interface.STATUS_CRC_MISMATCH, interface.STATUS_MALFORMED_STREAM} <= statuses


@cocotb.test()
async def back_to_back(dut):
    """Runs of one format and changes at every page; short streams, of which many are inside at once, so that both wait for each other."""
    lane = await MixedLane(dut).start()
    for _ in range(sampled(12, 3)):
        lane.bench.stall(*stalls())
        pages = [random.choice((drawn(1)[0], bytes(PAGE_BYTES), random.randbytes(3) * 20, b"a", random.randbytes(40), drawn(1)[0][:300]))
                 for _ in range(sampled(60, 30))]
        await lane.check([good(page, cold) for page, cold in zip(pages, runs(len(pages)))])


@cocotb.test()
async def broken_streams(dut):
    """Cold streams that are cut, changed or drawn, with an LZO stream behind each few, which must come through."""
    lane = await MixedLane(dut).start(0.05, 0.1)
    seen = set()
    for _ in range(sampled(200, 6)):
        taken, jobs = stream(random.choice(victims() + drawn(2)), True), [good(drawn(1)[0][:random.randrange(1, PAGE_BYTES)], True)]
        for _ in range(12):
            content = bytearray(taken[START:])
            for _ in range(random.choice((1, 1, 2))):
                at = random.randrange(len(content))
                if random.random() < 0.7:
                    content[at] = random.randrange(256)
                else:
                    del content[at:at + random.randrange(1, 4)]
                content = content or bytearray(b"\0")
            broken = random.choice((stream_of(bytes(content), taken[6] & 7), taken[:START] + bytes(content), taken[:random.randrange(len(taken))],
                                    random.randbytes(random.randrange(60))))
            jobs.append((broken, 0, False, True))
            if random.random() < 0.4:
                jobs.append(good(drawn(1)[0], random.random() < 0.5))
        seen |= set(await lane.check(jobs))
    assert {SUCCESS, interface.STATUS_MALFORMED_STREAM, interface.STATUS_OUTPUT_UNDERRUN} <= seen


async def check_rates(lane, job, run, least):
    """`run` recorded pages, the same for every seed, back to back without stalls: of one format, of the other, and by turns; each at `least` so many
    bytes a cycle from result to result."""
    pages, found = fixed_pages(RATED_PAGES), {}
    for name, cold in (("LZO", lambda index: False), ("cold", lambda index: True), ("by turns", lambda index: index % 2 == 0)):
        jobs = [job(page, cold(index)) for index, page in enumerate(pages)]
        await run(jobs)
        first, last = lane.result.cycles[-len(jobs)], lane.result.cycles[-1]
        found[name] = PAGE_BYTES * (len(jobs) - 1) / (last - first)
    lane.dut._log.info("bytes a cycle: " + ", ".join(f"{name} {rate:.2f}" for name, rate in found.items()))
    for name, bound in least.items():
        assert found[name] >= bound, f"{name}: {found[name]:.2f} bytes a cycle"


@cocotb.test()
async def rates(dut):
    """Streams of both formats as fast as they ever were (check_rates)."""
    lane = await MixedLane(dut).start()

    async def run(jobs):
        assert {result["status"] for result, _ in await lane.run(jobs)} == {SUCCESS}

    await check_rates(lane, lambda page, cold: (stream(page, True) if cold else compress(page, "lzo1x_1"), crc32c(page), True, cold), run, LEAST_RATES)


@cocotb.test()
async def hanging_engine(dut):
    """A decompressor that stops in mid-page, of either format: the page is ended, every command answered, until reset."""
    for cold in (False, True):
        lane = await MixedLane(dut).start(0.1, 0.1)
        page = drawn(1)[0]
        job, other = good(page, cold), good(page, not cold)
        assert await lane.check([job, other]) == [SUCCESS] * 2
        lane.send(*job)
        for _ in range(random.randrange(PAGE_BYTES // WIDTH * 3 // 4)):
            await lane.bench.step()
        tamper(dut, halt=1)
        await lane.bench.until(lambda: len(lane.result.received) == 3, 30000)
        assert page.startswith(lane.sink.pages[2]) and len(lane.sink.pages) == 3
        tamper(dut)
        answers = [lane.result.received[2]] + [result for result, _ in await lane.run([job, other])]
        assert {answer["status"] for answer in answers} == {interface.STATUS_ENGINE_FAULT}


@cocotb.test()
async def broken_words(dut):
    """A wrong bit of a cold page is a wrong CRC; a word that is not full is the end of the engine's service."""
    lane = await MixedLane(dut).start()
    job = good(drawn(1)[0], True)
    tamper(dut, random.randrange(PAGE_BYTES // WIDTH), mask=1 << random.randrange(8 * WIDTH))
    (result, _), = await lane.run([job])
    assert result["status"] == interface.STATUS_CRC_MISMATCH
    tamper(dut, random.randrange(PAGE_BYTES // WIDTH - 1), count=1)
    for _ in range(2):
        lane.send(*job)
    await lane.bench.until(lambda: len(lane.result.received) == 3, 30000)
    assert [answer["status"] for answer in lane.result.received[1:]] == [interface.STATUS_ENGINE_FAULT] * 2


def test_decompress_lane_cold():
    run("decompress_lane_cold_tampered", module=__name__)
