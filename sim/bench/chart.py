# SPDX-License-Identifier: Apache-2.0
"""build/bench/engine.png: size, rate and latency of the engines, a group of bars or a box for each set."""
import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402  (after the choice of a screenless backend)
from matplotlib.ticker import FuncFormatter  # noqa: E402

from .codecs import SIZES  # noqa: E402
from .goals import wanted  # noqa: E402
from .summary import means, percentile  # noqa: E402
from .table import LABELS  # noqa: E402

INK, FAINT, PAPER = "#22303c", "#d9dee3", "#fbfbf9"
ENGINE, OPENER, LANE, COLD = "#d1495b", "#2e86ab", "#edae49", "#6a4c93"
SOFTWARE = {"lzo1x_1": "#8d99ae", "lz4": "#b7c0cf", "lz4hc": "#98b6a6", "lzo1x_999": "#6c9a8b", "zstd1": "#4a6d63"}
STYLE = {
    "font.family": "DejaVu Sans", "font.size": 10, "text.color": INK, "axes.labelcolor": INK, "xtick.color": INK,
    "ytick.color": INK, "axes.edgecolor": FAINT, "axes.facecolor": PAPER, "figure.facecolor": PAPER,
    "axes.titlelocation": "left", "axes.titleweight": "bold", "axes.titlesize": 12, "axes.titlepad": 26,
    "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True, "legend.frameon": False,
}


def draw(result, runs, cold_runs, path):
    """`result` as in engine.json; `runs`, `cold_runs`: set name → engines.Run, for the distributions."""
    sets = result["sets"]
    with_mean = [*sets, means(sets)] if len(sets) > 1 else sets
    with pyplot.rc_context(STYLE):
        figure = pyplot.figure(figsize=(14, 16), constrained_layout=True)
        figure.get_layout_engine().set(hspace=0.06, wspace=0.05, w_pad=0.15, h_pad=0.15)
        axes = figure.subplot_mosaic([["ratio", "ratio"], ["rate", "size"], ["compress", "decompress"], ["cold rate", "cold cycles"]],
                                     height_ratios=[1.15, 1, 1, 1])
        ratios(axes["ratio"], with_mean)
        rates(axes["rate"], sets)
        sizes(axes["size"], with_mean)
        names = [one["name"] for one in sets]
        plain = [runs[name].cycles["compress"]["latencies"] for name in names]
        verified = [runs[name].cycles.get("verified", []) for name in names]
        latencies(axes["compress"], "Cycles to compress a page", names,
                  [("compressor", ENGINE, plain)] + ([("lane, with verification", LANE, verified)] if any(verified) else []),
                  [("worst", wanted("compress_cycles.max"), ENGINE)])
        latencies(axes["decompress"], "Cycles to decompress a page", names,
                  [(label, colour, [runs[name].cycles[kind]["latencies"] for name in names])
                   for label, colour, kind in (("own streams", OPENER, "decompress"),
                                               ("lzo1x_1's", SOFTWARE["lzo1x_1"], "decompress_software"))],
                  [(part, wanted(f"decompress_cycles.{part}"), OPENER) for part in ("p50", "p99")])
        rates(axes["cold rate"], sets, "cold_", ", cold format")
        latencies(axes["cold cycles"], "Cycles of a page, cold format", names,
                  [(label, colour, [cold_runs[name].cycles[way]["latencies"] for name in names])
                   for label, colour, way in (("compressor", ENGINE, "compress"), ("decompressor", OPENER, "decompress"))],
                  [("p99", wanted("cold_compress_cycles.p99"), INK)])
        pages = sum(one["pages"] for one in sets)
        origin = "captured from" if result["configuration"]["pages_from"] == "captured programs" else "in"
        kind = "running program" if origin != "in" else "file"
        figure.suptitle(f"Pagepress engines on {pages:,} memory pages {origin} {len(sets)} {kind}{'s' * (len(sets) > 1)}",
                        x=0.012, ha="left", fontsize=18, fontweight="bold")
        configuration, rates_of = result["configuration"], result["software_lzo"]
        figure.supxlabel("dashed: goals, of rates and sizes for the mean, of cycles for all pages together; boxes: p1 to p99 "
                         "of a set, bar: its median, dot: its worst page\n"
                         f"{configuration['compressor']} and {configuration['decompressor']}, cycle-accurate simulation; "
                         f"software LZO on one core here: {rates_of['compress_mb_s']:.0f} MB/s in, "
                         f"{rates_of['decompress_mb_s']:.0f} MB/s out", x=0.012, ha="left", fontsize=10, color=INK)
        figure.savefig(path, dpi=110)
        pyplot.close(figure)


def ratios(axes, records):
    """How much smaller each codec makes each set, and the mean behind a line."""
    codecs = [("ratio", "Pagepress", ENGINE), *[(f"ratio_{codec}", LABELS[codec], SOFTWARE[codec]) for codec in SIZES],
              ("cold_ratio", "Pagepress, cold format", COLD)]
    places, width = _places(records), 0.8 / len(codecs)
    for index, (key, label, colour) in enumerate(codecs):
        heights = [record[key] for record in records]
        bars = axes.bar([place - 0.4 + width * (index + 0.5) for place in places], heights, width * 0.9,
                        color=colour, label=label)
        if key == "ratio":
            axes.bar_label(bars, fmt="%.2f", fontsize=9, color=ENGINE, fontweight="bold", padding=2)
    axes.set_title("Compression ratio (taller is smaller pages)")
    axes.set_ylabel("plain bytes / stored bytes")
    _names(axes, records, places, 10)
    _legend(axes, len(codecs))


