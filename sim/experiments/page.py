# SPDX-License-Identifier: Apache-2.0
"""index.html and index.md: every scenario's checks, tables and charts, the original's figures beside ours."""
import hashlib
import html
import json
import re

from . import RESULTS, ROOM, chart, plan, result, table, write_whole
from .scenario import load

STYLE = """body { font: 15px/1.5 "DejaVu Sans", sans-serif; color: #22303c; background: #fbfbf9; max-width: 72em; margin: 2em auto; padding: 0 1em }
h1, h2 { line-height: 1.2 } h2 { margin-top: 3em; border-top: 1px solid #d9dee3; padding-top: 1em }
table { border-collapse: collapse; margin: 1em 0 2em } caption { text-align: left; font-weight: bold; padding-bottom: .3em }
th, td { text-align: right; padding: .25em .8em; border-bottom: 1px solid #d9dee3; white-space: nowrap } th:first-child, td:first-child { text-align: left; white-space: normal }
td.holds { color: #3a7d44 } td.fails { color: #d1495b; font-weight: bold } td.open { color: #8d99ae }
.tables { display: flex; flex-wrap: wrap; align-items: flex-start; column-gap: 3em } .tables caption { max-width: 22em }
img { max-width: 100% } pre { font-size: 13px; overflow-x: auto } .about { max-width: 50em }"""
SIGNS = {">=": "≥", "<=": "≤", "==": "="}
FAILING = ["experiment", "check", "measured", "wanted"]
COMPLAINING = ["experiment", "guest", "its kernel complained"]
FAILED = ["experiment", "guest", "why"]
STATES = {True: ("holds", "holds"), False: ("does not hold", "fails"), None: ("not all run", "open")}
BEYOND_QUICK = "not all run: not in QUICK=1"
SUMMARY = ["experiment", "holds", "fails", "not all run", "of those not in QUICK=1"]
ABSENT = ("Not among them, though meant to be: Chromium and w3m (pages of the web are opened in MuPDF's viewer, each a process of its own), a calendar and gcc (the files that it would compile "
          "are read alone).")


def write(say):
    """Writes both pages, of every scenario that has results, and draws the charts of those whose figures have changed."""
    sections = []
    for name in result.known():
        scenario = load(name)
        content, samples = result.write(scenario, plan.Store(RESULTS / name / "cells", plan.fingerprint(scenario)))  # of what is known now, whoever wrote them last
        sections.append((scenario, content, charts_of(scenario, content["rows"], samples, RESULTS / name, say)))
    for path, text in (("index.html", as_html(sections)), ("index.md", as_markdown(sections))):
        (RESULTS / path).write_text(text)


def charts_of(scenario, rows, samples, folder, say):
    """Names of the charts in `folder`, drawn when they are not there or show something else, which charts.json there tells."""
    shown = (ROOM / "chart.py").read_bytes() + repr((scenario, rows, samples)).encode()
    kept, stamp = folder / "charts.json", hashlib.sha256(shown).hexdigest()
    drawn = json.loads(kept.read_text()) if kept.exists() else {"stamp": "", "names": []}
    if drawn["stamp"] != stamp or not all((folder / f"{name}.{ending}").exists() for name in drawn["names"] for ending in chart.ENDINGS):
        say(f"charts of {scenario.name}")
        drawn = {"stamp": stamp, "names": chart.draw(scenario, rows, samples, folder)}
        write_whole(kept, json.dumps(drawn) + "\n")  # when all are there
    return drawn["names"]


def summary(sections):
    """A line a scenario: its name, what it descends from, and how many of its checks hold."""
    for scenario, content, _ in sections:
        holds = [check["holds"] for check in content["checks"]]
        beyond = [check for check in content["checks"] if is_beyond_quick(content, check)]
        yield scenario, f"{holds.count(True)} of {len(holds)} hold", f"{holds.count(False)}", f"{holds.count(None)}", f"{len(beyond)}"


def is_beyond_quick(content, check):
    return check["holds"] is None and check["name"] in content["beyond_quick"]


