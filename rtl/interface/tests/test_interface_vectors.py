# SPDX-License-Identifier: Apache-2.0
"""The golden ring entries through the generated Python and the generated C header.

Scala replays them in rtl/test/InterfaceVectorsTest.scala; sim/reference replays the CRCs and streams.
"""

import pathlib
import subprocess

import pagepress_interface as interface
import pytest
from golden_vectors import FOLDER, records

HERE = pathlib.Path(__file__).resolve().parent


@pytest.mark.parametrize("words, values", records("entries.txt"), ids=lambda part: part[1] if isinstance(part, list) else "")
def test_python_entries(words, values):
    layout = getattr(interface, words[0])
    values = dict(values)
    stored = bytes.fromhex(values.pop("bytes"))
    fields = {name: bytes.fromhex(value) if name.startswith("reserved") else int(value, 16) for name, value in values.items()}
    assert layout(**fields).pack() == stored
    assert layout.unpack(stored) == layout(**fields)
    assert set(fields) == set(layout.__dataclass_fields__), "the vector names every field"


def test_every_descriptor_has_a_vector():
    described = {words[0] for words, _ in records("entries.txt")}
    assert described == {name for name, value in vars(interface).items() if hasattr(value, "LAYOUT")}


def test_c_entries(tmp_path):
    program = tmp_path / "replay"
    subprocess.run(["gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined", "-o", program,
                    HERE / "replay_entries.c", f"-I{FOLDER}", f"-I{HERE.parent / 'generated'}"], check=True)
    run = subprocess.run([program, FOLDER / "entries.txt"], capture_output=True, text=True, check=False)
    assert run.returncode == 0 and run.stdout == f"{len(records('entries.txt'))} vectors\n", run.stdout + run.stderr
