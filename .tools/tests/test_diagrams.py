# SPDX-License-Identifier: Apache-2.0
"""The diagrams: each picture is of its source, and names stages, rooms and modules that there are."""
import re
import shutil
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


@pytest.fixture
def copied(tmp_path):
    """A tree of the diagrams and the page with the figures: its own draw, and that page."""
    shutil.copytree(DIAGRAMS, tmp_path / ".docs/diagrams")
    (tmp_path / ".tools").symlink_to(REPOSITORY / ".tools")
    (tmp_path / "rtl").mkdir()
    return tmp_path / ".docs/diagrams/draw", Path(shutil.copy(REPOSITORY / "rtl/README.md", tmp_path / "rtl"))


def test_diagrams_notice_another_source(copied):
    draw, _ = copied
    source = draw.with_name("card.dot")
    source.write_text(source.read_text().replace("doorbell", "bell"))
    done = subprocess.run([draw, "--check"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "diagrams: card.dot: the picture is of an older source; run: make diagrams\n")


def test_diagram_of_figures_is_of_the_tables(copied):
    """Every figure of the chart stands in rtl/README.md; another figure there makes the picture old, and a missing table is told."""
    draw, page = copied
    text = page.read_text()

    def checked(changed):
        page.write_text(changed)
        done = subprocess.run([draw, "--check"], capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    assert checked(text + "\nmore\n") == (0, "")
    for figure in re.findall(r">([\d.]+)(?:, ([\d.]+))?</text>", draw.with_name("figures.svg").read_text()):
        assert all(re.search(rf"\b{one} ?(?:\||µs)", text) for one in filter(None, figure)), figure
    assert checked(text.replace("| 2.28 µs |", "| 2.38 µs |")) == (1, "diagrams: README.md: the picture is of an older source; run: make diagrams\n")
    assert checked(text.replace("| card idle |", "| idle |")) == (1, "diagrams: rtl/README.md does not state 'card idle'\n")


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
