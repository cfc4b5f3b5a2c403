# SPDX-License-Identifier: Apache-2.0
"""The table on the screen."""
from .codecs import SIZES

LABELS = {"lzo1x_1": "lzo1x_1", "lz4": "LZ4", "lz4hc": "LZ4-HC", "lzo1x_999": "lzo1x_999", "zstd1": "zstd-1"}
BLANK = "–"


def number(value, digits):
    return BLANK if value is None else f"{value:.{digits}f}"


def share(record):
    """Pages in a hundred for which the compressor gave no stream."""
    return BLANK if record.get("incompressible") is None else f"{100 * record['incompressible'] / record['pages']:.1f}%"


def spread(value):
    """p50/p99/max in one cell."""
    parts = [(value or {}).get(part) for part in ("p50", "p99", "max")]
    return BLANK if not any(parts) else "/".join(number(part, 0) for part in parts)


# Heading above, heading, and the cell's text of a record.
COLUMNS = [
    ("", "set", lambda record: record["name"]),
    ("", "pages", lambda record: number(record.get("pages"), 0)),
    ("", "same", lambda record: number(record.get("same_filled"), 0)),
    ("", "incompr.", share),
    ("ratio", "engine", lambda record: number(record.get("ratio"), 2)),
    *[("ratio", LABELS[codec], lambda record, codec=codec: number(record.get(f"ratio_{codec}"), 2)) for codec in SIZES],
    ("ratio", "cold", lambda record: number(record.get("cold_ratio"), 2)),
    ("/lzo1x_1", "size", lambda record: number(record.get("size_vs_lzo1x_1"), 3)),
    ("/lzo1x_1", "cold", lambda record: number(record.get("cold_size_vs_lzo1x_1"), 3)),
    ("B/cycle", "in", lambda record: number(record.get("compress_bytes_per_cycle"), 1)),
    ("B/cycle", "out", lambda record: number(record.get("decompress_bytes_per_cycle"), 1)),
    ("cycles a page, p50/p99/max", "compress", lambda record: spread(record.get("compress_cycles"))),
    ("cycles a page, p50/p99/max", "and verify", lambda record: spread(record.get("verified_compress_cycles"))),
    ("cycles a page, p50/p99/max", "decompress", lambda record: spread(record.get("decompress_cycles"))),
    ("verify", "adds", lambda record: number(record.get("verify_extra_cycles_mean"), 1)),
    ("lzo1x_1's", "decompress", lambda record: spread(record.get("decompress_lzo1x_1_cycles"))),
    ("cold B/cycle", "in", lambda record: number(record.get("cold_compress_bytes_per_cycle"), 1)),
    ("cold B/cycle", "out", lambda record: number(record.get("cold_decompress_bytes_per_cycle"), 1)),
    ("cold cycles a page, p50/p99/max", "compress", lambda record: spread(record.get("cold_compress_cycles"))),
    ("cold cycles a page, p50/p99/max", "decompress", lambda record: spread(record.get("cold_decompress_cycles"))),
]


def table(records, summary):
    """A row for each record, headings and a rule above; below another rule the rows of `summary`: mean and goal."""
    rows = [[heading for _, heading, _ in COLUMNS]] + [[text(record) for *_, text in COLUMNS] for record in [*records, *summary]]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    _fit_groups(widths)
    lines = [line(row, widths) for row in rows]
    rule = "─" * len(lines[0])
    return "\n".join([_groups(widths), lines[0], rule, *lines[1:len(records) + 1], rule, *lines[len(records) + 1:]])


def line(cells, widths):
    """Aligned cells, the first to the left."""
    return "  ".join([cells[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:])])


def _spans():
    """Runs of columns under one heading: (heading, first column, column after the last)."""
    first = 0
    for column in range(1, len(COLUMNS) + 1):
        if column == len(COLUMNS) or COLUMNS[column][0] != COLUMNS[first][0]:
            yield COLUMNS[first][0], first, column
            first = column


def _fit_groups(widths):
    for heading, first, after in _spans():
        room = sum(widths[first:after]) + 2 * (after - first - 1)
        widths[first] += max(0, len(heading) - room)


def _groups(widths):
    return "  ".join(heading.center(sum(widths[first:after]) + 2 * (after - first - 1))
                     for heading, first, after in _spans()).rstrip()
