# SPDX-License-Identifier: Apache-2.0
"""Finite state entropy as RFC 8878 has it: a table of 2^log states made from the counts of its codes."""

from dataclasses import dataclass
from functools import cached_property


class BitWriter:
    """Bits lowest first, for streams that are read backwards from a highest bit of 1."""

    def __init__(self):
        self.value = self.count = 0

    def put(self, value, bits):
        self.value |= (value & ((1 << bits) - 1)) << self.count
        self.count += bits

    def whole_bytes(self):
        return self.value.to_bytes(-(-self.count // 8), "little")

    def end(self):
        """The stream with its end mark."""
        self.put(1, 1)
        return self.whole_bytes()


@dataclass(frozen=True)
class State:
    """A decoder's state: its code, and the next one: `next` plus the value of `bits` bits."""
    code: int
    bits: int
    next: int


@dataclass(frozen=True)
class Fse:
    """`counts` of codes 0, 1, … are the states they have. None is 0, so every code can be written."""
    counts: tuple
    log: int

    def __post_init__(self):
        if sum(self.counts) != self.size or min(self.counts) < 1:
            raise ValueError(f"counts {self.counts} are not one or more each, {self.size} in all")

    @property
    def size(self):
        return 1 << self.log

    @cached_property
    def spread(self):
        """The code of each state."""
        found, at, step = [0] * self.size, 0, (self.size >> 1) + (self.size >> 3) + 3
        for code, count in enumerate(self.counts):
            for _ in range(count):
                found[at] = code
                at = (at + step) % self.size
        return found

    @cached_property
    def states(self):
        """What a decoder does in each state."""
        following, found = list(self.counts), []
        for code in self.spread:
            number = following[code]
            following[code] += 1
            bits = self.log + 1 - number.bit_length()
            found.append(State(code, bits, (number << bits) - self.size))
        return found

    @cached_property
    def ordered(self):
        """The states by code, each code's in rising order: what an encoder goes to."""
        return sorted(range(self.size), key=lambda state: (self.spread[state], state))

    @cached_property
    def firsts(self):
        """Where each code's states begin in `ordered`."""
        return [sum(self.counts[:code]) for code in range(len(self.counts))]

    def last_state(self, code):
        """Where an encoder, which works from the last code to the first, begins."""
        return self.ordered[self.firsts[code]]

    def encode(self, out, state, code):
        """Write what leads a decoder from this code's state to `state`; return the former."""
        count, number = self.counts[code], state + self.size
        bits = 0
        while number >> bits >= 2 * count:
            bits += 1
        out.put(number, bits)
        return self.ordered[self.firsts[code] + (number >> bits) - count]

    def description(self):
        """The table's description (RFC 8878, 4.1.1)."""
        out, remaining, threshold, bits = BitWriter(), self.size + 1, self.size, self.log + 1
        out.put(self.log - 5, 4)
        for count in self.counts:
            short = 2 * threshold - 1 - remaining
            value = count + 1
            remaining -= count
            if value >= threshold:
                value += short
            out.put(value, bits - (value < short))
            while remaining < threshold:
                bits, threshold = bits - 1, threshold >> 1
        return out.whole_bytes()
