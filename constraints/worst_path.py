# SPDX-License-Identifier: Apache-2.0
"""Texts that tell an author where a block is slow, in the Scala's names: the deepest path with what each step
reads besides, and every deep register by name. The mapping loses the names of signals inside a path; the
registers that a step reads besides say what it computes."""
from itertools import islice

from levels import family
from netlist import collapse, pins, without_index
from primitives import is_clocked

DEEPEST_GROUPS = 40
WIDEST = 20
PATHS = 5
DEEP = 8            # levels that 250 MHz on UltraScale+ allows
INSTANCE = "block"  # the block's name in the harness
CELLS_BACK, SIGNALS_BEHIND = 3, 4
BESIDES = 140       # characters of the column "reads besides"


def levels_report(block, netlist, levels):
    lines = [f"{block}: {levels.worst()} levels on the UltraScale+ mapping",
             "A level is a LUT, a look-up in LUT memory, an unregistered DSP or a whole carry chain; MUXF7-9 cost none.",
             ""]
    groups = levels.groups()
    for number, end in enumerate(different(levels, groups)):
        lines += [f"Deepest path {'that starts elsewhere' if number else 'of all'}", *path_lines(netlist, levels, end), ""]
    lines += [f"The {min(DEEPEST_GROUPS, len(groups))} deepest ends (levels; bits as deep, of all; end; start of the path)"]
    for level, deep, total, place, end in groups[:DEEPEST_GROUPS]:
        lines.append(f"  {level:3}  {deep:4}/{total:<4}  {place:60}  {levels.start(end.bit)}")
    lines += ["", f"Instances by their deepest end (levels; bits deeper than {DEEP}, of all)", *instances(levels)]
    lines += ["", "Register bits and outputs by levels", *histogram(levels)]
    lines += ["", f"The {WIDEST} signals that drive most pins, clocks left out", *widest(netlist)]
    return "\n".join(lines) + "\n"


def different(levels, groups):
    """The deepest ends whose paths start at different registers: mending the first leaves the others."""
    starts = {}
    for _, _, _, _, end in groups:
        starts.setdefault(family(levels.start(end.bit) + ".Q"), end)
        if len(starts) == PATHS:
            break
    return list(starts.values())


def instances(levels):
    """Where the deep ends stand: one line for each component of the Scala that has ends."""
    found = {}
    for end in levels.ends:
        register = family(end.place).rpartition(".")[0]
        found.setdefault(register.rpartition(".")[0] or "(the block itself)", []).append(levels.level[end.bit])
    for instance, depths in sorted(found.items(), key=lambda entry: (-max(entry[1]), entry[0])):
        yield f"  {max(depths):3}  {sum(depth > DEEP for depth in depths):5}/{len(depths):<6} {instance}"


def path_lines(netlist, levels, end):
    yield "  level  cell       fan-out  signal; of an unnamed one what it reads besides (+)"
    previous = None
    for step in levels.path(end.bit):
        if previous is None:
            what = levels.start(end.bit)
        else:
            cell = netlist.cells[step.cell]
            besides = reads(netlist, cell, previous)
            what = netlist.name(step.bit) or "+ " + besides
        yield f"  {step.level:5}  {step.kind:9}  {netlist.fan_out[step.bit]:7}  {what}".rstrip("+ ")
        previous = step.bit
    yield f"  end                       {end.place}"


def reads(netlist, cell, but):
    """The signals a cell reads besides the bit `but`, as text; those behind unnamed signals too,
    when they are few, or else `instance.*`."""
    names = []
    for _, _, bit in pins(cell, "input"):
        if bit != but:
            behind = named_behind(netlist, bit, CELLS_BACK)
            few = len({without_index(name) for name in behind}) <= SIGNALS_BEHIND
            names += behind if few else [name.rpartition(".")[0] + ".*" for name in behind if "." in name]
    text = collapse(names)
    return text if len(text) <= BESIDES else text[:BESIDES - 1] + "…"


def named_behind(netlist, bit, cells):
    """The name of a bit, or else those of the bits it is made of, at most so many cells back."""
    if netlist.name(bit):
        return [netlist.name(bit)]
    driver, _, _ = netlist.driver.get(bit, ("", "", 0))
    if not driver or not cells or is_clocked(netlist.cells[driver]["type"]):
        return []
    return [name for _, _, source in pins(netlist.cells[driver], "input") for name in named_behind(netlist, source, cells - 1)]


def histogram(levels):
    counts = {}
    for end in levels.ends:
        counts[levels.level[end.bit]] = counts.get(levels.level[end.bit], 0) + 1
    for level in sorted(counts, reverse=True):
        yield f"  {level:3}  {counts[level]}"


def widest(netlist):
    for count, name, logic in islice(netlist.loads(), WIDEST):
        yield f"  {count:6}  {name or '(unnamed)'}{', of logic' if logic else ''}"


def routed_report(block, report, netlist):
    """`report` as nextpnr writes it for the ECP5 `netlist`: the slowest path from register to register. A line is one
    cell, or one carry chain, with the routing to it."""
    clock, fmax = min(report["fmax"].items(), key=lambda entry: entry[1]["achieved"])
    path = next(path["path"] for path in report["critical_paths"] if clock in path["from"] and clock in path["to"])
    lines = [f"{block}: {fmax['achieved']:.1f} MHz routed on ECP5-85 speed 8", "",
             "Slowest path (ns: so far, of this cell, of the routing to it; the signal it gives, or what it reads besides (+))"]
    now, wire, rows = 0.0, 0.0, []
    for step in path:
        now += step["delay"]
        if step["type"] == "routing":
            wire += step["delay"]
        elif rows and wire == 0 and step["type"] == "logic":
            rows[-1] = (now, rows[-1][1] + step["delay"], *rows[-1][2:])     # on in the chain
        else:
            rows.append((now, step["delay"], wire, cell_text(netlist, step)))
            wire = 0.0
    lines += [f"  {at:6.2f}  {cell:5.2f}  {routing:5.2f}  {text}" for at, cell, routing, text in rows]
    routing = sum(step["delay"] for step in path if step["type"] == "routing")
    return "\n".join(lines + [f"  cells {now - routing:.2f} ns, routing {routing:.2f} ns"]).replace(f" {INSTANCE}.", " ") + "\n"


def cell_text(netlist, step):
    """`LUT4       parser.length[3]`: the cell's type and, of a register or memory, its name with the pin, else
    the signal it gives or what it reads besides."""
    name, port = step["to"]["cell"].split("$CCU2_COMB")[0], step["to"]["port"]
    cell = netlist.cells.get(name)
    if cell is None:        # put in by the router's packer: the end of a carry chain
        return "chain"
    kind = cell["type"]
    if kind in ("TRELLIS_FF", "DP16KD", "TRELLIS_DPR16X4"):
        held = [netlist.name(bit) for bit in cell["connections"].get("Q", ())]
        return f"{kind:11}{(held and held[0]) or name}.{port}"
    given = [netlist.name(bit) for _, _, bit in pins(cell, "output")]
    return f"{kind:11}{next(filter(None, given), '') or '+ ' + reads(netlist, cell, None)}".rstrip("+ ")
