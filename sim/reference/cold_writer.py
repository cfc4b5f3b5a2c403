# SPDX-License-Identifier: Apache-2.0
"""The cold format's streams, written plainly in Python: a second opinion on cold_compress.c, with any tables.

    frame(cold, page)                              the stream of a page; `cold` holds the tables (load, or with_tables)
    literals, sequences = sequences_of(page)       what is coded: bytes, and (literal length, match length, offset value)
    literal_section, sequence_section, stream_of   its parts (and theirs), for streams that no compressor writes
"""
import functools
import sys
from pathlib import Path

from model import page_matches

INTERFACE = Path(__file__).resolve().parents[2] / "rtl/interface"
sys.path.append(str(INTERFACE))

from generator.cold import REPEAT_OFFSETS, load_cold  # noqa: E402
from generator.fse import BitWriter  # noqa: E402


@functools.cache
def load():
    """The format as rtl/interface describes it."""
    return load_cold(INTERFACE)


def number(name):
    return {constant.name: constant.value for constant in load().constants}[f"COLD_{name}"]


def sequences_of(page):
    """(literals, [(literal length, match length, offset value)]) of the matches that the card's compressor takes."""
    literals, found, at, recent = bytearray(), [], 0, list(REPEAT_OFFSETS)
    for begin, length, distance in page_matches(page):
        literals += page[at:begin]
        found.append((begin - at, length, offset_value(recent, distance, begin - at)))
        at = begin + length
    return bytes(literals + page[at:]), found


def offset_value(recent, distance, literal_length):
    """What names the distance; `recent` holds the last three and is brought up to date (RFC 8878, 3.1.1.5)."""
    choices = recent if literal_length else [*recent[1:], recent[0] - 1]
    if distance not in choices:
        recent[:] = [distance, *recent[:2]]
        return distance + 3
    value = choices.index(distance) + 1
    place = value - 1 + (literal_length == 0)
    recent[:] = [distance, *[recent[other] for other in range(3) if other != min(place, 2)]]
    return value


def code_of(table, value):
    return max(code for code, meaning in enumerate(table.codes) if meaning.base <= value)


def stream_bits(cold, literals):
    """Bits of the literals' codes."""
    return sum(cold.literals.bits[byte] for byte in literals)


def coded(cold, literals):
    """One stream of literals."""
    out = BitWriter()
    for byte in reversed(literals):
        out.put(cold.literals.codes[byte], cold.literals.bits[byte])
    return out.end()


def raw_literals(literals):
    count = len(literals)
    size = 0 if count < 1 << 5 else 1 if count < 1 << 12 else 3
    return (number("LITERALS_RAW") | size << 2 | count << (4 if size else 3)).to_bytes((1, 2, 0, 3)[size], "little") + literals


def treeless_body(cold, literals, streams=None):
    """Literals coded with the dictionary's tree in one stream or four, behind the lengths of the first three of these."""
    four = len(literals) >= number("FOUR_STREAMS") if streams is None else streams == 4
    if not four:
        return coded(cold, literals)
    quarter = -(-len(literals) // 4)
    parts = [coded(cold, literals[at:at + quarter]) for at in range(0, 4 * quarter, quarter)]
    return b"".join([*(len(part).to_bytes(2, "little") for part in parts[:-1]), *parts])


def treeless_literals(body, count, size=None):
    """The section of `count` literals; `size` is its header's size format, the right one unless given."""
    if size is None:
        size = 0 if count < number("FOUR_STREAMS") else 1 if count < 1 << 10 else 2 if count < 1 << 14 else 3
    bits = (10, 10, 14, 18)[size]
    header = number("LITERALS_TREELESS") | size << 2 | count << 4 | len(body) << (4 + bits)
    return header.to_bytes((4 + 2 * bits) // 8, "little") + body


def literal_section(cold, literals):
    """The shorter of the two, the raw one of equals; headers do not count."""
    body = treeless_body(cold, literals)
    return treeless_literals(body, len(literals)) if len(body) < len(literals) else raw_literals(literals)


def sequence_section(cold, sequences):
    count = len(sequences)
    header = bytes([count]) if count < 128 else bytes([128 + (count >> 8), count & 255])
    if not sequences:
        return header
    tables = [cold.tables[name] for name in ("literal_length", "match_length", "offset")]
    coded_values = [[(code_of(table, value), value) for table, value in zip(tables, sequence)] for sequence in sequences]
    out = BitWriter()
    states = [table.fse.last_state(code) for table, (code, _) in zip(tables, coded_values[-1])]
    for index, values in reversed(list(enumerate(coded_values))):
        if index < count - 1:
            for which in (2, 1, 0):
                states[which] = tables[which].fse.encode(out, states[which], values[which][0])
        for table, (code, value) in zip(tables, values):
            out.put(value - table.codes[code].base, table.codes[code].extra)
    for which in (1, 2, 0):
        out.put(states[which], tables[which].fse.log)
    return header + bytes([number("SEQUENCE_MODES")]) + out.end()


def stream_of(block, kind=None):
    """A whole stream around a block's content."""
    header = (number("BLOCK_COMPRESSED") if kind is None else kind) | len(block) << 3
    return number("FRAME_START").to_bytes(number("FRAME_START_BYTES"), "little") \
        + header.to_bytes(number("BLOCK_START_BYTES"), "little") + block


def frame(cold, page):
    """The stream of a page."""
    literals, sequences = sequences_of(page)
    block = literal_section(cold, literals) + sequence_section(cold, sequences)
    return stream_of(block) if len(block) < len(page) else stream_of(page, number("BLOCK_RAW"))
