# SPDX-License-Identifier: Apache-2.0
"""Charts of a scenario, each as SVG and PNG: bars over points, lines over a sweep, samples over a run."""
import itertools
import math
import os
import statistics
import textwrap

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402  (after the choice of a screenless backend)
from matplotlib.ticker import FuncFormatter, MaxNLocator  # noqa: E402
from system import Trouble  # noqa: E402

INK, FAINT, PAPER = "#22303c", "#d9dee3", "#fbfbf9"
COLOURS = {
    "rtl": "#8c2f39", "model": "#d1495b", "software": "#edae49", "zram": "#2e86ab", "zswap": "#66a182",
    "disk": "#8d99ae", "none": "#b7a57a", "original": INK,
}  # fmt: skip
ENDINGS = ("svg", "png")
TITLE_LETTERS = 46  # above one panel of samples
TITLE_LETTERS_AN_INCH = 8.5  # above bars and lines, without the legend's width
LEGEND_LETTERS = 26  # of a line in the legend
AXIS_LETTERS = 40  # of an axis's label in one line
LABEL_LETTERS = 40  # of all bars' names, beside each other in one line
SERIES = ["#d1495b", "#2e86ab", "#66a182", "#edae49", "#6d597a", "#8d99ae"]
STYLE = {
    "font.family": "DejaVu Sans", "font.size": 10, "text.color": INK, "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK,
    "axes.edgecolor": FAINT, "axes.facecolor": PAPER, "figure.facecolor": PAPER, "axes.titlelocation": "left",
    "axes.titleweight": "bold", "axes.titlesize": 12, "axes.titlepad": 12, "axes.spines.top": False, "axes.spines.right": False,
    "axes.axisbelow": True, "legend.frameon": False, "svg.hashsalt": "pagepress",
}  # fmt: skip


def draw(scenario, rows, samples, folder):
    """Draws what there are figures for; the names of the charts made, in order."""
    made = []
    with pyplot.rc_context(STYLE):
        for chart in scenario.charts:
            figure = {"bars": bars, "lines": lines, "samples": curves}[chart["kind"]](scenario, chart, rows, samples)
            if figure is None:
                continue
            for ending in ENDINGS:
                figure.savefig(folder / f"{chart['name']}.{ending}", dpi=110, **({"metadata": {"Date": None}} if ending == "svg" else {}))
            pyplot.close(figure)
            made.append(chart["name"])
    return made


def median_of(rows, engine, point, metric):
    found = [row[metric] for row in rows if (row["engine"], row["point"]) == (engine, point) and metric in row]
    return (statistics.median(found), min(found), max(found)) if found else None


def engines_of(scenario, chart, rows, metric):
    points = chart.get("points", [point.name for point in scenario.points])
    return [engine for engine in chart.get("engines", scenario.engines) if any(median_of(rows, engine, point, metric) for point in points)]


def originals_of(scenario, metric):
    """{label: {point: value}} of what the original published of a metric."""
    found = {}
    for one in scenario.original:
        if metric in one:
            found.setdefault(f"original {one.get('engine', '')}".strip(), {})[one["point"]] = one[metric]
    return found


def bars(scenario, chart, rows, samples):
    metric = chart["metrics"][0]
    names = chart.get("points", [point.name for point in scenario.points])
    originals = originals_of(scenario, metric) if chart.get("original", True) else {}
    series = [(label, COLOURS["original"], {name: (value,) * 3 for name, value in values.items()}) for label, values in originals.items()]
    several = len(chart["metrics"]) > 1  # beside each other: told apart by colour, their engines by its strength
    for number, one in enumerate(chart["metrics"]):
        engines = engines_of(scenario, chart, rows, one)
        for place, engine in enumerate(engines):
            said = (f"{engine}, " if len(engines) > 1 else "") + scenario.metrics[one].get("label", one)
            label = textwrap.fill(said, LEGEND_LETTERS) if several else engine
            colour = (SERIES[number], 1 - 0.7 * place / len(engines)) if several else COLOURS[engine]
            series.append((label, colour, {name: found for name in names if (found := median_of(rows, engine, name, one))}))
    begin = common_beginning(names)
    names = [name for name in names if any(name in values for label, _, values in series if not label.startswith("original"))]
    if sum(len(beside(name, series)) for name in names) < 2:
        return None  # one bar compares nothing: the tables have it
    figure, axes = pyplot.subplots(figsize=(max(7, 1.2 + 0.42 * len(names) * (len(series) + 1)), 4.6), constrained_layout=True)
    width = 0.86 / max(len(beside(name, series)) for name in names)
    for index, (label, colour, values) in enumerate(series):
        # A hatch tells one original from another.
        places = [(place + width * offset(index, beside(name, series)), values[name]) for place, name in enumerate(names) if name in values]
        if not places:
            continue
        hollow = {"facecolor": "none", "edgecolor": colour, "hatch": "//" if index % 2 else ""} if label.startswith("original") else {"color": colour}
        drawn = axes.bar([place for place, _ in places], [value[0] for _, value in places], width * 0.9, label=label, **hollow)
        axes.errorbar([place for place, _ in places], [value[0] for _, value in places],
                      [[value[0] - value[1] for _, value in places], [value[2] - value[0] for _, value in places]], fmt="none", ecolor=INK, linewidth=1)
        axes.bar_label(drawn, [shown(value[0]) for _, value in places], fontsize=8, padding=2)
    names = [name[len(begin):] for name in names]
    if chart.get("log"):
        least = min((value[0] for _, _, values in series for value in values.values() if value[0] > 0), default=1)
        axes.set_yscale("log")
        axes.set_ylim(bottom=10.0 ** (math.ceil(math.log10(least)) - 1))  # below the least bar, which has a height so
    axes.set_xticks(range(len(names)), names, **({"rotation": 20, "ha": "right"} if sum(map(len, names)) > LABEL_LETTERS else {}))
    axes.margins(y=0.12)
    return finished(figure, axes, chart, chart.get("y", scenario.metrics[metric].get("label", metric)) + (" (logarithmic)" if chart.get("log") else ""))


