# SPDX-License-Identifier: Apache-2.0
"""The golden vectors through the generated Python, the generated C header, and every LZO decoder.

Scala replays the entries in rtl/test/InterfaceVectorsTest.scala.
"""

import pathlib
import subprocess

import pagepress_interface as interface
import pytest
from crc32c import crc32c
from lzo import LzoError, kernel_decompress, liblzo2_decompress
from model import page_crc32c, page_decompress

HERE = pathlib.Path(__file__).resolve().parent
VECTORS = HERE.parent / "vectors"
ROOT = HERE.parents[2]


def records(name):
    """[(words before the first key=value, {key: value})] of a vector file."""
    found = []
    for line in (VECTORS / name).read_text(encoding="ascii").splitlines():
        if line and not line.startswith("#"):
            words = line.split(" ")
            found.append(([word for word in words if "=" not in word], dict(word.split("=") for word in words if "=" in word)))
    return found


@pytest.mark.parametrize("words, values", records("entries.txt"), ids=lambda part: part[1] if isinstance(part, list) else "")
def test_python_entries(words, values):
    layout = getattr(interface, words[0])
    stored = bytes.fromhex(values.pop("bytes"))
    fields = {name: bytes.fromhex(value) if name.startswith("reserved") else int(value, 16) for name, value in values.items()}
    assert layout(**fields).pack() == stored
    assert layout.unpack(stored) == layout(**fields)
    assert set(fields) == set(layout.__dataclass_fields__), "the vector names every field"


def test_every_descriptor_has_a_vector():
    described = {words[0] for words, _ in records("entries.txt")}
    assert described == {name for name, value in vars(interface).items() if hasattr(value, "LAYOUT")}


def test_c(tmp_path):
    """A C program reads the same files; it prints what differs and how much it compared."""
    program = tmp_path / "replay"
    reference = ROOT / "sim" / "reference"
    subprocess.run(["gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined", "-o", program,
                    HERE / "replay.c", reference / "page_checks.c", reference / "page_decompress.c",
                    f"-I{reference}", f"-I{HERE.parent / 'generated'}"], check=True)
    run = subprocess.run([program, *(VECTORS / name for name in ("entries.txt", "crc32c.txt", "streams.txt"))],
                         capture_output=True, text=True, check=False)
    count = sum(len(records(path.name)) for path in VECTORS.glob("*.txt"))
    assert run.returncode == 0 and run.stdout == f"{count} vectors\n", run.stdout + run.stderr


@pytest.mark.parametrize("words, values", records("crc32c.txt"), ids=lambda part: part[0] if isinstance(part, list) else "")
def test_crc32c_vectors(words, values):
    data = bytes.fromhex(values["data"])
    assert crc32c(data) == page_crc32c(data) == int(values["crc"], 16), words[0]


@pytest.mark.parametrize("words, values", records("streams.txt"), ids=lambda part: part[0] if isinstance(part, list) else "")
def test_streams(words, values):
    name, status = words[0], getattr(interface, f"STATUS_{values['status']}")
    stream, size = bytes.fromhex(values["stream"]), int(values["bytes"])
    got, produced = page_decompress(stream, size)
    assert got == status, interface.STATUS_NAMES[got]
    # liblzo2 knows no version headers and takes an end mark of any length.
    kernel_only = name == "wrong_end" or stream[0] == 17
    decoders = [kernel_decompress] if kernel_only else [kernel_decompress, liblzo2_decompress]
    if status == interface.STATUS_SUCCESS:
        assert produced.hex() == values["plain"] and len(produced) == size
        assert all(decoder(stream, size) == produced for decoder in decoders)
    elif status == interface.STATUS_OUTPUT_UNDERRUN:
        assert all(len(decoder(stream, size)) < size for decoder in decoders)
    elif name != "unknown_version":     # the kernel reads it as version 1
        for decoder in decoders:
            with pytest.raises(LzoError):
                decoder(stream, size)
