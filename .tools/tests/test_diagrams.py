# SPDX-License-Identifier: Apache-2.0
"""The diagrams: each picture is of its source, and names stages, rooms and modules that there are."""
import re
import subprocess
import xml.etree.ElementTree
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
DIAGRAMS = REPOSITORY / ".docs/diagrams"
# Where the capitalised names of a diagram are files; classes beside others in a file stand behind their file's name.
FILES = {"compressor": "rtl/engine/compressor/*.scala", "decompressor": "rtl/engine/decompressor/*.scala", "card": "rtl/**/*.scala"}
NAME = re.compile(r"\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b")


def test_diagrams_are_of_their_sources():
    done = subprocess.run([DIAGRAMS / "draw", "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for source in DIAGRAMS.glob("*.dot"):
        xml.etree.ElementTree.parse(source.with_suffix(".svg"))


def test_diagrams_notice_another_source(tmp_path):
    for path in DIAGRAMS.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "draw").chmod(0o755)
    source = tmp_path / "card.dot"
    source.write_text(source.read_text().replace("doorbell", "bell"))
    done = subprocess.run([tmp_path / "draw", "--check"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "diagrams: card.dot: the picture is of an older source; run: make diagrams\n")


@pytest.mark.parametrize("name", FILES)
def test_diagrams_name_what_there_is(name):
    declared = set()
    for path in REPOSITORY.glob(FILES[name]):
        declared |= {path.stem, *re.findall(r"^\s*(?:case )?(?:class|object) (\w+)", path.read_text(), re.M)}
    named = set(NAME.findall((DIAGRAMS / f"{name}.dot").read_text().replace("\\n", " ")))
    assert len(named) > 8 and named <= declared, named - declared


def test_driver_diagram_has_every_room():
    rooms = {path.parent.name for path in (REPOSITORY / "driver").glob("*/*.c") if path.parent.name not in ("tests", "probe-kernel")}
    text = (DIAGRAMS / "driver.dot").read_text()
    assert rooms and not [room for room in rooms if not re.search(rf'\b{room} \[label="{room}\\n', text)], rooms
