# SPDX-License-Identifier: Apache-2.0
"""`make bench-card`: the whole card behind a PCIe link, from its command line to its table, card.json and chart."""
import argparse
import dataclasses
import json
from concurrent.futures import ThreadPoolExecutor

from . import PAGE_BYTES, RESULTS, Trouble, capture, engines
from .card import CLOCK_HZ, Card, Link, Rates, judge, microseconds, prepare, row
from .card_table import goals, table
from .command import PAGES, positive, run
from .goals import lines as goal_lines
from .pages import PageSet, read_files
from .summary import percentile

TRAFFICS = ("compress", "decompress", "mixed")
# Kilohertz of the engines' own clock, 0 for none, and the cards measured at it unless --engines says which.
USUAL = {300_000: [1, 2, 3], 0: [1, 2, 3, 4]}
SAMPLE = 40  # pages of each set
DESCRIPTION = """Plays memory pages through the verilated card at the end of a modelled PCIe link: rates, latencies, limits.
Without FILE the pages are captured from programs that the bench starts, and kept for the next run.
Results: a table, build/bench/card.json and build/bench/card.png."""


def arguments(words):
    parser = argparse.ArgumentParser(prog="make bench-card", description=DESCRIPTION,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", metavar="FILE", nargs="*",
                        help=f"raw {PAGE_BYTES}-byte pages (make bench-card PAGES=\"x y\")")
    parser.add_argument("--engines", metavar="N,N", type=_counts,
                        help="cards to measure, by their engines of either kind (default 1,2,3, with one clock 1,2,3,4; each is compiled once)")
    parser.add_argument("--pages", metavar="N", type=positive, default=SAMPLE,
                        help=f"most pages of a set (default {SAMPLE})")
    parser.add_argument("--commands", metavar="N", type=positive,
                        help="measured a row, after as many as fill the card (default: each page twice; one at a time: once)")
    parser.add_argument("--engine-clock", metavar="KHZ,KHZ", type=_kilohertz, default=list(USUAL),
                        help="of the engines, whose clock is their own; 0: they run on the card's 250000 (default 300000,0)")
    parser.add_argument("--generation", type=int, choices=range(1, 6), default=Link.generation,
                        help="of the link (default 3)")
    parser.add_argument("--width", type=int, choices=(1, 2, 4, 8, 16), default=Link.width, help="lanes (default 16)")
    sizes = (128, 256, 512)
    parser.add_argument("--max-payload", type=int, choices=sizes, default=Link.max_payload, help="bytes (default 256)")
    parser.add_argument("--max-read", type=int, choices=(*sizes, 1024, 2048, 4096), default=Link.max_read,
                        help="bytes (default 512)")
    parser.add_argument("--round-trip", metavar="NS", type=_time, default=Link.round_trip_ns,
                        help="from a read on the wire to its first data, the wire's own time aside (default 700)")
    parser.add_argument("--jitter", metavar="NS", type=_time, default=Link.jitter_ns,
                        help="most that is added to it (default 100)")
    parser.add_argument("--json", action="store_true", help="print card.json instead of the table; progress on stderr")
    return parser.parse_args(words)


def _counts(text):
    counts = text.split(",")
    if not all(count.isdigit() and 1 <= int(count) <= 8 for count in counts):
        raise argparse.ArgumentTypeError(f"'{text}' is no list of engines from 1 to 8, like 1,3")
    return sorted(set(map(int, counts)))


def _kilohertz(text):
    clocks = text.split(",")
    if not all(clock.isdigit() and int(clock) <= 1_000_000 for clock in clocks):
        raise argparse.ArgumentTypeError(f"'{text}' is no list of numbers of kilohertz from 0 to 1000000")
    return list(dict.fromkeys(map(int, clocks)))


def _time(text):
    if not text.isdigit() or int(text) > 100_000:
        raise argparse.ArgumentTypeError(f"'{text}' is no number of nanoseconds from 0 to 100000")
    return float(text)


