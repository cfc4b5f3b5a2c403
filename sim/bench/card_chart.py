# SPDX-License-Identifier: Apache-2.0
"""build/bench/card.png: rates under the link's ceiling, what was busy, and latencies."""
from matplotlib import pyplot

from .chart import ENGINE, FAINT, INK, LANE, OPENER, STYLE

COLOURS = {"compress": ENGINE, "decompress": OPENER, "mixed": LANE}


def draw(result, path):
    """`result` as in card.json."""
    rows = result["rows"]
    with pyplot.rc_context(STYLE | {"axes.titlepad": 10}):
        figure, (rates, busy, latencies) = pyplot.subplots(1, 3, figsize=(24, 7), constrained_layout=True)
        figure.get_layout_engine().set(wspace=0.04, w_pad=0.15, h_pad=0.15)
        names = [f"{row['traffic']} {row['engines']} + {row['engines']}, {row['engine_clock_mhz']:g} MHz" for row in rows]
        colours = [COLOURS[row["traffic"]] for row in rows]
        bars = rates.bar(range(len(rows)), [row["gb_per_s"] for row in rows], color=colours)
        # Inside: above a bar it would meet the ceiling's line.
        rates.bar_label(bars, [f"{row['gb_per_s']:.1f}\n{row['utilisation']:.1%}" for row in rows], label_type="center",
                        fontsize=9, color="white")
        for place, row in enumerate(rows):
            ceiling = row["link_ceiling_gb_per_s"]
            rates.hlines(ceiling, place - 0.45, place + 0.45, color=INK, linestyle="--", linewidth=1.2)
        rates.set_title("Plain GB/s, and the link's ceiling for that traffic")

        parts = list(rows[0]["busy"])
        image = [[row["busy"][part] for row in rows] for part in parts]
        busy.imshow(image, cmap="YlOrRd", vmin=0, vmax=1, aspect="auto")
        for line, values in enumerate(image):
            for place, value in enumerate(values):
                busy.text(place, line, f"{value:.0%}", ha="center", va="center", fontsize=8,
                          color="white" if value > 0.7 else INK)
        busy.set_yticks(range(len(parts)), parts)
        busy.set_title("Share of the time at work")

        lone = [(f"{what},\n{clock['engine_clock_mhz']:g} MHz", clock["single_decompress_latency_us"][name])
                for name, what in (("alone", "card idle"), ("loaded", "compress queues full")) for clock in result["clocks"]]
        for place, (_, latency) in enumerate(lone):
            heights = [latency[part] for part in ("p50", "p99", "p999")]
            bars = latencies.bar([place - 0.27, place, place + 0.27], heights, 0.25, color=[FAINT, OPENER, INK])
            labels = latencies.bar_label(bars, fmt="%.2f", label_type="center", fontsize=9, color="white")
            labels[0].set_color(INK)
        latencies.axhline(3, color=OPENER, linestyle="--", linewidth=1.2)
        latencies.set_xticks(range(len(lone)), [name for name, _ in lone])
        latencies.set_title("One page to decompress, µs: p50, p99, p99.9")
        for axes in (rates, busy, latencies):
            axes.tick_params(axis="x", labelsize=8, length=0)
        for axes in (rates, busy):
            axes.set_xticks(range(len(rows)), names, rotation=40, ha="right")
        link = result["link"]
        figure.suptitle(f"Pagepress card on PCIe {link['generation']}.0 ×{link['width']}, {result['pages']} real pages, "
                        f"data path {result['stream_bytes']} bytes", x=0.012, ha="left", fontsize=15, fontweight="bold")
        figure.savefig(path, dpi=110)
        pyplot.close(figure)
