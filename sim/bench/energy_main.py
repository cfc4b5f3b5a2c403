# SPDX-License-Identifier: Apache-2.0
"""`make bench-energy`: what the mapped engines do for a page, counted, and the energy it is estimated to take, beside software's."""
import argparse
import json
import subprocess
from functools import partial

from sample_pages import sample_pages

from . import BUILD, PAGE_BYTES, REPOSITORY, RESULTS, Trouble, codecs
from .command import positive, run
from .energy import FIGURES, budget, event_joules, farads, load
from .energy_table import report
from .engines import as_streams, read_streams
from .gates import Gates, counted, read_activity

HARNESS = REPOSITORY / "sim/verilator/gate_bench"
NETLISTS = BUILD / "synth"  # NAME/area.netlist.json, which `make synth AREA=1` leaves there
ENGINES = {"compress": "page_compressor", "decompress": "page_decompressor"}
PAGES = 32
DESCRIPTION = """Simulates the engines as `make synth` maps them, with recorded pages back to back, counts the transitions of their nets, and estimates
what a page takes by the figures of sim/bench/energy.toml, beside software's.
Results: tables, build/bench/energy.json and build/bench/energy.png."""


def arguments(words):
    parser = argparse.ArgumentParser(prog="make bench-energy", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", metavar="N", type=_several, default=PAGES, help=f"recorded pages, 2 at least (default {PAGES})")
    parser.add_argument("--seed", metavar="N", type=_seed, default=1, help="which recorded pages (default 1; make bench-energy SEED=N)")
    parser.add_argument("--figures", metavar="FILE", default=FIGURES, help="other figures in the form of sim/bench/energy.toml")
    parser.add_argument("--json", action="store_true", help="print energy.json instead of the tables; progress on stderr")
    return parser.parse_args(words)


def _several(text):
    count = positive(text)
    if count < 2:
        raise argparse.ArgumentTypeError("two pages are needed: counting begins with the first one's result")
    return count


def _seed(text):
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"'{text}' is no seed: a number from 0")
    return int(text)


def build(name, folder, module, progress):
    """The netlist of `module` and the program that runs it, in `folder`; its Gates."""
    gates = Gates.load(NETLISTS / module / "area.netlist.json", module)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "netlist").write_text(gates.program())
    progress(f"{name}: {len(gates.driver):,} nets of {len(gates.cells):,} cells")
    widths = {way: len(gates.ports[f"io_{way}_payload_fragment_data"]["bits"]) // 8 for way in ("source", "sink")}
    log = folder / "build.log"
    with open(log, "w") as output:
        made = subprocess.run(["make", "-s", "-C", str(HARNESS), f"folder={folder}", *(f"{way}={width}" for way, width in widths.items())],
                              stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, check=False)
    if made.returncode:
        errors = [line for line in log.read_text(errors="replace").splitlines() if "rror" in line]
        raise Trouble(f"cannot build what runs a netlist: {(errors or ['no message'])[0]} (see {log.relative_to(REPOSITORY)})")
    return gates


def simulate(name, folder, items, limit, progress):
    """What comes out for each item; leaves the activity in `folder`."""
    (folder / "items").write_bytes(as_streams(items))
    process = subprocess.Popen([folder / "gates", *(folder / what for what in ("netlist", "items", "out", "activity")), str(limit)],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for line in process.stdout:
        progress(int(line))
    message = process.communicate()[1].strip()
    if process.returncode:
        raise Trouble(f"{name}: {message or f'the netlist ended with status {process.returncode}'}")
    return read_streams((folder / "out").read_bytes())


def activity(gates, folder, items):
    """Events a page, between the first item's result and the last one's: {"events", "cycles", "clock_pins_a_cycle", "nets"}."""
    transitions, high, cycles = read_activity(folder / "activity")
    pages = items - 1
    return {"events": {what: count / pages for what, count in counted(gates, transitions, high, cycles).items()}, "cycles": cycles / pages,
            "clock_pins_a_cycle": 2 * gates.clock_pins, "nets": len(gates.driver)}


def bench(options, progress):
    """Measure; returns what energy.json holds."""
    figures = load(options.figures)
    pages = sample_pages(options.pages, options.seed)
    folders = {name: RESULTS / "gates" / module for name, module in ENGINES.items()}
    gates = {name: build(name, folders[name], module, progress.line) for name, module in ENGINES.items()}
    count = partial(progress.count, "compressor's netlist", len(pages))
    streams = simulate("compressor", folders["compress"], pages, PAGE_BYTES, count)
    if wrong := codecs.judge(pages, streams):
        raise Trouble(f"the compressor's netlist: {wrong[0]}")
    compressed = [(page, stream) for page, stream in zip(pages, streams) if stream is not None]
    if len(compressed) < 2:
        raise Trouble("fewer than two of these pages can be compressed: take more")
    count = partial(progress.count, "decompressor's netlist", len(compressed))
    opened = simulate("decompressor", folders["decompress"], [stream for _, stream in compressed], PAGE_BYTES, count)
    if opened != [page for page, _ in compressed]:
        raise Trouble("the decompressor's netlist gave other pages back")
    active = {"compress": activity(gates["compress"], folders["compress"], len(pages)),
              "decompress": activity(gates["decompress"], folders["decompress"], len(compressed))}
    result = {"pages": len(pages), "seed": options.seed, "stored": sum(len(stream) for _, stream in compressed) / len(compressed), "activity": active,
              "joules_an_event": {event: [*value] for event, value in event_joules(figures).items()},
              "picofarads": {event: farads(value.likely, figures["supply"]["volts"][1]) * 1e12 for event, value in event_joules(figures).items()},
              **budget(active["compress"], active["decompress"], figures)}
    (RESULTS / "energy.json").write_text(json.dumps(result, indent=1) + "\n")
    progress.line("drawing build/bench/energy.png")
    from .energy_chart import draw  # late: loading it takes a second that an error message should not
    draw(result, RESULTS / "energy.png")
    return result


def main(words):
    return run("bench-energy", arguments(words), bench, report)
