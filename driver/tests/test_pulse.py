# SPDX-License-Identifier: GPL-2.0-only
"""How long the driver waits for a card's firmware, the driver's own file, for cards whose own time goes fast, slowly, or not at all."""
import subprocess

import pytest
from models import built_model

WELL = "BEAT:60:1000"


@pytest.fixture(scope="session")
def overdue(tmp_path_factory):
    """A function: what it does, when it is overdue: (which of these, after how many seconds of it, the card's milliseconds), or None."""
    program = built_model("pulse_model", tmp_path_factory.mktemp("pulse"))

    def run(*does):
        said = subprocess.run([program, *does], capture_output=True, text=True, check=True).stdout.strip()
        return None if said == "never" else tuple(map(int, said.split()))

    return run


@pytest.fixture(scope="session")
def well(overdue):
    """A function: what it does, when it has been well for a while, as `overdue`."""
    return lambda *does: overdue("well", *does)


@pytest.mark.parametrize(("rate", "seconds"), [
    (1000, 10), (5000, 2), (40, 250),  # ten seconds of the card's
    (0, 10),                           # its time stands
    (25, 300), (1, 300),               # five minutes of the host's
])
def test_pulse_boot_that_never_ends_is_given_up(overdue, rate, seconds):
    for before in ([], [WELL]):
        assert overdue(*before, f"BOOT:1000:{rate}")[:2] == (len(before), seconds + bool(before))


@pytest.mark.parametrize(("rate", "seconds"), [
    (1000, 2), (100, 15), (30, 50),  # one and a half seconds of the card's
    (0, 10),                         # its time stands
    (20, 60), (1, 60),               # a minute of the host's
])
def test_pulse_silence_is_noticed(overdue, rate, seconds):
    assert overdue(WELL, f"MUTE:1000:{rate}")[:2] == (1, seconds)


@pytest.mark.parametrize("does", [
    ["BOOT:299:30", "BEAT:9:0", "BEAT:100:1"],           # slow, but it boots and beats
    [WELL, "BOOT:300:30", WELL],                         # and anew
    ["BOOT:9:0", "BOOT:1:1", "BOOT:9:0", "BOOT:1:1", "BEAT:5:100"],  # its time stands for a while
    ["BOOT:200:49", "MUTE:59:20", "BEAT:1:10"],          # the first beat is due from the end of the boot on
    [WELL, "MUTE:1:1000", "BOOT:9:1000"] * 3,            # it has beaten between any two boots
])
def test_pulse_waits_for_a_card_that_gets_on(overdue, does):
    assert overdue(*does) is None


def test_pulse_gives_no_time_anew_to_what_never_beats(overdue):
    """Its watchdog boots it each second: all its boots together have the time of one."""
    index, _, _ = overdue(WELL, *["BOOT:2:600", "MUTE:1:600"] * 10)
    assert 1 + 4 * 2 <= index <= 1 + 6 * 2


def test_pulse_beats_that_never_get_on_are_none(overdue):
    """Each look finds it in another boot: it has beaten meanwhile, and does not run."""
    assert overdue(WELL, "FLAP:100:1000")[:2] == (1, 11)


def test_pulse_takes_no_beat_before_a_restart_for_one_after_it(overdue):
    assert overdue(WELL, "RESTART:1000:1000")[:2] == (1, 2)


def test_pulse_without_an_image_is_not_waited_for(overdue):
    assert overdue("BOOT:1:600", "FAILED:10:1000")[:2] == (1, 1)


@pytest.mark.parametrize("does", [
    ["BOOT:3:1000", "BEAT:100:1000"],
    ["BOOT:3:1000", "BEAT:1:1000", "MUTE:70:1000", "BOOT:3:1000", "BEAT:100:1000"],  # restarted, and in order from then on
])
def test_pulse_is_well_after_a_minute_of_beats(well, does):
    assert well(*does)[:2] == (len(does) - 1, 61)


def test_pulse_that_is_slow_is_well_without_a_beat_at_each_look(well):
    assert well("BOOT:3:1000", *["BEAT:1:300", "MUTE:3:300"] * 30) is not None


@pytest.mark.parametrize("does", [
    ["MUTE:70:1000", "BEAT:1:1000"] * 20,                   # one beat after each restart
    ["BEAT:50:1000", "MUTE:2:1000"] * 20,                   # never a whole minute
    ["BEAT:50:1000", "BOOT:2:1000"] * 20, ["FLAP:500:1000"],  # its own watchdog boots it
])
def test_pulse_with_gaps_is_never_well(well, does):
    assert well(*does) is None
