# SPDX-License-Identifier: Apache-2.0
"""FAULT=kill-card: the card process dies while pages are in flight."""
import signal
import time

from system.figures import Fault

# The card stands still for so long before it dies: whatever it had begun stays unfinished, and the
# guest, which goes on swapping, has more in flight. Far below the driver's own time-out.
STILL_SECONDS = 0.3


class CardKiller:
    """Watches the guest's progress reports and kills `card` once `after_pages` pages went out while
    the hungry program still fills memory. `fault` is None until then."""

    def __init__(self, card, after_pages, say=print, sleep=time.sleep):
        self.card = card
        self.after_pages = after_pages
        self.say = say
        self.sleep = sleep
        self.fault = None

    def on_report(self, name, value):
        if name != "progress" or self.fault:
            return
        phase, _, out, _ = value.split()
        if phase != "filling" or int(out) < self.after_pages:
            return
        counters = self.card.snapshot()
        self.card.process.send_signal(signal.SIGSTOP)
        self.sleep(STILL_SECONDS)
        self.card.kill()
        self.fault = Fault(counters["commands"], counters["completions"], int(out), phase)
        self.say(f"  killed the card process: {counters['commands']} commands seen, {out} pages swapped out")
