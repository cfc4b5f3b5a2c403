# SPDX-License-Identifier: Apache-2.0
import signal

from system.fault import CardKiller
from system.figures import Fault


class SpyCard:
    """Records what is done to it, in order."""

    def __init__(self):
        self.done = []
        self.process = self

    def snapshot(self):
        self.done.append("snapshot")
        return {"commands": 30, "completions": 20}

    def send_signal(self, number):
        self.done.append(number)

    def kill(self):
        self.done.append("kill")


def killer(after=100):
    card = SpyCard()
    return card, CardKiller(card, after, say=lambda text: None, sleep=lambda seconds: card.done.append("sleep"))


def test_fault_waits_for_enough_pages_and_hits_once():
    card, hit = killer()
    hit.on_report("progress", "filling 5000 99 0")
    hit.on_report("other", "filling 5000 200 0")
    assert card.done == [] and hit.fault is None
    hit.on_report("progress", "filling 6000 120 3")
    hit.on_report("progress", "filling 6100 200 3")
    assert card.done == ["snapshot", signal.SIGSTOP, "sleep", "kill"]
    assert hit.fault == Fault(30, 20, 120, "filling")


def test_fault_never_after_filling():
    card, hit = killer()
    hit.on_report("progress", "checking 6000 500 3")
    assert card.done == [] and hit.fault is None
