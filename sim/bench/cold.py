# SPDX-License-Identifier: Apache-2.0
"""What the engines of the cold format wrote, beside its model in C and zstd."""
from cold import ZstdError, cold_compress, zstd_decompress
from pagepress_cold import DICTIONARY
from pagepress_interface import STATUS_SUCCESS

from . import PAGE_BYTES


def write_dictionary(folder):
    """With cold.dict, zstd reads what lies in NAME.cold-streams."""
    (folder / "cold.dict").write_bytes(DICTIONARY)


def judge(pages, streams, limit):
    """Whether each stream (None: incompressible) is the model's, and gives its page to zstd; a list of lines on what is wrong."""
    wrong = []
    for number, (page, stream) in enumerate(zip(pages, streams, strict=True)):
        status, modelled = cold_compress(page, limit)
        if stream != (modelled if status == STATUS_SUCCESS else None):
            wrong.append(f"page {number}: the cold stream is not the model's")
        try:
            if stream is not None and zstd_decompress(stream, PAGE_BYTES) != page:
                wrong.append(f"page {number}: zstd gives other bytes back of its cold stream")
        except ZstdError as error:
            wrong.append(f"page {number}: zstd says of its cold stream: {error}")
    return wrong
