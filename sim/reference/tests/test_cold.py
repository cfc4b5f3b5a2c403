# SPDX-License-Identifier: Apache-2.0
"""The cold format's coders against stock zstd with our dictionary, a plain writer and a plain reader: real pages, edges,
limits, and streams broken in every way."""
import functools
import itertools
import os
import random
import subprocess
from pathlib import Path

import pytest
from cold import ZstdError, cold_compress, cold_decompress, zstd_decompress
from cold_reader import read
from cold_writer import coded, frame, load, number, raw_literals, sequence_section, stream_of, treeless_body, treeless_literals
from golden_vectors import records
from pagepress_interface import STATUS_INCOMPRESSIBLE, STATUS_MALFORMED_STREAM, STATUS_OUTPUT_OVERRUN, STATUS_OUTPUT_UNDERRUN, \
    STATUS_SUCCESS
from sample_pages import PAGE_BYTES, corpus, edge_pages, sample_pages

SEED = int(os.environ.get("SEED", random.randrange(2**32)))
MUTATIONS = int(os.environ.get("MUTATIONS", 4000))
AGAIN = f"make test T=test_cold SEED={SEED}"
START = 9  # bytes of frame and block header
REFERENCE = Path(__file__).resolve().parents[1]
GENERATED = REFERENCE.parents[1] / "rtl/interface/generated"


def whole(page):
    """The page's stream, with as much room as any page needs."""
    status, stream = cold_compress(page, len(page) + START)
    assert status == STATUS_SUCCESS, AGAIN
    return stream


def comes_back(page, about):
    stream = whole(page)
    assert zstd_decompress(stream, len(page)) == page, f"{about}; {AGAIN}"
    assert cold_decompress(stream, len(page)) == (STATUS_SUCCESS, page), f"{about}; {AGAIN}"
    return stream


def short_pages(count, length):
    """Pieces of recorded pages."""
    return [page[at:at + length] for page, at in zip(sample_pages(count, SEED), range(0, PAGE_BYTES - length, 97))]


def test_zstd_takes_every_recorded_page():
    for kind, data in corpus().items():
        for at in range(0, len(data), PAGE_BYTES):
            comes_back(data[at:at + PAGE_BYTES], f"{kind}, page {at // PAGE_BYTES}")


@pytest.mark.parametrize("page_bytes", [PAGE_BYTES, 4 * PAGE_BYTES, 16 * PAGE_BYTES])
def test_zstd_takes_every_size_of_page(page_bytes):
    for name, page in edge_pages(SEED, page_bytes).items():
        comes_back(page, name)
    for index, page in enumerate(sample_pages(12, SEED, page_bytes)):
        comes_back(page, f"page {index}")


def test_zstd_takes_every_length():
    page, edges = sample_pages(1, SEED)[0], edge_pages(SEED)
    for length in [*range(1, 700), *range(4090, 4097)]:
        for whole_page in (page, edges["noise"], edges["zeros"], edges["period 7"]):
            comes_back(whole_page[:length], f"{length} bytes")


def test_every_count_of_literals():
    """Noise before zeros: every form of the literals' header, at its ends."""
    noise = random.Random(SEED).randbytes(65536)
    text = bytes(byte % 16 for byte in noise)
    for count in (*range(1, 40), 255, 256, 257, 1023, 1024, 1025, 4095, 4096, 4097, 16383, 16384, 16385, 65000):
        for data in (noise, text):
            comes_back(data[:count] + bytes(65536 - count), f"{count} literals")


def test_every_count_of_sequences():
    choice = random.Random(SEED)
    for count in (1, 2, 126, 127, 128, 129, 255, 256, 257, 2000, 6000):
        word = choice.randbytes(6)
        page = word + b"".join(choice.randbytes(3) + word for _ in range(count))
        comes_back(page, f"{count} words")


def test_model_is_the_plain_writer():
    for index, page in enumerate([*sample_pages(150, SEED), *edge_pages(SEED).values(), *sample_pages(5, SEED, 65536), *short_pages(40, 50)]):
        assert whole(page) == frame(load(), page), f"page {index}; {AGAIN}"


