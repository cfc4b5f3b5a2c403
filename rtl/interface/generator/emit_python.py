# SPDX-License-Identifier: Apache-2.0
"""Python constants, and one class a descriptor with pack() and unpack()."""

import json

from .model import GENERATED_BY
from .names import constants, literal

CODES = {8: "B", 16: "H", 32: "I", 64: "Q"}

ENTRY = '''

@dataclass
class {name}:
    """{description}; {bytes} bytes, little-endian."""
{members}
    LAYOUT = struct.Struct("{layout}")

    def pack(self):
        """Return the {bytes} bytes as they stand in memory."""
        return self.LAYOUT.pack({values})

    @classmethod
    def unpack(cls, data):
        """Read an entry from {bytes} bytes."""
        return cls(*cls.LAYOUT.unpack(data))
'''


def emit(interface):
    lines = ["# SPDX-License-Identifier: Apache-2.0",
             f"# Made by {GENERATED_BY}. Do not edit: change the TOML files there and run it again.",
             '"""Every number shared by hardware and software."""', "",
             "import struct", "from dataclasses import dataclass"]
    section = None
    for where, name, value, description in constants(interface):
        if where != section:
            lines.extend(["", f"# {where}"])
            section = where
        lines.append(f"{name} = {literal(name, value)}  # {description}")
    if interface.statuses:
        lines.extend(_names(interface))
    lines.extend(f"{prefix}_NAMES = {{" + ", ".join(f'{number.value}: "{number.name}"' for number in numbers) + "}"
                 for _, prefix, numbers in interface.groups)
    return "\n".join(lines) + "\n" + "".join(_entry(descriptor) for descriptor in interface.descriptors)


def _names(interface):
    return ["", "STATUS_NAMES = {" + ", ".join(f'{s.value}: "{s.name}"' for s in interface.statuses) + "}",
                  "STATUS_KINDS = {" + ", ".join(f'{s.value}: "{s.kind}"' for s in interface.statuses) + "}",
                  "STATUS_LEAVES = {" + ", ".join(f"{s.value}: {json.dumps(s.leaves)}" for s in interface.statuses) + "}",
                  "COUNTER_NAMES = (" + ", ".join(f'"{c.name.lower()}"' for c in interface.counters) + ")"]


def _entry(descriptor):
    members, layout = [], "<"
    for field in descriptor.fields:
        plain = field.bits in CODES and not field.is_reserved
        layout += CODES[field.bits] if plain else f"{field.bits // 8}s"
        default = "0" if plain else f"bytes({field.bits // 8})"
        members.append(f"    {field.name}: {'int' if plain else 'bytes'} = {default}  # {field.description}")
    values = ", ".join(f"self.{field.name}" for field in descriptor.fields)
    return ENTRY.format(name=descriptor.name, description=descriptor.description, bytes=descriptor.bytes,
                        members="\n".join(members), layout=layout, values=values)