def rates(axes, sets, kind="", title=""):
    """`kind` begins the names of the figures."""
    places = list(range(len(sets)))
    for shift, key, label, colour in ((-0.2, f"{kind}compress_bytes_per_cycle", "compressor, in", ENGINE),
                                      (0.2, f"{kind}decompress_bytes_per_cycle", "decompressor, out", OPENER)):
        bars = axes.bar([place + shift for place in places], [one[key] or 0 for one in sets], 0.37, color=colour,
                        label=label)
        # Inside: above a bar it would meet the goal's line or the neighbour's figure.
        axes.bar_label(bars, [f"{bar.get_height():.1f}" for bar in bars], label_type="center", fontsize=8, color="white")
        _goal(axes, wanted(key), colour)
    axes.set_title("Plain bytes a cycle, pages back to back" + title)
    axes.set_ylabel("bytes / cycle")
    _names(axes, sets, places)
    _legend(axes, 2)


def sizes(axes, records):
    """Stored size over that of lzo1x_1: below the line the engine stores less than software would."""
    places = _places(records)
    values = [record["size_vs_lzo1x_1"] for record in records]
    axes.axhline(1, color=INK, linewidth=1)
    axes.annotate("lzo1x_1", (1, 1), (-2, 4), xycoords=("axes fraction", "data"), textcoords="offset points", ha="right",
                  fontsize=9)
    axes.vlines(places, 1, values, color=[ENGINE if value <= 1 else INK for value in values], linewidth=2)
    axes.scatter(places, values, s=70, color=[ENGINE if value <= 1 else INK for value in values], zorder=3)
    for place, value in zip(places, values):
        above = value > 1
        axes.annotate(f"{value:.3f}", (place, value), (0, 8 if above else -8), textcoords="offset points", ha="center",
                      va="bottom" if above else "top", fontsize=9,
                      bbox={"facecolor": axes.get_facecolor(), "edgecolor": "none", "pad": 0.5})
    goal = wanted("size_vs_lzo1x_1")
    low, high = min([*values, goal]), max([*values, 1])
    margin = 0.22 * max(high - low, 0.05)
    axes.set_ylim(low - margin, high + margin)
    _goal(axes, goal, ENGINE)
    axes.set_title("Stored size against lzo1x_1, same pages")
    axes.set_ylabel("engine / lzo1x_1")
    _names(axes, records, places)


def latencies(axes, title, names, kinds, goals):
    """`kinds`: (label, colour, latencies of each set). A box from p1 to p99, its waist the median, a dot the worst.
    `goals`: (name, cycles, colour)."""
    width = 0.7 / len(kinds)
    for index, (label, colour, sets) in enumerate(kinds):
        for place, cycles in enumerate(sets):
            if not cycles:
                continue
            low, middle, high = (percentile(cycles, share) for share in (1, 50, 99))
            left = place - 0.35 + width * index
            axes.bar(left, max(high - low, 1), width * 0.9, low, align="edge", color=colour, alpha=0.35, linewidth=0)
            axes.hlines(middle, left, left + width * 0.9, color=colour, linewidth=2.5,
                        label=label if place == 0 else None)
            axes.plot(left + width * 0.45, max(cycles), "o", color=colour, markersize=5)
            axes.annotate(str(middle), (left + width * 0.45, middle), (0, 3), textcoords="offset points", ha="center",
                          fontsize=8 if len(kinds) * len(names) < 12 else 7)
    for name, cycles, colour in goals:
        _goal(axes, cycles, colour, name)
    axes.set_title(title + ", page by page")
    axes.set_ylabel("cycles, first byte in to last byte out")
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    _names(axes, [{"name": name} for name in names], list(range(len(names))))
    _legend(axes, 2)


def _goal(axes, value, colour, name=""):
    """A dashed line with its number at the right end."""
    axes.axhline(value, color=colour, linewidth=1.2, linestyle=(0, (5, 4)), zorder=1)
    axes.annotate(f"{name} {value:g}".strip(), (1, value), (3, 0), xycoords=("axes fraction", "data"),
                  textcoords="offset points", va="center", fontsize=9, color=colour, annotation_clip=False)


def _places(records):
    """The mean stands a little apart."""
    return [place + 0.3 * (record["name"] == "mean") for place, record in enumerate(records)]


def _names(axes, records, places, size=8):
    crowded = len(records) > 11 or any(len(record["name"]) > 11 for record in records)
    axes.set_xticks(places, [record["name"] for record in records], fontsize=size,
                    **({"rotation": 30, "ha": "right"} if crowded else {}))
    axes.set_xlim(-0.7, max(places[-1] + 0.7, 4))  # a few sets must not become barn doors
    axes.tick_params(length=0)
    axes.grid(axis="y", color=FAINT, linewidth=0.8)
    axes.spines["left"].set_visible(False)


def _legend(axes, columns):
    axes.legend(loc="lower left", bbox_to_anchor=(-0.01, 0.99), ncols=columns, fontsize=9, handlelength=1.2,
                columnspacing=1.4, borderaxespad=0.2)
