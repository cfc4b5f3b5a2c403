# SPDX-License-Identifier: Apache-2.0
"""The cold format's tables, read from cold.toml and cold_tables.toml, checked, and brought into the forms that coders use.

Names are those of RFC 8878. A table of the sequences is given by the counts of its codes, the literals' one by the bits of
each byte's Huffman code; everything else follows from these.
"""

import hashlib
import json
from dataclasses import dataclass

from .fse import Fse
from .huffman import Huffman
from .model import InterfaceError, Named, numbers, read, require

# Bits that follow a code of a length; a code's smallest length follows from those before it. RFC 8878, 3.1.1.3.2.1.1.
LITERAL_LENGTH_EXTRA = [0] * 16 + [1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
MATCH_LENGTH_EXTRA = [0] * 32 + [1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15]
SHORTEST_MATCH = 3
OFFSET_CODES = 17               # offset + 3 of COLD_LARGEST_PAGE needs no higher one
REPEAT_OFFSETS = (1, 4, 8)      # at the start of a page
LOGS = {"literal_length": 9, "match_length": 9, "offset": 8}  # the most that RFC 8878 allows
DICTIONARY_MAGIC, DICTIONARY_IDS = 0xEC30A437, 0x50500000


@dataclass(frozen=True)
class Code:
    """A code of a length or an offset: values from `base` on, told apart by `extra` bits."""
    base: int
    extra: int


@dataclass(frozen=True)
class Table:
    """What codes mean, and how they are coded."""
    codes: tuple
    fse: Fse


@dataclass(frozen=True)
class Cold:
    constants: tuple
    literals: Huffman
    tables: dict                # name → Table, in LOGS' order
    dictionary: bytes


def codes(extras, base):
    found = []
    for extra in extras:
        found.append(Code(base, extra))
        base += 1 << extra
    return tuple(found)


CODES = {"literal_length": codes(LITERAL_LENGTH_EXTRA, 0), "match_length": codes(MATCH_LENGTH_EXTRA, SHORTEST_MATCH),
         "offset": tuple(Code(1 << code, code) for code in range(OFFSET_CODES))}


def load_cold(folder, **_core):
    """Read and check both files; raises InterfaceError."""
    file, trained = read(folder / "cold.toml"), read(folder / "cold_tables.toml")
    version, found = file["version"]["tables"], digest(trained)
    require(file["version"]["digest"] == found,
            f'cold.toml: the tables are not those of version {version}: other tables want another version, and digest = "{found}"')
    require(0 < version < 1 << 16, f"cold.toml: COLD_TABLES_VERSION = {version} is out of range")
    constants = (Named("COLD_TABLES_VERSION", version, "of the trained tables"),
                 Named("COLD_DICTIONARY_ID", DICTIONARY_IDS + version, "of the dictionary that gives zstd these tables; frames do not name it"),
                 *numbers("constants", file["constants"], 1 << 48))
    return with_tables(constants, trained)


def digest(trained):
    """First 64 bits of the SHA-256 of the tables."""
    return hashlib.sha256(json.dumps(trained, sort_keys=True).encode()).hexdigest()[:16]


def with_tables(constants, trained):
    """The format with these tables, `trained` as in cold_tables.toml."""
    try:
        literals = Huffman(tuple(trained["literal_bits"]))
        tables = {name: Table(CODES[name], Fse(tuple(trained[f"{name}_counts"]), log)) for name, log in LOGS.items()}
    except (KeyError, ValueError, TypeError) as error:
        raise InterfaceError(f"cold_tables.toml: {error}") from error
    for name, table in tables.items():
        require(len(table.codes) == len(table.fse.counts), f"cold_tables.toml: {name}_counts are not {len(table.codes)}")
    number = {constant.name: constant.value for constant in constants}.get("COLD_DICTIONARY_ID", 0)
    return Cold(tuple(constants), literals, tables, dictionary(number, literals, tables))


def dictionary(number, literals, tables):
    """A dictionary of zstd with these tables (RFC 8878, 5); its content, which no stream uses, is as short as the offsets allow."""
    words = [DICTIONARY_MAGIC.to_bytes(4, "little"), number.to_bytes(4, "little"), literals.description(),
             *(tables[name].fse.description() for name in ("offset", "match_length", "literal_length")),
             *(offset.to_bytes(4, "little") for offset in REPEAT_OFFSETS), bytes(max(REPEAT_OFFSETS))]
    return b"".join(words)