def quick_leaves_out(sections):
    """A sentence, where there are checks that are open because of that."""
    beyond = sum(is_beyond_quick(content, check) for _, content, _ in sections for check in content["checks"])
    return (f"QUICK=1 leaves points and engines out. Checks that are open here and that it does not decide: {beyond}; each says so where it stands. Of some it is known from "
            "single runs that they do not hold (sim/experiments/README.md).") if beyond else ""  # fmt: skip


def checks(content):
    """[(check, measured, wanted, how it ended, its class)], as they are read."""
    for check in content["checks"]:
        sign, _, bound = check["wanted"].partition(" ")
        try:
            bound = table.number(float(bound))
        except ValueError:
            pass  # what was not run
        measured = table.MISSING if check["measured"] is None else table.number(check["measured"])
        word, kind = STATES[check["holds"]]
        yield check["name"], measured, f"{SIGNS.get(sign, sign)} {bound}", BEYOND_QUICK if is_beyond_quick(content, check) else word, kind


def disks(scenario):
    """How slow they are, as the end of a sentence."""
    slow = [f"{what} by {delay} ms" for what, delay in (("programs", scenario.root_delay_ms), ("swap", scenario.swap_delay_ms)) if delay]
    arm = f"; the swap disk does one thing at a time: {scenario.swap_seek_ms} ms to another place, {scenario.swap_mb_a_second} MB a second"
    return (f"; disks delayed: {', '.join(slow)}" if slow else "") + (arm if scenario.swap_seek_ms else "")


