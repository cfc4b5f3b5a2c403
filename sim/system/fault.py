# SPDX-License-Identifier: Apache-2.0
"""FAULT=kill-card: the card process dies while pages are in flight. FAULT=kill-firmware: what runs on its management core does.
FAULT=bad-lane: one engine of several breaks with a page in it.
"""
import ctypes
import errno
import os
import socket
import struct
import time
from functools import partial
from pathlib import Path

from system import Trouble
from system.figures import Fault, FirmwareFault, LaneFault

# The card stands still for so long before it dies: whatever it had begun stays unfinished, its counters
# stay true, and the guest, which goes on swapping, has more in flight. Far below the driver's own time-out.
STILL_SECONDS = 0.3
# Header of a vfio-user message: identity, command, size in bytes, flags, error number.
HEADER = struct.Struct("<HHIII")
TYPE, REQUEST, REPLY, NO_REPLY, ERROR = 0xF, 0, 1, 0x10, 0x20
PIDFD_GETFD = 438  # system call, the same number on every architecture
_libc = ctypes.CDLL(None, use_errno=True)


class CardKiller:
    """Watches the guest's progress reports and kills `card` once `after_pages` pages went out while
    the hungry program still fills memory. `fault` is None until then."""

    def __init__(self, card, after_pages, say=partial(print, flush=True), sleep=time.sleep):
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
        counters = kill_in_flight(self.card, self.sleep)
        self.fault = Fault(counters["commands"], int(out), phase)
        self.say(f"  killed the card process: {counters['commands']} commands seen, {out} pages swapped out")


class FirmwareKiller:
    """Watches the guest's progress reports and kills the firmware of `card` once it runs and `after_pages` pages went out while the
    hungry program still fills memory. Its watchdog is dead, too: only the host revives it. `fault` is None until the
    guest's last report."""

    def __init__(self, card, after_pages, say=partial(print, flush=True)):
        self.card = card
        self.after_pages = after_pages
        self.say = say
        self.death = self.fault = None

    def on_report(self, name, value):
        if name == "status" and self.death:  # the guest's last, and with the guest the card ends
            self.fault = self.outcome()
        if name != "progress" or self.death:
            return
        phase, _, out, _ = value.split()
        if phase != "filling" or int(out) < self.after_pages or not firmware_state(self.card)["running"]:
            return
        self.card.ask("firmware dead")
        beats = firmware_state(self.card)["heartbeat"]
        self.death = int(out), phase, beats
        self.say(f"  killed the firmware after {beats} heartbeats: {out} pages swapped out")

    def outcome(self):
        now = firmware_state(self.card)
        revived = bool(now["running"] and now["held"] and now["heartbeat"] > self.death[2])
        return FirmwareFault(*self.death, now["heartbeat"], revived)


class LaneBreaker:
    """Watches the guest's progress reports and breaks a compressor of `card`, one of two, once its firmware runs and `after_pages` pages went
    out while the hungry program still fills memory. `fault` is None until then."""

    LANE = 2  # of the model: two decompressors come first

    def __init__(self, card, after_pages, say=partial(print, flush=True)):
        self.card = card
        self.after_pages = after_pages
        self.say = say
        self.fault = None

    def on_report(self, name, value):
        if name != "progress" or self.fault:
            return
        phase, _, out, _ = value.split()
        if phase != "filling" or int(out) < self.after_pages or not firmware_state(self.card)["running"]:
            return
        self.card.ask(f"lane {self.LANE} breaks")
        self.fault = LaneFault(self.LANE, int(out), phase)
        self.say(f"  broke the engine of lane {self.LANE}: {out} pages swapped out")


def firmware_state(card):
    """What a card says of its firmware: a dict name → number."""
    words = card.ask("firmware").split()
    return dict(zip(words[::2], map(int, words[1::2])))


def kill_in_flight(card, sleep=time.sleep):
    """Kills a card that has stood still for a moment, so that more is in flight; its counters at that moment."""
    counters = card.freeze()
    sleep(STILL_SECONDS)
    connections = copies_of_connections(card.process.pid)
    card.kill()
    for connection in connections:
        end_in_order(connection)
    return counters


def end_in_order(connection):
    """Closes a dead process's connection as a root port ends a removed card's: what the card had
    not read yet is answered with an error, then the other side reads an end. Left to itself, QEMU (11.1)
    aborts on the reset that unread bytes cause, and waits a whole time-out for an answer."""
    connection.shutdown(socket.SHUT_RD)  # from here on QEMU's requests fail at once
    unread = b""
    while data := connection.recv(65536):
        unread += data
    connection.sendall(b"".join(refusals(unread)))
    connection.close()


def refusals(unread):
    """Error replies to the whole vfio-user requests among `unread` bytes that expect a reply."""
    while len(unread) >= HEADER.size:
        identity, command, size, flags, _ = HEADER.unpack_from(unread)
        if flags & TYPE != REQUEST or not HEADER.size <= size <= len(unread):
            return  # the card died in the middle of reading a message
        if not flags & NO_REPLY:
            yield HEADER.pack(identity, command, HEADER.size, REPLY | ERROR, errno.ENODEV)
        unread = unread[size:]


def copies_of_connections(process_id):
    """Our own copies of the connected Unix stream sockets of a child process."""
    process = os.pidfd_open(process_id)
    try:
        copies = [copy_of_socket(process, entry) for entry in Path(f"/proc/{process_id}/fd").iterdir()]
    finally:
        os.close(process)
    return [copy for copy in copies if copy]


def copy_of_socket(process, entry):
    if not os.readlink(entry).startswith("socket:"):
        return None
    number = _libc.syscall(PIDFD_GETFD, process, int(entry.name), 0)
    if number < 0:
        raise Trouble(f"cannot copy the card's connection: {os.strerror(ctypes.get_errno())}")
    copy = socket.socket(fileno=number)
    connected = (
        copy.family == socket.AF_UNIX
        and copy.type == socket.SOCK_STREAM
        and not copy.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    )
    if not connected:
        copy.close()
        return None
    return copy
