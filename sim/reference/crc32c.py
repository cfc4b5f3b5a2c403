# SPDX-License-Identifier: Apache-2.0
"""CRC32C (Castagnoli) of a byte string: reflected polynomial 0x82F63B78, start and end value inverted.

Written from the polynomial alone, so that it is independent of every other implementation in the project.
"""


def _table():
    entries = []
    for value in range(256):
        for _ in range(8):
            value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)
        entries.append(value)
    return entries


_TABLE = _table()


def crc32c(data):
    """Return the CRC32C of `data` as an unsigned 32-bit number."""
    value = 0xFFFFFFFF
    for byte in data:
        value = _TABLE[(value ^ byte) & 0xFF] ^ (value >> 8)
    return value ^ 0xFFFFFFFF
