# SPDX-License-Identifier: Apache-2.0
"""Whether a mutant can be told from the sound block at all: both side by side, from reset, on the same inputs.

Two copies of the block's netlist of all mutants share every input; one runs mutant 0, the other the mutant. ABC either proves
that their outputs never differ, or finds a sequence of inputs after which they do, or gives up. Registers and memories begin
at zero in both, and reset is asserted in the first cycle.
"""
import re
import subprocess

from mutants import REPOSITORY, SELECT_BITS, Trouble, yosys

ABC = REPOSITORY / "build/tools/formal/usr/bin/berkeley-abc"
SECONDS = 60
SCRIPT = """read_verilog {block}.drawn.v {block}.pair.v
hierarchy -check -top pair
proc
flatten
async2sync
memory_map
opt -full
techmap
dffunmap
simplemap
setundef -zero -init
aigmap
opt_clean
setundef -zero
write_aiger -zinit -no-startoffset pair{number}.aig
"""
REACH = """read_verilog {block}.chosen.v
hierarchy -check -top {block}
proc
flatten
opt_clean -purge
write_verilog -noattr reach{number}.v
"""
PORT = re.compile(r"^  (input|output) (?:\[(\d+):0\] )?([\w$]+);$", re.M)


def pair(text, block, number):
    """Verilog of the module `pair`: the sound block and the mutant, and an output that says they differ."""
    begin = text.index(f"\nmodule {block}(")
    body = text[begin:text.index("\nendmodule", begin)]
    ports = [(kind, int(high or 0), name) for kind, high, name in PORT.findall(body)]
    inputs = [(high, name) for kind, high, name in ports if kind == "input"]
    outputs = [(high, name) for kind, high, name in ports if kind == "output"]
    if "reset" not in [name for _, name in inputs]:
        raise Trouble(f"{block} has no input called reset")
    lines = ["module pair(" + ", ".join(name for _, name in inputs) + ", differ);"]
    lines += [f"  input [{high}:0] {name};" for high, name in inputs]
    lines += ["  output differ;", "  reg first = 1;", "  always @(posedge clk) first <= 0;"]
    for copy, select in (("sound", 0), ("mutant", number)):
        lines += [f"  wire [{high}:0] {copy}_{name};" for high, name in outputs]
        connections = [f".{name}({'reset | first' if name == 'reset' else name})" for _, name in inputs]
        connections += [f".{name}({copy}_{name})" for _, name in outputs]
        lines.append(f"  {block} {copy}({', '.join(connections)}, .mutant({SELECT_BITS}'d{select}));")
    differences = " | ".join(f"(sound_{name} != mutant_{name})" for _, name in outputs)
    return "\n".join([*lines, f"  assign differ = !first & ({differences});", "endmodule", ""])


def is_of_nothing(text, number):
    """Whether the bit that a mutant changes has no value in the sound netlist `text`, as the data of a write that does not happen."""
    select = re.search(rf"assign (\S+) = mutant == {SELECT_BITS}'h{number:04x};", text)
    return bool(select and re.search(rf"= {re.escape(select[1])} \? [^;?]+ : 1'hx;", text))


def chosen(text, block):
    """The netlist with the block's port that chooses the mutant, which was taken away where a simulation chooses."""
    begin = text.index(f"\nmodule {block}(")
    head, tail = text[:begin], text[begin:]
    return head + tail.replace(");", ", mutant);", 1).replace(f"  wire [{SELECT_BITS - 1}:0] mutant;", f"  input [{SELECT_BITS - 1}:0] mutant;", 1)


def reaches_nothing(folder, block, number):
    """Whether what a mutant changes leads to no output of the block, as with the ports of a library's part that this block leaves open. Asked of all
    mutants at once, the first time."""
    reach = folder / "reach.v"
    if not reach.exists():
        (folder / f"{block}.chosen.v").write_text(chosen((folder / f"{block}.drawn.v").read_text(), block))
        (folder / f"reach{number}.ys").write_text(REACH.format(block=block, number=number))
        try:
            yosys(folder, f"reach{number}.ys", 2 * SECONDS)
        except Trouble:
            return False
        (folder / f"reach{number}.v").replace(reach)  # whole, for who judges another mutant meanwhile
    return f"mutant == {SELECT_BITS}'h{number:04x}" not in reach.read_text()


def is_harmless(folder, block, number):
    """True when proved, False when refuted, None when neither within SECONDS, or when yosys cannot make the pair."""
    text = (folder / f"{block}.drawn.v").read_text()
    if is_of_nothing(text, number) or reaches_nothing(folder, block, number):
        return True
    work = folder / f"pair{number}"
    work.mkdir(exist_ok=True)
    (work / f"{block}.drawn.v").write_text(chosen(text, block))
    (work / f"{block}.pair.v").write_text(pair(text, block, number))
    (work / "pair.ys").write_text(SCRIPT.format(block=block, number=number))
    try:
        yosys(work, "pair.ys", 2 * SECONDS)
    except Trouble:
        return None  # too large for it, as large memories are
    try:
        said = subprocess.run([ABC, "-c", f"read_aiger pair{number}.aig; fold; scorr; pdr -T {SECONDS}"], cwd=work, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=4 * SECONDS).stdout
    except subprocess.TimeoutExpired:
        return None
    (work / "abc.log").write_text(said)
    if "Property proved" in said or "Networks are equivalent" in said or re.search(r"The network is (?:trivially )?(?:UNSAT|const)", said):
        return True
    if re.search(r"asserted in frame \d+", said):
        return False
    return None
