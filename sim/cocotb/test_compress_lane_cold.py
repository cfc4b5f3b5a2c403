# SPDX-License-Identifier: Apache-2.0
"""compress_lane_cold: verified streams of both formats in any order, each its own format's model's, or an honest reason why not."""
import random

import cocotb
from sampled import sampled
from cold import ZstdError, cold_compress, zstd_decompress
from lzo import PAGE_BYTES, LzoError, compressible_pages, edge_pages, kernel_decompress
from lzo_verdict import interface
from model import page_compress
from runner import run
from test_compress_lane import WIDTH, At, Lane, same_filled
from test_decompress_lane_cold import check_rates, drawn, runs

SUCCESS, VERIFY_FAILED, ENGINE_FAULT = interface.STATUS_SUCCESS, interface.STATUS_VERIFY_FAILED, interface.STATUS_ENGINE_FAULT
# Of check_rates; a hundredth below what they are.
LEAST_RATES = sampled({"LZO": 15.7, "cold": 10.0, "by turns": 9.8}, {"LZO": 15.3, "cold": 10.6, "by turns": 11.8})


class MixedLane(Lane):
    commands = [*Lane.commands, "cold"]


def decoded(stream, cold):
    """The page of a stream, by who did not write it; None where there is none."""
    try:
        return (zstd_decompress if cold else kernel_decompress)(stream, PAGE_BYTES)
    except (ZstdError, LzoError):
        return None


def check(jobs, pairs):
    """Every page right, whatever its status; return the statuses seen."""
    for (page, limit, _, cold), (answer, stream) in zip(jobs, pairs, strict=True):
        shown = f"{answer} {'cold' if cold else 'LZO'} limit {limit} for {page.hex()}"
        if same_filled(page):
            assert answer["status"] == interface.STATUS_SAME_FILLED and answer["detail"] == int.from_bytes(page[:8], "little"), shown
            continue
        wanted = (cold_compress if cold else page_compress)(page, limit)
        assert (answer["status"], stream or b"") == (wanted[0], wanted[1] if wanted[0] == SUCCESS else b""), shown
        if stream is not None:
            assert decoded(stream, cold) == page, shown
    return {answer["status"] for answer, _ in pairs}


