# SPDX-License-Identifier: Apache-2.0
"""A set of pages in the cold format: its streams by the model, judged, and as a file beside zstd's dictionary."""
from cold import ZstdError, cold_compress, cold_decompress, zstd_decompress
from pagepress_cold import DICTIONARY
from pagepress_interface import STATUS_SUCCESS

from . import PAGE_BYTES, Trouble
from .engines import as_streams


def write_cold(folder, pages, limit):
    """Write NAME.cold-streams and cold.dict; return the streams (None: incompressible). Trouble names the first that is wrong."""
    made = (cold_compress(page, limit) for page in pages)
    streams = [stream if status == STATUS_SUCCESS else None for status, stream in made]
    (folder / "cold.dict").write_bytes(DICTIONARY)
    (folder / f"{pages.name}.cold-streams").write_bytes(as_streams(streams))
    wrong = judge(pages, streams)
    if wrong:
        raise Trouble(f"set {pages.name}: {wrong[0]}; the streams are in build/bench/{pages.name}.cold-streams")
    return streams


def judge(pages, streams):
    """Decode every stream (None: none) with the model and with zstd; a list of lines on what they find wrong."""
    wrong = []
    for number, (page, stream) in enumerate(zip(pages, streams, strict=True)):
        if stream is None:
            continue
        if cold_decompress(stream, PAGE_BYTES) != (STATUS_SUCCESS, page):
            wrong.append(f"page {number}: the model does not give the page of its cold stream back")
        try:
            if zstd_decompress(stream, PAGE_BYTES) != page:
                wrong.append(f"page {number}: zstd gives other bytes back of its cold stream")
        except ZstdError as error:
            wrong.append(f"page {number}: zstd says of its cold stream: {error}")
    return wrong
