# SPDX-License-Identifier: Apache-2.0
"""SystemRDL 2.0: the registers of BAR0; how many queue pairs there are is a parameter."""

from .model import GENERATED_BY
from .words import blocks, fields, reset

ACCESS = {"ro": ("r", "w"), "rw": ("rw", "r"), "wo": ("w", "r")}  # of software, of hardware


def emit(interface):
    found = blocks(interface)
    most = max(block.count for block in found)
    lines = ["// SPDX-License-Identifier: Apache-2.0",
             f"// Made by {GENERATED_BY}. Do not edit: change the TOML files there and run it again.", "",
             f"addrmap pagepress #(longint unsigned QUEUE_PAIRS = {most}) {{",
             f"    name = {text(f'{interface.title} {interface.version_text}')};",
             f"    desc = {text(f'Interface hash {interface.hash:016x}. A read of what a core lacks returns 0, a write there is ignored.')};",
             "    default regwidth = 32;", "    default accesswidth = 32;", "    littleendian;"]
    for block in found:
        lines.extend(["", "    regfile {", f"        desc = {text(block.description)};"])
        for register in block.registers:
            lines.extend(_register(register))
        copies = f"[QUEUE_PAIRS] @ 0x{block.base:x} += 0x{block.stride:x}" if block.count > 1 else f" @ 0x{block.base:x}"
        lines.append(f"    }} {block.name}{copies};")
    return "\n".join([*lines, "};", ""])


def _register(register):
    software, hardware = ACCESS[register.access]
    yield "        reg {"
    yield f"            desc = {text(register.description)};"
    for field in fields(register):
        start = reset(register, field)
        yield f"            field {{ sw = {software}; hw = {hardware}; desc = {text(field.description)}; }} " \
              f"{field.name}[{field.low + field.width - 1}:{field.low}]{'' if start is None else f' = 0x{start:x}'};"
    yield f"        }} {register.name} @ 0x{register.offset:x};"


def text(words):
    return '"' + words.replace("\\", "\\\\").replace('"', '\\"') + '"'
