# SPDX-License-Identifier: Apache-2.0
"""The bugs of mutations.toml, and how one is put into a block's Verilog."""
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

FILE = Path(__file__).resolve().parent / "mutations.toml"


class Stale(Exception):
    """A mutation does not fit the Verilog; one line that says what to mend."""


@dataclass(frozen=True)
class Mutation:
    """One deliberate bug. `pattern` must match exactly once in <block>.v; `tests` of `module` must notice."""
    name: str
    bug: str
    block: str
    pattern: str
    replacement: str
    module: str
    tests: list
    environment: dict = field(default_factory=dict)  # of the simulation, as the block's own test sets it

    @property
    def shown_test(self):
        return f"{self.module}: {', '.join(self.tests)}"

    def apply(self, verilog):
        """The broken text of the block in the folder `verilog`."""
        source = verilog / f"{self.block}.v"
        if not source.exists():
            raise Stale(f"{source.name} was not generated: make verilog")
        sound = source.read_text()
        broken, count = re.subn(self.pattern, self.replacement, sound)
        if count != 1:
            raise Stale(f"its pattern matches {count} times in {source.name}, not once: mend it in {FILE.name}")
        if broken == sound:
            raise Stale(f"its replacement changes nothing in {source.name}: mend it in {FILE.name}")
        return broken


def read(path=FILE):
    """Every mutation of the file; names are unique."""
    mutations = [Mutation(**entry) for entry in tomllib.loads(path.read_text())["mutation"]]
    names = [mutation.name for mutation in mutations]
    if len(set(names)) != len(names):
        raise ValueError(f"{path.name}: two mutations of one name")
    return mutations
