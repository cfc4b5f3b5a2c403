# SPDX-License-Identifier: GPL-2.0-only
"""The decoder of cold streams, the file that the driver is built with, against libzstd."""
import subprocess
import sys

from guest_programs import HERE, INTERFACE, NIGHTLY, recorded_pages
from models import built_model

REFERENCE = HERE.parents[1] / "sim/reference"
STREAMS = 10_000_000 if NIGHTLY else 100_000
sys.path.append(str(INTERFACE))

from pagepress_cold import DICTIONARY  # noqa: E402 (found by the line above)


def model(folder):
    sources = [INTERFACE.parent / "cold_decompress.c", *(REFERENCE / f"{name}.c" for name in ("cold_compress", "page_matches"))]
    return built_model("cold_model", folder, beside=[*sources, f"-I{INTERFACE.parent}", f"-I{REFERENCE}", "-ldl"])


def test_decoder_takes_what_zstd_takes(tmp_path, seed):
    """Under sanitizers: every recorded page, all truncations, all changes of a byte, noise."""
    (tmp_path / "dictionary").write_bytes(DICTIONARY)
    (tmp_path / "pages").write_bytes(recorded_pages())
    done = subprocess.run([model(tmp_path), tmp_path / "dictionary", tmp_path / "pages", str(seed), str(STREAMS)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    looked, taken = map(int, done.stdout.split())
    # Some changes give another page, which the slot's CRC32C tells: without any, nothing was compared with libzstd but what is right.
    assert looked > STREAMS and taken > 100, done.stdout


def test_cold_model_wants_its_arguments(tmp_path):
    done = subprocess.run([model(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr == "usage: cold_model DICTIONARY PAGES SEED STREAMS\n"
