# SPDX-License-Identifier: Apache-2.0
"""The small chart of the benches' figures, drawn from the tables that rtl/README.md states them in: GB/s by engines, and how long one page takes."""
import re

INK, FAINT = "#22303c", "#d9dee3"
COLOURS = {"compress": "#d1495b", "decompress": "#2e86ab"}
WIDTH, HEIGHT, LEFT, TOP, BAR, GAP = 760, 196, 12, 46, 15, 7
SCALE = 15.75  # GB/s of a Gen3 x16 link before any packet's header


class Missing(Exception):
    """A figure that the page does not state where it should."""


def rows(text, heading):
    """{first cell: other cells} of the table whose heading's first cells are these."""
    found = re.search(rf"^\|[^|\n]*{re.escape(heading)}[^\n]*\n\|[-| ]+\n((?:\|[^\n]*\n)+)", text, re.M)
    if not found:
        raise Missing(f"rtl/README.md has no table '{heading}'")
    return {cells[0]: cells[1:] for line in found[1].splitlines() for cells in [[cell.strip() for cell in line.strip("|").split("|")]]}


def number(cell):
    return float(re.match(r"[\d.]+", cell)[0])


def figures(text):
    """{"rates": {kind: [GB/s with one, two, three engines]}, "latency": {"idle" or "busy": (p50, p99) in µs}} of rtl/README.md."""
    try:
        rates = rows(text, "| one engine of either kind")
        page = rows(text, "one page to decompress, its command pushed")
        return {"rates": {kind: [number(cell) for cell in rates[name][:3]] for kind, name in (("compress", "compress, GB/s of plain pages"), ("decompress", "decompress"))},
                "latency": {kind: tuple(number(cell) for cell in page[name][:2]) for kind, name in (("idle", "card idle"), ("busy", "compress queues full"))}}
    except (KeyError, TypeError) as error:
        raise Missing(f"rtl/README.md does not state {error}") from error


def text_at(x, y, words, size=11, anchor="start", weight="normal"):
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" font-weight="{weight}" fill="{INK}">{words}</text>'


def bar(x, y, length, colour):
    return f'<rect x="{x:g}" y="{y:g}" width="{length:.1f}" height="{BAR}" rx="2" fill="{colour}"/>'


def rate_bars(rates, at, width):
    """Groups of bars, one engine of each kind to three."""
    parts = [text_at(at, TOP - 26, "GB/s of plain pages behind PCIe Gen3 ×16", 12, weight="bold")]
    y = TOP - 10
    for kind, values in rates.items():
        for count, value in enumerate(values, 1):
            engines = f"{count} {kind}or{'s' * (count > 1)}"
            parts += [text_at(at, y + 12, engines), bar(at + 112, y, (width - 160) * value / SCALE, COLOURS[kind]),
                      text_at(at + 118 + (width - 160) * value / SCALE, y + 12, f"{value:.2f}")]
            y += BAR + GAP
        y += GAP
    return parts


def latency_bars(latency, at, width):
    """Half of all pages are back by the end of the dark part, all but one in a hundred by the end of the light one."""
    longest = max(p99 for _, p99 in latency.values())
    parts = [text_at(at, TOP - 26, "One page back, µs: half of them, 99 of 100", 12, weight="bold")]
    y = TOP - 10
    for kind, (p50, p99) in latency.items():
        scale = (width - 200) / longest
        parts += [text_at(at, y + 12, "card idle" if kind == "idle" else "compressing, too"),
                  f'<g opacity="0.45">{bar(at + 112, y, p99 * scale, COLOURS["decompress"])}</g>', bar(at + 112, y, p50 * scale, COLOURS["decompress"]),
                  text_at(at + 118 + p99 * scale, y + 12, f"{p50:.2f}, {p99:.2f}")]
        y += BAR + GAP
    return parts


def svg(data):
    half = WIDTH // 2
    parts = [*rate_bars(data["rates"], LEFT, half), *latency_bars(data["latency"], half + LEFT, half - 2 * LEFT),
             *(text_at(half + LEFT, TOP + 62 + 16 * line, words) for line, words in enumerate((
                 "Cycles of the RTL on real memory pages; link and host are", "modelled: make bench-card. Engines at 300 MHz, the rest at",
                 "250, clocks that nothing has confirmed. No silicon yet.")))]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" font-family="DejaVu Sans, sans-serif">\n'
            f'<rect width="{WIDTH}" height="{HEIGHT}" rx="6" fill="white" stroke="{FAINT}"/>\n' + "\n".join(parts) + "\n</svg>\n")
