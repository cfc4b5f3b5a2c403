# SPDX-License-Identifier: Apache-2.0
"""Pages to test with: recorded ones of real programs, and made ones at the edges. Both follow from a seed alone.

The recorded ones stand in corpus/. Pages are PAGE_BYTES long, the size that swapping on x86 uses; callers with other page
sizes pass theirs.
"""
import functools
import json
import lzma
import pathlib
import random

PAGE_BYTES = 4096
CORPUS = pathlib.Path(__file__).parent / "corpus"


@functools.cache
def corpus():
    """{kind: its recorded pages, one after the other}, in the order of corpus/pages.json."""
    data, kinds, at = lzma.decompress((CORPUS / "pages.xz").read_bytes()), {}, 0
    for kind, count in json.loads((CORPUS / "pages.json").read_text(encoding="ascii")).items():
        kinds[kind] = data[at:at + count * PAGE_BYTES]
        at += count * PAGE_BYTES
    if at != len(data):
        raise RuntimeError(f"{CORPUS}: pages.json and pages.xz do not belong together: make corpus writes both")
    return kinds


def _recorded(kind, place, page_bytes):
    """`page_bytes` from the kind's page number `place` on: what lay there in memory, and the beginning after the end."""
    data, start = corpus()[kind], place * PAGE_BYTES
    return (data[start:] + data * (page_bytes // len(data) + 1))[:page_bytes]


def sample_pages(count, seed, page_bytes=PAGE_BYTES):
    """Return `count` recorded pages: kinds in turn in an order that follows from `seed`, and so do the pages."""
    choice = random.Random(seed)
    kinds = choice.sample([*corpus()], len(corpus()))
    return [_recorded(kind, choice.randrange(len(corpus()[kind]) // PAGE_BYTES), page_bytes)
            for kind in (kinds[index % len(kinds)] for index in range(count))]


def fixed_pages(count, page_bytes=PAGE_BYTES):
    """Return `count` recorded pages, the same ones whatever the seed: for bounds that hold for their content exactly."""
    return sample_pages(count, 0, page_bytes)


def edge_pages(seed, page_bytes=PAGE_BYTES):
    """Return {name: page} of pages that real memory seldom holds but codecs must survive."""
    choice = random.Random(seed)
    noise = choice.randbytes(page_bytes)
    word = choice.randbytes(8)
    pages = {
        "zeros": bytes(page_bytes),
        "same byte": b"\xa5" * page_bytes,
        "same word": word * (page_bytes // 8),
        "same word but the last byte": (word * (page_bytes // 8))[:-1] + bytes([word[7] ^ 1]),
        "zeros but the first byte": b"\x01" + bytes(page_bytes - 1),
        "zeros but the last byte": bytes(page_bytes - 1) + b"\x01",
        "noise": noise,
        "noise then zeros": noise[:page_bytes // 2] + bytes(page_bytes // 2),
        "zeros then noise": bytes(page_bytes // 2) + noise[:page_bytes // 2],
        "noise twice": noise[:page_bytes // 2] * 2,
        "first byte 17": b"\x11\x01" + noise[2:],
        "two symbols": bytes(choice.choice(b"\x00\x01") for _ in range(page_bytes)),
        "sparse": bytes(choice.randrange(256) if choice.random() < 0.02 else 0 for _ in range(page_bytes)),
        "counter": b"".join(number.to_bytes(4, "little") for number in range(page_bytes // 4)),
        "pointers": b"".join((0x7F3A12340000 + 8 * choice.randrange(4096)).to_bytes(8, "little")
                             for _ in range(page_bytes // 8)),
    }
    for period in (1, 2, 3, 5, 7, 9, 15, 17, 31, 33, 255, 257, 2047, 2048, 2049):
        prefix = choice.randbytes(13)
        body = choice.randbytes(period)
        pages[f"period {period}"] = (prefix + body * (page_bytes // period + 1))[:page_bytes]
    for gap in (1, 2, 3, 4, 18, 19, 238, 239, 273, 274):
        # Matches `gap` literals apart: every way a literal count is written.
        words = [choice.randbytes(8) for _ in range(4)]
        page = b"".join(words)
        while len(page) < page_bytes:
            page += choice.randbytes(gap) + choice.choice(words)
        pages[f"literal gap {gap}"] = page[:page_bytes]
    return pages
