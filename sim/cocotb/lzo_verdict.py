# SPDX-License-Identifier: Apache-2.0
"""What the hardware must answer to any byte string taken as an LZO stream, judged by the kernel's decoder."""
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "reference"),
                str(Path(__file__).resolve().parents[2] / "rtl/interface/generated")]

import pagepress_interface as interface
from lzo import LzoError, kernel_decompress, liblzo2_decompress
from model import page_decompress

ROOMY = 1 << 20  # a limit no test stream can reach


def verdict(stream, limit):
    """Return (statuses the hardware may answer, bytes it may put out a beginning of).

    On SUCCESS and OUTPUT_UNDERRUN the bytes are exact. Of any other stream no more may come out than it says itself:
    what is put out behind that was made of bytes that are not the stream's. Where a stream is both too long and broken,
    either answer is right: the kernel looks for the two in another order.
    """
    if len(stream) >= 5 and stream[0] == 17 and stream[1] > 1:
        # The kernel takes every later version as version 1; the card takes no stream it does not know.
        return {interface.STATUS_MALFORMED_STREAM}, b""
    try:
        page = kernel_decompress(stream, limit)
    except LzoError as error:
        return failure(error, stream), clear(error, stream, limit)
    check_liblzo2(stream, limit, page)
    return {interface.STATUS_SUCCESS if len(page) == limit else interface.STATUS_OUTPUT_UNDERRUN}, page


def failure(error, stream):
    if error.name not in ("OUTPUT_OVERRUN", "INPUT_OVERRUN"):
        return {interface.STATUS_MALFORMED_STREAM}
    try:
        kernel_decompress(stream, ROOMY)
    except LzoError:
        return {interface.STATUS_MALFORMED_STREAM, interface.STATUS_OUTPUT_OVERRUN}
    return {interface.STATUS_OUTPUT_OVERRUN}


def clear(error, stream, limit):
    """All that a stream says before it breaks. The kernel stops sooner: at a literal run of which the stream has only a part."""
    page = page_decompress(stream, limit)[1]
    assert page.startswith(error.produced), f"the references disagree on {stream.hex()}"
    return page


def check_liblzo2(stream, limit, page):
    """The two libraries agree on every stream without version header."""
    if stream[0] != 17:
        assert liblzo2_decompress(stream, limit) == page, f"the references disagree on {stream.hex()}"
