# SPDX-License-Identifier: Apache-2.0
"""From streams and cycles to the figures of engine.json."""
from . import PAGE_BYTES
from .codecs import SIZES, stored_bytes

COMPARED = {codec: f"ratio_{codec}" for codec in SIZES}


def percentile(values, share):
    """The smallest of the values that at least `share` of them do not exceed; None without values."""
    ordered = sorted(values)
    return ordered[max(0, int(-(-len(ordered) * share // 100)) - 1)] if ordered else None


def spread(cycles):
    """p50, p99 and max of a list of cycle counts."""
    return {"p50": percentile(cycles, 50), "p99": percentile(cycles, 99), "max": max(cycles, default=None)}


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else None


def rate(measure):
    """Plain bytes a cycle back to back; of a page alone when there is no other; None without pages."""
    if measure["cycles"]:
        return round(measure["bytes"] / measure["cycles"], 2)
    latencies = measure["latencies"]
    return round(PAGE_BYTES * len(latencies) / sum(latencies), 2) if latencies else None


def stored_total(streams):
    """Bytes that these streams and the pages without one take."""
    return sum(PAGE_BYTES if stream is None else stored_bytes(len(stream)) for stream in streams)


def figures(run, kind=""):
    """Rates and cycles of both engines; `kind` begins each name."""
    ways = ("compress", "decompress")
    return ({f"{kind}{way}_bytes_per_cycle": rate(run.cycles[way]) for way in ways}
            | {f"{kind}{way}_cycles": spread(run.cycles[way]["latencies"]) for way in ways})


def set_record(pages, run, cold, software_totals):
    """One entry of engine.json's `sets`. `cold`: the set's run through the engines of that format; `software_totals`: codec → bytes it stores.

    Ratios are plain bytes over stored bytes, where every codec may store a page as it is.
    """
    plain = len(pages) * PAGE_BYTES
    stored, cold_stored = stored_total(run.streams), stored_total(cold.streams)
    extra = [with_it - without for with_it, without
             in zip(run.cycles.get("verified", ()), run.cycles.get("unverified", ()), strict=True)]
    record = {
        "name": pages.name,
        "pages": len(pages),
        "same_filled": pages.same_filled,
        "incompressible": run.streams.count(None),
        "ratio": round(plain / stored, 3),
    }
    record |= {key: round(plain / software_totals[codec], 3) for codec, key in COMPARED.items()}
    return record | {
        "size_vs_lzo1x_1": round(stored / software_totals["lzo1x_1"], 4),
        "cold_ratio": round(plain / cold_stored, 3),
        "cold_size_vs_lzo1x_1": round(cold_stored / software_totals["lzo1x_1"], 4),
    } | figures(run) | figures(cold, "cold_") | {
        "verify_extra_cycles_mean": round(mean(extra), 2) if extra else None,
        "verified_compress_cycles": spread(run.cycles["verified"]) if extra else None,
        "decompress_lzo1x_1_bytes_per_cycle": rate(run.cycles["decompress_software"]),
        "decompress_lzo1x_1_cycles": spread(run.cycles["decompress_software"]["latencies"]),
    }


def all_pages(runs, cold):
    """Cycles of every page of all sets together; `cold`: the runs through the engines of that format."""
    together = {"compress_cycles": (runs, "compress"), "decompress_cycles": (runs, "decompress"),
                "decompress_lzo1x_1_cycles": (runs, "decompress_software"),
                "cold_compress_cycles": (cold, "compress"), "cold_decompress_cycles": (cold, "decompress")}
    return {key: spread([cycles for run in each for cycles in run.cycles[way]["latencies"]])
            for key, (each, way) in together.items()}


def means(sets):
    """Each figure's mean over the sets that have it, in a record of the same shape; `max` is the worst of all."""
    return {key: "mean" if key == "name" else _over([one[key] for one in sets]) for key in sets[0]}


def _over(values):
    values = [value for value in values if value is not None]
    if not values or not isinstance(values[0], dict):
        return mean(values)
    parts = {part: [value[part] for value in values if value[part] is not None] for part in values[0]}
    return {part: (max(found, default=None) if part == "max" else mean(found)) for part, found in parts.items()}
