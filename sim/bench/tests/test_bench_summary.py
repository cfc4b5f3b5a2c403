# SPDX-License-Identifier: Apache-2.0
"""Figures and the table from known streams and cycles; the judges of streams."""
import random
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from bench import PAGE_BYTES, TOOLS, Trouble, codecs, cold, command, goals, main
from bench.engines import Engines, Run, cold_engines, read_streams
from bench.pages import PageSet
from bench.summary import all_pages, means, percentile, set_record
from bench.table import table
from cold import cold_compress, zstd_decompress
from lzo import compress

KEYS = {"name", "pages", "same_filled", "incompressible", "ratio", "ratio_lzo1x_1", "ratio_lz4", "ratio_lz4hc",
        "ratio_lzo1x_999", "ratio_zstd1", "size_vs_lzo1x_1", "cold_ratio", "cold_size_vs_lzo1x_1", "compress_bytes_per_cycle", "compress_cycles",
        "verify_extra_cycles_mean", "decompress_bytes_per_cycle", "decompress_cycles", "cold_compress_bytes_per_cycle",
        "cold_decompress_bytes_per_cycle", "cold_compress_cycles", "cold_decompress_cycles"}
TOTALS = {"lzo1x_1": 4000, "lz4": 4096, "lz4hc": 3000, "lzo1x_999": 2000, "zstd1": 1000}
CYCLES = {"compress": {"bytes": 8192, "cycles": 512, "latencies": [300, 280]},
          "decompress": {"bytes": 4096, "cycles": 200, "latencies": [210]},
          "decompress_software": {"bytes": 4096, "cycles": 256, "latencies": [300, 400]}}
COLD = Run([bytes(704), None], {"compress": {"bytes": 8192, "cycles": 819, "latencies": [900, 700]},
                                "decompress": {"bytes": 4096, "cycles": 400, "latencies": [701]}})


def record(**more):
    pages = PageSet("shop", bytes(PAGE_BYTES) + random.randbytes(PAGE_BYTES), 3)
    return set_record(pages, Run([bytes(904), None], CYCLES | more), COLD, TOTALS)


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
    assert (made["cold_compress_bytes_per_cycle"], made["cold_decompress_bytes_per_cycle"]) == (10, 10.24)
    assert made["cold_compress_cycles"] == {"p50": 700, "p99": 900, "max": 900}
    assert made["cold_decompress_cycles"] == {"p50": 701, "p99": 701, "max": 701}
    assert made["verify_extra_cycles_mean"] == 40
    assert made["decompress_lzo1x_1_bytes_per_cycle"] == 16
    assert made["decompress_lzo1x_1_cycles"] == {"p50": 300, "p99": 400, "max": 400}


def test_one_page_has_the_rate_of_a_page_alone():
    assert record(compress={"bytes": 0, "cycles": 0, "latencies": [512]})["compress_bytes_per_cycle"] == 8


def test_record_without_lane_or_streams():
    assert record()["verify_extra_cycles_mean"] is None
    pages = PageSet("noise", random.randbytes(PAGE_BYTES), 0)
    nothing = {"bytes": 0, "cycles": 0, "latencies": []}
    without = Run([None], CYCLES | {"decompress": nothing})
    made = set_record(pages, without, without, TOTALS)
    assert made["decompress_bytes_per_cycle"] is None and made["cold_decompress_bytes_per_cycle"] is None
    assert "–" in table([made], [means([made])]).splitlines()[3]


def test_table_is_aligned():
    lines = table([record(), record()], [means([record(), record()]), goals.record()]).splitlines()
    assert len({len(line) for line in lines[1:]}) == 1
    assert lines[3].startswith("shop") and lines[-2].startswith("mean") and lines[-1].startswith("goal")
    assert "215/400/682" in lines[-1] and " 0.920 " in lines[-1] and "–/700/–" in lines[-1]
    assert lines[3].split()[-4:] == ["10.0", "10.2", "700/900/900", "701/701/701"]


