# SPDX-License-Identifier: Apache-2.0
import os
import socket
import subprocess
import sys

import pytest
from pagepress_interface import DOORBELL_BASE, DOORBELL_STRIDE, REGISTER_COMPLETION_HEAD

from system import Trouble, fault
from system.fault import CardKiller, FirmwareKiller, LaneBreaker
from system.figures import Fault, FirmwareFault, LaneFault


class SpyCard:
    """Records what is done to it, in order."""

    def __init__(self):
        self.done = []
        self.process = self
        self.pid = os.getpid()

    def freeze(self):
        self.done.append("freeze")
        return {"commands": 30}

    def go_on(self):
        self.done.append("go on")

    def kill(self):
        self.done.append("kill")


def killer(monkeypatch, after=100, rung=(True,)):
    """A spy card and its killer, whose guest rings at each stop as `rung` tells."""
    card, rung = SpyCard(), iter(rung)
    monkeypatch.setattr(fault, "copies_of_connections", lambda process_id: [])
    monkeypatch.setattr(fault, "await_doorbell", lambda connections, sleep: sleep(1) or next(rung))
    return card, CardKiller(card, after, say=lambda text: None, sleep=lambda seconds: card.done.append("sleep"))


def test_fault_waits_for_enough_pages_and_hits_once(monkeypatch):
    card, hit = killer(monkeypatch)
    hit.on_report("progress", "filling 5000 99 0")
    hit.on_report("other", "filling 5000 200 0")
    assert card.done == [] and hit.fault is None
    hit.on_report("progress", "filling 6000 120 3")
    hit.on_report("progress", "filling 6100 200 3")
    assert card.done == ["freeze", "sleep", "kill"]
    assert hit.fault == Fault(30, 120, "filling")


@pytest.mark.parametrize("rung, stops", [((False, False, True), 3), ((False,) * fault.STOPS, fault.STOPS)])
def test_fault_stops_a_card_again_that_is_given_nothing(monkeypatch, rung, stops):
    """A processor that waits for a stopped card's register rings no doorbell, however long the card stands still."""
    card, hit = killer(monkeypatch, rung=rung)
    hit.on_report("progress", "filling 6000 120 3")
    assert [word for word in card.done if word != "sleep"] == ["freeze", "go on"] * (stops - 1) + ["freeze", "kill"]


def test_fault_hits_at_the_page_asked_for(monkeypatch):
    firmware, lanes = SpyFirmware(), SpyFirmware()
    firmware.running = lanes.running = 1
    _, card_killer = killer(monkeypatch)
    firmware_killer, lane_breaker = (kind(spy, 100, say=lambda text: None) for kind, spy in ((FirmwareKiller, firmware), (LaneBreaker, lanes)))
    for out in (99, 100):
        for hit in (card_killer, firmware_killer, lane_breaker):
            hit.on_report("progress", f"filling 5000 {out} 0")
        assert [bool(card_killer.fault), bool(firmware.done), bool(lanes.done)] == [out == 100] * 3


@pytest.mark.parametrize("value", ["filling", "filling 5000 many 0", "filling 5000 120"])
def test_fault_told_nonsense(monkeypatch, value):
    _, hit = killer(monkeypatch)
    with pytest.raises(Trouble, match=f"report progress is none: '{value}'"):
        hit.on_report("progress", value)


def test_fault_never_after_filling(monkeypatch):
    card, hit = killer(monkeypatch)
    hit.on_report("progress", "checking 6000 500 3")
    assert card.done == [] and hit.fault is None


@pytest.mark.parametrize("region, offset, expected", [
    (0, DOORBELL_BASE, True), (0, DOORBELL_BASE + 63 * DOORBELL_STRIDE, True),
    (0, DOORBELL_BASE + REGISTER_COMPLETION_HEAD, False), (0, DOORBELL_BASE + 64 * DOORBELL_STRIDE, False), (0, DOORBELL_BASE - DOORBELL_STRIDE, False), (1, DOORBELL_BASE, False),
])
def test_fault_waits_for_a_doorbell(region, offset, expected):
    """A slow guest gives a still card nothing for a while; other messages do not count."""
    ours, theirs = socket.socketpair()
    write = fault.HEADER.pack(2, fault.REGION_WRITE, fault.HEADER.size + 20, 0, 0) + fault.WRITE.pack(offset, region, 4) + bytes(4)
    slept = []

    def sleep(seconds):
        slept.append(seconds)
        if len(slept) == 3:
            ours.sendall(message(1, fault.REQUEST))
        if len(slept) == 5:
            ours.sendall(write)

    assert fault.await_doorbell([theirs], sleep) is expected
    assert sum(slept) == pytest.approx(5 * fault.STILL_SECONDS if expected else fault.DOORBELL_SECONDS, abs=fault.STILL_SECONDS)
    assert theirs.recv(1000) == message(1, fault.REQUEST) + write, "all is still there"


