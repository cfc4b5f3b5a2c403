# SPDX-License-Identifier: Apache-2.0
"""The cold format's streams, read plainly in Python as rtl/interface/cold.md says: a second opinion on cold_decompress.c.

    read(stream, page_bytes)    (status, page, or b"" where it is refused)
"""
from cold_writer import REPEAT_OFFSETS, load, number
from pagepress_interface import STATUS_MALFORMED_STREAM, STATUS_OUTPUT_OVERRUN, STATUS_OUTPUT_UNDERRUN, STATUS_SUCCESS


class Refused(Exception):
    """With a status of the interface."""


def malformed_unless(condition):
    if not condition:
        raise Refused(STATUS_MALFORMED_STREAM)


class Bytes:
    """The rest of a stream."""

    def __init__(self, data):
        self.data = bytes(data)

    def take(self, count):
        malformed_unless(count <= len(self.data))
        taken, self.data = self.data[:count], self.data[count:]
        return taken

    def number(self, count):
        return int.from_bytes(self.take(count), "little")


class Bits:
    """A bit stream that is read from its end, as one large number."""

    def __init__(self, data):
        malformed_unless(data and data[-1])
        self.value = int.from_bytes(data, "little")
        self.left = self.value.bit_length() - 1

    def peek(self, count):
        """The next bits, zeros behind the last."""
        return (self.value << count >> self.left) & ((1 << count) - 1)

    def take(self, count):
        malformed_unless(count <= self.left)
        taken = self.peek(count)
        self.left -= count
        return taken


def read(stream, page_bytes):
    try:
        page = _page(Bytes(stream), page_bytes)
    except Refused as refusal:
        return refusal.args[0], b""
    return (STATUS_SUCCESS, page) if len(page) == page_bytes else (STATUS_OUTPUT_UNDERRUN, b"")


def _page(rest, page_bytes):
    malformed_unless(rest.number(number("FRAME_START_BYTES")) == number("FRAME_START"))
    block = rest.number(number("BLOCK_START_BYTES"))
    malformed_unless(block >> 3 == len(rest.data) and block & 7 in (number("BLOCK_RAW"), number("BLOCK_COMPRESSED")))
    if block & 7 == number("BLOCK_RAW"):
        if len(rest.data) > page_bytes:
            raise Refused(STATUS_OUTPUT_OVERRUN)
        return rest.data
    return _sequences(rest, _literals(rest, page_bytes), page_bytes)


def _literals(rest, page_bytes):
    """The literals, from their section."""
    first = Bytes(rest.data).number(1)
    kind, size = first & 3, first >> 2 & 3
    malformed_unless(kind in (number("LITERALS_RAW"), number("LITERALS_TREELESS")))
    if kind == number("LITERALS_RAW"):
        count = length = rest.number((1, 2, 1, 3)[size]) >> (4 if size & 1 else 3)
        right = 0 if count < 1 << 5 else 1 if count < 1 << 12 else 3
        malformed_unless(right == (size if size & 1 else 0))
    else:
        bits = (10, 10, 14, 18)[size]
        header = rest.number((4 + 2 * bits) // 8)
        count, length = header >> 4 & ((1 << bits) - 1), header >> (4 + bits)
        right = 0 if count < number("FOUR_STREAMS") else 1 if count < 1 << 10 else 2 if count < 1 << 14 else 3
        malformed_unless(count and right == size)
    if count > page_bytes:
        raise Refused(STATUS_OUTPUT_OVERRUN)
    section = Bytes(rest.take(length))
    if kind == number("LITERALS_RAW"):
        return section.data
    if not size:
        return _stream(section.data, count)
    lengths, quarter = [section.number(2) for _ in range(3)], -(-count // 4)
    parts = [_stream(section.take(length), quarter) for length in lengths]
    return b"".join([*parts, _stream(section.data, count - 3 * quarter)])


def _stream(data, count):
    """Literals of one stream, which holds no more."""
    huffman, bits, found = load().literals, Bits(data), bytearray()
    for _ in range(count):
        byte = huffman.lookup[bits.peek(huffman.longest)]
        bits.take(huffman.bits[byte])
        found.append(byte)
    malformed_unless(not bits.left)
    return bytes(found)


def _sequences(rest, literals, page_bytes):
    """The page, from the literals and what is left of the block."""
    count = rest.number(1)
    if count >= 128:
        malformed_unless(count < 255)
        count = (count - 128 << 8) + rest.number(1)
        malformed_unless(count >= 128)
    if not count:
        malformed_unless(not rest.data)
        return literals
    malformed_unless(rest.number(1) == number("SEQUENCE_MODES"))
    tables, bits, page, recent = load().tables, Bits(rest.data), bytearray(), list(REPEAT_OFFSETS)
    states = {name: tables[name].fse.states[bits.take(tables[name].fse.log)] for name in ("literal_length", "offset", "match_length")}
    for left in reversed(range(count)):
        values = {}
        for name in ("offset", "match_length", "literal_length"):
            code = tables[name].codes[states[name].code]
            values[name] = code.base + bits.take(code.extra)
        taken, literals = literals[:values["literal_length"]], literals[values["literal_length"]:]
        malformed_unless(len(taken) == values["literal_length"])
        page += taken
        distance = _distance(values["offset"], bool(taken), recent)
        malformed_unless(0 < distance <= len(page))
        if len(page) + values["match_length"] + len(literals) > page_bytes:
            raise Refused(STATUS_OUTPUT_OVERRUN)
        for _ in range(values["match_length"]):
            page.append(page[-distance])
        for name in ("literal_length", "match_length", "offset") if left else ():
            states[name] = tables[name].fse.states[states[name].next + bits.take(states[name].bits)]
    malformed_unless(not bits.left)
    return bytes(page) + literals


def _distance(value, behind_literals, recent):
    """What an offset value names; `recent` is brought up to date."""
    if value > 3:
        recent[:] = [value - 3, *recent[:2]]
    else:
        choices = [(distance, place) for place, distance in enumerate(recent)]
        if not behind_literals:
            choices = [*choices[1:], (recent[0] - 1, 2)]
        distance, place = choices[value - 1]
        recent[:] = [distance, *[other for index, other in enumerate(recent) if index != place]]
    return recent[0]
