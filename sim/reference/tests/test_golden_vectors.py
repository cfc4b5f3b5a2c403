# SPDX-License-Identifier: Apache-2.0
"""The golden CRCs and streams, of both formats, of rtl/interface/vectors through every decoder, from Python and from C."""

import pathlib
import subprocess

import pagepress_interface as interface
import pytest
from cold import ZstdError, cold_compress, cold_decompress, zstd_decompress
from crc32c import crc32c
from golden_vectors import FOLDER, records
from lzo import LzoError, kernel_decompress, liblzo2_decompress
from model import page_crc32c, page_decompress

HERE = pathlib.Path(__file__).resolve().parent


def first_word(part):
    return part[0] if isinstance(part, list) else ""


@pytest.mark.parametrize("words, values", records("crc32c.txt"), ids=first_word)
def test_crc32c_vectors(words, values):
    data = bytes.fromhex(values["data"])
    assert crc32c(data) == page_crc32c(data) == int(values["crc"], 16), words[0]


@pytest.mark.parametrize("words, values", records("streams.txt"), ids=first_word)
def test_stream_vectors(words, values):
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


@pytest.mark.parametrize("words, values", records("cold.txt"), ids=first_word)
def test_cold_vectors(words, values):
    """Streams of the cold format: what decoders make of them, zstd's among them, and which of them the compressor writes."""
    status = getattr(interface, f"STATUS_{values['status']}")
    stream, size = bytes.fromhex(values["stream"]), int(values["bytes"])
    got, produced = cold_decompress(stream, size)
    assert got == status, interface.STATUS_NAMES[got]
    if status == interface.STATUS_SUCCESS:
        assert produced.hex() == values["plain"] and zstd_decompress(stream, size) == produced
        if "written" in words:
            assert cold_compress(produced, size + 9) == (status, stream)
    elif status == interface.STATUS_OUTPUT_OVERRUN:
        with pytest.raises(ZstdError):
            zstd_decompress(stream, size)


def test_c_codec_vectors(tmp_path):
    program, reference = tmp_path / "replay", HERE.parent
    generated = FOLDER.parent / "generated"
    subprocess.run(["gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined", "-o", program,
                    HERE / "replay_codec.c", reference / "page_checks.c", reference / "page_decompress.c", FOLDER.parent / "cold_decompress.c",
                    f"-I{FOLDER}", f"-I{FOLDER.parent}", f"-I{reference}", f"-I{generated}"], check=True)
    files = ["crc32c.txt", "streams.txt", "cold.txt"]
    run = subprocess.run([program, *(FOLDER / name for name in files)], capture_output=True, text=True, check=False)
    expected = f"{sum(len(records(name)) for name in files)} vectors\n"
    assert run.returncode == 0 and run.stdout == expected, run.stdout + run.stderr
