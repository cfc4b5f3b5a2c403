# SPDX-License-Identifier: Apache-2.0
"""The host's window onto a management part, whatever it is reached by: boots, messages, updates, the log."""
from types import SimpleNamespace

from pagepress_management import *  # noqa: F403

BOOT_CYCLES = 30_000_000  # two signatures and all that comes after them, and some
CALM = {SENSOR_TEMPERATURE: 41500, SENSOR_VOLTAGE_CORE: 18568, SENSOR_VOLTAGE_AUX: 39321, SENSOR_VOLTAGE_MEMORY: 18568}  # 42 degrees


class Window:
    """Whoever has one gives it `read(address)`, `write(address, value)` and `wait(address, mask, value, cycles)`."""

    tag = 0

    def boots(self, stage=STAGE_RUNNING):
        """Wait until the core has come so far; returns the boot report as {slot, a, b, kind}."""
        self.wait(REGISTER_CORE_STATUS, CORE_STATUS_STAGE_MASK, stage, BOOT_CYCLES)
        report = self.read(REGISTER_BOOT_REPORT)
        return {"slot": report & 0xFF, "a": report >> 8 & 0xFF, "b": report >> 16 & 0xFF, "kind": report >> 24}

    def send(self, data, length=None):
        for at in range(0, len(data), 4):
            self.write(MAILBOX_REQUEST_OFFSET + at, int.from_bytes(data[at : at + 4], "little"))
        self.write(REGISTER_MAILBOX_SEND, len(data) if length is None else length)

    def answer(self, cycles=BOOT_CYCLES):
        """The bytes of the response."""
        self.wait(REGISTER_MAILBOX_STATUS, MAILBOX_STATUS_STATE_MASK, MAILBOX_STATE_ANSWERED, cycles)
        length = self.read(REGISTER_MAILBOX_STATUS) >> MAILBOX_STATUS_LENGTH_SHIFT
        words = b"".join(self.read(MAILBOX_RESPONSE_OFFSET + at).to_bytes(4, "little") for at in range(0, length, 4))
        return words[:length]

    def message(self, kind, argument=0, payload=b""):
        """(status, payload of the response)"""
        self.tag = self.tag + 1 & 0xFFFF
        self.send(MessageHeader(kind, self.tag, argument).pack() + payload)
        response = self.answer()
        header = MessageHeader.unpack(response[:MESSAGE_HEADER_BYTES])
        assert (header.kind, header.tag) == (kind, self.tag)
        return header.argument, response[MESSAGE_HEADER_BYTES:]

    def update(self, image):
        """All of an update but the reset; the first status that is not OK."""
        status, _ = self.message(MESSAGE_UPDATE_BEGIN, len(image))
        room = MAILBOX_BYTES - MESSAGE_HEADER_BYTES
        for at in range(0, len(image), room):
            if status == MANAGEMENT_STATUS_OK:
                status, _ = self.message(MESSAGE_UPDATE_DATA, at, image[at : at + room])
        return self.message(MESSAGE_UPDATE_COMMIT)[0] if status == MANAGEMENT_STATUS_OK else status

    def telemetry_page(self):
        """The newest snapshot: its sequence, and header, general, link, lanes and queues; None before the first."""
        self.write(REGISTER_TELEMETRY_TAKE, 1)
        sequence = self.read(REGISTER_TELEMETRY_SEQUENCE)
        if not sequence:
            return None
        words = {}

        def take(kind, at):
            size = len(kind().pack())
            for word in range(at, at + size, 4):
                words[word] = self.read(TELEMETRY_OFFSET + word).to_bytes(4, "little")
            return kind.unpack(b"".join(words[word] for word in range(at, at + size, 4)))

        header = take(TelemetryHeader, 0)
        at = header.header_bytes + header.telemetry_bytes + header.link_bytes
        queues = at + header.lanes * header.lane_bytes
        assert header.length == queues + header.queues * header.queue_bytes <= TELEMETRY_PAGE_BYTES
        page = SimpleNamespace(
            sequence=sequence, header=header, general=take(Telemetry, header.header_bytes), link=take(TelemetryLink, header.header_bytes + header.telemetry_bytes),
            lanes=[take(Lane, at + lane * header.lane_bytes) for lane in range(header.lanes)],
            queues=[take(TelemetryQueue, queues + queue * header.queue_bytes) for queue in range(header.queues)])
        assert self.read(REGISTER_TELEMETRY_SEQUENCE) == sequence
        return page

    def log(self):
        """The entries that are there, oldest first."""
        following = self.read(REGISTER_LOG_NEXT)
        entries = []
        for number in range(max(0, following - LOG_ENTRIES), following):
            base = LOG_OFFSET + number % LOG_ENTRIES * LOG_ENTRY_BYTES
            entries.append(LogEntry.unpack(b"".join(self.read(base + at).to_bytes(4, "little") for at in range(0, LOG_ENTRY_BYTES, 4))))
        return entries

    def events(self):
        """[(name of the event, argument)]"""
        return [(EVENT_NAMES[entry.code], entry.argument) for entry in self.log()]
