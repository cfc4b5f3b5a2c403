# SPDX-License-Identifier: Apache-2.0
"""The card bench: its figures from known counts, its complaints, and the harness around the card that cocotb verilated."""
import dataclasses
import os
import random
import re
import subprocess

import pytest
from bench import PAGE_BYTES, Trouble, card_main
from bench.card import HARNESS, Card, Link, Rates, judge, limited_by, prepare, row
from bench.card_table import goals, table
from bench.pages import PageSet
from lzo import fixed_pages
from runner import OUTPUT, VERILOG, TopVerilator, build_block, locked

RATES = Rates(compress=16, decompress=20)
BLOCK = "card_impatient"
OWN_CLOCK = 300_000  # kilohertz, of its engines


def found(pages, cycles, link_ns, **more):
    """What card_bench prints of `pages` compressed in `cycles` by two engines on a data path of 16 bytes."""
    nothing = dict.fromkeys(
        ("up_bytes", "down_bytes", "request_beats", "completion_beats", "read_bytes", "written_bytes"), 0)
    return nothing | {"cycles": cycles, "pages": pages, "compressed": pages, "link_ns": link_ns, "link_bytes_per_ns": 15.75,
                      "reads_outstanding": 9.04, "engines": 16 << 16 | 2 << 8 | 2,
                      "latencies_ns": {"compress": list(range(1000, 2000)), "decompress": []}} | more


def test_figures_of_a_row():
    made = row("compress", 2, found(1000, 250_000, 500_000), RATES)  # in a millisecond, where the link needs half of it
    assert (made["pages_per_s"], made["gb_per_s"], made["utilisation"]) == (1_000_000, 4.096, 0.5)
    assert made["link_ceiling_gb_per_s"] == 8.192
    assert made["latency_us"] == {"p50": 1.499, "p99": 1.989, "p999": 1.998}
    assert made["latency_us_by_kind"] == {"compress": made["latency_us"]}
    assert made["busy"]["compressors"] == round(1000 * 256 / 2 / 250_000, 3)
    twice = row("compress", 2, found(1000, 250_000, 500_000), RATES, 500e6)
    assert twice["busy"]["compressors"] == round(1000 * 256 / 2 / 500_000, 3)
    assert made["limited_by"] == "waiting for reads (compressors 51% busy)"
    assert row("compress", 2, found(1000, 250_000, 500_000, read_bytes=3_900_000), RATES)["limited_by"] == "data path in"


def test_the_busiest_part_limits_when_it_is_full():
    assert limited_by({"a": 0.91, "b": 0.95}) == "b"
    assert limited_by({"a": 0.5, "b": 0.4}) == "waiting for reads (a 50% busy)"


def result():
    rows = [row(traffic, engines, found(1000 * engines, 250_000, 100_000 * engines), RATES)
            for traffic in card_main.TRAFFICS for engines in (1, 2)]
    lone = {"alone": {"p50": 2.0, "p99": 2.5, "p999": 2.6}, "loaded": {"p50": 3.0, "p99": 6.0, "p999": 7.0}}
    faster = [row(traffic, 1, found(1250, 250_000, 125_000), RATES, 300e6) for traffic in card_main.TRAFFICS]
    clocks = [{"engine_clock_mhz": 250, "engines": 2, "single_decompress_latency_us": lone, "outside_cycles_p50": 119},
              {"engine_clock_mhz": 300, "engines": 1, "single_decompress_latency_us": lone, "outside_cycles_p50": 121}]
    return {"link": dataclasses.asdict(Link()), "clock_mhz": 250, "stream_bytes": 16, "rows": rows + faster, "clocks": clocks}


def test_goals_and_table():
    """Each clock of the engines has goals of its own, and each row names its clock."""
    reached = {goal["name"]: (goal["value"], goal["met"]) for goal in goals(result())}
    assert reached["250 MHz: compress, share of the link's ceiling"] == (0.2, False)
    assert reached["300 MHz: compress, share of the link's ceiling"] == (0.125, False)
    assert reached["250 MHz: one page to decompress, card idle, p99 µs"] == (2.5, True)
    assert reached["250 MHz: the same while compress saturates, times idle p99"] == (2.4, False)
    assert reached["250 MHz: cycles outside engine and link, p50"] == (119, True)
    assert reached["300 MHz: cycles outside engine and link, p50"] == (121, False)
    assert reached["250 MHz: compress, 1 to N engines, share of linear"] == (1.0, True)
    assert reached["300 MHz: compress, 1 to N engines, share of linear"] == (None, None)
    text = table(result())
    assert re.search(r"^mixed +2 \+ 2 +250 ", text, re.M) and re.search(r"^mixed +1 \+ 1 +300 ", text, re.M)
    assert "engines at 250 MHz, one page to decompress, card idle: p50 2.00" in text and "engines at 300 MHz, outside engine and link: 121" in text


