# SPDX-License-Identifier: Apache-2.0
"""The golden vectors that the firmware draws for lanes: streams as the codecs that users run read them."""
import subprocess
from pathlib import Path

import lzo
import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
BUFFER = 4096
VECTORS = 100  # that test_lanes leaves in a folder; number n has pages of BUFFER << n % 5 bytes


@pytest.fixture
def vectors(built, seed, tmp_path):
    built("firmware")
    subprocess.run(["make", "-s", "-C", REPOSITORY / "firmware/tests"], check=True)
    subprocess.run([REPOSITORY / "build/firmware/tests/test_lanes", REPOSITORY / "firmware/keys/development.key", str(seed), tmp_path], check=True)
    return tmp_path


def test_golden_vectors_hold_their_page(vectors):
    pages = set()
    for number in range(1, VECTORS + 1):
        size = BUFFER << number % 5
        vector = (vectors / f"{number}.golden").read_bytes()
        page, stream = vector[:size], vector[size:]
        assert lzo.liblzo2_decompress(stream, size) == page == lzo.kernel_decompress(stream, size)
        pages.add(page[:BUFFER])
    assert len(pages) == VECTORS
