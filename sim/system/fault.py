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

from pagepress_interface import DOORBELL_BASE, DOORBELL_COUNT, DOORBELL_STRIDE, REGISTER_SUBMISSION_TAIL
from system import Trouble
from system.figures import Fault, FirmwareFault, LaneFault

# The card stands still for so long before it dies: whatever it had begun stays unfinished, its counters
# stay true, and the guest, which goes on swapping, has more in flight. Far below the driver's own time-out.
STILL_SECONDS = 0.3
# A slow guest may submit nothing meanwhile; it is waited for so long, until a doorbell lies unread. It may also be unable to: a processor
# that reads a register of a card that stands still waits for the answer, and QEMU with it. The card then goes on for a moment and stops again.
DOORBELL_SECONDS = 2
STOPS = 10
# Header of a vfio-user message: identity, command, size in bytes, flags, error number. A write to registers goes on with
# its offset in the region, the region's number, and its size.
HEADER, REGION_WRITE, WRITE = struct.Struct("<HHIII"), 10, struct.Struct("<QII")
TYPE, REQUEST, REPLY, NO_REPLY, ERROR = 0xF, 0, 1, 0x10, 0x20
REGISTERS = 0  # the region
PIDFD_GETFD = 438  # system call, the same number on every architecture
_libc = ctypes.CDLL(None, use_errno=True)


def pages_while_filling(name, value):
    """Pages that had been swapped out when the hungry program made this report while it still filled memory; None of any other report."""
    if name != "progress" or value.split()[:1] != ["filling"]:
        return None
    words = value.split()
    if len(words) != 4 or not words[2].isdecimal():
        raise Trouble(f"the guest's report progress is none: '{value}'")
    return int(words[2])


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
        out = pages_while_filling(name, value)
        if self.fault or out is None or out < self.after_pages:
            return
        counters = kill_in_flight(self.card, self.sleep)
        self.fault = Fault(counters["commands"], out, "filling")
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
        out = pages_while_filling(name, value)
        if self.death or out is None or out < self.after_pages or not firmware_state(self.card)["running"]:
            return
        self.card.ask("firmware dead")
        beats = firmware_state(self.card)["heartbeat"]
        self.death = out, "filling", beats
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
        out = pages_while_filling(name, value)
        if self.fault or out is None or out < self.after_pages or not firmware_state(self.card)["running"]:
            return
        self.card.ask(f"lane {self.LANE} breaks")
        self.fault = LaneFault(self.LANE, out, "filling")
        self.say(f"  broke the engine of lane {self.LANE}: {out} pages swapped out")


def firmware_state(card):
    """What a card says of its firmware: a dict name → number."""
    words = card.ask("firmware").split()
    return dict(zip(words[::2], map(int, words[1::2])))


def kill_in_flight(card, sleep=time.sleep):
    """Kills a card that has stood still until it was given more; its counters at that moment. A guest that gives it nothing at any of
    STOPS moments has nothing to swap: then it dies all the same."""
    connections = copies_of_connections(card.process.pid)
    counters = card.freeze()
    for _ in range(STOPS - 1):
        if await_doorbell(connections, sleep):
            break
        card.go_on()
        sleep(STILL_SECONDS)
        counters = card.freeze()
    card.kill()
    for connection in connections:
        end_in_order(connection)
    return counters


def await_doorbell(connections, sleep):
    """Whether a doorbell lies unread on one of `connections`, after DOORBELL_SECONDS at most."""
    for _ in range(round(DOORBELL_SECONDS / STILL_SECONDS)):
        sleep(STILL_SECONDS)
        if any(rings(peeked(connection)) for connection in connections):
            return True
    return False


def peeked(connection):
    """What lies unread on a connection, up to 64 KiB; it stays there."""
    try:
        return connection.recv(65536, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except BlockingIOError:
        return b""


def rings(unread):
    """Whether one of the requests among `unread` bytes is a doorbell of a submission ring."""
    for header, body in requests(unread):
        if header[1] == REGION_WRITE and len(body) >= WRITE.size:
            offset, region, _ = WRITE.unpack_from(body)
            queue, register = divmod(offset - DOORBELL_BASE, DOORBELL_STRIDE)
            if region == REGISTERS and 0 <= queue < DOORBELL_COUNT and register == REGISTER_SUBMISSION_TAIL:
                return True
    return False


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
    for (identity, command, _, flags, _), _ in requests(unread):
        if not flags & NO_REPLY:
            yield HEADER.pack(identity, command, HEADER.size, REPLY | ERROR, errno.ENODEV)


def requests(unread):
    """The whole vfio-user requests that `unread` bytes begin with: header, as HEADER has it, and body."""
    while len(unread) >= HEADER.size:
        header = HEADER.unpack_from(unread)
        size, flags = header[2:4]
        if flags & TYPE != REQUEST or not HEADER.size <= size <= len(unread):
            return  # the card died in the middle of reading a message
        yield header, unread[HEADER.size:size]
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