def beside(name, series):
    """Which of the series have a bar at that point."""
    return [index for index, (_, _, values) in enumerate(series) if name in values]


def offset(index, present):
    """How many bars to the right of its point's middle a bar lies, so that the bars that are there stand around it."""
    return present.index(index) - (len(present) - 1) / 2


def common_beginning(names):
    """What all points of a chart begin with, up to a colon, whether they ran or not: its title says that."""
    begin = os.path.commonprefix(names).rpartition(": ") if len(names) > 1 else ("", "", "")
    return begin[0] + begin[1]


def lines(scenario, chart, rows, samples):
    metric = chart["metrics"][0]
    places = {point.name: point.x for point in scenario.points if point.x is not None and point.name in chart.get("points", [p.name for p in scenario.points])}
    figure, axes = pyplot.subplots(figsize=(8.5, 4.8), constrained_layout=True)
    for label, values in originals_of(scenario, metric).items() if chart.get("original", True) else ():
        known = [(places[name], value) for name, value in values.items() if name in places]
        if known:
            axes.plot(*zip(*sorted(known)), color=COLOURS["original"], linestyle=(0, (4, 3)), marker="s", markersize=5, label=label)
    drawn = False
    engines, sweeps = engines_of(scenario, chart, rows, metric), sweeps_of(scenario, places)
    styles = itertools.cycle(itertools.product(SERIES, ("-", ":")))  # as programs come, each alone and several at once
    for engine, (sweep, names) in itertools.product(engines, sweeps.items()):
        colour, style = next(styles) if len(sweeps) > 1 else (COLOURS[engine], "-")
        known = sorted((places[name], *found) for name in names if (found := median_of(rows, engine, name, metric)))
        if known:
            drawn |= len(known) > 1  # one point is no curve: the tables have it
            label = engine if len(sweeps) == 1 else sweep if len(engines) == 1 else f"{sweep}, {engine}"
            axes.plot([one[0] for one in known], [one[1] for one in known], color=colour, linestyle=style, marker="o", markersize=5, linewidth=2, label=label)
            axes.fill_between([one[0] for one in known], [one[2] for one in known], [one[3] for one in known], color=colour, alpha=0.15, linewidth=0)
    if not drawn:
        pyplot.close(figure)
        return None
    axes.set_xlabel(chart.get("x", ""))
    axes.set_xticks(sorted(set(places.values())), [f"{place:g}" for place in sorted(set(places.values()))])
    axes.set_ylim(bottom=0)
    return finished(figure, axes, chart, chart.get("y", scenario.metrics[metric].get("label", metric)))


def sweeps_of(scenario, names):
    """{what is swept: names of its points}, with the point that the others stand beside; all points together where none does."""
    swept = {name: scenario.point(name).beside for name in names}
    found = {}
    for name, beside in swept.items():
        found.setdefault(beside or (name if name in swept.values() else ""), []).append(name)
    return found


def curves(scenario, chart, rows, samples):
    """One panel for each engine: what memory held, sample by sample, of the first run."""
    first = {engine: some for (engine, point, run), some in sorted(samples.items(), key=lambda one: -one[0][2]) if point == chart["point"] and some}
    panels = [(engine, first[engine]) for engine in chart["engines"] if engine in first]
    if not panels:
        return None
    figure, all_axes = pyplot.subplots(1, len(panels), figsize=(5.6 * len(panels), 4.6), sharey=True, squeeze=False, constrained_layout=True)
    for axes, (engine, some) in zip(all_axes[0], panels):
        steps = [sample["step"] for sample in some]
        places = list(map(int, steps)) if all(step.isdigit() for step in steps) else range(len(steps))
        for colour, metric in zip(SERIES, chart["metrics"]):
            if metric not in some[0]:
                raise Trouble(f"{scenario.name}.toml: the chart '{chart['name']}': no sample has {metric}, only {', '.join(some[0])}")
            values = [sample[metric] / 1024 for sample in some]
            if any(values):
                axes.plot(places, values, color=colour, linewidth=2, marker="o" if len(values) < 30 else None, markersize=3, label=metric.replace("_", " "))
        finished(figure, axes, chart | {"title": engine}, "MiB" if axes is all_axes[0][0] else "")
        axes.set_xlabel(chart.get("x", "step"))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    all_axes[0][0].set_ylim(bottom=0)  # when all is drawn: what is set holds for every panel, and no line widens it any more
    title = textwrap.fill(chart["title"], TITLE_LETTERS * len(panels))
    figure.suptitle(title, x=0.012, ha="left", fontweight="bold", fontsize=13)
    return figure


def finished(figure, axes, chart, label):
    axes.set_title(textwrap.fill(chart["title"], int(TITLE_LETTERS_AN_INCH * figure.get_figwidth() / len(figure.axes))))
    axes.set_ylabel(textwrap.fill(label, AXIS_LETTERS))
    axes.grid(axis="y", color=FAINT, linewidth=0.8)
    axes.spines["left"].set_visible(False)
    axes.tick_params(which="both", length=0)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}" if value == int(value) else f"{value:g}"))
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=9, borderaxespad=0)
    return figure


def shown(value):
    return f"{value:,.0f}" if value == int(value) or value >= 100 else f"{value:.2f}"
