# SPDX-License-Identifier: Apache-2.0
"""Huffman codes of bytes as RFC 8878 has them."""

from dataclasses import dataclass
from functools import cached_property

from .fse import BitWriter, Fse

MOST_BITS = 11
WEIGHTS_LOG = 6


@dataclass(frozen=True)
class Huffman:
    """`bits` of each byte's code. Every byte has one, and together they leave no code over."""
    bits: tuple

    def __post_init__(self):
        if len(self.bits) != 256 or not 1 <= min(self.bits) <= max(self.bits) <= MOST_BITS:
            raise ValueError(f"literal_bits are not 256 numbers from 1 to {MOST_BITS}")
        if sum(1 << (self.longest - bits) for bits in self.bits) != 1 << self.longest:
            raise ValueError("literal_bits are not those of a complete prefix code")

    @property
    def longest(self):
        return max(self.bits)

    @cached_property
    def codes(self):
        """Each byte's code; the longest codes have the smallest values."""
        found, at = [0] * 256, 0
        for byte in sorted(range(256), key=lambda byte: (-self.bits[byte], byte)):
            found[byte] = at >> (self.longest - self.bits[byte])
            at += 1 << (self.longest - self.bits[byte])
        return found

    @cached_property
    def lookup(self):
        """The byte that each value of the next `longest` bits begins with."""
        found = [0] * (1 << self.longest)
        for byte, (code, bits) in enumerate(zip(self.codes, self.bits)):
            first = code << (self.longest - bits)
            found[first:first + (1 << (self.longest - bits))] = [byte] * (1 << (self.longest - bits))
        return found

    def description(self):
        """The tree's description (RFC 8878, 4.2.1): weights of all bytes but the last, by two states of one table in turn."""
        weights = [self.longest + 1 - bits for bits in self.bits[:-1]]
        table = Fse(shared(weights, 1 << WEIGHTS_LOG), WEIGHTS_LOG)
        out = BitWriter()
        states = [0, 0]
        for index in reversed(range(len(weights))):
            if index >= len(weights) - 2:
                states[index % 2] = table.last_state(weights[index])
            else:
                states[index % 2] = table.encode(out, states[index % 2], weights[index])
        for state in reversed(states):
            out.put(state, WEIGHTS_LOG)
        coded = table.description() + out.end()
        if len(coded) >= 128:
            raise ValueError(f"the literals' weights take {len(coded)} bytes, more than a dictionary has room for")
        return bytes([len(coded)]) + coded


def shared(values, size):
    """`size` states shared out to the values 0, 1, … by how often they occur."""
    return share([values.count(value) for value in range(max(values) + 1)], size)


def share(counts, size):
    """`size` states, one to each code, the rest in turn to the code whose count is largest for those it has (Sainte-Laguë)."""
    found = [1] * len(counts)
    for _ in range(size - len(counts)):
        # The lower code of two equal ones.
        best = 0
        for code in range(1, len(counts)):
            if counts[code] * (2 * found[best] + 1) > counts[best] * (2 * found[code] + 1):
                best = code
        found[best] += 1
    return tuple(found)
