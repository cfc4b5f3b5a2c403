# SPDX-License-Identifier: Apache-2.0
"""What a job of core_bench must have come to, judged by the codecs that users run."""
import lzo
from cold import cold_compress, zstd_decompress
from core_bench import PAGE
from crc32c import crc32c
from model import page_compress
from pagepress_interface import *  # noqa: F403 (statuses)


def check_compressed(bench, job):
    """The completion of a compress command whose page was read well is right in every field."""
    completion, page, capacity = job.completion, job.plain, job.destination[1]
    cold = job.entry.format == FORMAT_COLD
    status, wanted = (cold_compress if cold else page_compress)(page, min(capacity, PAGE))
    assert completion.crc32c == crc32c(page), job
    stream = bench.output(job)
    if page == page[:8] * (PAGE // 8):
        assert completion.status == STATUS_SAME_FILLED, job
        assert completion.detail.to_bytes(8, "little") == page[:8] and not stream
        return
    if completion.status == STATUS_INCOMPRESSIBLE:
        assert not stream, "an incompressible page was written"
        assert completion.detail == 0, job
        assert status == STATUS_INCOMPRESSIBLE, f"called incompressible: {job}"
        return
    assert completion.status == STATUS_SUCCESS, job
    assert 0 < len(stream) <= capacity
    assert stream == wanted, job
    assert completion.detail == crc32c(stream), job
    for decompress in (zstd_decompress,) if cold else (lzo.liblzo2_decompress, lzo.kernel_decompress):
        assert decompress(stream, PAGE) == page
    assert completion.engine_cycles > 0


def check_decompressed(bench, job):
    assert job.completion.status == STATUS_SUCCESS, job
    assert job.completion.produced_length == PAGE and job.completion.crc32c == crc32c(job.plain)
    assert bench.output(job) == job.plain


def check(bench, job):
    """A job of either kind."""
    if job.entry.opcode == OPCODE_COMPRESS:
        check_compressed(bench, job)
    else:
        check_decompressed(bench, job)