def test_compress_limit_is_exact():
    for page in [*sample_pages(20, SEED), edge_pages(SEED)["noise"], b"x"]:
        stream = whole(page)
        assert cold_compress(page, len(stream)) == (STATUS_SUCCESS, stream), AGAIN
        for limit in {len(stream) - 1, len(stream) // 2, 10, 9, 8, 1, 0} - {len(stream)}:
            if limit < len(stream):
                assert cold_compress(page, limit) == (STATUS_INCOMPRESSIBLE, b""), f"limit {limit}; {AGAIN}"


def test_worst_case():
    for page in edge_pages(SEED).values():
        assert len(whole(page)) <= PAGE_BYTES + START
    assert len(whole(edge_pages(SEED)["noise"])) == PAGE_BYTES + START


def test_page_size_is_exact():
    for page in [*sample_pages(20, SEED), edge_pages(SEED)["noise"], edge_pages(SEED)["zeros"]]:
        stream = whole(page)
        assert cold_decompress(stream, PAGE_BYTES - 1)[0] == STATUS_OUTPUT_OVERRUN, AGAIN
        status, right = cold_decompress(stream, PAGE_BYTES + 1)
        assert status == STATUS_OUTPUT_UNDERRUN and right == page, AGAIN


@functools.cache
def victims():
    """Small streams of every shape: one stream and four, raw literals, none, short and long distances."""
    noise, cycle = random.Random(SEED).randbytes(400), bytes(range(40, 60))
    found = [*short_pages(6, 300), *short_pages(3, 700), cycle * 20, noise[:70] + noise[:70] + bytes(60), bytes(100), noise[:30]]
    return [(page, whole(page)) for page in found]


def judged(stream, page_bytes, about):
    """Our verdict on a broken stream, which must be the plain reader's; and zstd takes what we take."""
    status, page = cold_decompress(stream, page_bytes)
    assert (status, page if status == STATUS_SUCCESS else b"") == read(stream, page_bytes), f"{about}: {stream.hex()}; {AGAIN}"
    if status == STATUS_SUCCESS:
        assert zstd_decompress(stream, page_bytes) == page, f"{about}: {stream.hex()}; {AGAIN}"
    return status


def test_every_truncation():
    for page, stream in victims():
        for length in range(len(stream)):
            cut = stream[:length]
            assert cold_decompress(cut, len(page)) == (STATUS_MALFORMED_STREAM, b""), AGAIN
            if length >= START:
                # And with a block header that says so.
                judged(stream_of(cut[START:], stream[6] & 7), len(page), f"first {length} bytes")


def changed_victims():
    """Literals in four streams; in one, with long and short matches; raw ones; a raw block. None longer than its test has time for."""
    choice = random.Random(SEED)
    likely = [2.0 ** -bits for bits in load().literals.bits]
    words = [bytes(choice.choices(range(256), likely, k=length)) for length in (3, 5, 9, 30)]
    pages = [bytes(choice.choices(range(256), likely, k=270)), b"".join(choice.choice(words) for _ in range(40)) + words[3] + bytes(90),
             choice.randbytes(25) + bytes(60), choice.randbytes(10)]
    streams = [(page, whole(page)) for page in pages]
    assert [stream[6] & 7 for _, stream in streams] == [number("BLOCK_COMPRESSED")] * 3 + [number("BLOCK_RAW")]
    assert [stream[9] & 15 for _, stream in streams[:2]] == [number("LITERALS_TREELESS") | 1 << 2, number("LITERALS_TREELESS")]
    return streams[1:] if "REFERENCE_LIBRARY" in os.environ else streams


def test_every_change_of_a_byte():
    """All 255 others at every place: no verdict but those of the interface, and what is taken is what zstd takes."""
    verdicts = (STATUS_SUCCESS, STATUS_MALFORMED_STREAM, STATUS_OUTPUT_OVERRUN, STATUS_OUTPUT_UNDERRUN)
    for page, stream in changed_victims():
        for at, value in itertools.product(range(len(stream)), range(256)):
            if value == stream[at]:
                continue
            broken, about = stream[:at] + bytes([value]) + stream[at + 1:], f"byte {at} is {value}"
            status, found = cold_decompress(broken, len(page))
            assert status in verdicts and (at >= number("FRAME_START_BYTES") or status == STATUS_MALFORMED_STREAM), f"{about}: {stream.hex()}; {AGAIN}"
            if status == STATUS_SUCCESS:
                assert zstd_decompress(broken, len(page)) == found, f"{about}: {stream.hex()}; {AGAIN}"
            elif (at + value) % 16 == 0:
                judged(broken, len(page), about)


def mutations(choice, count):
    """(stream, bytes of its page): bytes changed, cut, doubled and put in, the block header right again or not; and noise."""
    sources = [(page, whole(page)) for page in sample_pages(20, SEED)] + victims() * 3
    for _ in range(count):
        page, stream = choice.choice(sources)
        content = bytearray(stream[START:])
        for _ in range(choice.choice((1, 1, 2, 5))):
            at, kind = choice.randrange(len(content)), choice.randrange(5)
            if kind == 0:
                content[at] = choice.randrange(256)
            elif kind == 1:
                content[at] ^= 1 << choice.randrange(8)
            elif kind == 2 and len(content) > 5:
                del content[at:at + choice.randrange(1, 4)]
            elif kind == 3:
                content[at:at] = bytes(choice.choice((0, 0, 1, 128, 252, 255)) for _ in range(choice.randrange(1, 4)))
            else:
                content[at:at] = content[at // 2:at // 2 + choice.randrange(1, 9)]
            content = content or bytearray(b"\0")
        yield (stream_of(bytes(content), stream[6] & 7) if choice.random() < 0.9 else stream[:START] + bytes(content)), len(page)
    for _ in range(count // 4):
        noise = choice.randbytes(choice.randrange(1, 200))
        yield (stream_of(noise) if choice.random() < 0.8 else noise), choice.choice((16, 300, PAGE_BYTES))


def test_judges_like_reader_and_zstd():
    statuses = {judged(stream, page_bytes, f"mutation {index}")
                for index, (stream, page_bytes) in enumerate(mutations(random.Random(SEED), MUTATIONS))}
    assert statuses == {STATUS_SUCCESS, STATUS_MALFORMED_STREAM, STATUS_OUTPUT_OVERRUN, STATUS_OUTPUT_UNDERRUN}, AGAIN


def block(literals, sequences):
    return stream_of(raw_literals(literals) + sequence_section(load(), sequences))


# Name: what zstd makes of it, the stream, the page's bytes. "taken" is right for zstd too; "either": its versions differ.
TEXT = b"the same words are the same words, and these are some more of those words" * 4
BODY = treeless_body(load(), TEXT[:200])
RULES = {
    "another magic number": ("refused", b"\x29" + block(b"abcd", [])[1:], 4),
    "another window": ("taken", block(b"abcd", [])[:5] + b"\x28" + block(b"abcd", [])[6:], 4),
    "a checksum": ("refused", block(b"abcd", [])[:4] + b"\x04" + block(b"abcd", [])[5:], 4),
    "not the last block": ("refused", stream_of(raw_literals(b"abcd") + b"\0", 4), 4),
    "a block of one byte repeated": ("taken", stream_of(b"x", 3)[:6] + (4 << 3 | 3).to_bytes(3, "little") + b"x", 4),
    "a block size too small": ("refused", stream_of(raw_literals(b"abcd") + b"\0")[:6] + (5 << 3 | 5).to_bytes(3, "little") + raw_literals(b"abcd") + b"\0", 4),
    "bytes behind the block": ("refused", block(b"abcd", []) + b"\0", 4),
    "literals of one byte repeated": ("taken", stream_of(bytes([1 | 4 << 3, 97]) + b"\0"), 4),
    "a long header of few raw literals": ("taken", stream_of((1 << 2 | 4 << 4).to_bytes(2, "little") + b"abcd" + b"\0"), 4),
    "a longer header of raw literals": ("taken", stream_of((3 << 2 | 40 << 4).to_bytes(3, "little") + TEXT[:40] + b"\0"), 40),
    "four streams of few literals": ("taken", stream_of(treeless_literals(treeless_body(load(), TEXT[:200], 4), 200, 1) + b"\0"), 200),
    "one stream of many literals": ("taken", stream_of(treeless_literals(treeless_body(load(), TEXT, 1), len(TEXT), 0) + b"\0"), len(TEXT)),
    "a long header of coded literals": ("taken", stream_of(treeless_literals(treeless_body(load(), TEXT), len(TEXT), 2) + b"\0"), len(TEXT)),
    "no coded literals": ("either", stream_of(treeless_literals(b"\x01", 0, 0) + sequence_section(load(), [])), 4),
    "literals of no stream": ("refused", stream_of(treeless_literals(b"", 4) + b"\0"), 4),
    "a stream without its end mark": ("refused", stream_of(treeless_literals(BODY[:-1] + b"\0", 200) + b"\0"), 200),
    "a stream with literals left": ("refused", stream_of(treeless_literals(coded(load(), TEXT[:199]), 198) + b"\0"), 198),
    "a stream of too few literals": ("refused", stream_of(treeless_literals(coded(load(), TEXT[:199]), 200) + b"\0"), 200),
    "literals past the block": ("refused", stream_of(bytes([5 << 3]) + b"abcd"), 5),
    "no number of sequences": ("refused", stream_of(raw_literals(b"abcd")), 4),
    "bytes behind no sequences": ("refused", stream_of(raw_literals(b"abcd") + b"\0\0"), 4),
    "few sequences in two bytes": ("taken", stream_of(raw_literals(b"abcd") + b"\x80" + sequence_section(load(), [(4, 8, 4 + 3)])), 12),
    "sequences in three bytes": ("refused", stream_of(raw_literals(b"abcd") + b"\xff\0\0\xfc" + sequence_section(load(), [(4, 8, 7)])[2:]), 12),
    "tables of their own": ("refused", stream_of(raw_literals(b"abcd") + b"\x01\xa8" + sequence_section(load(), [(4, 8, 7)])[2:]), 12),
    "tables given by zstd": ("refused", stream_of(raw_literals(b"abcd") + b"\x01\x00" + sequence_section(load(), [(4, 8, 7)])[2:]), 12),
    "sequences of no bytes": ("refused", stream_of(raw_literals(b"abcd") + b"\x01\xfc"), 12),
    "bits behind the sequences": ("either", stream_of(raw_literals(b"abcd") + sequence_section(load(), [(4, 8, 7)])[:2] + b"\0"
                                                       + sequence_section(load(), [(4, 8, 7)])[2:]), 12),
    "more literals than there are": ("refused", block(b"abc", [(4, 8, 4 + 3)]), 12),
    "a match before the page": ("taken", block(b"abcd", [(4, 8, 5 + 3)]), 12),
    "a match far before the page": ("refused", block(b"abcd", [(4, 8, 50 + 3)]), 12),
    "a match at the page's beginning": ("taken", block(b"", [(0, 8, 1)]), 8),
    "a distance of none": ("either", block(b"abcd", [(4, 4, 1), (0, 4, 3)]), 12),
}


@pytest.mark.parametrize("name", RULES)
def test_refuses(name):
    """What a decoder must refuse, and what zstd says: some of it is right for zstd, but no page of ours is written so."""
    zstd, stream, page_bytes = RULES[name]
    status = judged(stream, page_bytes, name)
    assert status == STATUS_MALFORMED_STREAM
    try:
        found = zstd_decompress(stream, page_bytes)
    except ZstdError:
        found = None
    assert zstd == "either" or (found is None) == (zstd == "refused"), f"zstd makes {found}"


def test_rules_are_golden_vectors():
    """rtl/interface/vectors/cold.txt has every rule's stream, for decoders in other languages."""
    vectors = {words[0]: (values["status"], bytes.fromhex(values["stream"]), int(values["bytes"])) for words, values in records("cold.txt")}
    for name, (_, stream, page_bytes) in RULES.items():
        assert vectors[name.replace(" ", "_")] == ("MALFORMED_STREAM", stream, page_bytes), name


def test_takes_what_the_rules_leave():
    """The rules' streams with nothing wrong."""
    for stream, page in ((block(b"abcd", [(4, 8, 4 + 3)]), b"abcd" * 3), (block(b"abcd", []), b"abcd"),
                         (stream_of(b"abcd", number("BLOCK_RAW")), b"abcd"), (stream_of(treeless_literals(BODY, 200) + b"\0"), TEXT[:200])):
        assert cold_decompress(stream, len(page)) == (STATUS_SUCCESS, page)
    assert cold_decompress(block(b"abcd", [(4, 8, 4 + 3)]), 11)[0] == STATUS_OUTPUT_OVERRUN
    assert cold_decompress(block(b"abcde", [(4, 8, 4 + 3)]), 12)[0] == STATUS_OUTPUT_OVERRUN
    assert cold_decompress(block(b"abcde", []), 4)[0] == STATUS_OUTPUT_OVERRUN
    assert cold_decompress(stream_of(b"abcde", number("BLOCK_RAW")), 4)[0] == STATUS_OUTPUT_OVERRUN


def test_decoder_wants_nothing(tmp_path):
    """Neither memory of its own, nor floating point, nor much stack, nor a library: a kernel can take it as it is."""
    made = tmp_path / "cold_decompress.o"
    subprocess.run(["gcc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-Wvla", "-Wframe-larger-than=384", "-mgeneral-regs-only",
                    "-fno-stack-protector", f"-I{GENERATED}", f"-I{GENERATED.parent}", "-c", "-o", made, GENERATED.parent / "cold_decompress.c"], check=True)
    wanted = subprocess.run(["nm", "-u", made], capture_output=True, text=True, check=True).stdout.split()
    assert set(wanted) - {"U"} <= {"memcpy", "memmove"}
    data = subprocess.run(["nm", made], capture_output=True, text=True, check=True).stdout
    assert not [line for line in data.splitlines() if line.split()[-2] in "bBdDC"], data


@pytest.mark.skipif("REFERENCE_LIBRARY" in os.environ, reason="already inside")
@pytest.mark.night("test-whole")
def test_with_sanitizers(again_with_sanitizers):
    """The same tests again on the build with address and undefined-behaviour sanitizers."""
    run = again_with_sanitizers(__file__, SEED)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:] + AGAIN
