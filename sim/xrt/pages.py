#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write a file of recorded pages for the kernel: pages.py COUNT SEED OUTPUT. Every twentieth is one of the edges (one word, noise …)."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reference"))

import sample_pages  # noqa: E402


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    pages = sample_pages.sample_pages(count, seed)
    edges = list(sample_pages.edge_pages(seed).values())
    for index in range(0, count, 20):
        pages[index] = edges[index // 20 % len(edges)]
    Path(sys.argv[3]).write_bytes(b"".join(pages))


main()
