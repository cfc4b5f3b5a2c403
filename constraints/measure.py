# SPDX-License-Identifier: Apache-2.0
"""The two measurements of one block. Each returns a dict for the table, with its path report as `report`. What the
tools made is kept, so that an unchanged block is not synthesised again."""
import hashlib
import json
import re
import sys
import tomllib
from contextlib import contextmanager

import worst_path
from harness import TOP, harness, replace_by_shell
from levels import Levels
from netlist import Netlist
from tool import REPOSITORY, ToolError, run, versions

sys.path += [str(REPOSITORY / "rtl/interface"), str(REPOSITORY / ".tools")]

from generator.model import released_module  # noqa: E402
from verilog_identity import identity  # noqa: E402

HERE = REPOSITORY / "constraints"
SYNTH = REPOSITORY / "build/synth"
VERILOG = REPOSITORY / "build/verilog"
BLOCKS = tomllib.loads((HERE / "blocks.toml").read_text())
# Cores of the release's Verilog archive are blocks, too, which are measured when they are named; but `default`, which is in BLOCKS.
CONFIGURATIONS = [block for name in tomllib.loads((REPOSITORY / "rtl/top/configurations.toml").read_text()) if (block := f"core_{name}") not in BLOCKS]
RELEASED = REPOSITORY / "build/release/verilog"
LPF = HERE / "ecp5-85/harness.lpf"
# No buffers at the ports: these blocks stand inside a chip. What synchronises clocks asks to be kept as it is: not from a count.
AREA_SCRIPT = """read_verilog {block}.v
setattr -unset keep_hierarchy
synth_xilinx -family xcup -flatten -noiopad -noclkbuf -top {module}
write_json area.netlist.json
"""
# Yosys maps for the least delay that it can reach anywhere, copying logic for it. Told how much is enough, it saves a third of
# the LUTs of a page_decompressor, and the shorter wires gain more. In picoseconds as it counts, 500 for a LUT and its wire, which routed
# take twice as long; a block's `enough` goes before.
ENOUGH = 5000
CLOCK_SCRIPT = """read_verilog {block}.v harness.v
setattr -unset keep_hierarchy
scratchpad -set abc9.D {enough}
synth_ecp5 -top {top} -json clock.netlist.json
"""
# The static placer finds a quarter less wire than the usual one, which begins badly where there are only three pins. The router,
# which else stops at the first legal way, routes what is slow once more: two percent.
PLACED = ["--placer", "static", "--tmg-ripup"]
NEXTPNR = ["--85k", "--package", "CABGA756", "--speed", "8", *PLACED,
           "--json", "clock.netlist.json", "--lpf", "harness.lpf", "--lpf-allow-unconstrained", "--timing-allow-fail",
           "--report", "clock.report.json"]


def area(block):
    """UltraScale+ resources, levels and the most pins that one signal drives: {luts, logic_luts, memory_luts, flip_flops, block_rams,
    carries, wide_muxes, dsps, ultra_rams, levels, fan_out, verilog, report}; `verilog` is what was measured, as a hash."""
    folder = prepare(block)
    netlist = Netlist.load(mapped(block, folder), module(block))
    levels = Levels(netlist)
    cells = netlist.area()
    return {
        "luts": round(cells["logic"] + cells["memory"]), "logic_luts": round(cells["logic"]),
        "memory_luts": round(cells["memory"]), "flip_flops": round(cells["flip_flops"]),
        "block_rams": cells["block_rams"], "carries": round(cells["carries"]),
        "wide_muxes": round(cells["wide_muxes"]), "dsps": round(cells["dsps"]),
        "ultra_rams": round(cells["ultra_rams"]), "levels": levels.worst(), "fan_out": next(netlist.loads(), (0,))[0],
        "verilog": identity((folder / f"{block}.v").read_text(), module(block)),
        "report": worst_path.levels_report(block, netlist, levels),
    }


def clock(block):
    """ECP5-85 speed 8: {megahertz, ecp5_luts, ecp5_flip_flops, ecp5_block_rams, report}; of a block that is too large
    for the chip {too_large: "cells used/there", report}. Maps for UltraScale+ first, for the block's ports."""
    folder = prepare(block)
    ports = json.loads(mapped(block, folder).read_text())["modules"][module(block)]["ports"]
    (folder / "harness.v").write_text(harness(module(block), ports))
    (folder / "harness.lpf").write_text(LPF.read_text())
    (folder / "clock.ys").write_text(CLOCK_SCRIPT.format(block=block, top=TOP, enough=BLOCKS.get(block, {}).get("enough", ENOUGH)))
    try:
        routed(block, folder)
    except ToolError:
        if used := too_large((folder / "nextpnr-ecp5.log").read_text(errors="replace")):
            return {"too_large": used, "report": f"{block} does not fit the ECP5-85: {used}\n"}
        raise
    report = json.loads((folder / "clock.report.json").read_text())
    used = {name: entry["used"] for name, entry in report["utilization"].items()}
    return {
        "megahertz": round(min(entry["achieved"] for entry in report["fmax"].values()), 1),
        "ecp5_luts": used["TRELLIS_COMB"], "ecp5_flip_flops": used["TRELLIS_FF"], "ecp5_block_rams": used["DP16KD"],
        "report": worst_path.routed_report(block, report, Netlist.load(folder / "clock.netlist.json", TOP)),
    }


