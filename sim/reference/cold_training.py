# SPDX-License-Identifier: Apache-2.0
"""The cold format's tables from recorded pages: what codes and literals occur, every kind of page counting the same.

Literals count where codes make them clearly smaller; those of packed data, which stay as they are, would only flatten the tree.
"""
from collections import Counter
from dataclasses import dataclass

from cold_writer import code_of, sequences_of, stream_bits
from generator.cold import CODES, LOGS, with_tables
from generator.huffman import MOST_BITS, share

KIND_WEIGHT = 1_000_000     # what the counts of a kind add up to, in each table
LEAST_WEIGHT = 100          # of what does not occur
WORTH = 0.98                # literals count where codes make them this much smaller


@dataclass(frozen=True)
class Kind:
    """Pages of one program: their literals, a page's together, and how often each code occurs."""
    literals: list
    codes: dict


class _Codes:
    """Looks like a table to `code_of`."""

    def __init__(self, codes):
        self.codes = codes


def kind_of(pages):
    """What is coded of some pages."""
    literals, counts = [], {name: Counter() for name in LOGS}
    tables = {name: _Codes(codes) for name, codes in CODES.items()}
    for page in pages:
        bytes_, sequences = sequences_of(page)
        literals.append(bytes_)
        for values in sequences:
            for (name, table), value in zip(tables.items(), values):
                counts[name][code_of(table, value)] += 1
    return Kind(literals, counts)


def train(kinds):
    """The tables for these kinds of pages, as in cold_tables.toml."""
    tables = {f"{name}_counts": list(share(weights([kind.codes[name] for kind in kinds], len(CODES[name])), 1 << log))
              for name, log in LOGS.items()}
    everything = [[literals for literals in kind.literals if literals] for kind in kinds]
    first = with_tables((), {"literal_bits": literal_bits(everything), **tables})
    smaller = [[literals for literals in some if stream_bits(first, literals) < 8 * len(literals) * WORTH] for some in everything]
    return {"literal_bits": literal_bits(smaller), **tables}


def literal_bits(kinds):
    counts = [Counter() for _ in kinds]
    for count, pages in zip(counts, kinds):
        for literals in pages:
            count.update(literals)
    return limited_bits(weights(counts, 256), MOST_BITS)


def weights(counts, size):
    """The sum of the counts when each of them adds up to the same."""
    found = [LEAST_WEIGHT] * size
    for count in counts:
        total = count.total()
        for value, times in count.items():
            found[value] += times * KIND_WEIGHT // total
    return found


def limited_bits(counts, most):
    """Bits of each value's code in the best prefix code whose codes have at most `most` bits (package-merge)."""
    single = sorted((count, (value,)) for value, count in enumerate(counts))
    merged = []
    for _ in range(most):
        pairs = [(left[0] + right[0], left[1] + right[1]) for left, right in zip(merged[::2], merged[1::2])]
        merged = sorted(single + pairs, key=lambda entry: entry[0])
    found = [0] * len(counts)
    for _, values in merged[:2 * len(counts) - 2]:
        for value in values:
            found[value] += 1
    return found
