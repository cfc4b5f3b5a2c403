# SPDX-License-Identifier: Apache-2.0
"""The cold format's numbers and tables for C and Scala, as coders use them, and its dictionary for Python."""

from .cold import REPEAT_OFFSETS
from .model import GENERATED_BY

SOURCE = "cold.toml and cold_tables.toml"
HEAD = """\
/* SPDX-License-Identifier: (GPL-2.0-only OR Apache-2.0) */
/* Made by {command}. Do not edit: change {source} there and run it again. */
#ifndef {guard}
#define {guard}
"""
NUMBERS = """
#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

/* A code of a length or an offset: values from `base` on, told apart by `extra` bits. */
struct pagepress_cold_code {
	uint32_t base;
	uint8_t extra;
};
"""
DECODER = """
#include "pagepress_cold.h"

/* A decoder's state: its code, and the next state, `next` plus the value of `bits` bits. */
struct pagepress_cold_state {
	uint16_t next;
	uint8_t bits;
	uint8_t code;
};

/* The byte whose Huffman code the next bits of a stream begin with. */
struct pagepress_cold_literal_entry {
	uint8_t byte;
	uint8_t bits;
};"""
ENCODER = """
#include "pagepress_cold.h"

/* A code's states for an encoder: `count` entries of the list of states by code, from `first` on. */
struct pagepress_cold_states {
	uint16_t count;
	uint16_t first;
};

/* A byte's Huffman code, its first bit highest. */
struct pagepress_cold_literal {
	uint16_t code;
	uint8_t bits;
};"""


def emit_numbers(cold):
    lines = [NUMBERS]
    for constant in cold.constants:
        suffix = "ull" if constant.value >> 32 else "u"
        lines.append(f"#define PAGEPRESS_{constant.name}\t0x{constant.value:x}{suffix}\t/* {constant.description} */")
    lines.append(f"#define PAGEPRESS_COLD_LITERAL_BITS\t{cold.literals.longest}u\t/* longest Huffman code */")
    lines.append(f"#define PAGEPRESS_COLD_REPEATS\t{len(REPEAT_OFFSETS)}u\t/* offsets that a sequence may name again */")
    lines.append(f"#define PAGEPRESS_COLD_FIRST_OFFSETS\t{{ {', '.join(map(str, REPEAT_OFFSETS))} }}\t/* these at a page's start */")
    for name, table in cold.tables.items():
        lines.append(f"#define PAGEPRESS_COLD_{name.upper()}_CODES\t{len(table.codes)}u")
        lines.append(f"#define PAGEPRESS_COLD_{name.upper()}_LOG\t{table.fse.log}u\t/* of the number of states */")
    for name, table in cold.tables.items():
        lines += array(f"code {name}_codes", f"PAGEPRESS_COLD_{name.upper()}_CODES", [f"{{ {code.base}, {code.extra} }}" for code in table.codes])
    return header("PAGEPRESS_COLD_H", lines)


def emit_decoder(cold):
    lines = [DECODER]
    lines += array("literal_entry literal_lookup", "1 << PAGEPRESS_COLD_LITERAL_BITS",
                   [f"{{ {byte}, {cold.literals.bits[byte]} }}" for byte in cold.literals.lookup])
    for name, table in cold.tables.items():
        lines += array(f"state {name}_decoder", f"1 << PAGEPRESS_COLD_{name.upper()}_LOG",
                       [f"{{ {state.next}, {state.bits}, {state.code} }}" for state in table.fse.states])
    return header("PAGEPRESS_COLD_DECODER_H", lines)


def emit_encoder(cold):
    lines = [ENCODER]
    lines += array("literal literals", "256", [f"{{ 0x{code:03x}, {bits} }}" for code, bits in zip(cold.literals.codes, cold.literals.bits)])
    for name, table in cold.tables.items():
        lines += array(f"states {name}_encoder", f"PAGEPRESS_COLD_{name.upper()}_CODES",
                       [f"{{ {count}, {first} }}" for count, first in zip(table.fse.counts, table.fse.firsts)])
        lines += array(f"{name}_states", f"1 << PAGEPRESS_COLD_{name.upper()}_LOG", map(str, table.fse.ordered), of="uint16_t ")
    return header("PAGEPRESS_COLD_ENCODER_H", lines)


def header(guard, lines):
    return "\n".join([HEAD.format(command=GENERATED_BY, source=SOURCE, guard=guard).rstrip("\n"), *lines, f"\n#endif /* {guard} */\n"])


def array(name, size, entries, of="struct "):
    """A table; `name` begins with that of its structure, if any."""
    return [f"\nstatic const {of}pagepress_cold_{name.replace(' ', ' pagepress_cold_')}[{size}] = {{", *rows(entries), "};"]


def rows(entries, width=108):
    """The entries in lines of up to `width` characters."""
    row = ""
    for entry in entries:
        if row and len(row) + len(entry) + 2 > width:
            yield f"\t{row.rstrip()}"
            row = ""
        row += f"{entry}, "
    yield f"\t{row.rstrip()}"


def emit_scala(cold):
    lines = ["// SPDX-License-Identifier: Apache-2.0", f"// Made by {GENERATED_BY}. Do not edit: change {SOURCE} there and run it again.",
             "package pagepress.interface", "", "/** Numbers of the cold format. */", "object ColdFormat {"]
    for constant in cold.constants:
        lines.append(f"  val {constant.name.removeprefix('COLD_')} = 0x{constant.value:x}{'L' if constant.value > 0x7FFFFFFF else ''} // {constant.description}")
    lines.append(f"  val FIRST_OFFSETS = Seq({', '.join(map(str, REPEAT_OFFSETS))}) // that a sequence may name again, at a page's start")
    lines += ["}", "", "/** Huffman codes of the literals, by byte: the code, its first bit highest, and how many bits it has. */", "object ColdLiterals {",
              *scala_array("codes", cold.literals.codes), *scala_array("bits", cold.literals.bits), "}"]
    for name, table in cold.tables.items():
        title = "".join(part.capitalize() for part in name.split("_"))
        lines += ["", f"/** The {name.replace('_', ' ')}'s table. Of each code: its smallest value, how many bits follow it, and how many states it has; of each",
                  "  * state: its code, and the next state, `next` plus the value of `bits` bits; and the states by code, each code's in rising order. */",
                  f"object Cold{title} {{", f"  val log = {table.fse.log} // of the number of states",
                  *scala_array("bases", [code.base for code in table.codes]), *scala_array("extras", [code.extra for code in table.codes]),
                  *scala_array("counts", table.fse.counts), *scala_array("codes", [state.code for state in table.fse.states]),
                  *scala_array("bits", [state.bits for state in table.fse.states]), *scala_array("nexts", [state.next for state in table.fse.states]),
                  *scala_array("ordered", table.fse.ordered), "}"]
    return "\n".join(lines) + "\n"


def scala_array(name, numbers):
    return [f"  val {name}: Array[Int] = Array(", *(f"    {row.strip()}" for row in rows(map(str, numbers))), "  )"]


def emit_python(cold):
    text = cold.dictionary.hex()
    return "\n".join([
        "# SPDX-License-Identifier: Apache-2.0",
        f"# Made by {GENERATED_BY}. Do not edit: change {SOURCE} there and run it again.",
        '"""The cold format\'s numbers, and the dictionary with which zstd reads its streams."""', "",
        *(f"{constant.name} = 0x{constant.value:x}  # {constant.description}" for constant in cold.constants), "",
        "DICTIONARY = bytes.fromhex(", *(f'    "{text[at:at + 100]}"' for at in range(0, len(text), 100)), ")", ""])
