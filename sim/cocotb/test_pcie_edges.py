# SPDX-License-Identifier: Apache-2.0
"""pcie_adapter: what hosts and blocks seldom do. Requests of other kinds, void ones, completions that the block makes itself or a
host splits wrongly, numbers of writes that come back late, a link without room for reads."""
import random

import cocotb
import pytest
from cocotb.triggers import gather
from cocotbext.axi import AxiResp
from cocotbext.pcie.core.tlp import CplStatus, TlpAttr, TlpTc, TlpType
from cocotbext.pcie.core.utils import PcieId
from cocotbext.pcie.xilinx.us.tlp import ErrorCode, Tlp_us

from adapter_bench import TIMEOUT, AdapterBench
from core_bench import QUIET
from runner import run

REGISTER = 0x40  # of the core, which is memory here
MESSAGE, VENDOR_MESSAGE = 12, 13  # request types of the block that the model does not send


class Requests:
    """Sends requests to BAR0 that the host's model has no call for, and collects the completions."""

    def __init__(self, bench):
        self.bench, self.completions = bench, []
        self.host_send, bench.block.send = bench.block.send, self.collect

    async def collect(self, tlp):
        if tlp.fmt_type in (TlpType.CPL, TlpType.CPL_DATA, TlpType.CPL_LOCKED, TlpType.CPL_LOCKED_DATA):
            self.completions.append(tlp)
        else:
            await self.host_send(tlp)

    async def send(self, kind, payload=b"", dwords=1, tag=0, discontinue=False, request_type=None):
        """Gives what its completion must repeat: requester, traffic class and attributes, all drawn."""
        tlp = Tlp_us()
        tlp.fmt_type, tlp.address, tlp.length, tlp.tag = kind, REGISTER, dwords, tag
        tlp.requester_id, tlp.tc, tlp.attr = PcieId.from_int(random.getrandbits(16)), TlpTc(random.randrange(8)), TlpAttr(random.randrange(8))
        tlp.first_be, tlp.last_be = 0xf, 0xf if dwords > 1 else 0
        tlp.discontinue, tlp.data = discontinue, bytearray(payload)
        frame = tlp.pack_us_cq()
        if request_type is not None:
            frame.data[2] = frame.data[2] & ~(0xf << 11) | request_type << 11
        await self.bench.block.cq_source.send(frame)
        return tlp.requester_id, tlp.tc, tlp.attr

    def done(self):
        self.bench.block.send = self.host_send


@cocotb.test()
async def requests_of_other_kinds(dut):
    """I/O, atomics and locked reads: Unsupported Request, as the specification fills it; messages: nothing. No register changes. Reads beside
    them: the register. Each completion bears its request's requester, traffic class and attributes."""
    bench = await AdapterBench.start(dut)
    before = random.getrandbits(32)
    await bench.write(REGISTER, before)
    assert await bench.read(REGISTER) == before
    requests, expected = Requests(bench), []
    kinds = [(TlpType.IO_READ, 0, 1), (TlpType.IO_WRITE, 4, 1), (TlpType.FETCH_ADD, 4, 1), (TlpType.SWAP_64, 8, 2), (TlpType.CAS_64, 16, 4),
             (TlpType.CAS, 8, 2), (TlpType.MEM_READ, 0, 1), (TlpType.MEM_READ_LOCKED, 0, 1), (TlpType.MEM_READ_LOCKED_64, 0, 5), (None, 8, 2), (None, 96, 24)]
    for tag, (kind, size, dwords) in enumerate(random.sample(kinds * 2, 2 * len(kinds))):
        is_locked = kind in (TlpType.MEM_READ_LOCKED, TlpType.MEM_READ_LOCKED_64)
        is_read = kind == TlpType.MEM_READ
        echo = await requests.send(kind or TlpType.MEM_WRITE, random.randbytes(size), dwords, tag,
                            request_type=None if kind else random.choice((MESSAGE, VENDOR_MESSAGE)))
        if kind:
            expected.append((tag, CplStatus.SC if is_read else CplStatus.UR, 4 * dwords if is_locked else 4, REGISTER if is_locked or is_read else 0,
                             is_locked, *echo))
    await bench.cycles(1500)
    assert [(tlp.tag, tlp.status, tlp.byte_count, tlp.lower_address, tlp.fmt_type in (TlpType.CPL_LOCKED, TlpType.CPL_LOCKED_DATA),
             tlp.requester_id, tlp.tc, tlp.attr) for tlp in requests.completions] == expected
    requests.done()
    assert await bench.read(REGISTER) == before
    bench.finish()


@cocotb.test()
async def void_requests(dut):
    """What the block declares void is neither carried out nor answered, whatever its length; the next request is."""
    bench = await AdapterBench.start(dut)
    await bench.write(REGISTER, 1)
    requests = Requests(bench)
    for _ in range(12):
        dwords = random.choice((1, 2, 12, 13, 40))
        await requests.send(TlpType.MEM_WRITE, random.randbytes(4 * dwords), dwords, discontinue=True)
        await requests.send(TlpType.MEM_READ, dwords=dwords, discontinue=True)
    await bench.cycles(1000)
    assert not requests.completions
    requests.done()
    # Of a write that becomes void in a later beat what came before may have been carried out: its first twelve dwords.
    assert await bench.read(REGISTER) == 1 and await bench.read(REGISTER + 4) == 0
    bench.finish()