def message(identity, flags, size=fault.HEADER.size + 8):
    return fault.HEADER.pack(identity, 9, size, flags, 0) + bytes(8)


def test_fault_refuses_only_what_expects_a_reply():
    unread = message(1, fault.REQUEST) + message(2, fault.REQUEST | fault.NO_REPLY) + message(3, fault.REQUEST)
    answers = [fault.HEADER.unpack(answer) for answer in fault.refusals(unread)]
    assert [answer[0] for answer in answers] == [1, 3]
    assert all(answer[2:4] == (fault.HEADER.size, fault.REPLY | fault.ERROR) and answer[4] for answer in answers)


@pytest.mark.parametrize("unread", [b"", b"x" * 15, message(1, 0)[:20], message(1, 0, 4), message(1, 0, 1 << 30), message(1, fault.REPLY)])
def test_fault_ignores_what_is_no_whole_request(unread):
    assert list(fault.refusals(unread)) == []


@pytest.mark.parametrize("unread", [0, 100])
def test_fault_ends_the_connection_without_a_reset(unread):
    """A process dies with bytes unread: the other side sees an end."""
    ours, theirs = socket.socketpair()
    script = "import sys, time; print('up', flush=True); time.sleep(100)"
    child = subprocess.Popen([sys.executable, "-c", script], pass_fds=[theirs.fileno()], stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"up\n"
    theirs.close()
    ours.sendall(b"\xff" * unread)
    copies = fault.copies_of_connections(child.pid)
    assert len(copies) == 1
    child.kill()
    child.wait()
    child.stdout.close()
    ours.setblocking(False)
    with pytest.raises(BlockingIOError):  # our copy holds the connection
        ours.recv(1)
    fault.end_in_order(copies[0])
    assert ours.recv(1) == b""
    with pytest.raises(BrokenPipeError):
        ours.send(b"y")


class SpyFirmware:
    """A card that answers lines about its firmware, and keeps those that do something."""

    def __init__(self):
        self.running, self.beats, self.held, self.done = 0, 0, 0, []

    def ask(self, line):
        if line == "firmware":
            return f"running {self.running} heartbeat {self.beats} held {self.held} bites 0"
        self.done.append(line)
        return "ok"


def test_fault_kills_firmware_that_runs():
    card = SpyFirmware()
    hit = FirmwareKiller(card, 100, say=lambda text: None)
    hit.on_report("progress", "filling 5000 99 0")
    hit.on_report("progress", "filling 5000 120 0")
    assert card.done == [] and hit.fault is None, "it had not booted yet"
    card.running, card.beats = 1, 7
    hit.on_report("progress", "filling 6000 200 3")
    hit.on_report("progress", "filling 6100 300 3")
    assert card.done == ["firmware dead"]
    assert hit.fault is None
    hit.on_report("status", "{}")
    assert hit.fault == FirmwareFault(200, "filling", 7, 7, False)
    card.beats = 9
    hit.on_report("status", "{}")
    assert not hit.fault.revived, "a heart that goes on without the host's hold was never dead"
    card.held = 1
    hit.on_report("status", "{}")
    assert hit.fault == FirmwareFault(200, "filling", 7, 9, True)


def test_fault_never_kills_firmware_after_filling():
    card = SpyFirmware()
    card.running = 1
    hit = FirmwareKiller(card, 100, say=lambda text: None)
    hit.on_report("progress", "checking 6000 500 3")
    hit.on_report("status", "{}")
    assert card.done == [] and hit.fault is None


def test_fault_breaks_one_lane_once():
    card = SpyFirmware()
    hit = LaneBreaker(card, 100, say=lambda text: None)
    hit.on_report("progress", "filling 5000 99 0")
    hit.on_report("progress", "filling 5000 120 0")
    assert card.done == [] and hit.fault is None, "nobody would have taken the lane back"
    card.running = 1
    hit.on_report("progress", "checking 6000 150 3")
    assert card.done == [] and hit.fault is None
    hit.on_report("progress", "filling 6000 200 3")
    hit.on_report("progress", "filling 6100 300 3")
    assert card.done == ["lane 2 breaks"]
    assert hit.fault == LaneFault(2, 200, "filling")
