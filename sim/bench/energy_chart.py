# SPDX-License-Identifier: Apache-2.0
"""build/bench/energy.png: what of an engine takes the energy, and a page by software and by the card."""
from matplotlib import pyplot

from .chart import COLD, ENGINE, FAINT, INK, LANE, OPENER, STYLE

PARTS = {
    "logic": (("lut", "carry", "flip_flop"), ENGINE), "wires": (("wires_after_logic", "wires_after_clocked"), OPENER), "clock": (("clock_pins",), LANE),
    "block RAMs": (("block_ram_accesses",), COLD), "LUT memories": (("memory_writes",), "#6c9a8b"),
}
WAYS = {
    "out_software": "out, software", "out_by_card_all": "out, card,\nproven by CPU", "out_by_card_card": "out, card,\nverify=card", "out_by_card_sampled": "out, card,\nverify=sampled",
    "in_software": "in, software", "in_by_card": "in, card",
}


def draw(result, path):
    """`result` as in energy.json."""
    with pyplot.rc_context(STYLE | {"axes.titlepad": 10}):
        figure, (parts, ways) = pyplot.subplots(1, 2, figsize=(14, 6), constrained_layout=True, width_ratios=[1, 2])
        names = list(result["engines"])
        bottoms = [0.0] * len(names)
        for label, (events, colour) in PARTS.items():
            heights = [sum(result["engines"][name][event][1] for event in events) * 1e6 for name in names]
            bars = parts.bar(names, heights, 0.6, bottoms, color=colour, label=label)
            parts.bar_label(bars, [f"{height:.2f}" for height in heights], label_type="center", fontsize=9, color="white")
            bottoms = [bottom + height for bottom, height in zip(bottoms, heights)]
        parts.set_title("An engine's energy, likely, µJ a page")
        parts.legend(fontsize=9, loc="upper right")
        rows = [result["rows"][key] for key in WAYS]
        likely = [row[1] * 1e6 for row in rows]
        spans = [[(row[1] - row[0]) * 1e6 for row in rows], [(row[2] - row[1]) * 1e6 for row in rows]]
        colours = ["#8d99ae" if key.endswith("software") else ENGINE for key in WAYS]
        ways.bar(range(len(rows)), likely, 0.6, color=colours, yerr=spans, ecolor=INK, capsize=5)
        card = [result["rows"][f"{key.split('_')[0]}_card"][1] * 1e6 if "card" in key else 0 for key in WAYS]
        ways.bar(range(len(rows)), card, 0.6, color=OPENER, label="of that the card: engines, static power, link")
        for place, value in enumerate(likely):
            ways.annotate(f"{value:.1f}", (place, value), (6, 4), textcoords="offset points", fontsize=9, color=INK)
        ways.set_xticks(range(len(rows)), list(WAYS.values()))
        ways.set_title("A page out and in, likely, µJ; lines from the lowest to the highest")
        ways.legend(fontsize=9, loc="upper right")
        for axes in (parts, ways):
            axes.tick_params(length=0)
            axes.grid(axis="y", color=FAINT, linewidth=0.8)
        figure.suptitle(f"Estimated energy of a page: {result['pages']} recorded pages through the mapped engines", x=0.012, ha="left", fontsize=15, fontweight="bold")
        figure.savefig(path, dpi=110)
        pyplot.close(figure)
