# SPDX-License-Identifier: Apache-2.0
"""pcie_adapter_wide: what goes wrong on the link is counted."""
import cocotb
from cocotb.triggers import gather
from cocotbext.axi import AxiResp
from cocotbext.pcie.xilinx.us.tlp import ErrorCode

from adapter_bench import AdapterBench
from core_bench import QUIET
from runner import run


@cocotb.test()
async def link_errors(dut):
    """Each is counted as what it is and as nothing else, also through a function-level reset."""
    bench = await AdapterBench.start(dut, payload=256, read_request=256)
    names = ("completionsFaulted", "readsOverdue", "writesFailed", "completionsUnexpected")

    def counts():
        return [int(getattr(dut, f"linkErrors_{name}").value) for name in names]

    async def grown(work):
        await bench.cycles(20)
        before, reads = counts(), bench.host.reads
        await gather(*[cocotb.start_soon(task) for task in work])
        await bench.cycles(200)
        return [now - then for now, then in zip(counts(), before)], bench.host.reads - reads

    assert counts() == [0] * 4, "at power-on"
    assert (await grown([bench.read_back() for _ in range(30)]))[0] == [0] * 4, "nothing went wrong"
    for kind in ("ur", "ca"):  # one completion answers a read
        count, reads = await grown([bench.read_back(AxiResp.SLVERR, kind) for _ in range(10)])
        assert count == [reads, 0, 0, 0], kind
    for kind in ("poison", "void"):
        count, reads = await grown([bench.read_back(AxiResp.SLVERR, kind) for _ in range(10)])
        assert count[0] >= reads and count[1:] == [0] * 3, kind
    bench.host.mend()
    count, reads = await grown([bench.read_back(AxiResp.SLVERR, "late") for _ in range(5)])
    assert count == [0, reads, 0, 0]
    late, bench.host.late = bench.host.late, []
    assert (await grown(late))[0] == [0] * 4, "what comes at last is not counted again"
    bench.host.mend()
    read = cocotb.start_soon(grown([bench.read_back(AxiResp.SLVERR, "late", whole=True)]))
    await bench.cycles(200)
    given_up = bench.give_up("late", ErrorCode.TIMEOUT)
    assert await read == ([0, len(given_up), 0, 0], len(given_up)), "the block's time is over before the card's"
    bench.host.mend()
    late, bench.host.late = bench.host.late, []
    count, _ = await grown(late)
    assert count[:3] == [0] * 3 and count[3] >= len(late), "what the block has given up is expected by nobody"
    answered, complete = [], bench.host.complete
    bench.host.complete = lambda tlp, kind: (answered.append(tlp), complete(tlp, kind))[1]
    await grown([bench.read_back(whole=True)])
    bench.host.complete = complete
    bench.host.open |= {tlp.tag: tlp for tlp in answered}
    count, _ = await grown([complete(tlp, "ur") for tlp in answered])
    assert count == [0, 0, 0, len(answered)], "each was answered before"
    returned, numbers = bench.block.rq_seq_num, []
    returned.put_nowait = numbers.append
    count, _ = await grown([bench.write_out(AxiResp.SLVERR) for _ in range(10)])
    del returned.put_nowait
    assert count == [0, 0, 10, 0], "the block did not say in time that they had gone"
    for number in numbers:
        returned.put_nowait(number)
    before = counts()
    await bench.function_reset()
    assert counts() == before, "a reset forgets none"
    await bench.device.clear_master()
    await bench.cycles(20)
    count, _ = await grown([bench.write_out(AxiResp.SLVERR) for _ in range(10)])
    assert count[:2] == [0] * 2 and count[2] >= 10 and not count[3]
    bench.finish()


def test_pcie_link_errors():
    run("pcie_adapter_wide", module=__name__, environment=QUIET)
