# SPDX-License-Identifier: Apache-2.0
"""The tokens of a sound LZO1X stream by kind and class of length, for the functional points.

A length is `short` when the token's first byte holds it, `more` when one byte more does, `many` when zero bytes come before that.
The facts are those of the kernel's Documentation/staging/lzo.rst.
"""
LENGTHS = ("short", "more", "many")
WRITTEN = ["first literals", *(f"literals {length}" for length in LENGTHS), "literals after a match", "M2",
           *(f"M3 {length}" for length in LENGTHS), "end"]
CLASSES = [*WRITTEN, "M1 of two bytes", "M1 of three bytes", *(f"M4 {length}" for length in LENGTHS), "zeros"]


class Reader:
    """Bytes from the front of a stream."""

    def __init__(self, stream):
        self.stream, self.at = stream, 0

    def byte(self):
        self.at += 1
        return self.stream[self.at - 1]

    def length(self, held, most):
        """(class, number) of a length whose first byte holds `held`; 0 there means `most` and bytes that follow."""
        if held:
            return "short", held
        zeros = 0
        while not (last := self.byte()):
            zeros += 1
        return "many" if zeros else "more", most + 255 * zeros + last


def classes(stream):
    """Yield an entry of CLASSES for each token; `stream` must decompress."""
    reader, state, with_zeros = Reader(stream), 0, False
    if stream[0] == 17 and len(stream) >= 5:  # a version: what the kernel calls lzo-rle
        reader.at, with_zeros = 2, stream[1] > 0
    if stream[reader.at] > 17:  # the page begins with literals
        yield "first literals"
        count = reader.byte() - 17
        reader.at += count
        state = min(count, 4)
    while True:
        token = reader.byte()
        if token < 16 and state == 0:
            kind, count = reader.length(token, 15)
            yield f"literals {kind}"
            reader.at += count + 3
            state = 4
            continue
        if token < 16:
            yield "M1 of three bytes" if state == 4 else "M1 of two bytes"
            reader.byte()
            state = token & 3
        elif token >= 64:
            yield "M2"
            reader.byte()
            state = token & 3
        elif with_zeros and token & 0xF8 == 0x18 and int.from_bytes(stream[reader.at:reader.at + 2], "little") & 0xFFFC == 0xFFFC:
            yield "zeros"
            state = reader.byte() & 3
            reader.at += 2
        else:
            far = token < 32
            kind, _ = reader.length(token & 7 if far else token & 31, 7 if far else 31)
            low, high = reader.byte(), reader.byte()
            if far and not token & 8 and not (low | high << 8) >> 2:
                yield "end"
                return
            yield f"{'M4' if far else 'M3'} {kind}"
            state = low & 3
        if state:
            yield "literals after a match"
            reader.at += state
