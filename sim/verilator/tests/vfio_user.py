# SPDX-License-Identifier: Apache-2.0
"""A vfio-user client, independent of the server's sources, that can also misbehave."""

import errno
import json
import os
import socket
import struct

HEADER = struct.Struct("<HHIII")  # message id, command, size, flags, error
VERSION, DMA_MAP, DMA_UNMAP, GET_INFO, GET_REGION_INFO, GET_REGION_IO_FDS, GET_IRQ_INFO, SET_IRQS, REGION_READ, \
    REGION_WRITE, DMA_READ, DMA_WRITE, RESET = range(1, 14)
REPLY, NO_REPLY, ERROR = 1, 1 << 4, 1 << 5
BAR0, CONFIG, MSIX = 0, 7, 2
READABLE, WRITABLE = 1, 2
DATA_NONE, DATA_BOOL, DATA_EVENTFD, TRIGGER = 1, 2, 4, 32


class Refused(OSError):
    """The server answered with an error; `errno` says which."""


class Gone(ConnectionError):
    """The server closed the connection."""


class Client:
    """One connection. Every call waits for its answer; DMA messages of the server are answered by `memory`."""

    def __init__(self, path, handshake=True):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.socket.settimeout(600)
        self.memory = None      # for DMA without a file: has read(address, bytes) and write(address, data)
        self.refuses = lambda address, count: False     # which of these accesses to answer with an error
        self.messages = 0
        self.server_requests = 0
        if handshake:
            self.capabilities = self.version()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Leave."""
        self.socket.close()

    # Messages.

    def send_raw(self, data, fds=()):
        """Send any bytes, well formed or not."""
        try:
            if fds:
                socket.send_fds(self.socket, [data], list(fds))
            else:
                self.socket.sendall(data)
        except BrokenPipeError as error:
            raise Gone(str(error)) from error

    def send(self, command, payload=b"", fds=(), flags=0, size=None):
        """Send a message and return its id; `size` overrides the header's."""
        self.messages = (self.messages + 1) & 0xFFFF
        size = HEADER.size + len(payload) if size is None else size
        self.send_raw(HEADER.pack(self.messages, command, size, flags, 0) + payload, fds)
        return self.messages

    def _exactly(self, count):
        data = b""
        while len(data) < count:
            try:
                piece = self.socket.recv(count - len(data))
            except ConnectionResetError as error:
                raise Gone(str(error)) from error
            if not piece:
                raise Gone("the server closed the connection")
            data += piece
        return data

    def receive(self):
        """The next message: (id, command, flags, error, payload)."""
        number, command, size, flags, error = HEADER.unpack(self._exactly(HEADER.size))
        return number, command, flags, error, self._exactly(size - HEADER.size)

    def answer(self, number, command):
        """Wait for the answer to a message and return its payload; serve DMA messages meanwhile."""
        while True:
            got, got_command, flags, error, payload = self.receive()
            if not flags & REPLY:
                self._serve(got, got_command, payload)
                continue
            assert (got, got_command) == (number, command), f"answer {got}, {got_command} to message {number}, {command}"
            if flags & ERROR:
                assert not payload, "an error answer has a payload"
                raise Refused(error, f"command {command}: {errno.errorcode.get(error, error)}")
            return payload

    def _serve(self, number, command, payload):
        self.server_requests += 1
        address, count = struct.unpack_from("<QQ", payload)
        data, flags, error = b"", REPLY, 0
        if self.memory is None or self.refuses(address, count):
            flags, error = REPLY | ERROR, errno.EFAULT
        elif command == DMA_READ:
            data = struct.pack("<QQ", address, count) + self.memory.read(address, count)
        else:
            self.memory.write(address, payload[16:16 + count])
            data = struct.pack("<QQ", address, count)
        self.send_raw(HEADER.pack(number, command, HEADER.size + len(data), flags, error) + data)

    def call(self, command, payload=b"", fds=(), flags=0):
        """Send and wait for the answer; its payload, or Refused."""
        return self.answer(self.send(command, payload, fds, flags), command)

    # Commands.

    def version(self, major=0, minor=1):
        """Negotiate; the server's capabilities."""
        text = json.dumps({"capabilities": {"max_msg_fds": 8}}).encode() + b"\0"
        answer = self.call(VERSION, struct.pack("<HH", major, minor) + text)
        assert struct.unpack_from("<HH", answer) <= (major, minor) and answer.endswith(b"\0")
        return json.loads(answer[4:-1])["capabilities"]

    def device_info(self):
        """(flags, regions, interrupt types)."""
        return struct.unpack("<IIII", self.call(GET_INFO, struct.pack("<IIII", 16, 0, 0, 0)))[1:]

    def region_info(self, index):
        """(flags, size)."""
        answer = struct.unpack("<IIIIQQ", self.call(GET_REGION_INFO, struct.pack("<IIIIQQ", 32, 0, index, 0, 0, 0)))
        return answer[1], answer[4]

    def irq_info(self, index):
        """(flags, count)."""
        answer = struct.unpack("<IIII", self.call(GET_IRQ_INFO, struct.pack("<IIII", 16, 0, index, 0)))
        return answer[1], answer[3]

    def region_read(self, region, offset, count):
        """Bytes of a region."""
        answer = self.call(REGION_READ, struct.pack("<QII", offset, region, count))
        assert struct.unpack_from("<QII", answer) == (offset, region, count)
        return answer[16:]

    def region_write(self, region, offset, data, posted=False):
        """Write bytes; `posted` asks for no answer."""
        payload = struct.pack("<QII", offset, region, len(data)) + data
        if posted:
            self.send(REGION_WRITE, payload, flags=NO_REPLY)
        else:
            assert struct.unpack("<QII", self.call(REGION_WRITE, payload)) == (offset, region, len(data))

    def read(self, offset):
        """A 32-bit register of BAR0."""
        return struct.unpack("<I", self.region_read(BAR0, offset, 4))[0]

    def write(self, offset, value, posted=True):
        """Write a 32-bit register of BAR0; posted like a real one."""
        self.region_write(BAR0, offset, struct.pack("<I", value), posted)

    def bus_master(self, on=True):
        """PCI command register: memory and bus mastering."""
        self.region_write(CONFIG, 4, struct.pack("<H", 6 if on else 2))

    def dma_map(self, address, size, file=None, offset=0, flags=READABLE | WRITABLE):
        """Let the card reach `size` bytes of `file` at bus `address`."""
        assert self.call(DMA_MAP, struct.pack("<IIQQQ", 32, flags, offset, address, size),
                         [] if file is None else [file]) == b""

    def dma_unmap(self, address, size):
        """Take them away; the bytes that were mapped."""
        answer = self.call(DMA_UNMAP, struct.pack("<IIQQ", 24, 0, address, size))
        return struct.unpack("<IIQQ", answer)[3]

    def set_irqs(self, start, count, fds=(), flags=DATA_EVENTFD | TRIGGER, data=b"", index=MSIX):
        """DEVICE_SET_IRQS."""
        assert self.call(SET_IRQS, struct.pack("<IIIII", 20 + len(data), flags, index, start, count) + data, fds) == b""

    def reset(self):
        """Function reset."""
        assert self.call(RESET) == b""


def memory_file(size):
    """An anonymous file of `size` bytes that can be mapped."""
    file = os.memfd_create("pagepress-test")
    os.ftruncate(file, size)
    return file