@cocotb.test()
async def real_pages(dut):
    """Real and made pages of both formats with all limits, verified and not, under stalls of every kind."""
    lane = await MixedLane(dut).start()
    seen = set()
    for _ in range(sampled(10, 2)):
        lane.bench.stall(*random.choice([(0, 0), (0.5, 0), (0, 0.6), (0.3, 0.3), (0.05, 0.85)]))
        lane.source.empty_last = random.random() < 0.5
        pages = [*drawn(6), *random.sample(list(edge_pages(random.getrandbits(32)).values()), 5), random.randbytes(8) * (PAGE_BYTES // 8)]
        random.shuffle(pages)
        jobs = [(page, random.choice((PAGE_BYTES, PAGE_BYTES, PAGE_BYTES * 3 // 4, 100, 17, 1)), random.random() < 0.2, cold)
                for page, cold in zip(pages, runs(len(pages)))]
        seen |= check(jobs, await lane.run(jobs))
    assert seen == {SUCCESS, interface.STATUS_SAME_FILLED, interface.STATUS_INCOMPRESSIBLE}


@cocotb.test()
async def wrong_length(dut):
    """A source of another length is taken to its end and refused; its neighbours, of either format, do not notice."""
    lane = await MixedLane(dut).start(0.1, 0.1)
    good = drawn(1)[0]
    jobs = []
    lengths = (0, 1, 8, 15, 16, 17, *(PAGE_BYTES + more for more in (-16, -1, 1, 16, 2 * PAGE_BYTES)))
    for length in random.sample(lengths, sampled(len(lengths), 4)):
        jobs += [((good * 3)[:length], PAGE_BYTES, random.random() < 0.3, random.random() < 0.7), (good, PAGE_BYTES, False, random.random() < 0.5)]
    pairs = await lane.run(jobs)
    assert {answer["status"] for answer, _ in pairs[::2]} == {interface.STATUS_INVALID_LENGTH}
    check(jobs[1::2], pairs[1::2])


@cocotb.test()
async def rates(dut):
    """Pages to streams of both formats as fast as they ever were (check_rates)."""
    lane = await MixedLane(dut).start()

    async def run(jobs):
        check(jobs, await lane.run(jobs))

    await check_rates(lane, lambda page, cold: (page, PAGE_BYTES, False, cold), run, LEAST_RATES)


@cocotb.test()
async def broken_streams(dut):
    """Any changed bit between compressor and verifier is found, and no byte of such a stream leaves; the pages around it are well."""
    lane = await MixedLane(dut).start(0.1, 0.1)
    for cold in (True, False):
        page, = compressible_pages(1, seed=random.getrandbits(32))
        (_, stream), = await lane.run([(page, PAGE_BYTES, False, cold)])
        failures = 0
        for _ in range(sampled(200, 2)):
            bit = random.randrange(8 * len(stream))
            lane.tamper(bit // (8 * WIDTH), 1 << bit % (8 * WIDTH))
            (answer, broken), = await lane.run([(page, PAGE_BYTES, False, cold)])
            if answer["status"] == SUCCESS:
                assert decoded(broken, cold) == page, "a bit with a meaning was changed"
            else:
                assert answer["status"] == VERIFY_FAILED
                failures += 1
        assert failures > sampled(100, 0)
        lane.tamper(random.randrange((len(stream) + WIDTH - 1) // WIDTH), (1 << 8 * WIDTH) - 1)
        jobs = [(page, PAGE_BYTES, False, cold), (bytes(PAGE_BYTES), PAGE_BYTES, False, cold), (page, PAGE_BYTES, True, cold)]
        assert [answer["status"] for answer, _ in await lane.run(jobs)] == [VERIFY_FAILED, interface.STATUS_SAME_FILLED, SUCCESS]
        lane.tamper(0, 0)
        check(jobs, await lane.run(jobs))


@cocotb.test()
async def hanging_engine(dut):
    """An engine that stops, at any moment, costs its pages but never the lane."""
    for _ in range(sampled(6, 1)):
        lane = await MixedLane(dut).start(0.05, 0.05)
        pages = [page for page in drawn(6) if not same_filled(page)] + [bytes(PAGE_BYTES)]
        lane.bench.sinks.append(At(lane.bench.cycle + random.randrange(20, 1700), lambda lane=lane: lane.halt(1)))
        lane.bench.ports.append(lane.bench.sinks[-1])
        jobs = [(page, PAGE_BYTES, False, cold) for page, cold in zip(pages, runs(len(pages)))]
        pairs = await lane.run(jobs)
        statuses = [answer["status"] for answer, _ in pairs]
        assert ENGINE_FAULT in statuses and statuses[-1] == interface.STATUS_SAME_FILLED
        well = [(job, pair) for job, pair in zip(jobs, pairs) if pair[0]["status"] != ENGINE_FAULT]
        check(*zip(*well))
        lane.halt(0)
        # Out of service means until reset.
        pairs = await lane.run([(pages[0], PAGE_BYTES, False, cold) for cold in (False, True)])
        assert {answer["status"] for answer, _ in pairs} == {ENGINE_FAULT}


@cocotb.test()
async def broken_words(dut):
    """A word that is not full in mid-stream breaks the engines' contract: ENGINE_FAULT, at once and for good."""
    lane = await MixedLane(dut).start()
    page, = compressible_pages(1, seed=random.getrandbits(32))
    lane.tamper(1, 0, count=random.randrange(1, WIDTH))
    for answer, _ in await lane.run([(page, PAGE_BYTES, False, True), (page, PAGE_BYTES, True, True)]):
        assert answer["status"] == ENGINE_FAULT


def test_compress_lane_cold():
    run("compress_lane_cold_tampered", module=__name__)
