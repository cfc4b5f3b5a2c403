# SPDX-License-Identifier: Apache-2.0
"""Figures and the table from known streams and cycles; the judges of streams."""
import random

import pytest
from bench import PAGE_BYTES, Trouble, codecs, cold, goals, main
from bench.engines import Run, read_streams
from bench.pages import PageSet
from bench.summary import all_pages, means, percentile, set_record
from bench.table import table
from cold import zstd_decompress
from lzo import compress

KEYS = {"name", "pages", "same_filled", "incompressible", "ratio", "ratio_lzo1x_1", "ratio_lz4", "ratio_lz4hc",
        "ratio_lzo1x_999", "ratio_zstd1", "size_vs_lzo1x_1", "cold_ratio", "cold_size_vs_lzo1x_1", "compress_bytes_per_cycle", "compress_cycles",
        "verify_extra_cycles_mean", "decompress_bytes_per_cycle", "decompress_cycles"}
TOTALS = {"lzo1x_1": 4000, "lz4": 4096, "lz4hc": 3000, "lzo1x_999": 2000, "zstd1": 1000}
CYCLES = {"compress": {"bytes": 8192, "cycles": 512, "latencies": [300, 280]},
          "decompress": {"bytes": 4096, "cycles": 200, "latencies": [210]},
          "decompress_software": {"bytes": 4096, "cycles": 256, "latencies": [300, 400]}}


def record(**more):
    pages = PageSet("shop", bytes(PAGE_BYTES) + random.randbytes(PAGE_BYTES), 3)
    return set_record(pages, Run([bytes(904), None], CYCLES | more), TOTALS, [bytes(704), None])


def test_percentiles_are_values_that_occurred():
    assert [percentile(range(1, 101), share) for share in (1, 50, 99, 100)] == [1, 50, 99, 100]
    assert percentile([7], 50) == percentile([7], 99) == 7
    assert percentile([], 50) is None


def test_record_of_a_set():
    made = record(verified=[330], unverified=[290])
    assert KEYS <= set(made)
    assert (made["pages"], made["same_filled"], made["incompressible"]) == (2, 3, 1)
    assert made["ratio"] == round(8192 / (904 + 4096), 3)
    assert made["ratio_zstd1"] == 8.192
    assert made["size_vs_lzo1x_1"] == 1.25
    assert made["cold_ratio"] == round(8192 / (704 + 4096), 3) and made["cold_size_vs_lzo1x_1"] == 1.2
    assert (made["compress_bytes_per_cycle"], made["decompress_bytes_per_cycle"]) == (16, 20.48)
    assert made["compress_cycles"] == {"p50": 280, "p99": 300, "max": 300}
    assert made["verify_extra_cycles_mean"] == 40
    assert made["decompress_lzo1x_1_bytes_per_cycle"] == 16
    assert made["decompress_lzo1x_1_cycles"] == {"p50": 300, "p99": 400, "max": 400}


def test_one_page_has_the_rate_of_a_page_alone():
    assert record(compress={"bytes": 0, "cycles": 0, "latencies": [512]})["compress_bytes_per_cycle"] == 8


def test_record_without_lane_or_streams():
    assert record()["verify_extra_cycles_mean"] is None
    pages = PageSet("noise", random.randbytes(PAGE_BYTES), 0)
    nothing = {"bytes": 0, "cycles": 0, "latencies": []}
    made = set_record(pages, Run([None], CYCLES | {"decompress": nothing}), TOTALS, [None])
    assert made["decompress_bytes_per_cycle"] is None
    assert "–" in table([made], [means([made])]).splitlines()[3]


def test_table_is_aligned():
    lines = table([record(), record()], [means([record(), record()]), goals.record()]).splitlines()
    assert len({len(line) for line in lines[1:]}) == 1
    assert lines[3].startswith("shop") and lines[-2].startswith("mean") and lines[-1].startswith("goal")
    assert "215/400/682" in lines[-1] and " 0.920 " in lines[-1]


