# SPDX-License-Identifier: Apache-2.0
"""The tables of `make bench-energy`."""
from .table import line

EVENTS = {
    "lut": "transitions of LUT and multiplexer outputs", "carry": "of carry outputs", "flip_flop": "of flip-flop outputs", "memory": "of LUT memories' outputs",
    "block_ram": "of block RAMs' outputs", "port": "of inputs", "wires_after_logic": "of these, on wires behind LUTs and carries",
    "wires_after_clocked": "of these, on wires behind registers and inputs", "clock_pins": "of clock pins", "block_ram_accesses": "accesses of block RAMs (36 Kib)",
    "memory_writes": "writes of LUTs used as memory",
}
ROWS = {
    "compress": "compressor", "verify": "the lane's decompressor, which verifies", "out_engines": "engines, a page out", "in_engines": "engine, a page in",
    "out_static": "static, its share at the card's full rate", "out_link": "PCIe transceivers and block, its share", "out_card": "card, a page out", "in_card": "card, a page in",
    "out_software": "a page out by software", "out_by_card_all": "by the card, this CPU proves the stream", "out_by_card_card": "by the card, verify_streams=card",
    "out_by_card_sampled": "by the card, verify_streams=sampled", "in_software": "a page in by software", "in_by_card": "by the card",
}


def table(rows):
    """Aligned columns, the first to the left."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(line(row, widths) for row in rows)


def microjoules(value):
    """Three figures that count, whatever the size."""
    micro = value * 1e6
    return f"{micro:.3f}" if micro < 1 else f"{micro:.2f}" if micro < 10 else f"{micro:.1f}"


def report(result):
    active = result["activity"]
    counts = [("a page", "compress", "decompress"), ("cycles, back to back", *(f"{one['cycles']:,.0f}" for one in active.values()))]
    counts += [(label, *(f"{one['events'][event]:,.0f}" for one in active.values())) for event, label in EVENTS.items()]
    parts = [("µJ a page, likely", "compress", "decompress", "pJ each", "pF")]
    parts += [(EVENTS[event], *(microjoules(engine[event][1]) for engine in result["engines"].values()), f"{each[1] * 1e12:.4f}", f"{result['picofarads'][event]:.3f}")
              for event, each in result["joules_an_event"].items()]
    sums = [("µJ a page", "lowest", "likely", "highest")] + [(label, *map(microjoules, result["rows"][key])) for key, label in ROWS.items()]
    return (f"\n{table(counts)}\n\n{table(parts)}\n\n{table(sums)}\n\n"
            f"{result['pages']} recorded pages (seed {result['seed']}), {result['stored']:,.0f} bytes a stream. Counted: the netlist that make synth maps for UltraScale+, once a cycle.\n"
            "Assumed: what an event takes (sim/bench/energy.toml). Left out: queues, data movers, PCIe adapter, memory (sim/bench/README.md).\n"
            "written: build/bench/energy.json, build/bench/energy.png")