def code(text):
    """Markdown's quoted words in HTML."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", text)


def not_holding(sections):
    """[(experiment, check, measured, wanted)] of those that do not hold, which a reader looks for first."""
    return [(scenario.name, *cells[:3]) for scenario, content, _ in sections for cells in checks(content) if cells[4] == "fails"]


def complaining(sections):
    """[(experiment, guest, what its kernel said)], a line for each thing it said."""
    return [(scenario.name, result.guest_of(one), line) for scenario, content, _ in sections for one in content["complaints"] for line in one["lines"]]


def failed(sections):
    """[(experiment, guest, why it did not come to its end)]"""
    return [(scenario.name, result.guest_of(one), one["why"]) for scenario, content, _ in sections for one in content["failures"]]


def missing(content):
    """A sentence for each thing that points of the sweep wait for."""
    points = {}
    for one in content["not_built"]:
        points.setdefault(one["what"], []).append(one["point"])
    return [f"Not built yet: {what} ({', '.join(names) if len(names) < 4 else f'{len(names)} points'})." for what, names in points.items()]


def extra(scenario):
    path = RESULTS / scenario.name / "tables.txt"
    return path.read_text() if path.exists() else ""


def versions_of(sections):
    """Sentences: of what all guests ran and read."""
    found = [content for _, content, _ in sections]
    packages = dict(one for content in found for one in content["packages"].items())
    kernels = dict(sorted(one for content in found for one in content["kernels"].items()))
    headers = next((content["headers"] for content in found if content["headers"]), [])
    said = {
        "Debian packages": [f"{name} {version}" for name, version in packages.items()], "kernels": [f"{name} ({release})" for name, release in kernels.items()],
        "headers that are compared": headers,
    }  # fmt: skip
    return " ".join(f"{what[0].upper()}{what[1:]}: {', '.join(some)}." for what, some in said.items() if some)


def as_html(sections):
    e = html.escape
    parts = ["<!doctype html><html lang='en'><meta charset='utf-8'><title>Pagepress: experiments</title>", f"<style>{STYLE}</style>",
             "<h1>Five classic systems, measured again</h1>",
             "<p class='about'>Figures of the original publications beside those of this machine. Figures are the median of the runs, in brackets least and greatest "
             "where they differ. Times are those of an emulated machine and are shown; judged are but how many times one is of another, where a speed-up is the goal.</p>",
             html_table("Checks", SUMMARY,
                        [[f"<a href='#{scenario.name}'>{e(scenario.name)}</a>", *map(e, rest)] for scenario, *rest in summary(sections)], raw=True),
             f"<p class='about'>{e(quick_leaves_out(sections))}</p>"]
    if failing := not_holding(sections):
        parts.append(html_table("Does not hold", FAILING, failing))
    if guests := failed(sections):
        parts.append(html_table("Guests that failed", FAILED, guests))
    if complained := complaining(sections):
        parts.append(html_table("BUG and WARNING", COMPLAINING, complained))
    for scenario, content, charts in sections:
        parts.append(f"<h2 id='{scenario.name}'>{e(scenario.title)}</h2><p><b>{e(scenario.name)}</b>, from {e(scenario.source)}; memory {e(scenario.memory)}"
                     + f"{e(disks(scenario))}</p><p class='about'>{code(e(scenario.about))}</p>")
        for note in scenario.original_notes:
            parts.append(f"<p class='about'>Original: {e(note)}</p>")
        rows = [f"<tr>{''.join(f'<td>{e(cell)}</td>' for cell in cells)}<td class='{kind}'>{word}</td></tr>" for *cells, word, kind in checks(content)]
        if rows:
            parts.append("<table><caption>Checks</caption><tr><th>check</th><th>measured</th><th>wanted</th><th></th></tr>" + "".join(rows) + "</table>")
        parts += [f"<p class='about'>{e(sentence)}</p>" for sentence in missing(content)]
        for name in charts:
            parts.append(f"<p><a href='{scenario.name}/{name}.svg'><img src='{scenario.name}/{name}.png' alt='{e(name)}'></a></p>")
        figures = [html_table(*sheet) for sheet in table.sheets(scenario, content["rows"])]
        parts.append(f"<div class='tables'>{''.join(figures)}</div>")
        if extra(scenario):
            parts.append(f"<pre>{e(extra(scenario))}</pre>")
    parts.append(f"<h2>Programs and data</h2><p class='about'>{e(versions_of(sections))} {e(ABSENT)}</p></html>")
    return "\n".join(parts) + "\n"


def html_table(caption, header, lines, raw=False):
    cell = str if raw else html.escape
    return (f"<table><caption>{html.escape(caption)}</caption><tr>" + "".join(f"<th>{html.escape(one)}</th>" for one in header) + "</tr>"
            + "".join("<tr>" + "".join(f"<td>{cell(one)}</td>" for one in line) + "</tr>" for line in lines) + "</table>")


def as_markdown(sections):
    parts = ["# Five classic systems, measured again", "Figures of the original publications beside those of this machine: medians, in brackets least and greatest where runs differ. "
             "Times are those of an emulated machine and are shown; judged are but how many times one is of another, where a speed-up is the goal."]
    parts.append(markdown_table(SUMMARY, [[f"[{scenario.name}](#{scenario.name})", *rest] for scenario, *rest in summary(sections)]))
    parts.append(quick_leaves_out(sections))
    if failing := not_holding(sections):
        parts += ["Does not hold:", markdown_table(FAILING, failing)]
    if guests := failed(sections):
        parts += ["Guests that failed:", markdown_table(FAILED, guests)]
    if complained := complaining(sections):
        parts += ["BUG and WARNING:", markdown_table(COMPLAINING, complained)]
    for scenario, content, charts in sections:
        parts += [f"## {scenario.name}", f"**{scenario.title}**, from {scenario.source}; memory {scenario.memory}{disks(scenario)}.", scenario.about.strip().replace("\n", " ")]
        parts += [f"Original: {note}" for note in scenario.original_notes]
        parts.append(markdown_table(["check", "measured", "wanted", ""], [cells for *cells, _ in checks(content)]))
        parts += missing(content)
        parts += [f"![{name}]({scenario.name}/{name}.png)" for name in charts]
        for caption, header, lines in table.sheets(scenario, content["rows"]):
            parts += [f"**{caption}**", markdown_table(header, lines)]
        if extra(scenario):
            parts.append("```\n" + extra(scenario) + "```")
    parts += ["## Programs and data", f"{versions_of(sections)} {ABSENT}"]
    return "\n\n".join(part for part in parts if part) + "\n"


def markdown_table(header, lines):
    if not lines:
        return ""
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in [header, ["---"] * len(header), *lines])
