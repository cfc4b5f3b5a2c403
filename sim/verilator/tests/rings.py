# SPDX-License-Identifier: Apache-2.0
"""A small driver: bounce memory, one queue pair, commands and completions."""

import mmap
import os
import select

import pagepress_interface as interface
from pagepress_interface import CompletionEntry, SubmissionEntry
from push_window import push_writes
from vfio_user import memory_file

PAGE = 4096


class Memory:
    """`pages` pages at bus address `base`, in a file that a card can map."""

    def __init__(self, pages=512, base=0x1_0000_0000):
        self.base, self.size = base, pages * PAGE
        self.file = memory_file(self.size)
        self.map = mmap.mmap(self.file, self.size)
        self.used = 0

    def close(self):
        """Give the memory back."""
        self.map.close()
        os.close(self.file)

    def allocate(self, size):
        """Bus address of `size` fresh bytes, page aligned."""
        address = self.base + self.used
        self.used += -(-size // PAGE) * PAGE
        assert self.used <= self.size, "the test needs more memory"
        return address

    def read(self, address, size):
        """Bytes at a bus address."""
        return self.map[address - self.base:address - self.base + size]

    def write(self, address, data):
        """Put bytes at a bus address."""
        self.map[address - self.base:address - self.base + len(data)] = data


class Queue:
    """Queue pair `index` of the card behind `client`; rings of 2^`depth_log2` entries in `memory`."""

    def __init__(self, client, memory, index=0, depth_log2=4, moderation=0, interrupt=True):
        self.client, self.memory, self.index = client, memory, index
        self.depth = 1 << depth_log2
        self.submissions = memory.allocate(self.depth * interface.SUBMISSION_ENTRY_BYTES)
        self.completions = memory.allocate(self.depth * interface.COMPLETION_ENTRY_BYTES)
        self.tail = self.head = self.submitted = 0
        self.phase = 1
        self.event = os.eventfd(0) if interrupt else None
        if interrupt:
            client.set_irqs(interface.FIRST_QUEUE_VECTOR + index, 1, [self.event])
        for register, value in (
                (interface.REGISTER_SUBMISSION_BASE_LOW, self.submissions & 0xFFFFFFFF),
                (interface.REGISTER_SUBMISSION_BASE_HIGH, self.submissions >> 32),
                (interface.REGISTER_COMPLETION_BASE_LOW, self.completions & 0xFFFFFFFF),
                (interface.REGISTER_COMPLETION_BASE_HIGH, self.completions >> 32),
                (interface.REGISTER_DEPTH_LOG2, depth_log2),
                (interface.REGISTER_MODERATION, moderation),
                (interface.REGISTER_QUEUE_CONTROL, interface.QUEUE_CONTROL_ENABLE_MASK)):
            client.write(self.register(register), value)

    def register(self, offset):
        """BAR0 offset of one of this queue's registers."""
        return interface.QUEUE_BASE + self.index * interface.QUEUE_STRIDE + offset

    def doorbell(self, register, value):
        """Ring one of this queue's doorbells."""
        self.client.write(interface.DOORBELL_BASE + self.index * interface.DOORBELL_STRIDE + register, value)

    def status(self):
        """QUEUE_STATUS."""
        return self.client.read(self.register(interface.REGISTER_QUEUE_STATUS))

    def submit(self, entries, pushes=()):
        """Write entries, then `pushes` (offset, dword), and ring the doorbell once."""
        for entry in entries:
            self.memory.write(self.submissions + self.tail * interface.SUBMISSION_ENTRY_BYTES, entry.pack())
            self.tail = (self.tail + 1) % self.depth
        self.submitted += len(entries)
        for offset, dword in pushes:
            self.client.write(offset, dword)
        self.doorbell(interface.REGISTER_SUBMISSION_TAIL, self.tail)

    def push(self, entry, number=None):
        """What pushes `entry` as the queue's next one, or as its `number`th: [(offset, dword)]."""
        return push_writes(self.index, entry, self.submitted if number is None else number)

    def take(self):
        """Completions that are there, acknowledged; maybe none."""
        found = []
        while True:
            data = self.memory.read(self.completions + self.head * interface.COMPLETION_ENTRY_BYTES,
                                    interface.COMPLETION_ENTRY_BYTES)
            entry = CompletionEntry.unpack(data)
            if entry.phase != self.phase:
                break
            found.append(entry)
            self.head = (self.head + 1) % self.depth
            if self.head == 0:
                self.phase ^= 1
        if found:
            self.doorbell(interface.REGISTER_COMPLETION_HEAD, self.head)
        return found

    def wait(self, count):
        """`count` completions, woken by the interrupt alone."""
        found = []
        while len(found) < count:
            assert select.select([self.event], [], [], 600)[0], f"no interrupt with {len(found)} of {count} completions taken"
            os.eventfd_read(self.event)
            found += self.take()
        return found

    def run(self, entries):
        """Carry out any number of commands, a ring full at a time; completions in the order of the entries."""
        done = {}
        for start in range(0, len(entries), self.depth - 1):
            batch = entries[start:start + self.depth - 1]
            self.submit(batch)
            for completion in self.wait(len(batch)):
                assert completion.tag not in done, f"tag {completion.tag} completed twice"
                done[completion.tag] = completion
        return [done[entry.tag] for entry in entries]


def enable(client):
    """Bus mastering on, card enabled and ready."""
    client.bus_master()
    client.write(interface.REGISTER_CONTROL, interface.CONTROL_ENABLE_MASK)
    for _ in range(1000):
        if client.read(interface.REGISTER_STATUS) & interface.STATUS_READY_MASK:
            return
    raise AssertionError("the card does not get ready")


def compress(tag, source, destination, capacity=PAGE, flags=0):
    """A COMPRESS entry."""
    return SubmissionEntry(interface.OPCODE_COMPRESS, interface.FORMAT_LZO1X, flags, tag, source, destination, PAGE, capacity)


def decompress(tag, source, length, destination, crc=None):
    """A DECOMPRESS entry; `crc` is checked where given."""
    flags = 0 if crc is None else interface.FLAG_CHECK_CRC
    return SubmissionEntry(interface.OPCODE_DECOMPRESS, interface.FORMAT_LZO1X, flags, tag, source, destination, length,
                           PAGE, crc or 0)