def sampled(pages, count):
    """At most `count` pages, evenly spread."""
    step = max(1, len(pages) // count)
    chosen = list(pages)[::step][:count]
    return PageSet(pages.name, b"".join(chosen), 0)


def engine_figures(pages, progress):
    """What the engines alone do with these pages: their rates, and the cycles that opening each page takes."""
    chosen = engines.Engines()
    chosen.build()
    count = lambda done: progress.count("engines", len(pages), done)  # noqa: E731
    cycles = engines.run_all(chosen, [pages], PAGE_BYTES, count)[pages.name].cycles
    (RESULTS / f"{pages.name}.streams").unlink()
    for kind in ("compress", "decompress_software"):
        if not cycles[kind]["cycles"]:
            raise Trouble(f"set {pages.name}: too few pages have a stream to have them back to back: take others")
    rate = lambda kind: cycles[kind]["bytes"] / cycles[kind]["cycles"]  # noqa: E731
    return Rates(rate("compress"), rate("decompress_software")), cycles["decompress_software"]["latencies"]


def outside(found, own_cycles, engine_hz):
    """Cycles of each lone page's way that are not its engine's, on a link without time of its own."""
    return [CLOCK_HZ * (latency / 1e9 - own_cycles[page] / engine_hz)
            for latency, page in zip(found["latencies_ns"]["decompress"], found["latency_pages"])]


def measure(options, link, pages, work, progress):
    progress.line("measuring the engines alone")
    rates, own_cycles = engine_figures(pages, progress)
    cards = [Card(count, clock) for clock in options.engine_clock for count in options.engines or USUAL.get(clock, USUAL[300_000])]
    for card in cards:
        progress.line(f"building the card of {card} (minutes, unless it is there)")
        card.build()
    many, lone = options.commands or 2 * len(pages), options.commands or len(pages)
    no_link = dataclasses.replace(link, generation=0)
    largest = {card.own_clock: card for card in cards}.values()  # at each clock, of which a lone page sees one engine
    jobs = {(card, traffic): (traffic, link, many) for card in cards for traffic in TRAFFICS}
    jobs |= {(card, name): (traffic, over, lone) for card in largest
             for name, traffic, over in (("alone", "alone", link), ("loaded", "loaded", link), ("outside", "alone", no_link))}

    def folder(job):
        card, name = job
        return work / f"{name}-{card.folder.name}"

    def play(job):
        card, (traffic, over, commands) = job[0], jobs[job]
        found, streams = card.run(folder(job), traffic, over, commands=commands)
        what = f"{traffic}, {card}" + ", no link" * (over is no_link)
        judge(pages, streams, what)
        progress.line(f"{what}: {found['pages']} pages")
        return found

    for job in jobs:
        folder(job).mkdir(exist_ok=True)
        for shared in ("pages", "streams"):
            (folder(job) / shared).unlink(missing_ok=True)
            (folder(job) / shared).symlink_to(work / shared)
    with ThreadPoolExecutor(engines.PROCESSES) as pool:
        found = dict(zip(jobs, pool.map(play, jobs)))
    rows = [row(traffic, card.engines, found[card, traffic], rates, card.engine_hz) for traffic in TRAFFICS for card in cards]
    clocks = [{
        "engine_clock_mhz": card.engine_hz / 1e6, "engines": card.engines,
        "single_decompress_latency_us": {name: microseconds(found[card, name]["latencies_ns"]["decompress"]) for name in ("alone", "loaded")},
        "outside_cycles_p50": round(percentile(outside(found[card, "outside"], own_cycles, card.engine_hz), 50)),
    } for card in largest]
    result = {
        "link": dataclasses.asdict(link), "clock_mhz": CLOCK_HZ / 1e6, "pages": len(pages),
        "stream_bytes": next(iter(found.values()))["engines"] >> 16 & 0xFF,
        "verilog_sha256": {card.folder.name: card.hash() for card in cards},
        "engine_bytes_per_cycle": {"compress": round(rates.compress, 2), "decompress": round(rates.decompress, 2)},
        "rows": rows, "clocks": clocks,
    }
    return result | {"goals": goals(result)}


def bench(options, progress):
    if options.files:
        sets = read_files(options.files)
    else:
        sets = capture.captured_sets(RESULTS / "pages", PAGES, False, progress.line)
    work = RESULTS / "work/card"
    pages = prepare(work, [sampled(one, options.pages) for one in sets])
    link = Link(options.generation, options.width, options.max_payload, options.max_read, options.round_trip,
                options.jitter)
    result = measure(options, link, pages, work, progress)
    (RESULTS / "card.json").write_text(json.dumps(result, indent=1) + "\n")
    progress.line("drawing build/bench/card.png")
    from .card_chart import draw  # late: loading it takes a second that an error message should not
    draw(result, RESULTS / "card.png")
    return result


def report(result):
    return (f"\n{table(result)}\n\n" + "\n".join(goal_lines(result["goals"])) +
            "\n\nevery page and stream was compared; streams decoded by liblzo2 and the kernel's LZO\n"
            "written: build/bench/card.json, build/bench/card.png")


def main(words):
    return run("bench-card", arguments(words), bench, report)
