# SPDX-License-Identifier: Apache-2.0
import re

import pytest

from system.tests.made_up import CARD, TABLE, WAYS, healthy, killed, with_a_bad_lane, without_firmware

from system.screen import WIDTH, screen


def numbers(text):
    return {int(word.replace(",", "")) for word in re.findall(r"\d[\d,]*", text)}


def test_screen_shows_every_figure():
    text = screen(healthy(), [])
    shown = numbers(text)
    assert {14100, 9700} <= shown
    assert {WAYS[name] for name in WAYS if name.endswith(("_out", "_in"))} <= shown
    assert set(TABLE.values()) <= shown
    assert {CARD[name] for name in CARD if name.endswith(("bytes_in", "bytes_out")) or name == "cycles"} <= shown
    assert {13000, 9000} <= shown  # the card's pages
    for name in TABLE:
        assert name in text
    assert f"{4096 / 1700:.2f}" in text
    assert "PASS" in text and "FAIL" not in text
    assert "RTL" in text


def test_screen_puts_each_figure_into_its_column():
    figures = healthy()
    figures.ways.update(software_pages_in=345)
    rows = {line[2:28].strip(): [cell.replace(",", "") for cell in line[28:].split()] for line in screen(figures, []).splitlines()}
    ways = {name: [str(figures.ways[f"{way}_pages_{to}"]) for to in ("out", "in")]
            for name, way in (("through the card", "card"), ("through software", "software"), ("needing neither", "direct"))}  # fmt: skip
    moved = {f"bytes {to}": [str(CARD[f"{way}_bytes_{to}"]) for way in ("compress", "decompress")] for to in ("in", "out")}
    expected = ways | moved | {"swapped by the kernel": ["14100", "9700"], "pages": ["13000", "9000"], "incompressible": ["1000"], "same-filled": ["0"]}
    assert {name: rows[name] for name in expected} == expected


def test_screen_says_what_data_it_was():
    text = " ".join(screen(healthy(), []).split())
    assert "data: 39,744 pages from 1,312 files: shared libraries 60 %, C headers 20 %, text 20 %" in text


def test_screen_shows_what_the_driver_read_of_the_card():
    figures = healthy()
    figures.driver_card.update(pages_compressed=12345, pages_incompressible=1000, pages_decompressed=6789)
    line = next(line for line in screen(figures, []).splitlines() if "as the driver read" in line)
    assert numbers(line) == {13345, 6789}
    assert "as the driver read" not in screen(killed(), [])


def test_screen_is_one_screen():
    lines = screen(killed(), []).splitlines()
    assert len(lines) <= 40
    assert all(len(line) <= WIDTH + 4 for line in lines)


def test_screen_says_what_failed():
    text = screen(healthy(), ["one reason", "another"])
    assert "PASS" not in text
    assert text.count("FAIL") == 2


def test_screen_says_that_the_card_was_killed():
    text = screen(killed(), [])
    assert "The card was killed with 2,200 pages swapped out" in text
    assert "17 pages it had in hand were done again in software" in text
    assert "11,900 pages out and 9,000 in by software" in text


@pytest.mark.parametrize(("revived", "words"), [(True, "noticed and revived it: it runs again"), (False, "Nobody revived it")])
def test_screen_says_that_the_firmware_was_killed(revived, words):
    text = screen(without_firmware(revived), [])
    assert "The card's firmware was killed with 2,200 pages swapped out; 13,000 went out" in text
    assert words in text and "PASS" in text


def test_screen_says_what_became_of_a_bad_lane():
    text = screen(with_a_bad_lane(), [])
    assert "The engine of lane 2 broke with 2,200 pages swapped out; 13,000 went out" in text
    assert "1 page it had in hand" in text and "4.001 s  LANE_ISOLATED 2 FAULT" in text and "LANE_RETURNED 2 vectors 4" in text
    assert "CORE_RESET" not in text and "PASS" in text


def test_screen_without_stored_pages():
    figures = healthy()
    figures.table.update(OrigDataSize=0, ComprDataSize=0)
    assert "-" in screen(figures, [])