def test_usual_cards():
    """Every row at both clocks, and four engines of each kind at the slower one."""
    options = card_main.arguments([])
    assert {clock: options.engines or card_main.USUAL[clock] for clock in options.engine_clock} == {300_000: [1, 2, 3], 0: [1, 2, 3, 4]}
    options = card_main.arguments(["--engine-clock", "0,275000", "--engines", "2"])
    assert (options.engine_clock, options.engines) == ([0, 275_000], [2])


@pytest.mark.parametrize("words, message", [
    (["--width", "3"], "--width: invalid choice"), (["--engines", "1,x"], "no list of engines"),
    (["--engine-clock", "300000,x"], "no list of numbers of kilohertz"),
    (["--round-trip", "-1"], "expected one argument|no number of nanoseconds"), (["--commands", "0"], "no number")])
def test_bad_options(words, message, capsys):
    with pytest.raises(SystemExit) as ended:
        card_main.main(words)
    assert ended.value.code == 2
    assert re.search(message, capsys.readouterr().err)


@pytest.fixture(scope="module")
def card(tmp_path_factory):
    """The harness around the card of test_card_link_faults, so that no other is compiled."""
    folder = OUTPUT / BLOCK
    with locked(OUTPUT / f"{BLOCK}.lock"):
        build_block(TopVerilator(), [VERILOG / f"{BLOCK}.v"], BLOCK, folder, False)
    place = tmp_path_factory.mktemp("card")
    subprocess.run(["make", "-s", "-C", HARNESS, f"verilated={folder}", f"made={folder}/built", f"build={place}"],
                   check=True)

    class Built(Card):
        folder = place
    return Built(1, OWN_CLOCK)


def test_pages_through_the_card(card, tmp_path, seed):
    pages = prepare(tmp_path, [PageSet("some", b"".join(fixed_pages(40)), 0)])
    figures, streams = card.run(tmp_path, "mixed", Link(jitter_ns=300), commands=30, depth_log2=2, seed=seed)
    judge(pages, streams, "mixed")
    assert figures["pages"] == 30 == sum(map(len, figures["latencies_ns"].values()))
    assert figures["read_bytes"] > figures["compressed"] * PAGE_BYTES / 2 and figures["reads_outstanding"] > 1
    assert 0 < row("mixed", 1, figures, RATES)["utilisation"] < 1
    slow, _ = card.run(tmp_path, "alone", Link(), commands=6)
    fast, _ = card.run(tmp_path, "alone", Link(generation=0), commands=6)
    # One round trip before the page is on its way, as its command is pushed, and three ways of a fifth of one.
    slow_ns, fast_ns = slow["latencies_ns"]["decompress"], fast["latencies_ns"]["decompress"]
    trips = [with_link - without for with_link, without in zip(slow_ns, fast_ns)]
    lazy, _ = card.run(tmp_path, "alone", Link(generation=0), commands=6, engine_kilohertz=OWN_CLOCK // 3)
    assert sum(lazy["latencies_ns"]["decompress"]) > 1.5 * sum(fast_ns), "the engines do not heed their clock"
    assert slow["latency_pages"] == fast["latency_pages"] and all(700 < trip < 1700 for trip in trips), trips


def test_harness_complains(card, tmp_path):
    prepare(tmp_path, [PageSet("some", random.randbytes(PAGE_BYTES), 0)])
    with pytest.raises(Trouble, match=r"alone, 1 \+ 1 engines at 300 MHz: no page has a stream to decompress"):
        card.run(tmp_path, "alone", Link())
    with pytest.raises(Trouble, match="this card has 4 queues, not 9"):
        card.run(tmp_path, "compress", Link(), queues=9)
    (tmp_path / "streams").write_bytes(b"\x09\0\0\0abc")
    with pytest.raises(Trouble, match="the last stream is cut short"):
        card.run(tmp_path, "compress", Link())