@cocotb.test()
async def completions_of_the_block(dut):
    """A completion with error code 8 (reset) ends its read at once, though it has no data, and its tag comes back."""
    bench = await AdapterBench.start(dut, read_request=128)
    for _ in range(2):
        start = bench.cycle
        tasks = [cocotb.start_soon(bench.read_back(AxiResp.SLVERR, "drop")) for _ in range(60)]
        answered = 0
        while not all(task.done() for task in tasks):
            await bench.cycles(20)
            for tag in bench.give_up("drop", ErrorCode.FLR):
                del bench.host.open[tag]
                answered += 1
            assert bench.cycle - start < TIMEOUT, "reads that the block has given up were waited for"
        await gather(*tasks)
        assert answered >= len(tasks)
    await gather(*[cocotb.start_soon(bench.read_back()) for _ in range(300)])
    bench.finish()


@cocotb.test()
async def completions_behind_a_timeout(dut):
    """A completion with error code 9 (timeout of the block) ends its read at once, but its tag stays out of use: what the host sends
    at last is what another read of that tag would wait for, byte count and address alike."""
    bench = await AdapterBench.start(dut, read_request=128)
    await bench.cycles(800)  # the card has seen that it may use all its tags
    start, given_up = bench.cycle, []
    tasks = [cocotb.start_soon(bench.read_back(AxiResp.SLVERR, "late", whole=True)) for _ in range(20)]
    while not all(task.done() for task in tasks):
        await bench.cycles(20)
        given_up += bench.give_up("late", ErrorCode.TIMEOUT)
        assert bench.cycle - start < TIMEOUT, "reads that the block has given up were waited for"
    await gather(*tasks)
    bench.host.mend()
    await bench.cycles(200)  # what is late is on its way
    late, bench.host.late = bench.host.late, []
    assert len(late) == len(given_up) >= len(tasks)

    async def others():
        for _ in range(30):
            await bench.read_back()

    # Many times as many as there are tags. The host, which has answered none of those, says so if one of their tags is used again. As few at a
    # time as leave room in the block's buffer: nobody keeps any for what comes so late.
    reads = [cocotb.start_soon(others()) for _ in range(20)]
    for completion in late:
        await bench.cycles(random.randint(1, 30))
        await completion
    await gather(*reads)
    bench.finish()


@cocotb.test()
async def room_of_overdue_reads(dut):
    """Reads that the card waits for no longer give back their room in the block's receive buffer: others follow, however many were lost."""
    bench = await AdapterBench.start(dut, payload=256, read_request=512)
    await bench.cycles(800)  # the card has seen that it may use all its tags
    start = bench.cycle
    # More than the buffer holds, so the last of them go out when the first have been given up.
    tasks = [cocotb.start_soon(bench.read_back(AxiResp.SLVERR, "drop", whole=True)) for _ in range(40)]
    while not all(task.done() for task in tasks):
        await bench.cycles(20)
        assert bench.cycle - start < 3 * TIMEOUT, f"{sum(not task.done() for task in tasks)} reads found no room"
    await gather(*tasks)
    bench.host.mend()
    await gather(*[cocotb.start_soon(bench.read_back(whole=True)) for _ in range(40)])
    bench.finish()


@cocotb.test()
async def completions_split_anywhere(dut):
    """Split elsewhere than at multiples of 64 bytes: a fault of that read, and of no other."""
    bench = await AdapterBench.start(dut, payload=128, read_request=256)
    for _ in range(2):
        kinds = random.choices((None, "odd"), k=60)
        await gather(*[cocotb.start_soon(bench.read_back(AxiResp.SLVERR if kind else AxiResp.OKAY, kind)) for kind in kinds])
    bench.finish()


@cocotb.test()
async def numbers_that_come_late(dut):
    """A write's number that comes back after its write was given up does not answer the later write that bears it again."""
    bench = await AdapterBench.start(dut, stalls=0)
    returned, late, count = bench.block.rq_seq_num, [], 20

    async def write(expected, size):
        tasks = [cocotb.start_soon(bench.write_out(expected)) for _ in range(size)]
        return await gather(*tasks)

    returned.put_nowait = late.append
    await write(AxiResp.SLVERR, count)  # numbers 1 to 20
    del returned.put_nowait
    for number in late:
        returned.put_nowait(number)
    await bench.written(await write(AxiResp.OKAY, 63 - count))
    late.clear()
    returned.put_nowait = late.append
    tasks = [cocotb.start_soon(bench.write_out()) for _ in range(count)]  # numbers 1 to 20 again
    await bench.cycles(TIMEOUT // 2)
    assert not any(task.done() for task in tasks), "a write was answered before its data was beyond being overtaken"
    del returned.put_nowait
    for number in late:
        returned.put_nowait(number)
    await bench.written(await gather(*tasks))


@cocotb.test()
async def no_room_for_reads(dut):
    """While the link takes no reads none is sent, however long; writes pass, and the reads follow when there is room."""
    bench = await AdapterBench.start(dut, stalls=0)
    bench.stalls = 1  # from the next change of the link's room on there is none
    await bench.cycles(100)
    before = bench.host.reads
    reads = [cocotb.start_soon(bench.read_back()) for _ in range(20)]
    writes = await gather(*[cocotb.start_soon(bench.write_out()) for _ in range(20)])
    await bench.cycles(2 * TIMEOUT)
    assert bench.host.reads == before and not any(task.done() for task in reads)
    bench.stalls = 0
    await gather(*reads)
    await bench.written(writes)


def test_pcie_edges():
    run("pcie_adapter_wide", module=__name__, environment=QUIET)


@pytest.mark.night("test-whole")
def test_pcie_edges_narrow():
    run("pcie_adapter_narrow", module=__name__, environment=QUIET)