def module(block):
    """The Verilog module that `block` is made of; of those in build/verilog the file, too."""
    return released_module(block.removeprefix("core_")) if block in CONFIGURATIONS else BLOCKS.get(block, {}).get("of", block)


def verilog(block):
    """The file; a core of the release's is the one that `make release` has left."""
    return RELEASED / block.removeprefix("core_") / "core.v" if block in CONFIGURATIONS else VERILOG / f"{module(block)}.v"


def prepare(block):
    """The block's own folder, holding its Verilog as it is now; tools see nothing outside."""
    source = verilog(block)
    if not source.exists():
        raise ToolError(f"no block {block}: `make release` makes it" if block in CONFIGURATIONS
                        else f"no block {block}: `make verilog` writes one file for each block to build/verilog")
    folder = SYNTH / block
    folder.mkdir(parents=True, exist_ok=True)
    # The header names a commit; without it the text changes only when the block does.
    text = re.sub(r"\A(//.*\n|\n)*", "", source.read_text())
    for left_out in BLOCKS.get(block, {}).get("without", []):
        text = replace_by_shell(left_out, text)
    (folder / f"{block}.v").write_text(text)
    for name in memories(text):
        copy_memory(name, folder)
    (folder / "area.ys").write_text(AREA_SCRIPT.format(block=block, module=module(block)))
    return folder


def memories(text):
    """Names of the files that the Verilog reads the contents of its memories from."""
    return sorted(set(re.findall(r'parameter FILE = "(\w+\.hex)"', text)))


def read_by_yosys(block, folder):
    """The Verilog and what it reads, which change the netlist alike."""
    return [f"{block}.v", *memories((folder / f"{block}.v").read_text())]


def copy_memory(name, folder):
    """The contents of a memory that the Verilog reads from a file."""
    contents = REPOSITORY / "build/firmware" / name
    if not contents.exists():
        raise ToolError(f"build/firmware/{name} is missing: run `make firmware`")
    (folder / name).write_bytes(contents.read_bytes())


def mapped(block, folder):
    """The UltraScale+ netlist; made only when the Verilog, the contents of its memories or the tools changed."""
    netlist = folder / "area.netlist.json"
    with once(netlist, [*read_by_yosys(block, folder), "area.ys"]) as needed:
        if needed:
            run(f"{block}: UltraScale+ mapping", "yosys", ["-s", "area.ys"], folder)
    return netlist


def routed(block, folder):
    """Leaves clock.report.json; a change of the Verilog, of its memories' contents, the harness or the constraints makes it again."""
    with once(folder / "clock.netlist.json", [*read_by_yosys(block, folder), "harness.v", "clock.ys"]) as needed:
        if needed:
            run(f"{block}: ECP5 mapping", "yosys", ["-s", "clock.ys"], folder)
    options = [*NEXTPNR, "--seed", str(BLOCKS.get(block, {}).get("seed", 1))]
    with once(folder / "clock.report.json", ["clock.netlist.json", "harness.lpf"], *options) as needed:
        if needed:
            run(f"{block}: ECP5 place and route", "nextpnr-ecp5", options, folder)


@contextmanager
def once(product, inputs, *arguments):
    """True when `product` was not made of just these files of its folder, arguments and tool versions; remembers them when
    the body succeeds."""
    digest = hashlib.sha256(json.dumps([versions(), arguments]).encode())
    for name in inputs:
        digest.update((product.parent / name).read_bytes())
    stamp = product.with_suffix(".made-of")
    needed = not (product.exists() and stamp.exists() and stamp.read_text() == digest.hexdigest())
    if needed:
        stamp.unlink(missing_ok=True)
    yield needed
    stamp.write_text(digest.hexdigest())


def too_large(log):
    """`TRELLIS_COMB 90000/83640` when nextpnr's utilisation shows more cells than the chip has, else ""."""
    for name, used, there in re.findall(r"^Info:\s+(\w+):\s+(\d+)/\s*(\d+)\s", log, re.MULTILINE):
        if int(used) > int(there):
            return f"{name} {used}/{there}"
    return ""
