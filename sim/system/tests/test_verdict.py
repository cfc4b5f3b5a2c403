# SPDX-License-Identifier: Apache-2.0
"""Each condition of the verdict alone makes it fail, and nothing else does."""
from dataclasses import replace

import pytest
from system.tests.made_up import CARD, healthy, killed, with_a_bad_lane, without_firmware

from system.figures import Fault, reported
from system import Trouble
from system.verdict import BRIDGE_COUNTERS, CARD_COUNTERS, failures

# part of the figures, name, value that must fail, words of the sentence
BROKEN = [
    ("hungry", "wrong", 1, "came back wrong"),
    ("hungry", "checked", 19999, "not every page"),
    ("hungry", "pages", 0, "not every page"),
    ("hungry", "out", 7999, "swapped out"),
    ("hungry", "in", 7999, "swapped in"),
    ("table", "FailedReads", 1, "FailedReads"),
    ("table", "FailedWrites", 1, "FailedWrites"),
    ("table", "InvalidIO", 1, "InvalidIO"),
    ("table", "NumWrites", 14099, "the driver saw only"),
    ("table", "NumReads", 9699, "the driver saw only"),
    ("ways", "card_mismatches", 1, "answers of the card were wrong"),
    ("card", "verify_failures", 1, "verify_failures"),
    ("card", "commands_refused", 1, "commands_refused"),
    ("card", "commands_failed", 1, "commands_failed"),
    ("card", "compress_bytes_in", 1, "compress bytes"),
    ("card", "decompress_bytes_out", 1, "decompress bytes"),
    ("card", "compress_bytes_out", 12000 * 4096, "did not compress"),
    ("card", "cycles", 1000, "no hardware"),
]
BROKEN_HEALTHY = [
    ("card", "pages_decompressed", 7999, "went in through the card"),
    ("ways", "card_pages_out", 13001, "claims 13001 pages out"),
    ("ways", "card_pages_in", 9001, "claims 9001 pages in"),
    ("ways", "card_pages_in", 0, "claims 0 pages in"),
    ("ways", "card_timeouts", 1, "card_timeouts"),
    ("ways", "card_errors", 1, "card_errors"),
    ("ways", "card_resets", 1, "card_resets"),
]
BROKEN_HEALTHY += [
    ("driver_card", "present", 0, "no longer sees the card"),
    ("driver_card", "pages_decompressed", 8999, "read 8999 pages in from the card and claims 9000"),
    ("driver_card", "pages_compressed", 11999, "read 12999 pages out from the card and claims 13000"),
    *(("driver_card", name, CARD[name] + 1, f"read {name} {CARD[name] + 1} from a card that counted {CARD[name]}") for name in CARD_COUNTERS),
]
BROKEN_KILLED = [
    ("card", "compress_bytes_in", 2161 * 4096, "compress bytes"),
    ("card", "bridge_read_bytes", 14100 * 4096, "no page was written after"),
    ("ways", "redone_pages", 0, "no page was in flight"),
    ("ways", "software_pages_out", 0, "no page went out through software"),
    ("ways", "software_pages_in", 0, "no page went in through software"),
    ("ways", "card_state", "ready", "is ready"),
    ("ways", "software_pages_out", 11699, "only 11899 were written without it"),
    ("ways", "card_pages_out", 2161, "claims 2161 pages out through a card that had read 2160"),
]


def broken(figures, part, name, value):
    return replace(figures, **{part: {**getattr(figures, part), name: value}})


def test_verdict_passes():
    assert failures(healthy()) == []
    assert failures(killed()) == []


@pytest.mark.parametrize(("part", "name", "value", "words"), BROKEN + BROKEN_HEALTHY)
def test_verdict_healthy_card(part, name, value, words):
    assert words in " ".join(failures(broken(healthy(), part, name, value)))


@pytest.mark.parametrize(("part", "name", "value", "words"), BROKEN_KILLED + BROKEN[:8])
def test_verdict_killed_card(part, name, value, words):
    assert words in " ".join(failures(broken(killed(), part, name, value)))


def test_verdict_too_few_pages_out():
    figures = broken(broken(healthy(), "card", "pages_compressed", 6999), "card", "compress_bytes_in", 6999 * 4096)
    figures = broken(figures, "ways", "card_pages_out", 7999)
    figures = replace(figures, driver_card={**figures.card, "present": 1})
    assert failures(figures) == ["only 7999 pages went out through the card, 8000 are needed"]


