# SPDX-License-Identifier: Apache-2.0
"""The bench from its command line to its table, engine.json and chart."""
import argparse
import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from . import PAGE_BYTES, RESULTS, SEED, Trouble, capture, codecs, cold, engines, goals
from .command import PAGES, positive, run
from .pages import read_files
from .summary import all_pages, means, set_record
from .table import table

DESCRIPTION = f"""Runs memory pages through the verilated engines and compares with software on the same pages.
Without FILE the pages are captured from programs that the bench starts, and kept for the next run.
Results: a table, build/bench/engine.json, build/bench/engine.png, and each set's streams in build/bench/NAME.streams
(for each page in order its length as a little-endian 32-bit number, and that many bytes; 0xFFFFFFFF and no bytes for
a page that the engine calls incompressible). NAME.cold-streams holds those of the cold format's engines in the same way;
zstd reads them with build/bench/cold.dict."""
LEGEND = """ratio: plain over stored bytes; a page whose stream is not smaller is stored as it is, for every codec
cold: the engines of the cold format, alone, measured on the same pages in the same way
cycles a page: each alone, first byte in to last byte out; B/cycle: plain bytes over cycles, pages back to back
verify adds: cycles that a lane with verification takes longer than one without, mean; mean: of the sets, max: their worst
lzo1x_1's: the decompressor's cycles for the streams that software made of the same pages"""


def arguments(words):
    parser = argparse.ArgumentParser(prog="make bench", description=DESCRIPTION,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", metavar="FILE", nargs="*", help=f"raw {PAGE_BYTES}-byte pages (make bench PAGES=\"x y\")")
    parser.add_argument("--pages", metavar="N", type=positive, default=PAGES,
                        help=f"most pages of a captured set (default {PAGES})")
    parser.add_argument("--limit", metavar="BYTES", type=_limit, default=PAGE_BYTES,
                        help=f"longest stream the compressor may make, else it says incompressible (default {PAGE_BYTES})")
    for block in ("page_compressor", "page_decompressor", "cold_compressor", "cold_decompressor"):
        engine = block.removeprefix("page_").replace("_", "-")
        parser.add_argument(f"--{engine}", metavar="BLOCK", default=block,
                            help=f"another configuration of the {engine}: a module of build/verilog (default {block})")
    parser.add_argument("--fresh", action="store_true", help="capture again, even when an earlier run's pages are there")
    parser.add_argument("--json", action="store_true", help="print engine.json instead of the table; progress on stderr")
    return parser.parse_args(words)


def _limit(text):
    if not text.isdigit() or not 1 <= int(text) <= PAGE_BYTES:
        raise argparse.ArgumentTypeError(f"'{text}' is no number of bytes from 1 to {PAGE_BYTES}")
    return int(text)


def software_totals(pages):
    return {codec: codecs.total_stored(codec, pages) for codec in codecs.SIZES}


def judge_streams(chosen, sets, runs, judge):
    """`judge` every stream that the chosen engines wrote; Trouble names the first that is wrong."""
    for pages in sets:
        wrong = judge(pages, runs[pages.name].streams)
        if wrong:
            more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
            raise Trouble(f"set {pages.name}: {wrong[0]}{more}; the streams are in build/bench/{chosen.streams(pages.name).name}")


def bench(options, progress):
    """Measure; returns what engine.json holds."""
    chosen = engines.Engines(options.compressor, options.decompressor)
    cold_chosen = engines.cold_engines(options.cold_compressor, options.cold_decompressor)
    if options.files:
        sets = read_files(options.files)
    else:
        sets = capture.captured_sets(RESULTS / "pages", options.pages, options.fresh, progress.line)
    engines.clear()
    total = sum(map(len, sets))
    progress.line("building the engines")
    chosen.build()
    cold_chosen.build()
    progress.line("timing software LZO on one core")
    rates = codecs.software_rate([page for pages in sets for page in list(pages)[:100]])
    progress.line(f"{total} pages through the engines, alone and back to back")
    runs = engines.run_all(chosen, sets, options.limit, partial(progress.count, "engines", total))
    progress.line("decoding every stream with liblzo2 and the kernel's LZO")
    judge_streams(chosen, sets, runs, codecs.judge)
    progress.line(f"{total} pages through the engines of the cold format, alone and back to back")
    cold_runs = engines.run_all(cold_chosen, sets, options.limit, partial(progress.count, "cold engines", total))
    cold.write_dictionary(RESULTS)
    progress.line("comparing every cold stream with its model's; decoding it with zstd")
    judge_streams(cold_chosen, sets, cold_runs, partial(cold.judge, limit=options.limit))
    progress.line(f"compressing with {', '.join(codecs.SIZES)}")
    with ThreadPoolExecutor(engines.PROCESSES) as pool:  # the codecs run outside Python's lock
        totals = list(pool.map(software_totals, sets))
    first = runs[sets[0].name].cycles
    configuration = chosen.configuration() | {
        "compressor_bytes": first["source_width"], "decompressor_bytes": first["sink_width"], "limit": options.limit,
        "pages_from": "files" if options.files else "captured programs", "seed": None if options.files else SEED,
        "cold": cold_chosen.configuration(),
    }
    records = [set_record(pages, runs[pages.name], cold_runs[pages.name], software) for pages, software in zip(sets, totals)]
    together = all_pages(runs.values(), cold_runs.values())
    result = {"configuration": configuration, "software_lzo": rates, "goals": goals.judged(records, together),
              "all_pages": together, "sets": records}
    (RESULTS / "engine.json").write_text(json.dumps(result, indent=1) + "\n")
    progress.line("drawing build/bench/engine.png")
    from .chart import draw  # late: loading it takes a second that an error message should not
    draw(result, runs, cold_runs, RESULTS / "engine.png")
    return result


def report(result):
    rates = result["software_lzo"]
    return (f"\n{table(result['sets'], [means(result['sets']), goals.record()])}\n\n{LEGEND}\n\n"
            + "\n".join(goals.lines(result["goals"])) + "\n\n"
            f"software LZO (liblzo2) on one core of this machine: compress {rates['compress_mb_s']} MB/s, "
            f"decompress {rates['decompress_mb_s']} MB/s\n"
            "every stream was decoded by its decompressor, by liblzo2 and the kernel's LZO; every cold one by its own and zstd, and is the model's\n"
            "written: build/bench/engine.json, build/bench/engine.png, build/bench/*.streams, build/bench/*.cold-streams, build/bench/cold.dict")


def main(words):
    return run("bench", arguments(words), bench, report)
