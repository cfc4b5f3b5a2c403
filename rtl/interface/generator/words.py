# SPDX-License-Identifier: Apache-2.0
"""Registers as tools want them: every register has a field, every counter is two 32-bit words."""

from .model import BitField, Block, Register

WHOLE = "VALUE"  # the field of a register that has none of its own


def blocks(interface, queue_pairs=None):
    """The blocks of BAR0 with the counters among them, in the order of addresses; what there is of each queue, `queue_pairs` times."""
    counters = Block("COUNTER", interface.counter_base, 0, 1, "64-bit counters, low word first. Read high, low, high again until both highs agree",
                     tuple(_words(interface.counters)))
    found = sorted((*interface.blocks, counters), key=lambda block: block.base)
    if queue_pairs is None:
        return found
    return [block if block.count == 1 else Block(block.name, block.base, block.stride, queue_pairs, block.description, block.registers)
            for block in found]


def _words(counters):
    for counter in counters:
        for part, name in enumerate(("LOW", "HIGH")):
            yield Register(f"{counter.name}_{name}", 8 * counter.value + 4 * part, "ro", 0,
                           f"{counter.description} ({counter.unit}), bits {32 * part + 31}..{32 * part}", ())


def fields(register):
    """The register's fields in the order of bits; one of all 32 where it has none."""
    return sorted(register.fields, key=lambda field: field.low) or [BitField(WHOLE, 0, 32, register.description)]


def reset(register, field):
    """What the field holds after reset; None where the build decides."""
    return None if register.reset is None else (register.reset & field.mask) >> field.low


def size(block):
    """Bytes of one copy of the block."""
    return block.stride or max(register.offset for register in block.registers) + 4