def test_goals_tell_reached_from_not():
    run = Run([], CYCLES | {"compress": {"latencies": [296, 200]}, "decompress": {"latencies": [215] * 99 + [683]}})
    better = {"compress_bytes_per_cycle": 15.96, "size_vs_lzo1x_1": 0.92, "cold_size_vs_lzo1x_1": 0.721, "decompress_bytes_per_cycle": 19.9}
    found = {entry["name"]: entry for entry in goals.judged([record() | better], all_pages([run], [COLD]))}
    reached = {name: entry["met"] for name, entry in found.items()}
    assert list(reached.values()) == [False, True, True, True, False, True, False, True, False, None, False, True, True, False], reached
    assert found["decompress, cycles of the slowest page"]["value"] == 683
    text = goals.lines(list(found.values()))
    assert text[0].endswith(" reached") and "not measured" in text[9] and "not reached" in text[10]


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


def test_cold_streams_are_judged(tmp_path):
    """They are the model's, byte for byte, and zstd reads them with the dictionary that is written."""
    page, noise = random.randbytes(64) * (PAGE_BYTES // 64), random.randbytes(PAGE_BYTES)
    pages = [page, page[1:] + b"x", noise]
    streams = [cold_compress(page, PAGE_BYTES)[1] for page in pages[:2]] + [None]
    assert cold.judge(pages, streams, PAGE_BYTES) == []
    cold.write_dictionary(tmp_path)
    assert zstd_decompress(streams[0], PAGE_BYTES, (tmp_path / "cold.dict").read_bytes()) == page
    # Another sound stream than the model's, a broken one, and each verdict where the other belongs.
    longer = streams[0][:6] + (len(page) << 3 | 1).to_bytes(3, "little") + page
    assert cold.judge(pages[:1], [longer], PAGE_BYTES) == ["page 0: the cold stream is not the model's"]
    wrong = cold.judge(pages, [streams[1], streams[1][:-1], None], PAGE_BYTES)
    assert wrong[:3] == ["page 0: the cold stream is not the model's", "page 0: zstd gives other bytes back of its cold stream",
                         "page 1: the cold stream is not the model's"] and wrong[3].startswith("page 1: zstd says") and len(wrong) == 4
    assert cold.judge(pages[:1], [None], PAGE_BYTES) == cold.judge(pages[:1], streams[:1], len(streams[0]) - 1) != []
    assert cold.judge(pages[:1], [None], len(streams[0]) - 1) == []


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
        main.judge_streams(Engines(), [pages], {"shop": Run(streams, {})}, codecs.judge)
    with pytest.raises(Trouble, match="set shop: page 0: the cold stream is not the model's .*build/bench/shop.cold-streams"):
        main.judge_streams(cold_engines(), [pages], {"shop": Run(streams, {})}, partial(cold.judge, limit=PAGE_BYTES))


@pytest.mark.parametrize("name", ["run", "run-card"])
def test_commands_find_their_modules(name):
    """As `make` starts them, though the Python that draws their charts may not be installed here."""
    script = Path(main.__file__).with_name(name)
    start = (f"import runpy, sys; sys.prefix = {str(TOOLS / 'venv')!r}; sys.argv = [{str(script)!r}, '--help']\n"
             f"sys.path[0] = {str(script.parent)!r}; runpy.run_path(sys.argv[0], run_name='__main__')")
    done = subprocess.run([sys.executable, "-c", start], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.startswith("usage:"), done.stderr


@pytest.mark.parametrize("words, message", [
    (["no-such.pages"], "bench: cannot read no-such.pages"),
    (["/tmp"], "bench: cannot read /tmp: Is a directory"),
    (["/dev/zero"], "bench: /dev/zero is a device without an end"),
    (["--pages", "0"], "'0' is no number of pages"),
    (["--limit", "5000"], "'5000' is no number of bytes from 1 to 4096"),
])
def test_bad_command_line(words, message, capsys, monkeypatch, tmp_path):
    for module in (main, command):  # whose lock a bench at work in this checkout holds
        monkeypatch.setattr(module, "RESULTS", tmp_path)
    try:
        status = main.main(words)
    except SystemExit as end:
        status = end.code
    assert status
    assert message in capsys.readouterr().err
