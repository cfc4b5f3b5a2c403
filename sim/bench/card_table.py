# SPDX-License-Identifier: Apache-2.0
"""What card.json holds, as a table, and held against the goals."""

HEADINGS = ("traffic", "engines", "MHz", "pages/s", "GB/s", "ceiling", "of it", "p50 µs", "p99 µs", "p99.9 µs", "limited by")
LONE = {"alone": "card idle", "loaded": "compress queues full"}


def cells(row):
    latency = row["latency_us"]
    return (row["traffic"], f"{row['engines']} + {row['engines']}", f"{row['engine_clock_mhz']:g}", f"{row['pages_per_s']:,}", f"{row['gb_per_s']:.2f}",
            f"{row['link_ceiling_gb_per_s']:.2f}", f"{row['utilisation']:.1%}",
            *[f"{latency[part]:.2f}" for part in ("p50", "p99", "p999")], row["limited_by"])


def table(result):
    """The rows of rates, then the lone page's lines."""
    rows = [HEADINGS] + [cells(row) for row in result["rows"]]
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ["  ".join(cell.ljust(width) if index in (0, len(widths) - 1) else cell.rjust(width)
                       for index, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in rows]
    link = result["link"]
    head = (f"PCIe {link['generation']}.0 ×{link['width']}, payload {link['max_payload']}, read request {link['max_read']}, "
            f"round trip {link['round_trip_ns']:g} ns + 0 to {link['jitter_ns']:g}; card at {result['clock_mhz']:g} MHz, "
            f"its engines at the MHz of their row, data path {result['stream_bytes']} bytes")
    lone = []
    for clock in result["clocks"]:
        at = f"engines at {clock['engine_clock_mhz']:g} MHz"
        lone += [f"{at}, one page to decompress, {LONE[name]}: "
                 f"p50 {latency['p50']:.2f}, p99 {latency['p99']:.2f}, p99.9 {latency['p999']:.2f} µs"
                 for name, latency in clock["single_decompress_latency_us"].items()]
        lone.append(f"{at}, outside engine and link: {clock['outside_cycles_p50']} cycles a page (p50)")
    return "\n".join([head, "", lines[0], "─" * max(map(len, lines)), *lines[1:], "", *lone])


def goals(result):
    """Entries like engine.json's, for each clock of the engines."""
    return [goal for clock in result["clocks"] for goal in goals_at(clock, result["rows"])]


def goals_at(clock, every):
    """Those of one entry of card.json's `clocks`."""
    at = clock["engine_clock_mhz"]
    rows = {(row["traffic"], row["engines"]): row for row in every if row["engine_clock_mhz"] == at}
    most, lone = clock["engines"], clock["single_decompress_latency_us"]

    def linear(traffic):
        """Worst rate of a row against so many times one engine's, until the link is full."""
        one = rows.get((traffic, 1))
        if not one:
            return None
        full = 0.95  # of the ceiling: the link
        return min((row["pages_per_s"] / min(engines * one["pages_per_s"], full * row["pages_per_s"] / row["utilisation"])
                    for (kind, engines), row in rows.items() if kind == traffic and engines > 1), default=None)

    found = [
        ("compress, share of the link's ceiling", rows["compress", most]["utilisation"], False, 0.95),
        ("decompress, share of the link's ceiling", rows["decompress", most]["utilisation"], False, 0.95),
        ("one page to decompress, card idle, p99 µs", lone["alone"]["p99"], True, 3),
        ("the same while compress saturates, times idle p99", lone["loaded"]["p99"] / lone["alone"]["p99"], True, 2),
        ("cycles outside engine and link, p50", clock["outside_cycles_p50"], True, 120),
        ("compress, 1 to N engines, share of linear", linear("compress"), False, 0.97),
        ("decompress, 1 to N engines, share of linear", linear("decompress"), False, 0.97),
    ]
    return [{"name": f"{at:g} MHz: {name}", "wanted": wanted, "most": most_wanted, "value": None if value is None else round(value, 4),
             "met": None if value is None else value <= wanted if most_wanted else value >= wanted}
            for name, value, most_wanted, wanted in found]