def test_goals_tell_reached_from_not():
    run = Run([], CYCLES | {"compress": {"latencies": [296, 200]}, "decompress": {"latencies": [215] * 99 + [683]}})
    better = {"compress_bytes_per_cycle": 15.96, "size_vs_lzo1x_1": 0.92, "cold_size_vs_lzo1x_1": 0.721, "decompress_bytes_per_cycle": 19.9}
    found = {entry["name"]: entry for entry in goals.judged([record() | better], all_pages([run]))}
    reached = {name: entry["met"] for name, entry in found.items()}
    assert list(reached.values()) == [False, True, True, True, False, None, False, True, True, False], reached
    assert found["decompress, cycles of the slowest page"]["value"] == 683
    text = goals.lines(list(found.values()))
    assert text[0].endswith(" reached") and "not measured" in text[5] and "not reached" in text[6]


def test_streams_file():
    data = (3).to_bytes(4, "little") + b"abc" + b"\xff\xff\xff\xff" + (1).to_bytes(4, "little") + b"d"
    assert read_streams(data) == [b"abc", None, b"d"]
    with pytest.raises(ValueError):
        read_streams(data[:-1])


def test_judges_accept_streams_and_find_wrong_ones():
    page = random.randbytes(64) * (PAGE_BYTES // 64)
    stream = compress(page, "lzo1x_1")
    assert codecs.judge([page, page], [stream, None]) == []
    other = bytes([page[0] ^ 1]) + page[1:]
    assert len(codecs.judge([page, other], [stream[:-1], stream])) == 4


def test_cold_streams_are_written_and_judged(tmp_path):
    """As many as pages, with the dictionary that zstd needs to read them; a wrong one ends the bench."""
    pages = PageSet("shop", 2 * random.randbytes(64) * (PAGE_BYTES // 64) + random.randbytes(PAGE_BYTES), 0)
    streams = cold.write_cold(tmp_path, pages, PAGE_BYTES)
    assert [stream is None for stream in streams] == [False, False, True]
    assert read_streams((tmp_path / "shop.cold-streams").read_bytes()) == streams
    dictionary = (tmp_path / "cold.dict").read_bytes()
    assert [zstd_decompress(stream, PAGE_BYTES, dictionary) for stream in streams[:2]] == list(pages)[:2]
    wrong = cold.judge(pages, [streams[0][:-1], streams[0][:20] + b"\xff" + streams[0][21:], None])
    assert wrong[0] == "page 0: the model does not give the page of its cold stream back" and len(wrong) == 4
    assert cold.judge(list(pages)[::-1], [None, streams[0], streams[1]]) == []


def test_wrong_cold_stream_stops_the_bench(tmp_path, monkeypatch):
    pages = PageSet("shop", random.randbytes(64) * (PAGE_BYTES // 64), 0)
    monkeypatch.setattr(cold, "cold_compress", lambda page, limit: (0, b"no stream"))
    with pytest.raises(Trouble, match="set shop: page 0: the model does not give"):
        cold.write_cold(tmp_path, pages, PAGE_BYTES)


def test_every_codec_shrinks_what_repeats():
    page = random.randbytes(64) * (PAGE_BYTES // 64)
    for codec in codecs.SIZES:
        assert 64 < codecs.total_stored(codec, [page]) < 400, codec
        assert codecs.total_stored(codec, [random.randbytes(PAGE_BYTES)]) == PAGE_BYTES, codec


def test_wrong_stream_stops_the_bench():
    page = random.randbytes(64) * (PAGE_BYTES // 64)
    pages = PageSet("shop", 2 * page, 0)
    streams = [compress(page, "lzo1x_1"), compress(page[::-1], "lzo1x_1")]
    with pytest.raises(Trouble, match="set shop: page 1: liblzo2's decoder gives other bytes"):
        main.judge_streams([pages], {"shop": Run(streams, {})})


@pytest.mark.parametrize("words, message", [
    (["no-such.pages"], "bench: cannot read no-such.pages"),
    (["/tmp"], "bench: cannot read /tmp: Is a directory"),
    (["/dev/zero"], "bench: /dev/zero is a device without an end"),
    (["--pages", "0"], "'0' is no number of pages"),
    (["--limit", "5000"], "'5000' is no number of bytes from 1 to 4096"),
])
def test_bad_command_line(words, message, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(main, "RESULTS", tmp_path)
    try:
        status = main.main(words)
    except SystemExit as end:
        status = end.code
    assert status
    assert message in capsys.readouterr().err
