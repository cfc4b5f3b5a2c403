# SPDX-License-Identifier: Apache-2.0
"""The demo's last screen, as text."""
import textwrap

from system.figures import pages_out

WIDTH = 78
TABLE_COLUMNS = 2
KEPT = "\N{NO-BREAK SPACE}"  # a blank at which no line ends


def number(value):
    return f"{value:,}"


def ratio(plain, packed):
    return f"{plain / packed:.2f}" if packed else "-"


def heading(text):
    return f"── {text} ".ljust(WIDTH, "─")


def row(name, *cells):
    return f"  {name:26}" + "".join(f"{cell:>16}" for cell in cells)


def screen(figures, failures):
    """The whole screen, lines joined; ends with the verdict."""
    lines = ["", heading(title(figures)), *data(figures), "", *ways(figures), "", *card(figures), "", *table(figures), ""]
    return "\n".join([*lines, heading("verdict"), *verdict(figures, failures)])


def title(figures):
    engines = {"pcie": "the RTL (Verilated) behind PCIe", "axi": "the RTL's core (Verilated)", "none": "the functional model"}
    return f"Pagepress: swap through {engines[figures.level]}"


def data(figures):
    contents = figures.data
    kinds = sorted(contents.kinds.items(), key=lambda kind: -kind[1])
    shares = ", ".join(f"{name} {100 * pages / contents.pages:.0f} %".replace(" ", KEPT) for name, pages in kinds)
    origin = f"{number(contents.files)} files: {shares}" if contents.files else "the recorded ones that tests use"
    text = f"data: {number(contents.pages)} pages from {origin}"
    for line in textwrap.wrap(text, WIDTH - 2, initial_indent="  ", subsequent_indent="    "):
        yield line.replace(KEPT, " ")


def ways(figures):
    hungry, ways_ = figures.hungry, figures.ways
    yield row("pages", "out", "in")
    yield row("swapped by the kernel", number(hungry["out"]), number(hungry["in"]))
    for name, key in (("through the card", "card"), ("through software", "software"), ("needing neither", "direct")):
        yield row(name, number(ways_[f"{key}_pages_out"]), number(ways_[f"{key}_pages_in"]))
    plain, packed = figures.table["OrigDataSize"], figures.table["ComprDataSize"]
    yield row("ratio of what is stored", ratio(plain, packed), "")


def card(figures):
    counters = figures.card
    when = " just before it was killed" if figures.fault else ""
    yield heading(f"the card's own counters{when}")
    yield row("", "compress", "decompress")
    yield row("pages", number(figures.card_out), number(figures.card_in))
    if not figures.fault:
        seen = figures.driver_card
        yield row("  as the driver read them", number(pages_out(seen)), number(seen["pages_decompressed"]))
    yield row("  same-filled", number(counters["pages_same_filled"]))
    yield row("  incompressible", number(counters["pages_incompressible"]))
    yield row("bytes in", number(counters["compress_bytes_in"]), number(counters["decompress_bytes_in"]))
    yield row("bytes out", number(counters["compress_bytes_out"]), number(counters["decompress_bytes_out"]))
    yield row("ratio", ratio(counters["compress_bytes_in"], counters["compress_bytes_out"]))
    yield row("cycles", number(counters["cycles"]))


def table(figures):
    yield heading("the disk (pagepressctl status)")
    names = list(figures.table)
    rows = -(-len(names) // TABLE_COLUMNS)
    for i in range(rows):
        yield "  " + "    ".join(f"{name:16}{number(figures.table[name]):>16}" for name in names[i::rows])


def verdict(figures, failures):
    if figures.fault:
        fault, ways_ = figures.fault, figures.ways
        yield f"  The card was killed with {number(fault.out)} pages swapped out and more on their way."
        yield f"  {number(ways_['redone_pages'])} pages it had in hand were done again in software, and the rest too:"
        yield f"  {number(ways_['software_pages_out'])} pages out and {number(ways_['software_pages_in'])} in by software in all."
    if figures.firmware:
        firmware = figures.firmware
        yield f"  The card's firmware was killed with {number(firmware.out)} pages swapped out; {number(figures.card_out)} went out through the card in all."
        yield "  The driver noticed and revived it: it runs again." if firmware.revived else "  Nobody revived it. The pages did not need it."
    if figures.lane:
        lane = figures.lane
        yield f"  The engine of lane {lane.lane} broke with {number(lane.out)} pages swapped out; {number(figures.card_out)} went out through the card in all."
        yield f"  {number(figures.ways['card_errors'])} page it had in hand was done again in software. What the card's firmware did then:"
        yield from (f"    {entry['milliseconds'] / 1000:8.3f} s  {entry['event']}" for entry in figures.events if entry["event"].startswith("LANE_"))
    hungry = figures.hungry
    if not failures:
        yield (
            f"  PASS: every byte of {number(hungry['pages'])} pages was right"
            f" ({number(hungry['checked'])} comparisons, {figures.seconds:.0f} s)."
        )
        return
    for sentence in failures:
        yield f"  FAIL: {sentence}."