def test_verdict_status_and_splats():
    assert "status 3" in failures(replace(healthy(), status=3))[0]
    assert "WARNING: CPU" in failures(replace(healthy(), splats=["WARNING: CPU: 0"]))[0]


@pytest.mark.parametrize("name", CARD_COUNTERS + BRIDGE_COUNTERS)
def test_verdict_missing_counter(name):
    figures = healthy()
    del figures.card[name]
    assert failures(figures) == [f"the card's counters lack {name}"]


@pytest.mark.parametrize("name", CARD_COUNTERS)
def test_verdict_counter_missing_in_the_driver(name):
    figures = healthy()
    del figures.driver_card[name]
    assert failures(figures) == [f"the driver shows no {name} of the card"]


def test_verdict_fault_must_hit():
    assert "not killed" in failures(replace(killed(), fault=None))[0]
    late = failures(replace(broken(killed(), "card", "bridge_read_bytes", 14110 * 4096), fault=Fault(14100, 14100, "checking")))
    assert "after the last page was written" in late[0]
    assert "no page was written after" in late[1]
    assert "seen no page" in failures(replace(killed(), fault=Fault(0, 2200, "filling")))[0]


@pytest.mark.parametrize("revived", [False, True])
def test_verdict_killed_firmware(revived):
    figures = without_firmware(revived)
    assert failures(figures) == []
    assert "wrong" in failures(broken(figures, "hungry", "wrong", 1))[0], "all that a healthy card must do is asked of it, too"
    assert "not killed" in failures(replace(figures, firmware=None))[0]
    for name, value, words in (("phase", "checking", "after the last page"), ("beats", 0, "never beaten"), ("out", 13000, "no page went through")):
        found = failures(replace(figures, firmware=replace(figures.firmware, **{name: value})))
        assert words in " ".join(found), found
    alive = replace(figures.firmware, beats_at_end=99, revived=False)
    assert failures(replace(figures, firmware=alive)) == ["the firmware's heart went on beating after it was killed"]


def test_verdict_model_has_no_cycle_bound():
    idle = broken(broken(healthy(), "card", "cycles", 0), "driver_card", "cycles", 0)
    assert failures(replace(idle, engine="model")) == []


@pytest.mark.parametrize(("reports", "words"), [({}, "did not report"), ({"x": "{"}, "not JSON"), ({"x": "{}"}, "lacks a"), ({"x": "3"}, "not JSON")])
def test_verdict_reports(reports, words):
    with pytest.raises(Trouble, match=words):
        reported(reports, "x", ("a",))


def test_verdict_bad_lane():
    figures = with_a_bad_lane()
    assert failures(figures) == []
    assert "card_errors" in failures(broken(healthy(), "ways", "card_errors", 1))[0], "without a bad lane there is none"
    assert "wrong" in failures(broken(figures, "hungry", "wrong", 1))[0], "all that a healthy card must do is asked of it, too"
    assert "card_resets" in failures(broken(figures, "ways", "card_resets", 1))[0], "the lane alone is reset"
    assert "no engine was broken" in " ".join(failures(replace(figures, lane=None)))
    for name, value, words in (("phase", "checking", "after the last page"), ("out", 13000, "no page went through"), ("lane", 3, "isolated")):
        found = failures(replace(figures, lane=replace(figures.lane, **{name: value})))
        assert words in " ".join(found), found
    for lost in (0, 2):
        assert f"{lost} pages were in the engine" in failures(broken(figures, "ways", "card_errors", lost))[0]
    for event, words in ((1, "was isolated"), (2, "was taken back")):
        found = failures(replace(figures, events=figures.events[:event] + figures.events[event + 1:]))
        assert len(found) == 1 and words in found[0]
    for number, change, words in ((2, {"state": "OUT"}, "lane 2 is OUT"), (2, {"resets": 0}, "lane 2 was not reset"), (3, {"resets": 1}, "lane 3 was reset, too")):
        lanes = [lane | change if lane["number"] == number else lane for lane in figures.lanes]
        assert failures(replace(figures, lanes=lanes)) == [words]
